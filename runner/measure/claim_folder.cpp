#include "runner/measure/claim_folder.h"

namespace perfgate::measure {

namespace {

Error taken(const std::string& folder, const std::string& what) {
  return {.code = ErrorCode::usage,
          .message = "'" + folder + "' " + what,
          .hint =
              "name another folder with --out, or remove that one: two runs are never mixed, "
              "and no file of yours is overwritten",
          .context = {}};
}

}  // namespace

Status check_empty(const platform::FileSystem& files, const std::string& folder) {
  if (!files.exists(folder)) return {};
  PG_ASSIGN_OR_RETURN(const auto entries, files.list(folder));
  if (entries.empty()) return {};
  return taken(folder, "is not empty: it holds " + entries.front().name);
}

Status claim_folder(platform::FileSystem& files, const std::string& folder) {
  PG_TRY(files.make_folders(folder));
  PG_ASSIGN_OR_RETURN(const bool mine, files.create(platform::join_path(folder, ".perfgate-run")));
  if (!mine) return taken(folder, "was taken by another run just now");
  return {};
}

}  // namespace perfgate::measure
