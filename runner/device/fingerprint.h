/// Forms the fingerprint that decides whether two runs may be compared, and checks for foreign
/// injectors.
///
/// Pure, but for `read_cpu_model` and `program_digest`, which read files. "unknown" is stated,
/// never guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/device/device_query.h"
#include "runner/model/fingerprint.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::device {

struct FingerprintInputs {
  std::optional<GpuInfo> gpu;  ///< empty: measured without one
  DriverInfo driver;
  std::string cpu_model;
  std::string workload_digest;
  std::string program_digest;  ///< of argv[0]'s file
  platform::Environment environment;
};

/// environment: gpu, driver, power_limit_w, mig, ecc, clock_policy, cpu, workload, measure_version.
/// subject: program, injected_fault (PERFGATE_INJECT), cuda_driver_api, container (if a variable
/// names an image). instance: gpu_uuid. The CUDA runtime is no part of it: the baseline is chosen
/// before a process of the program has run, and a statically linked one is in `program`.
[[nodiscard]] Fingerprint form_fingerprint(const FingerprintInputs& inputs);

/// "model name" of ROOT/proc/cpuinfo (x86), or "implementer/part" (Arm); "unknown" otherwise.
/// `root` is empty but in tests.
[[nodiscard]] std::string read_cpu_model(const platform::FileSystem& files,
                                         const std::string& root = {});

/// First 16 hex digits of the SHA-256 of the program's file; "unknown" if it cannot be read.
[[nodiscard]] std::string program_digest(const std::string& program,
                                         const platform::FileSystem& files);

/// Error `unavailable` if CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH is set (and not "none"):
/// another tool would run inside the measured processes, and two CUPTI clients exclude each other.
[[nodiscard]] Status check_no_other_injector(const platform::Variables& variables);

}  // namespace perfgate::device
