#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/platform/children.h"
#include "runner/platform/process.h"
#include "runner/platform/spawn.h"
#include "runner/platform/text.h"

namespace perfgate::platform {
namespace {

constexpr int kChunksPerDrain = 64;

constexpr double kLongestWaitS = 3.0e7;

constexpr std::int64_t kSecond = 1'000'000'000;
/// How often we look where the kernel cannot wake us (no pidfd, no eventfd).
constexpr std::int64_t kPollNs = 20'000'000;

/// One output stream of the child: pipe -> bounded file and bounded tail.
class Stream {
 public:
  Stream(Descriptor pipe, Descriptor file) : pipe_(std::move(pipe)), file_(std::move(file)) {}

  [[nodiscard]] int fd() const { return pipe_.get(); }
  [[nodiscard]] bool cut() const { return total_ > kOutputFileBytes; }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::string tail() const {
    // One character may straddle the cut: sanitise first, then cut again at a line.
    return utf8_tail(sanitize_output(tail_), kTailBytes);
  }

  /// Takes what is there without waiting; closes at end of file. At most `kChunksPerDrain` reads,
  /// so that a child that prints without end cannot keep us from its time-out.
  void drain() {
    std::array<char, 65536> buffer{};
    for (int i = 0; i < kChunksPerDrain && pipe_.valid(); ++i) {
      const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        pipe_.reset();
        return;
      }
      take({buffer.data(), static_cast<std::size_t>(count)});
    }
  }

 private:
  void take(std::string_view bytes) {
    const std::size_t room = total_ < kOutputFileBytes ? kOutputFileBytes - total_ : 0;
    save(bytes.substr(0, room));
    total_ += bytes.size();
    tail_.append(bytes);
    if (tail_.size() > 8 * kTailBytes) tail_.erase(0, tail_.size() - 4 * kTailBytes);
  }
  void save(std::string_view bytes) {
    while (!bytes.empty() && file_.valid() && error_ == 0) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) error_ = errno;
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  Descriptor pipe_;
  Descriptor file_;
  std::string tail_;
  std::size_t total_ = 0;
  int error_ = 0;
};

Result<Descriptor> open_output(const std::string& path) {
  if (path.empty()) return Descriptor{};
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return file_error("write", path, errno);
  return file;
}

/// Has the child ended? Leaves it a zombie, so that its pid and group cannot be given to anyone
/// else.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != EINTR) return true;
  }
  return info.si_pid == pid;
}

/// Returns waitpid's status.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// A running child and what we wait for.
class Watch {
 public:
  Watch(SpawnedProcess child, Descriptor out_file, Descriptor error_file, const Clock& clock,
        const Cancellation& cancellation)
      : program_(child.pid),
        keeper_(child.keeper),
        pidfd_(std::move(child.pidfd)),
        out_(std::move(child.standard_out), std::move(out_file)),
        error_(std::move(child.standard_error), std::move(error_file)),
        clock_(clock),
        cancellation_(cancellation) {}

  enum class Event { ended, time_up, cancelled };

  Event wait_until(std::int64_t deadline_ns, bool heed_cancellation) {
    while (true) {
      if (has_ended(keeper_)) return Event::ended;
      if (heed_cancellation && cancellation_.cancelled()) return Event::cancelled;
      const std::int64_t left_ns = deadline_ns - clock_.monotonic_ns();
      if (left_ns <= 0) return Event::time_up;
      sleep_until_something_happens(left_ns, heed_cancellation);
      out_.drain();
      error_.drain();
    }
  }

  /// Ends everything left in the group and reaps the child. Returns waitpid's status.
  int finish() {
    ::kill(-program_, SIGKILL);
    out_.drain();
    error_.drain();
    // The keeper has ended or is about to; the program is ours then, and was reaped by nobody.
    ::kill(keeper_, SIGKILL);
    reap(keeper_);
    return reap(program_);
  }

  void signal_group(int number) const { ::kill(-program_, number); }
  [[nodiscard]] const Stream& standard_out() const { return out_; }
  [[nodiscard]] const Stream& standard_error() const { return error_; }

 private:
  void sleep_until_something_happens(std::int64_t left_ns, bool heed_cancellation) {
    const int cancel_fd = heed_cancellation ? cancellation_.fd() : -1;
    // poll ignores negative descriptors.
    std::array<pollfd, 4> fds{{{out_.fd(), POLLIN, 0},
                               {error_.fd(), POLLIN, 0},
                               {pidfd_.get(), POLLIN, 0},
                               {cancel_fd, POLLIN, 0}}};
    const bool blind = !pidfd_.valid() || (heed_cancellation && cancel_fd < 0);
    std::int64_t wait_ns = blind ? std::min(left_ns, kPollNs) : left_ns;
    wait_ns = std::min(wait_ns, 3600 * kSecond);
    // Rounded up: waking just before the deadline would spin.
    ::poll(fds.data(), fds.size(), static_cast<int>((wait_ns + 999'999) / 1'000'000));
  }

  pid_t program_;
  pid_t keeper_;
  Descriptor pidfd_;
  Stream out_;
  Stream error_;
  const Clock& clock_;
  const Cancellation& cancellation_;
};

std::int64_t to_ns(double seconds) {
  return static_cast<std::int64_t>(std::clamp(seconds, 0.0, kLongestWaitS) * 1e9);
}

ProcessOutcome outcome_of(Watch::Event event, int status, const Watch& watch) {
  ProcessOutcome outcome;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  switch (event) {
    case Watch::Event::ended:
      outcome.end =
          WIFSIGNALED(status) ? ProcessOutcome::End::signalled : ProcessOutcome::End::exited;
      break;
    case Watch::Event::time_up: outcome.end = ProcessOutcome::End::timed_out; break;
    case Watch::Event::cancelled: outcome.end = ProcessOutcome::End::interrupted; break;
  }
  outcome.stdout_tail = watch.standard_out().tail();
  outcome.stderr_tail = watch.standard_error().tail();
  outcome.stdout_cut = watch.standard_out().cut();
  outcome.output_error = watch.standard_out().error() != 0 ? watch.standard_out().error()
                                                           : watch.standard_error().error();
  return outcome;
}

}  // namespace

Result<ProcessOutcome> SystemProcessRunner::run(const ProcessRequest& request) {
  if (cancellation_.cancelled()) {
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  }
  const std::string name = request.argv.empty() ? std::string{} : request.argv.front();
  PG_ASSIGN_OR_RETURN(const std::string program,
                      find_program(name, request.cwd, request.environment, DiskFileSystem{}));
  PG_ASSIGN_OR_RETURN(Descriptor out_file, open_output(request.stdout_path));
  PG_ASSIGN_OR_RETURN(Descriptor error_file, open_output(request.stderr_path));
  AdoptionScope adoption;
  const std::int64_t start_ns = clock_.monotonic_ns();
  PG_ASSIGN_OR_RETURN(SpawnedProcess child,
                      spawn(program, request.argv, request.environment, request.cwd));
  const pid_t pid = child.pid;
  Watch watch(std::move(child), std::move(out_file), std::move(error_file), clock_, cancellation_);

  const Watch::Event event = watch.wait_until(start_ns + to_ns(request.timeout_s), true);
  const std::int64_t end_ns = clock_.monotonic_ns();
  if (event != Watch::Event::ended) {
    watch.signal_group(SIGTERM);
    static_cast<void>(watch.wait_until(clock_.monotonic_ns() + to_ns(request.grace_s), false));
  }
  const int status = watch.finish();
  ProcessOutcome outcome = outcome_of(event, status, watch);
  outcome.left_running = adoption.end_adopted(pid);
  outcome.wall_s = static_cast<double>(end_ns - start_ns) / 1e9;
  return outcome;
}

}  // namespace perfgate::platform
