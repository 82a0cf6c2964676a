/// Where a store may lie. Checked before SQLite sees the path.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::baselines {

/// "NFS", "CIFS", "FUSE", ... for the f_type of statfs(2) (values of linux/magic.h); empty = local.
/// SQLite's locks and WAL's shared memory do not hold across machines.
[[nodiscard]] std::string_view network_file_system(long magic);

/// The absolute path of the file. Errors (`usage`): empty, NUL inside, a folder, a pipe or
/// device, a link that leads nowhere or back to itself, or a PostgreSQL URL, which is not supported
/// yet; `io`: the current folder was deleted.
[[nodiscard]] Result<std::string> store_path(const std::string& named);

/// May this place be written? Errors (`store`): the file or its folder is read-only, the file
/// system is a network one, or `checkout` (not empty: we are in CI) contains the path, as CI cleans
/// checkouts. The folder must exist.
[[nodiscard]] Status check_recordable(const std::string& path, const std::string& checkout);

}  // namespace perfgate::baselines
