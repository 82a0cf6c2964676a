#include "runner/device/doctor.h"

#include <charconv>
#include <cstdint>

#include "runner/device/fingerprint.h"
#include "runner/device/throttle.h"

namespace perfgate::device {
namespace {

constexpr unsigned kCapSysAdmin = 21;
constexpr unsigned kCapPerfmon = 38;

using enum DoctorCheck::State;
constexpr std::uint64_t kMebibyte = 1ULL << 20U;
/// A run folder with eight processes and captures stays below this.
constexpr std::uint64_t kWantedFreeBytes = 512 * kMebibyte;

std::string without_root(const Machine& machine, const std::string& path) {
  return path.starts_with(machine.root) ? path.substr(machine.root.size()) : path;
}

DoctorCheck check_gpu(const Result<std::vector<GpuInfo>>& gpus, const Result<GpuInfo>& gpu) {
  if (!gpu.ok()) {
    const bool none = !gpus.ok();
    return {.name = "gpu",
            .state = problem,
            .found = gpu.error().message,
            .todo = gpu.error().hint +
                    (none ? "; without a GPU, --replay still works on recorded runs" : "")};
  }
  const GpuInfo& info = gpu.value();
  std::string found = info.name + ", index " + std::to_string(info.index) + ", " + info.uuid;
  if (gpus.value().size() > 1) found += ", one of " + std::to_string(gpus.value().size());
  return {.name = "gpu", .state = ok, .found = found, .todo = {}};
}

DoctorCheck check_driver(const Machine& machine) {
  const DriverInfo info = machine.device.driver();
  if (info.driver.empty()) {
    return {.name = "driver",
            .state = problem,
            .found = "no NVIDIA driver answers",
            .todo = "install NVIDIA's driver (570 or newer); in a container use --gpus all"};
  }
  std::string found = info.driver;
  if (!info.cuda_version.empty()) found += ", supports CUDA up to " + info.cuda_version;
  return {.name = "driver", .state = ok, .found = found, .todo = {}};
}

DoctorCheck check_toolkit(const Machine& machine) {
  const std::string folder = find_cuda_toolkit(machine);
  if (folder.empty()) {
    return {.name = "cuda_toolkit",
            .state = warning,
            .found = "none in CUDA_HOME, CUDA_PATH, /usr/local/cuda*",
            .todo =
                "needed only to build the probe and the built-in workloads; see NVIDIA's CUDA "
                "installation guide for Linux"};
  }
  return {.name = "cuda_toolkit", .state = ok, .found = without_root(machine, folder), .todo = {}};
}

DoctorCheck check_cupti(const Machine& machine) {
  const std::string path = find_cupti(machine);
  if (path.empty()) {
    return {.name = "cupti",
            .state = warning,
            .found = "no libcupti.so in CUDA's folders or an active Python environment",
            .todo =
                "install the toolkit's CUPTI (package cuda-cupti-13-0), or set CUDA_HOME; a traced "
                "program "
                "that brings its own (PyTorch) works without"};
  }
  return {.name = "cupti", .state = ok, .found = without_root(machine, path), .todo = {}};
}

/// The rest of the first line that begins with `key`, without blanks.
std::string value_after(const std::string& text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::size_t start = text.find_first_not_of(" \t", at + key.size());
    if (start == std::string::npos) return {};
    return text.substr(start, text.find_first_of(" \t\n", start) - start);
  }
  return {};
}

DoctorCheck check_counters(const Machine& machine) {
  DoctorCheck check{.name = "counters", .state = unknown, .found = {}, .todo = {}};
  const auto params = machine.files.read(machine.root + "/proc/driver/nvidia/params");
  const std::string restricted =
      params.ok() ? value_after(params.value(), "RmProfilingAdminOnly:") : std::string{};
  if (restricted == "0") {
    check.state = ok;
    check.found = "open to every user (RmProfilingAdminOnly: 0)";
    return check;
  }
  const auto status = machine.files.read(machine.root + "/proc/self/status");
  const std::string capabilities =
      status.ok() ? value_after(status.value(), "CapEff:") : std::string{};
  if (restricted == "1" && may_read_counters(capabilities)) {
    check.state = ok;
    check.found = "for administrators, and this process has CAP_SYS_ADMIN or CAP_PERFMON";
  } else if (restricted == "1") {
    check.state = warning;
    check.found = machine.is_root
                      ? "for administrators; root, but without CAP_SYS_ADMIN or CAP_PERFMON"
                      : "for administrators, and this process is not one";
    check.todo =
        "DRAM counters stay off; on the host set NVreg_RestrictProfilingToAdminUsers=0, or add "
        "--cap-add=PERFMON to the container (driver 565 or newer)";
  } else {
    check.found = "the driver does not say who may read counters";
  }
  return check;
}

DoctorCheck check_clocks(const std::optional<DeviceSample>& sample, const Result<GpuInfo>& gpu) {
  if (!sample || !sample->sm_clock_mhz) {
    return {.name = "clocks", .state = unknown, .found = "the GPU cannot be asked", .todo = {}};
  }
  std::string found = "SM " + std::to_string(*sample->sm_clock_mhz) + " MHz";
  if (gpu.ok() && gpu.value().max_sm_clock_mhz)
    found += " of " + std::to_string(*gpu.value().max_sm_clock_mhz);
  if (sample->temperature_c) found += ", " + std::to_string(*sample->temperature_c) + " C";
  if (!sample->throttle_reasons) return {.name = "clocks", .state = ok, .found = found, .todo = {}};
  found += ", held back by: " + describe_throttle_reasons(*sample->throttle_reasons);
  const bool slowed = (*sample->throttle_reasons & (kThermalReasons | kPowerBrakeReasons)) != 0;
  return {
      .name = "clocks",
      .state = slowed ? warning : ok,
      .found = found,
      .todo = slowed
                  ? "check cooling and power supply; throttled samples are repeated, then reported"
                  : ""};
}

/// The counters that tell a throttled process from a good one, as they stand now.
DoctorCheck check_throttling(const std::optional<DeviceSample>& sample) {
  if (!sample) {
    return {.name = "throttling", .state = unknown, .found = "the GPU cannot be asked", .todo = {}};
  }
  const std::string counters = describe_throttle_counters(*sample);
  std::string found = counters.empty() ? "no counters" : "counted so far: " + counters;
  const std::vector<std::string> missing = uncounted_throttling(*sample);
  if (missing.empty()) {
    return {.name = "throttling", .state = ok, .found = std::move(found), .todo = {}};
  }
  for (const std::string& each : missing) found += "; not counted: " + each;
  return {.name = "throttling",
          .state = unknown,
          .found = std::move(found),
          .todo =
              "a process throttled by what is not counted would not be seen; newer drivers "
              "count more"};
}

DoctorCheck check_other_processes(const std::optional<DeviceSample>& sample, const PidView& pids) {
  if (!sample || !sample->other_processes) {
    const bool hidden = sample && pids.own_namespace;
    return {.name = "other_processes",
            .state = unknown,
            .found = hidden ? "cannot tell: this container has its own process ids"
                            : "the GPU cannot be asked",
            .todo = hidden ? "start the container with --pid=host to see other programs on the GPU"
                           : ""};
  }
  const std::uint32_t count = *sample->other_processes;
  if (count == 0)
    return {.name = "other_processes", .state = ok, .found = "none on this GPU", .todo = {}};
  return {.name = "other_processes",
          .state = warning,
          .found = std::to_string(count) + " on this GPU",
          .todo = "end them (nvidia-smi lists them) or choose another GPU with --gpu"};
}

DoctorCheck check_part(const Machine& machine, std::string name, const std::string& path,
                       const std::string& advice) {
  const bool there = !path.empty() && machine.files.exists(path);
  return {.name = std::move(name),
          .state = there ? ok : problem,
          .found = there ? path : "not found" + (path.empty() ? std::string{} : " at " + path),
          .todo = there ? "" : advice};
}

DoctorCheck check_lock_folder(const std::string& folder) {
  if (folder.empty()) {
    return {.name = "lock_folder",
            .state = problem,
            .found = "none can be made",
            .todo = "set PERFGATE_LOCK_DIR to a folder that all jobs of this machine share"};
  }
  return {.name = "lock_folder", .state = ok, .found = folder, .todo = {}};
}

DoctorCheck check_temporary_space(const Machine& machine, const std::string& folder) {
  const auto free = machine.files.free_bytes(folder);
  if (!free.ok()) {
    return {
        .name = "disk", .state = problem, .found = free.error().message, .todo = free.error().hint};
  }
  const std::string found = std::to_string(free.value() / kMebibyte) + " MiB free in " + folder;
  if (free.value() >= kWantedFreeBytes)
    return {.name = "disk", .state = ok, .found = found, .todo = {}};
  return {.name = "disk",
          .state = warning,
          .found = found,
          .todo = "free space, or choose another disk with --out DIR"};
}

DoctorCheck check_injectors(const Machine& machine) {
  const Status status = check_no_other_injector(machine.environment.variables);
  if (status.ok())
    return {.name = "injectors", .state = ok, .found = "no other tool injects itself", .todo = {}};
  return {.name = "injectors",
          .state = problem,
          .found = status.error().message,
          .todo = status.error().hint};
}

}  // namespace

bool may_read_counters(std::string_view cap_eff_hex) {
  std::uint64_t bits = 0;
  const char* end = cap_eff_hex.data() + cap_eff_hex.size();
  const auto [at, failure] = std::from_chars(cap_eff_hex.data(), end, bits, 16);
  if (failure != std::errc{} || at != end) return false;
  return ((bits >> kCapSysAdmin) & 1U) != 0 || ((bits >> kCapPerfmon) & 1U) != 0;
}

std::vector<DoctorCheck> examine(const Machine& machine, const InstalledParts& parts,
                                 std::string_view gpu_selector) {
  if (gpu_selector == "none") {
    return {{.name = "gpu", .state = ok, .found = "none is asked for (--gpu none)", .todo = {}},
            check_injectors(machine),
            check_temporary_space(machine, parts.temporary_folder)};
  }
  const auto gpus = machine.device.gpus();
  const Result<GpuInfo> gpu =
      gpus.ok() ? choose_gpu(gpu_selector, gpus.value()) : Result<GpuInfo>(gpus.error());
  const std::optional<DeviceSample> sample =
      gpu.ok() ? machine.device.sample(gpu.value().uuid) : std::nullopt;
  const std::string reinstall = "build with a CUDA toolkit present, or reinstall perfgate";
  return {check_gpu(gpus, gpu),
          check_driver(machine),
          check_toolkit(machine),
          check_cupti(machine),
          check_counters(machine),
          check_clocks(sample, gpu),
          check_throttling(sample),
          check_other_processes(sample, machine.pids),
          check_injectors(machine),
          check_part(machine, "probe", parts.probe_library, reinstall),
          check_part(machine, "workloads", parts.workload_program, reinstall),
          check_lock_folder(parts.lock_folder),
          check_temporary_space(machine, parts.temporary_folder)};
}

}  // namespace perfgate::device
