#include "runner/analysis/window.h"

#include <algorithm>

namespace perfgate::analysis {
namespace {

/// The process with the most stepped operations on this device; processes that share a GPU rarely
/// share steps.
std::uint16_t leading_process(const DeviceTimeline& device, std::size_t processes) {
  std::vector<std::int64_t> owned(processes, 0);
  for (const Operation& op : device.operations) {
    if (op.step >= 0) ++owned[op.process];
  }
  return static_cast<std::uint16_t>(std::ranges::max_element(owned) - owned.begin());
}

Window whole_capture(const DeviceTimeline& device, std::uint16_t process) {
  Window window;
  window.process = process;
  if (device.operations.empty()) return window;
  window.start_ns = device.operations.front().start_ns;
  for (const Operation& op : device.operations) window.end_ns = std::max(window.end_ns, op.end_ns);
  return window;
}

}  // namespace

Window find_window(const DeviceTimeline& device, std::span<const ProcessSteps> steps) {
  const std::uint16_t process = leading_process(device, steps.size());
  Window window = whole_capture(device, process);
  const std::size_t count = steps[process].starts_ns.size();
  if (count < 3) return window;
  std::vector<std::int64_t> first(count, kForever);
  for (const Operation& op : device.operations) {
    if (op.process != process || op.step < 0) continue;
    std::int64_t& start = first[static_cast<std::size_t>(op.step)];
    start = std::min(start, op.start_ns);
  }
  const auto workless = std::ranges::find(first, kForever);
  if (workless != first.end()) {
    window.workless_step = static_cast<std::int32_t>(workless - first.begin());
    return window;
  }
  for (std::size_t i = 1; i < count; ++i) {
    if (first[i] <= first[i - 1]) {
      window.steps_interleave = true;
      return window;
    }
  }
  window.boundaries_ns.assign(first.begin() + 1, first.end());
  window.start_ns = window.boundaries_ns.front();
  window.end_ns = window.boundaries_ns.back();
  return window;
}

}  // namespace perfgate::analysis
