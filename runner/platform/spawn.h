/// fork and exec with everything prepared before the fork. Used by SystemProcessRunner alone.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "runner/model/result.h"
#include "runner/platform/descriptor.h"
#include "runner/platform/environment.h"

namespace perfgate::platform {

struct SpawnedProcess {
  pid_t pid = -1;           ///< also its process group and session; our child once `keeper` ended
  pid_t keeper = -1;        ///< our child, the program's parent (keeper.h); ends when it ends
  Descriptor standard_out;  ///< read ends, non-blocking
  Descriptor standard_error;
  Descriptor pidfd;  ///< readable when the keeper ended; invalid on kernels before 5.3
};

/// `program` is an absolute path. While an AdoptionScope lives: else nobody could reap the program.
/// Returns once exec succeeded in the child; Error if it did not.
[[nodiscard]] Result<SpawnedProcess> spawn(const std::string& program,
                                           const std::vector<std::string>& argv,
                                           const Variables& environment, const std::string& cwd);

}  // namespace perfgate::platform
