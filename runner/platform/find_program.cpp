#include <string_view>

#include "runner/platform/process.h"

namespace perfgate::platform {
namespace {

/// Debian's and RHEL's default, for an environment without PATH (execvp's own default lacks
/// /usr/local).
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

Error not_executable(const std::string& path) {
  return {.code = ErrorCode::io,
          .message = "'" + path + "' is not an executable program",
          .hint = "chmod +x it, or name the interpreter first (argv: [python3, " + path + "])",
          .context = {}};
}

/// Of something that is there and is no program.
Error no_program(const std::string& path, const FileSystem& files) {
  if (!files.list(path).ok()) return not_executable(path);
  return {.code = ErrorCode::io,
          .message = "'" + path + "' is a folder, not a program",
          .hint = "name the program in it",
          .context = {}};
}

Result<std::string> at_path(const std::string& path, const FileSystem& files) {
  if (files.is_program(path)) return files.absolute(path);
  if (files.exists(path)) return no_program(path, files);
  return Error{.code = ErrorCode::not_found,
               .message = "the program '" + path + "' does not exist",
               .hint = "check the path; a relative one is relative to the working folder",
               .context = {}};
}

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& cwd,
                                 const Variables& environment, const FileSystem& files) {
  if (name.empty()) {
    return Error{.code = ErrorCode::invalid_config,
                 .message = "the program's name is empty",
                 .hint = "give argv a first element",
                 .context = {}};
  }
  if (name.find('/') != std::string::npos) return at_path(join_path(cwd, name), files);
  const auto variable = environment.find("PATH");
  const std::string path(variable == environment.end() ? kDefaultPath : variable->second);
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    const std::string candidate = join_path(folder.empty() ? cwd : folder, name);
    if (files.is_program(candidate)) return files.absolute(candidate);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  const std::string beside = join_path(cwd, name);
  if (files.is_program(beside)) return files.absolute(beside);
  if (files.exists(beside)) return no_program(beside, files);
  return Error{.code = ErrorCode::not_found,
               .message = "the program '" + name + "' was not found",
               .hint = "install it, activate its environment, or give its path",
               .context = "looked in PATH (" + path + ") and in " + (cwd.empty() ? "." : cwd)};
}

}  // namespace perfgate::platform
