#include <cerrno>
#include <filesystem>
#include <system_error>

#include "runner/platform/files.h"

namespace perfgate::platform {
namespace {

/// A relative path leads nowhere once the folder that it begins in was deleted.
bool begins_nowhere(const std::string& path) {
  std::error_code error;
  const std::filesystem::path current = std::filesystem::current_path(error);
  return error && !path.starts_with('/');
}

std::string hint_of(const std::string& path, int error_number) {
  switch (error_number) {
    case ENOENT:
      return begins_nowhere(path)
                 ? "the current folder is not there any more; change into one that exists"
                 : "check the path";
    case EACCES:
    case EPERM: return "check the owner and the permissions of the file and its folder";
    case ENOSPC:
    case EDQUOT: return "free disk space, or choose a folder on another disk (--out DIR, TMPDIR)";
    case EFBIG: return "raise the limit on file sizes (ulimit -f), or see the disk's quota";
    case EEXIST: return "something of that name is there already; remove it or choose another path";
    case EBUSY:
    case ETXTBSY: return "another program uses it; end that program, or choose another path";
    case EIO: return "the disk or the network behind it failed; choose another path (--out DIR)";
    case EINVAL: return "this file system takes no such name or size; choose another path";
    case ENOTDIR: return "a part of the path is a file, not a folder; choose another path";
    case EROFS: return "the disk is mounted read-only; choose another folder (--out DIR)";
    case EMFILE:
    case ENFILE: return "too many open files; raise the limit (ulimit -n)";
    case ENAMETOOLONG: return "choose a shorter path";
    case EISDIR: return "this is a folder; name a file";
    case ELOOP: return "a symbolic link leads back to itself (ls -l shows where); mend the link";
    case E2BIG:
      return "the command with its environment is too long for this system; put its arguments into "
             "a file or a script";
    default: return "see the operating system's message; the kernel log may say more";
  }
}

}  // namespace

Error file_error(std::string_view action, const std::string& path, int error_number) {
  return {.code = error_number == ENOENT ? ErrorCode::not_found : ErrorCode::io,
          .message = "cannot " + std::string(action) + " '" + path +
                     "': " + std::system_category().message(error_number),
          .hint = hint_of(path, error_number),
          .context = {}};
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  std::string joined(folder);
  if (!joined.ends_with('/')) joined += '/';
  return joined.append(name);
}

}  // namespace perfgate::platform
