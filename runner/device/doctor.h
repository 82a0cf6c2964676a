/// What `perfgate doctor` finds on a machine, as facts with advice. Reads files and asks the
/// device; changes nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/device/device_query.h"
#include "runner/model/doctor.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::device {

/// All borrowed for the call. `root` is put before every machine path (/proc, /usr/local); empty
/// but in tests.
struct Machine {
  const platform::FileSystem& files;
  const platform::Environment& environment;
  const DeviceQuery& device;
  PidView pids;
  bool is_root = false;
  std::string root;
};

struct InstalledParts {
  std::string probe_library;  ///< path where it is expected
  std::string workload_program;
  std::string lock_folder;  ///< empty: none can be made
  std::string temporary_folder;
};

/// In the order in which a person should read them. `name` is a stable word: gpu, driver,
/// cuda_toolkit, cupti, counters, clocks, other_processes, ... `gpu_selector` as --gpu; "none":
/// what a run without a GPU needs, alone.
[[nodiscard]] std::vector<DoctorCheck> examine(const Machine& machine, const InstalledParts& parts,
                                               std::string_view gpu_selector);

/// The folder of CUDA (CUDA_HOME, CUDA_PATH, then /usr/local/cuda, then the newest
/// /usr/local/cuda-*); empty = none.
[[nodiscard]] std::string find_cuda_toolkit(const Machine& machine);

/// libcupti.so.* as the probe would find it on disk: CUDA_HOME, each
/// /usr/local/cuda*/extras/CUPTI/lib64, then their lib64 and targets folders, then the Python
/// wheels below VIRTUAL_ENV or CONDA_PREFIX. Empty = none.
[[nodiscard]] std::string find_cupti(const Machine& machine);

/// "00000000a80425fb" of CapEff in /proc/self/status: does it hold CAP_SYS_ADMIN (21) or
/// CAP_PERFMON (38)?
[[nodiscard]] bool may_read_counters(std::string_view cap_eff_hex);

}  // namespace perfgate::device
