#include "baselines/location.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/vfs.h>
#include <unistd.h>

namespace perfgate::baselines {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<unsigned long, std::string_view>, 12> kNetworkFileSystems{{
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFE534D42, "SMB2"},
    {0xFF534D42, "CIFS"},
    {0x65735546, "FUSE"},
    {0x01021997, "9P"},
    {0x5346414F, "AFS"},
    {0x00C36400, "CephFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x01161970, "GFS2"},
}};

bool contains(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  // "checkout/" would end in an empty part that no path inside has.
  const fs::path outer = (fs::weakly_canonical(folder, error) / "").parent_path();
  const fs::path inner = fs::weakly_canonical(path, error);
  const auto [end, unused] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

/// A link that leads nowhere is a mistake of whoever made it, not a store that is yet to come.
Status check_link(const fs::path& path, const std::string& named) {
  std::error_code error;
  static_cast<void>(fs::status(path, error));
  if (error == std::errc::too_many_symbolic_link_levels) {
    return Error{.code = ErrorCode::usage,
                 .message = "the store " + named + " is a symbolic link that leads back to itself",
                 .hint = "mend the link (ls -l shows where it leads), or name the file itself",
                 .context = {}};
  }
  const bool is_link = fs::is_symlink(fs::symlink_status(path, error));
  if (!is_link || fs::exists(path, error)) return {};
  return Error{.code = ErrorCode::usage,
               .message = "the store " + named + " is a symbolic link to " +
                          fs::read_symlink(path, error).string() + ", which is not there",
               .hint = "mend or remove the link, or name the file itself",
               .context = {}};
}

Error not_writable(const std::string& what) {
  return {.code = ErrorCode::store,
          .message = what + " is read-only for this user",
          .hint =
              "give this user write access, name another place with --store, or read from a "
              "snapshot without --record",
          .context = {}};
}

}  // namespace

std::string_view network_file_system(long magic) {
  // f_type is signed on some machines; the magic numbers are 32 bits wide.
  const unsigned long type = static_cast<unsigned long>(magic) & 0xFFFFFFFFUL;
  for (const auto& [known, name] : kNetworkFileSystems) {
    if (known == type) return name;
  }
  return {};
}

Result<std::string> store_path(const std::string& named) {
  if (named.starts_with("postgres://") || named.starts_with("postgresql://")) {
    return Error{.code = ErrorCode::usage,
                 .message = "a PostgreSQL store is not supported yet",
                 .hint = "name a file, for example --store /var/lib/perfgate/perfgate.db",
                 .context = {}};
  }
  if (named.empty() || named.find('\0') != std::string::npos) {
    return Error{.code = ErrorCode::usage,
                 .message = "the path of the store is empty or contains a NUL byte",
                 .hint = "name a file with --store FILE or PERFGATE_STORE",
                 .context = {}};
  }
  std::error_code error;
  const fs::path path = fs::absolute(named, error).lexically_normal();
  if (error) {
    return Error{.code = ErrorCode::io,
                 .message = "the store " + named +
                            " cannot be found: the current folder is not there any more (" +
                            error.message() + ")",
                 .hint = "change into a folder that exists, or name the store from / on",
                 .context = {}};
  }
  PG_TRY(check_link(path, named));
  if (fs::is_directory(path, error)) {
    return Error{.code = ErrorCode::usage,
                 .message = "the store " + named + " is a folder, not a file",
                 .hint = "name the file, for example --store " + named + "/perfgate.db",
                 .context = {}};
  }
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return Error{.code = ErrorCode::usage,
                 .message = "the store " + named + " is a pipe, a device or a socket, not a file",
                 .hint = "name a file, for example --store /var/lib/perfgate/perfgate.db",
                 .context = {}};
  }
  return path.string();
}

Status check_recordable(const std::string& path, const std::string& checkout) {
  if (!checkout.empty() && contains(checkout, path)) {
    return Error{.code = ErrorCode::store,
                 .message = "the store " + path + " lies inside the checkout, which CI cleans",
                 .hint = "keep it outside, for example --store /var/lib/perfgate/perfgate.db",
                 .context = {}};
  }
  const std::string folder = fs::path(path).parent_path().string();
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) {
    return Error{.code = ErrorCode::io,
                 .message = "cannot look at the folder " + folder + ": " +
                            std::system_category().message(errno),
                 .hint = "create the folder, or name another place with --store",
                 .context = {}};
  }
  const std::string_view network = network_file_system(static_cast<long>(info.f_type));
  if (!network.empty()) {
    return Error{.code = ErrorCode::store,
                 .message = "the store " + path + " lies on a network file system (" +
                            std::string(network) + "), where SQLite's locks do not hold",
                 .hint = "keep the store on a local disk and give others a snapshot of it",
                 .context = {}};
  }
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) {
    return not_writable("the store " + path);
  }
  if (::access(folder.c_str(), W_OK) != 0) return not_writable("the folder " + folder);
  return {};
}

}  // namespace perfgate::baselines
