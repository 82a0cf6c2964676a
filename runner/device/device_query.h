/// What the machine's GPUs are and how one is doing now, behind an interface: NVML where there is a
/// driver.
///
/// Everything that the driver does not say is an empty optional or an empty text; nothing is
/// guessed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "runner/platform/clock.h"

namespace perfgate::device {

struct GpuInfo {
  std::uint32_t index = 0;  ///< NVML's, by PCI bus; CUDA's may differ, so children get the UUID
  std::string uuid;         ///< "GPU-..."
  std::string name;         ///< "NVIDIA H200"
  std::string pci;
  std::optional<bool> mig_enabled;
  std::optional<bool> ecc_enabled;
  std::optional<std::uint32_t> power_limit_mw;  ///< enforced
  std::optional<std::uint32_t> max_sm_clock_mhz;
  std::optional<std::uint32_t> max_memory_clock_mhz;
  std::optional<std::uint32_t>
      application_sm_clock_mhz;  ///< set by nvidia-smi -ac; empty = not supported
  std::optional<std::uint32_t> application_memory_clock_mhz;
  std::optional<std::uint32_t> memory_bus_bits;
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint32_t>
      compute_processes;  ///< as listed; 0 in a pid namespace proves nothing
};

struct DriverInfo {
  std::string driver;        ///< "580.159.04"; empty = no driver
  std::string cuda_version;  ///< newest CUDA that the driver supports: "13.0"
};

class DeviceQuery {
 public:
  DeviceQuery() = default;
  DeviceQuery(const DeviceQuery&) = delete;
  DeviceQuery& operator=(const DeviceQuery&) = delete;
  virtual ~DeviceQuery() = default;

  [[nodiscard]] virtual DriverInfo driver() const = 0;
  /// By NVML index. Error `unavailable`: no driver, or it does not answer.
  [[nodiscard]] virtual Result<std::vector<GpuInfo>> gpus() const = 0;
  /// Empty if that GPU cannot be asked (any more).
  [[nodiscard]] virtual std::optional<DeviceSample> sample(const std::string& uuid) const = 0;
};

/// A machine without NVML; `reason` is what `gpus` answers.
class NoDevice final : public DeviceQuery {
 public:
  explicit NoDevice(Error reason) : reason_(std::move(reason)) {}
  [[nodiscard]] DriverInfo driver() const override { return {}; }
  [[nodiscard]] Result<std::vector<GpuInfo>> gpus() const override { return reason_; }
  [[nodiscard]] std::optional<DeviceSample> sample(const std::string&) const override { return {}; }

 private:
  Error reason_;
};

/// GPUs as the test wants them. `samples` are handed out in order, the last one again and again.
class FakeDevice final : public DeviceQuery {
 public:
  std::vector<GpuInfo> list;
  DriverInfo driver_info{.driver = "580.159.04", .cuda_version = "13.0"};
  std::vector<DeviceSample> samples;
  mutable std::size_t asked = 0;

  [[nodiscard]] DriverInfo driver() const override { return driver_info; }
  [[nodiscard]] Result<std::vector<GpuInfo>> gpus() const override { return list; }
  [[nodiscard]] std::optional<DeviceSample> sample(const std::string&) const override {
    if (samples.empty()) return std::nullopt;
    return samples[std::min(asked++, samples.size() - 1)];
  }
};

/// What a pid namespace hides: `own_namespace` true means that strangers may be invisible.
struct PidView {
  bool own_namespace = false;
  std::uint32_t own_pid = 0;
};
[[nodiscard]] PidView pid_view();

/// NVML from `library` (a file name for dlopen), else NoDevice with the reason. `clock` must
/// outlive it.
[[nodiscard]] std::unique_ptr<DeviceQuery> open_device_query(
    const platform::Clock& clock, PidView view, const std::string& library = "libnvidia-ml.so.1");

/// `selector`: "auto", an NVML index or a UUID (a unique front part is enough). auto takes a GPU
/// without listed compute processes and with the least memory in use, else the least used one.
/// Errors (`unavailable`, `not_found`) list what is there; a GPU in MIG mode is refused
/// (`unsupported`).
[[nodiscard]] Result<GpuInfo> choose_gpu(std::string_view selector,
                                         const std::vector<GpuInfo>& gpus);

}  // namespace perfgate::device
