#include "runner/cli/run/shared_gpu.h"

#include <cstddef>
#include <optional>

namespace perfgate::cli {
namespace {

bool had_company(const ProcessRecord& process) {
  const auto others = [](const std::optional<DeviceSample>& sample) {
    return sample && sample->other_processes.value_or(0) > 0;
  };
  return others(process.before) || others(process.after);
}

}  // namespace

std::string shared_gpu(const Measurement& measurement) {
  std::size_t kept = 0;
  std::size_t shared = 0;
  for (const ProcessRecord& process : measurement.processes) {
    if (process.role != ProcessRole::timing || process.repeated) continue;
    ++kept;
    if (had_company(process)) ++shared;
  }
  if (shared == 0 || shared * 2 < kept) return {};
  return "another program was on the GPU during " + std::to_string(shared) + " of " +
         std::to_string(kept) + " untraced processes, in spite of repeats";
}

}  // namespace perfgate::cli
