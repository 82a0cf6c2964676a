#include <charconv>
#include <filesystem>
#include <tuple>

#include <unistd.h>

#include "runner/device/device_query.h"

namespace perfgate::device {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

std::string list_of(const std::vector<GpuInfo>& gpus) {
  std::string text;
  for (const GpuInfo& gpu : gpus) {
    text +=
        (text.empty() ? "" : "\n") + std::to_string(gpu.index) + "  " + gpu.uuid + "  " + gpu.name;
  }
  return text;
}

Error not_there(std::string_view selector, const std::vector<GpuInfo>& gpus, const char* why) {
  return {.code = ErrorCode::not_found,
          .message = "no GPU '" + std::string(selector) + "': " + why,
          .hint = "--gpu takes auto, an index or a UUID of this list",
          .context = list_of(gpus)};
}

/// Idle before busy, MIG last, then the least memory in use, then the index.
auto preference(const GpuInfo& gpu) {
  return std::tuple(gpu.mig_enabled.value_or(false), gpu.compute_processes.value_or(0) > 0,
                    gpu.memory_used_bytes.value_or(kUnknown), gpu.index);
}

Result<GpuInfo> find_selected(std::string_view selector, const std::vector<GpuInfo>& gpus) {
  if (selector == "auto") {
    return *std::ranges::min_element(gpus, {}, [](const GpuInfo& gpu) { return preference(gpu); });
  }
  std::uint32_t index = 0;
  const auto [end, failure] =
      std::from_chars(selector.data(), selector.data() + selector.size(), index);
  const bool is_index = failure == std::errc{} && end == selector.data() + selector.size();
  std::vector<GpuInfo> matches;
  for (const GpuInfo& gpu : gpus) {
    if (is_index ? gpu.index == index : !selector.empty() && gpu.uuid.starts_with(selector)) {
      matches.push_back(gpu);
    }
  }
  if (matches.empty()) return not_there(selector, gpus, "it is not on this machine");
  if (matches.size() > 1) return not_there(selector, gpus, "several UUIDs begin so");
  return matches.front();
}

}  // namespace

PidView pid_view() {
  // The inode of the first pid namespace is fixed: PROC_PID_INIT_INO, include/linux/proc_ns.h.
  std::error_code code;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", code).string();
  return {.own_namespace = space != "pid:[4026531836]",
          .own_pid = static_cast<std::uint32_t>(::getpid())};
}

Result<GpuInfo> choose_gpu(std::string_view selector, const std::vector<GpuInfo>& gpus) {
  if (gpus.empty()) {
    return Error{.code = ErrorCode::unavailable,
                 .message = "the driver lists no GPU",
                 .hint = "in a container, start it with --gpus all; else see what nvidia-smi says",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(GpuInfo gpu, find_selected(selector, gpus));
  if (gpu.mig_enabled.value_or(false)) {
    return Error{.code = ErrorCode::unsupported,
                 .message = "GPU " + std::to_string(gpu.index) + " (" + gpu.name +
                            ") is in MIG mode, which is not supported",
                 .hint = "switch MIG off (nvidia-smi -i " + std::to_string(gpu.index) +
                         " -mig 0) or choose another GPU with --gpu",
                 .context = list_of(gpus)};
  }
  return gpu;
}

}  // namespace perfgate::device
