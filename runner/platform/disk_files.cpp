#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runner/platform/descriptor.h"
#include "runner/platform/files.h"
#include "runner/platform/streamed_file.h"

namespace perfgate::platform {
namespace {

/// Signals that would end the process wait while this object lives, so that a temporary file never
/// outlives its writer; a handler of theirs, if there is one, runs afterwards.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, number);
    ::pthread_sigmask(SIG_BLOCK, &held, &former_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

 private:
  sigset_t former_{};
};

/// A capture of a million records has some ten MB.
constexpr off_t kMostReadBytes = off_t{1} << 30;

/// Where a part of the path is a link to what is not there: no folder can be made behind it.
std::optional<Error> dangling_link(const std::string& path) {
  std::error_code code;
  std::filesystem::path part;
  for (const auto& name : std::filesystem::path(path)) {
    part /= name;
    const bool is_link = std::filesystem::is_symlink(std::filesystem::symlink_status(part, code));
    if (!is_link || std::filesystem::exists(part, code)) continue;
    const std::string target = std::filesystem::read_symlink(part, code).string();
    return Error{.code = ErrorCode::io,
                 .message = "cannot make the folder '" + path + "': '" + part.string() +
                            "' is a symbolic link to '" + target + "', which is not there",
                 .hint = "make that folder, mend or remove the link, or choose another path",
                 .context = {}};
  }
  return std::nullopt;
}

Error unreadable(const std::string& path, const std::string& why) {
  return {.code = ErrorCode::io,
          .message = "cannot read '" + path + "': " + why,
          .hint = "name the file that perfgate or the workload wrote",
          .context = {}};
}

}  // namespace

Result<std::string> DiskFileSystem::read(const std::string& path) const {
  // Non-blocking: opening a FIFO that nobody writes would wait for ever.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return file_error("read", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return file_error("read", path, errno);
  if (S_ISDIR(info.st_mode)) return file_error("read", path, EISDIR);
  if (!S_ISREG(info.st_mode)) return unreadable(path, "it is not a regular file");
  if (info.st_size > kMostReadBytes) return unreadable(path, "it is larger than 1 GiB");
  std::string text;
  if (info.st_size > 0) text.reserve(static_cast<std::size_t>(info.st_size));
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) {
      if (errno == EINTR) continue;
      return file_error("read", path, errno);
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    // /proc files have no size, and a file may grow while it is read.
    if (text.size() > static_cast<std::size_t>(kMostReadBytes)) {
      return unreadable(path, "it is larger than 1 GiB");
    }
  }
}

Status DiskFileSystem::write(const std::string& path, std::string_view contents) {
  const SignalsHeld held;
  PG_ASSIGN_OR_RETURN(StreamedFile file, StreamedFile::create(path));
  PG_TRY(file.append(contents));
  return file.commit();
}

Result<bool> DiskFileSystem::create(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() >= 0) return true;
  if (errno == EEXIST) return false;
  return file_error("make", path, errno);
}

Status DiskFileSystem::make_folders(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (!code) return {};
  if (auto dangling = dangling_link(path)) return *std::move(dangling);
  return file_error("make the folder", path, code.value());
}

Result<std::vector<FolderEntry>> DiskFileSystem::list(const std::string& path) const {
  std::error_code code;
  std::vector<FolderEntry> entries;
  std::filesystem::directory_iterator at(path, code);
  if (code) return file_error("list", path, code.value());
  while (at != std::filesystem::directory_iterator{}) {
    std::error_code ignored;
    entries.push_back({at->path().filename().string(), at->is_directory(ignored)});
    at.increment(code);
    if (code) return file_error("list", path, code.value());
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

bool DiskFileSystem::exists(const std::string& path) const {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

bool DiskFileSystem::is_program(const std::string& path) const {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Result<std::uint64_t> DiskFileSystem::free_bytes(const std::string& folder) const {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return file_error("examine", folder, errno);
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

std::string DiskFileSystem::absolute(const std::string& path) const {
  std::error_code code;
  const auto absolute = std::filesystem::absolute(path, code);
  if (code) return path;
  std::string normal = absolute.lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

}  // namespace perfgate::platform
