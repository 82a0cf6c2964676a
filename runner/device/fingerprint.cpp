#include "runner/device/fingerprint.h"

#include <array>

#include "runner/model/run_result.h"
#include "runner/platform/sha256.h"

namespace perfgate::device {
namespace {

constexpr const char* kUnknown = "unknown";

std::string or_unknown(const std::string& text) { return text.empty() ? kUnknown : text; }

std::string on_off(std::optional<bool> state) {
  if (!state) return kUnknown;
  return *state ? "on" : "off";
}

std::string power_limit_w(const GpuInfo& gpu) {
  if (!gpu.power_limit_mw) return kUnknown;
  return std::to_string((*gpu.power_limit_mw + 500) / 1000);
}

/// Application clocks are the one policy that NVML tells; locked clocks (nvidia-smi -lgc) show in
/// the samples.
std::string clock_policy(const GpuInfo& gpu) {
  if (!gpu.application_sm_clock_mhz || !gpu.application_memory_clock_mhz) return kUnknown;
  return "application " + std::to_string(*gpu.application_sm_clock_mhz) + "/" +
         std::to_string(*gpu.application_memory_clock_mhz) + " MHz";
}

/// The value after "key : " of /proc/cpuinfo's first matching line.
std::string cpuinfo_value(const std::string& text, const std::string& key) {
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end == std::string::npos ? end : end - at);
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string{} : line.substr(value);
  }
  return {};
}

/// Variables in which images and CI systems say which container they are.
constexpr std::array kContainerVariables{"PERFGATE_CONTAINER", "NVIDIA_PYTORCH_VERSION",
                                         "CI_JOB_IMAGE"};

}  // namespace

Fingerprint form_fingerprint(const FingerprintInputs& inputs) {
  Fingerprint print;
  auto& environment = print.environment;
  const GpuInfo gpu = inputs.gpu.value_or(GpuInfo{});
  environment["gpu"] = inputs.gpu ? or_unknown(gpu.name) : "none";
  environment["driver"] = or_unknown(inputs.driver.driver);
  environment["power_limit_w"] = power_limit_w(gpu);
  environment["mig"] = on_off(gpu.mig_enabled);
  environment["ecc"] = on_off(gpu.ecc_enabled);
  environment["clock_policy"] = clock_policy(gpu);
  environment["cpu"] = or_unknown(inputs.cpu_model);
  environment["workload"] = or_unknown(inputs.workload_digest);
  environment["measure_version"] = std::to_string(kMeasureVersion);
  print.subject["program"] = or_unknown(inputs.program_digest);
  print.subject["cuda_driver_api"] = or_unknown(inputs.driver.cuda_version);
  if (const auto fault = inputs.environment.get_non_empty("PERFGATE_INJECT")) {
    print.subject["injected_fault"] = *fault;
  }
  for (const char* name : kContainerVariables) {
    if (const auto value = inputs.environment.get_non_empty(name)) {
      print.subject["container"] = *value;
      break;
    }
  }
  print.instance["gpu_uuid"] = or_unknown(gpu.uuid);
  return print;
}

std::string read_cpu_model(const platform::FileSystem& files, const std::string& root) {
  const auto text = files.read(root + "/proc/cpuinfo");
  if (!text.ok()) return kUnknown;
  if (std::string name = cpuinfo_value(text.value(), "model name"); !name.empty()) return name;
  const std::string implementer = cpuinfo_value(text.value(), "CPU implementer");
  const std::string part = cpuinfo_value(text.value(), "CPU part");
  return implementer.empty() ? kUnknown : implementer + "/" + part;
}

std::string program_digest(const std::string& program, const platform::FileSystem& files) {
  const auto bytes = files.read(program);
  return bytes.ok() ? platform::sha256_hex(bytes.value()).substr(0, 16) : kUnknown;
}

Status check_no_other_injector(const platform::Variables& variables) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty() || found->second == "none") continue;
    return Error{
        .code = ErrorCode::unavailable,
        .message = std::string("another injector is configured: ") + name + "=" + found->second,
        .hint = std::string("unset ") + name +
                " (nsys, ncu and other profilers set it); nothing but the workload may run in a "
                "measured process",
        .context = {}};
  }
  return {};
}

}  // namespace perfgate::device
