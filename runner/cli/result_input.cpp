#include "runner/cli/result_input.h"

#include <utility>

#include "reporters/render/result_json.h"

namespace perfgate::cli {

Result<RunResult> read_result(const platform::FileSystem& files, const std::string& named) {
  const std::string inside = platform::join_path(named, "result.json");
  const std::string path = files.exists(inside) ? inside : named;
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  auto result = render::from_result_json(text);
  if (result.ok()) return result;
  Error error = std::move(result).error();
  error.message = path + ": " + error.message;
  return error;
}

}  // namespace perfgate::cli
