#include "runner/probe/capture_sink.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perfgate::probe {
namespace {

constexpr int kHighDescriptor = 500;  // above what a program that counts its descriptors looks at
constexpr auto kTick = std::chrono::milliseconds(100);

/// New threads inherit the mask: blocks all signals while the writer is started.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

int open_new(const std::string& path) {
  int low = -1;
  do {
    low = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (low < 0 && errno == EINTR);
  if (low < 0) return -1;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high < 0) return low;  // a small descriptor limit
  ::close(low);
  return high;
}

}  // namespace

std::uint64_t process_start_ticks() {
  const int descriptor = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  std::array<char, 1024> text{};
  const ssize_t length = ::read(descriptor, text.data(), text.size() - 1);
  ::close(descriptor);
  if (length <= 0) return 0;
  const std::string_view line(text.data(), static_cast<std::size_t>(length));
  std::size_t at = line.rfind(')');  // the program's name may hold anything
  if (at == std::string_view::npos) return 0;
  for (int field = 2; field < 22; ++field) {
    at = line.find(' ', at + 1);
    if (at == std::string_view::npos) return 0;
  }
  std::uint64_t ticks = 0;
  std::from_chars(line.data() + at + 1, line.data() + line.size(), ticks);
  return ticks;
}

Result<std::unique_ptr<CaptureSink>> CaptureSink::open(const std::string& directory,
                                                       const capture::Header& header, Job tick) {
  const std::string name = directory + "/" + std::to_string(header.pid) + "-" +
                           std::to_string(header.process_start_ticks);
  std::string path = name + ".pgcap";
  int descriptor = open_new(path);
  for (int program = 2; descriptor < 0 && errno == EEXIST && program <= kMostPrograms; ++program) {
    path = name + "-" + std::to_string(program) + ".pgcap";
    descriptor = open_new(path);
  }
  if (descriptor < 0) {
    return Error{ErrorCode::io, "cannot create " + path + ": " + std::strerror(errno),
                 "PERFGATE_CAPTURE_DIR must be a folder in which the program may create files", ""};
  }
  std::unique_ptr<CaptureSink> sink(new CaptureSink(descriptor, std::move(tick)));
  sink->jobs_.push_back([header](capture::Encoder& encoder) { return encoder.begin(header); });
  try {
    const AllSignalsBlocked blocked;
    sink->thread_ = std::thread([raw = sink.get()] { raw->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::unavailable, std::string("cannot start a thread: ") + error.what(), "",
                 ""};
  }
  return sink;
}

CaptureSink::CaptureSink(int descriptor, Job tick)
    : descriptor_(descriptor), tick_(std::move(tick)) {
  struct stat status {};
  if (fstat(descriptor_, &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
}

CaptureSink::~CaptureSink() {
  if (thread_.joinable()) {
    finish([](capture::Encoder&) { return capture::Bytes{}; });
    thread_.join();
  }
  if (same_file()) ::close(descriptor_);
}

void CaptureSink::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (finishing_) return;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void CaptureSink::post_reason(std::string text) {
  post([text = std::move(text)](capture::Encoder& encoder) { return encoder.reason(text); });
}

void CaptureSink::finish(Job last) {
  {
    const std::lock_guard lock(mutex_);
    if (finishing_) return;
    last_ = std::move(last);
    finishing_ = true;
  }
  wake_.notify_one();
}

bool CaptureSink::wait_finished(int milliseconds) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return finished_; });
}

void CaptureSink::run() {
  bool started = false;  // nothing may precede the header
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait_for(lock, kTick, [&] { return !jobs_.empty() || finishing_; });
    std::deque<Job> jobs;
    jobs.swap(jobs_);
    const bool last = finishing_;
    lock.unlock();
    for (const Job& job : jobs) {
      execute(job);
      started = true;
    }
    if (started) execute(tick_);
    if (last) execute(last_);
    lock.lock();
    if (last) break;
  }
  finished_ = true;
  done_.notify_all();
}

void CaptureSink::execute(const Job& job) {
  if (!job) return;
  try {
    const capture::Bytes block = job(encoder_);
    append(encoder_.take_strings());
    append(block);
  } catch (...) {  // out of memory: this block is lost, and the end block will be missing or the
                   // count short
    failed_ = true;
  }
}

bool CaptureSink::same_file() const {
  // A program that closes all descriptors may have opened something of its own under our number.
  struct stat status {};
  return fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

void CaptureSink::append(const capture::Bytes& block) {
  if (block.empty() || failed_) return;
  if (!same_file()) {
    failed_ = true;
  } else if (!write_all(descriptor_, block.data(), block.size())) {
    give_up(errno);
  } else {
    whole_bytes_ += static_cast<std::int64_t>(block.size());
  }
}

void CaptureSink::give_up(int error) {
  failed_ = true;
  if (ftruncate(descriptor_, whole_bytes_) != 0 || lseek(descriptor_, whole_bytes_, SEEK_SET) < 0)
    return;
  const capture::Bytes reason = encoder_.reason(
      std::string("the capture could not be written any further: ") + std::strerror(error));
  if (!write_all(descriptor_, reason.data(), reason.size())) {
    (void)!ftruncate(descriptor_, whole_bytes_);
  }
}

bool CaptureSink::write_all(int descriptor, const std::byte* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace perfgate::probe
