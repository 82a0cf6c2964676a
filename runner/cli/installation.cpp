#include "runner/cli/installation.h"

#include <filesystem>
#include <system_error>

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;

std::string if_exists(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  return fs::exists(whole, ignored) ? whole.string() : std::string();
}

}  // namespace

Installation find_installation() {
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const fs::path tree = executable.parent_path().parent_path();
  return {if_exists(tree / "bin" / "perfgate-workload"),
          if_exists(tree / "lib" / "libperfgate_probe.so"),
          if_exists(tree / "share" / "perfgate" / "workloads")};
}

}  // namespace perfgate::cli
