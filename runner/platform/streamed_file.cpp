#include "runner/platform/streamed_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/platform/files.h"

namespace perfgate::platform {
namespace {

/// Zero or the errno of the first failing call.
int write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// mkstemp makes 0600; a run folder is read by others (CI artifacts), so the umask decides instead.
void apply_umask(int fd) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666U & ~mask);
}

std::string own_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

/// Invalid where the file system has none, or where it could not be given a name later.
Descriptor without_name(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor file(
      ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (file.valid() && ::access(own_descriptor(file.get()).c_str(), F_OK) != 0) file.reset();
  return file;
}

/// A rename is on disk only once its folder is. Some file systems refuse fsync on folders: then
/// nothing is lost that could be saved.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor fd(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

Status check_place(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  if (S_ISDIR(info.st_mode)) return file_error("write", path, EISDIR);
  return Error{.code = ErrorCode::io,
               .message = "cannot write '" + path + "': it is there and is not a regular file",
               .hint = "name a file",
               .context = {}};
}

}  // namespace

StreamedFile::StreamedFile(std::string path, std::string temporary, Descriptor file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

StreamedFile::StreamedFile(StreamedFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

StreamedFile::~StreamedFile() {
  file_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<StreamedFile> StreamedFile::create(const std::string& path) {
  PG_TRY(check_place(path));
  if (Descriptor nameless = without_name(path); nameless.valid())
    return StreamedFile(path, {}, std::move(nameless));
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return file_error("write", path, errno);
  apply_umask(file.get());
  return StreamedFile(path, std::move(temporary), std::move(file));
}

Status StreamedFile::append(std::string_view piece) {
  const int failure = write_all(file_.get(), piece);
  if (failure != 0) return file_error("write", path_, failure);
  return {};
}

int StreamedFile::give_name(const std::string& name) const {
  if (!temporary_.empty()) return ::link(temporary_.c_str(), name.c_str()) == 0 ? 0 : errno;
  const std::string open = own_descriptor(file_.get());
  const int linked = ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  return linked == 0 ? 0 : errno;
}

/// A name of its own is given first: a link takes no other file's place, a rename does.
int StreamedFile::take_place() {
  constexpr int kMostNames = 1000;
  for (int i = 0; temporary_.empty() && i < kMostNames; ++i) {
    std::string name = path_ + "." + std::to_string(::getpid()) + "-" + std::to_string(i);
    const int failure = give_name(name);
    if (failure == 0) temporary_ = std::move(name);
    if (failure != 0 && failure != EEXIST) return failure;
  }
  if (temporary_.empty()) return EEXIST;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return errno;
  temporary_.clear();
  return 0;
}

Status StreamedFile::commit() {
  if (::fsync(file_.get()) != 0) return file_error("write", path_, errno);
  int failure = temporary_.empty() ? give_name(path_) : EEXIST;
  if (failure == EEXIST) failure = take_place();
  if (failure != 0) return file_error("write", path_, failure);
  file_.reset();
  sync_folder_of(path_);
  return {};
}

Result<bool> StreamedFile::commit_new() {
  if (::fsync(file_.get()) != 0) return file_error("write", path_, errno);
  const int failure = give_name(path_);
  if (failure == EEXIST) return false;
  if (failure != 0) return file_error("write", path_, failure);
  file_.reset();
  sync_folder_of(path_);
  return true;
}

}  // namespace perfgate::platform
