/// Where perfgate's other parts are: beside its own executable, in an installed tree as in a build
/// tree.
///
///   bin/perfgate  bin/perfgate-workload  lib/libperfgate_probe.so  share/perfgate/workloads/
#pragma once

#include <string>

namespace perfgate::cli {

struct Installation {
  std::string workload_program;  ///< absolute; empty = not built (no CUDA toolkit at build time)
  std::string probe_library;     ///< absolute; empty = not built
  std::string
      workloads_folder;  ///< absolute; holds *.yaml, recordings/, tuning/; empty = not found
};

/// Looks beside /proc/self/exe. Nothing missing is an error here: who needs a part says so.
[[nodiscard]] Installation find_installation();

}  // namespace perfgate::cli
