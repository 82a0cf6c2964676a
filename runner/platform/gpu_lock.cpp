#include "runner/platform/gpu_lock.h"

#include <array>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/platform/files.h"
#include "runner/platform/text.h"

namespace perfgate::platform {
namespace {

constexpr int kOpenAttempts = 3;

constexpr std::array<const char*, 2> kStandardFolders{"/run/lock/perfgate", "/tmp/perfgate-locks"};
constexpr int kRetryMs = 200;
constexpr int kRetriesPerReport = 5;

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// Zero or errno.
int make_shared_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 01777) != 0) return errno == EEXIST && is_folder(path) ? 0 : errno;
  ::chmod(path.c_str(), 01777);  // mkdir obeys the umask
  return 0;
}

/// O_CREAT on another user's file in a sticky folder is refused (fs.protected_regular), so an
/// existing file is opened without it. A file of another user may be read-only for us: flock needs
/// no write access.
int open_lock_file(const std::string& path) {
  for (int i = 0; i < kOpenAttempts; ++i) {
    int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == EACCES) fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) {
      ::fchmod(fd, 0666);
      return fd;
    }
    if (errno != EEXIST) return -1;  // else another job made it meanwhile
  }
  return -1;
}

std::string holder_of(int fd) {
  std::array<char, 128> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  if (count <= 0) return "another job";
  std::string_view line(text.data(), static_cast<std::size_t>(count));
  return sanitize_output(line.substr(0, line.find('\n')));
}

void write_holder(int fd, const Clock& clock) {
  const std::string text =
      "pid " + std::to_string(::getpid()) + " since " + format_utc(clock.realtime_ns()) + "\n";
  // For the eyes of who waits; the lock itself does not depend on it.
  if (::ftruncate(fd, 0) == 0) {
    [[maybe_unused]] const ssize_t ignored = ::pwrite(fd, text.data(), text.size(), 0);
  }
}

/// Letters, digits, '-' and '_' only: the UUID becomes a file name.
std::string file_name_of(std::string_view gpu_uuid) {
  std::string name = "gpu-";
  for (const char c : gpu_uuid) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? c : '_';
  }
  return name + ".lock";
}

}  // namespace

Result<std::string> lock_folder(const Environment& environment) {
  if (const auto own = environment.get_non_empty("PERFGATE_LOCK_DIR")) {
    if (const int failure = make_shared_folder(*own); failure != 0) {
      Error error = file_error("make the lock folder", *own, failure);
      error.code = ErrorCode::io;
      error.hint = "PERFGATE_LOCK_DIR must name a folder that can be made and written";
      return error;
    }
    return *own;
  }
  for (const char* folder : kStandardFolders) {
    if (is_folder(folder) && ::access(folder, W_OK | X_OK) == 0) return std::string(folder);
  }
  int failure = 0;
  for (const char* folder : kStandardFolders) {
    failure = make_shared_folder(folder);
    if (failure == 0) return std::string(folder);
  }
  Error error = file_error("make the lock folder", kStandardFolders.back(), failure);
  error.code = ErrorCode::io;
  error.hint = "set PERFGATE_LOCK_DIR to a folder that all jobs of this machine share";
  return error;
}

Result<GpuLock> GpuLock::acquire(const std::string& folder, const std::string& gpu_uuid,
                                 const Clock& clock, const Cancellation& cancellation,
                                 const OnWait& on_wait) {
  const std::string path = join_path(folder, file_name_of(gpu_uuid));
  Descriptor file(open_lock_file(path));
  if (!file.valid()) return file_error("open the GPU lock", path, errno);
  const std::int64_t start_ns = clock.monotonic_ns();
  for (int attempt = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK && errno != EINTR) return file_error("lock", path, errno);
    if (attempt % kRetriesPerReport == 0 && on_wait) {
      on_wait(holder_of(file.get()), static_cast<double>(clock.monotonic_ns() - start_ns) / 1e9);
    }
    pollfd wake{.fd = cancellation.fd(), .events = POLLIN, .revents = 0};
    ::poll(&wake, 1, kRetryMs);
    if (cancellation.cancelled()) {
      return Error{.code = ErrorCode::interrupted,
                   .message = "interrupted while waiting for the GPU",
                   .hint = "another job holds it: " + holder_of(file.get()),
                   .context = {}};
    }
  }
  write_holder(file.get(), clock);
  return GpuLock(std::move(file));
}

}  // namespace perfgate::platform
