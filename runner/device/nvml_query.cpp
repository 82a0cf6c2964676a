#include <array>
#include <type_traits>
#include <utility>

#include <dlfcn.h>

#include "runner/device/device_query.h"
#include "runner/device/nvml_api.h"

namespace perfgate::device {
namespace {

constexpr int kListAttempts = 4;  // the list may grow between two calls

using nvml::Api;
using nvml::Handle;
using nvml::kSuccess;

template <typename Function>
void find(void* library, Function& function, const char* name, const char* older_name = nullptr) {
  void* symbol = ::dlsym(library, name);
  if (symbol == nullptr && older_name != nullptr) symbol = ::dlsym(library, older_name);
  function = reinterpret_cast<Function>(symbol);
}

Api load(void* library) {
  Api api{};
  find(library, api.init, "nvmlInit_v2");
  find(library, api.shutdown, "nvmlShutdown");
  find(library, api.error_text, "nvmlErrorString");
  find(library, api.driver_version, "nvmlSystemGetDriverVersion");
  find(library, api.cuda_version, "nvmlSystemGetCudaDriverVersion_v2",
       "nvmlSystemGetCudaDriverVersion");
  find(library, api.count, "nvmlDeviceGetCount_v2");
  find(library, api.by_index, "nvmlDeviceGetHandleByIndex_v2");
  find(library, api.by_uuid, "nvmlDeviceGetHandleByUUID");
  find(library, api.uuid, "nvmlDeviceGetUUID");
  find(library, api.name, "nvmlDeviceGetName");
  find(library, api.pci, "nvmlDeviceGetPciInfo_v3");
  find(library, api.mig_mode, "nvmlDeviceGetMigMode");
  find(library, api.ecc_mode, "nvmlDeviceGetEccMode");
  find(library, api.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find(library, api.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(library, api.application_clock, "nvmlDeviceGetApplicationsClock");
  find(library, api.clock, "nvmlDeviceGetClockInfo");
  find(library, api.bus_width, "nvmlDeviceGetMemoryBusWidth");
  find(library, api.temperature, "nvmlDeviceGetTemperature");
  find(library, api.power, "nvmlDeviceGetPowerUsage");
  find(library, api.energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(library, api.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(library, api.violation, "nvmlDeviceGetViolationStatus");
  find(library, api.field_values, "nvmlDeviceGetFieldValues");
  find(library, api.memory, "nvmlDeviceGetMemoryInfo");
  find(library, api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",
       "nvmlDeviceGetComputeRunningProcesses_v2");
  return api;
}

bool has_the_essentials(const Api& api) {
  return api.init != nullptr && api.shutdown != nullptr && api.count != nullptr &&
         api.by_index != nullptr && api.by_uuid != nullptr && api.uuid != nullptr &&
         api.name != nullptr;
}

/// The value that `function` writes as its last argument, if it is there and succeeds.
template <typename Value, typename... Parameters, typename... Arguments>
std::optional<Value> ask(nvml::Return (*function)(Parameters...), Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<bool> ask_mode(nvml::Return (*function)(Handle, unsigned*, unsigned*), Handle gpu) {
  unsigned now = 0;
  unsigned pending = 0;
  if (function == nullptr || function(gpu, &now, &pending) != kSuccess) return std::nullopt;
  return now != 0;
}

std::string ask_text(nvml::Return (*function)(Handle, char*, unsigned), Handle gpu) {
  std::array<char, 96> text{};
  if (function(gpu, text.data(), text.size()) != kSuccess) return {};
  return text.data();
}

/// Pids of the listed compute processes. Empty: NVML does not say.
std::optional<std::vector<unsigned>> compute_pids(const Api& api, Handle gpu) {
  if (api.compute_processes == nullptr) return std::nullopt;
  std::vector<nvml::ProcessInfo> processes(64);
  for (int i = 0; i < kListAttempts; ++i) {
    auto count = static_cast<unsigned>(processes.size());
    const nvml::Return answer = api.compute_processes(gpu, &count, processes.data());
    if (answer == nvml::kInsufficientSize) {
      processes.resize(std::size_t{count} + 16);
      continue;
    }
    if (answer != kSuccess) return std::nullopt;
    std::vector<unsigned> pids;
    for (unsigned k = 0; k < count; ++k) pids.push_back(processes[k].pid);
    return pids;
  }
  return std::nullopt;
}

class NvmlQuery final : public DeviceQuery {
 public:
  NvmlQuery(const Api& api, const platform::Clock& clock, PidView view)
      : api_(api), clock_(clock), view_(view) {}
  ~NvmlQuery() override { api_.shutdown(); }

  [[nodiscard]] DriverInfo driver() const override {
    DriverInfo info;
    std::array<char, 96> text{};
    if (api_.driver_version != nullptr &&
        api_.driver_version(text.data(), text.size()) == kSuccess) {
      info.driver = text.data();
    }
    if (const auto version = ask<int>(api_.cuda_version)) {
      info.cuda_version =
          std::to_string(*version / 1000) + "." + std::to_string(*version % 1000 / 10);
    }
    return info;
  }

  [[nodiscard]] Result<std::vector<GpuInfo>> gpus() const override {
    const auto count = ask<unsigned>(api_.count);
    if (!count) {
      return Error{.code = ErrorCode::unavailable,
                   .message = "NVML does not list the GPUs",
                   .hint = "see whether nvidia-smi works on this machine",
                   .context = {}};
    }
    std::vector<GpuInfo> list;
    for (unsigned index = 0; index < *count; ++index) {
      Handle gpu = nullptr;
      // A GPU that fell off the bus must not hide the others.
      if (api_.by_index(index, &gpu) == kSuccess) list.push_back(describe(index, gpu));
    }
    return list;
  }

  [[nodiscard]] std::optional<DeviceSample> sample(const std::string& uuid) const override {
    Handle gpu = nullptr;
    if (api_.by_uuid(uuid.c_str(), &gpu) != kSuccess) return std::nullopt;
    DeviceSample sample;
    sample.at_ns = clock_.realtime_ns();
    sample.sm_clock_mhz = ask<unsigned>(api_.clock, gpu, int{nvml::kClockSm});
    sample.memory_clock_mhz = ask<unsigned>(api_.clock, gpu, int{nvml::kClockMemory});
    sample.temperature_c = ask<unsigned>(api_.temperature, gpu, nvml::kTemperatureGpu);
    sample.power_mw = ask<unsigned>(api_.power, gpu);
    sample.energy_mj = ask<unsigned long long>(api_.energy, gpu);
    sample.throttle_reasons = ask<unsigned long long>(api_.throttle_reasons, gpu);
    sample.power_cap_us = violation_us(gpu, nvml::kPolicyPower);
    if (!sample.power_cap_us) sample.power_cap_us = counter_us(gpu, nvml::kFieldPowerCap);
    sample.thermal_slowdown_us = violation_us(gpu, nvml::kPolicyThermal);
    sample.hardware_thermal_us = counter_us(gpu, nvml::kFieldHardwareThermal);
    sample.software_thermal_us = counter_us(gpu, nvml::kFieldSoftwareThermal);
    sample.power_brake_us = counter_us(gpu, nvml::kFieldPowerBrake);
    if (const auto memory = ask<nvml::Memory>(api_.memory, gpu))
      sample.memory_used_bytes = memory->used;
    sample.other_processes = strangers(gpu);
    return sample;
  }

 private:
  [[nodiscard]] GpuInfo describe(unsigned index, Handle gpu) const {
    GpuInfo info;
    info.index = index;
    info.uuid = ask_text(api_.uuid, gpu);
    info.name = ask_text(api_.name, gpu);
    if (const auto pci = ask<nvml::PciInfo>(api_.pci, gpu)) info.pci = pci->bus_id;
    info.mig_enabled = ask_mode(api_.mig_mode, gpu);
    info.ecc_enabled = ask_mode(api_.ecc_mode, gpu);
    info.power_limit_mw = ask<unsigned>(api_.power_limit, gpu);
    info.max_sm_clock_mhz = ask<unsigned>(api_.max_clock, gpu, int{nvml::kClockSm});
    info.max_memory_clock_mhz = ask<unsigned>(api_.max_clock, gpu, int{nvml::kClockMemory});
    info.application_sm_clock_mhz = ask<unsigned>(api_.application_clock, gpu, int{nvml::kClockSm});
    info.application_memory_clock_mhz =
        ask<unsigned>(api_.application_clock, gpu, int{nvml::kClockMemory});
    info.memory_bus_bits = ask<unsigned>(api_.bus_width, gpu);
    if (const auto memory = ask<nvml::Memory>(api_.memory, gpu)) {
      info.memory_total_bytes = memory->total;
      info.memory_used_bytes = memory->used;
    }
    if (const auto pids = compute_pids(api_, gpu)) {
      info.compute_processes = static_cast<std::uint32_t>(pids->size());
    }
    return info;
  }

  /// NVML counts policy violations in nanoseconds since the driver was loaded.
  [[nodiscard]] std::optional<std::uint64_t> violation_us(Handle gpu, int policy) const {
    const auto time = ask<nvml::ViolationTime>(api_.violation, gpu, policy);
    if (!time) return std::nullopt;
    return time->violation_ns / 1000;
  }

  /// A counter of nanoseconds by its field. Empty: this driver does not know the field, or answers
  /// with a type that no counter has.
  [[nodiscard]] std::optional<std::uint64_t> counter_us(Handle gpu, nvml::FieldId field) const {
    nvml::FieldValue value{};
    value.field = field;
    if (api_.field_values == nullptr || api_.field_values(gpu, 1, &value) != kSuccess ||
        value.answer != kSuccess) {
      return std::nullopt;
    }
    switch (value.value_type) {
      case nvml::kUnsignedInt: return (value.value & 0xFFFFFFFFU) / 1000;
      case nvml::kUnsignedLong:
      case nvml::kUnsignedLongLong: return value.value / 1000;
      default: return std::nullopt;
    }
  }

  /// Samples are taken while no child of ours runs, so every listed process but ourselves is a
  /// stranger. In a pid namespace strangers may be missing from the list: none seen means cannot
  /// tell there.
  [[nodiscard]] std::optional<std::uint32_t> strangers(Handle gpu) const {
    const auto pids = compute_pids(api_, gpu);
    if (!pids) return std::nullopt;
    std::uint32_t count = 0;
    for (const unsigned pid : *pids)
      count += pid == view_.own_pid && !view_.own_namespace ? 0U : 1U;
    if (count == 0 && view_.own_namespace) return std::nullopt;
    return count;
  }

  Api api_;
  const platform::Clock& clock_;
  PidView view_;
};

Error no_driver(std::string message) {
  return {.code = ErrorCode::unavailable,
          .message = std::move(message),
          .hint =
              "install NVIDIA's driver; in a container, start it with --gpus all (NVIDIA Container "
              "Toolkit)",
          .context = {}};
}

}  // namespace

std::unique_ptr<DeviceQuery> open_device_query(const platform::Clock& clock, PidView view,
                                               const std::string& library) {
  // Never closed: NVML starts threads of its own that must not lose their code.
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    Error error = no_driver("no NVIDIA driver on this machine (" + library + " cannot be loaded)");
    if (const char* reason = ::dlerror(); reason != nullptr) error.context = reason;
    return std::make_unique<NoDevice>(std::move(error));
  }
  const Api api = load(loaded);
  if (!has_the_essentials(api)) {
    return std::make_unique<NoDevice>(
        no_driver(library + " lacks functions that drivers since R450 have"));
  }
  if (const nvml::Return answer = api.init(); answer != kSuccess) {
    const char* text = api.error_text != nullptr ? api.error_text(answer) : nullptr;
    return std::make_unique<NoDevice>(
        no_driver("the NVIDIA driver does not answer: " +
                  std::string(text != nullptr ? text : "NVML error " + std::to_string(answer))));
  }
  return std::make_unique<NvmlQuery>(api, clock, view);
}

}  // namespace perfgate::device
