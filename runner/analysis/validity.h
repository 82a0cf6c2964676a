/// Whether a capture may be believed, before it has numbers. Every check gives a sentence when it
/// fails.
///
/// Tolerances, and why they are what they are:
/// - kBusyTolerance, 5 %: node-level tracing lengthens a step by 1 to 2 %; a GPU that is busy for
///   longer than the untraced step lasts was not doing the same work, or its records are wrong
/// - kBusyPerRecordNs, 1 us a record beside it: what tracing costs is paid by the kernel. Launched
///   one by one, 708 kernels a step of which 512 last 2 us were 0.64 us longer each, which is 8 %
///   (H200, planted fault split_launch)
/// - kClockErrorNs, 5 us: CUPTI converts GPU time by interpolation between clock readings; the
///   spread that the capture's own clock pairs show is added
/// - kClockSlewRatio, 500 ppm: the most by which NTP slews
/// - kClockStepNs, 100 us: what reading two clocks in turn costs
/// - kSteadyRatio, 25 %, and kSteadyNs, 50 us: busy time of a step against the median of steps of
///   equal work
#pragma once

#include <cstdint>
#include <span>

#include "runner/analysis/launch_calls.h"
#include "runner/analysis/steps.h"
#include "runner/analysis/sweep.h"
#include "runner/analysis/timeline.h"
#include "runner/analysis/window.h"
#include "runner/model/analysis.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

inline constexpr double kBusyTolerance = 0.05;
inline constexpr double kBusyPerRecordNs = 1'000.0;
inline constexpr std::int64_t kClockErrorNs = 5'000;
inline constexpr double kClockSlewRatio = 500e-6;
inline constexpr std::int64_t kClockStepNs = 100'000;
/// Two clocks of one step differ by far less, whatever tracing costs.
inline constexpr double kOtherClockRatio = 3.0;
inline constexpr double kSteadyRatio = 0.25;
inline constexpr std::int64_t kSteadyNs = 50'000;

/// One device of the traced run as the checks see it.
struct DeviceEvidence {
  const DeviceTimeline* timeline = nullptr;
  const Window* window = nullptr;
  const StreamOrder* order = nullptr;
  std::span<const std::int64_t> step_busy_ns;
  std::int64_t operations = 0;  ///< that start in the window
};

struct Evidence {
  const WorkloadSpec& spec;
  const Timeline& timeline;
  std::span<const ProcessSteps> steps;
  std::span<const DeviceEvidence> devices;
  double untraced_step_ms = 0.0;  ///< 0 = unknown
  /// Of the same traced steps, 0 = unknown: as the program's results file says, as the capture
  /// shows, and untraced.
  double own_step_ms = 0.0;
  double captured_step_ms = 0.0;
  double same_untraced_step_ms = 0.0;
};

/// Collects reasons; the verdict is the worst of them.
class VerdictBuilder {
 public:
  void raise(Validity at_least, std::string reason);
  [[nodiscard]] CaptureVerdict take() { return std::move(verdict_); }

 private:
  CaptureVerdict verdict_{.validity = Validity::valid, .reasons = {}};
};

/// valid only if no check fails.
[[nodiscard]] CaptureVerdict check_capture(const Evidence& evidence);

/// The worst of the traced processes, with "traced process 6, 7: ..." before each distinct reason.
/// None traced: invalid.
[[nodiscard]] CaptureVerdict joint_verdict(std::span<const TracedProcess> traced);

/// Every launch of a graph must yield the same nodes, as many as were created. In graph_check.cpp.
void check_graph_launches(const Evidence& evidence, VerdictBuilder& verdict);

/// Every kernel launch call has its GPU record and every kernel the record of its call, inside the
/// counted steps (without steps: inside the window). Launches made while a stream is captured make
/// no GPU work and are left out; so are kernels launched before the window. In launch_check.cpp.
void check_launch_records(const Evidence& evidence, VerdictBuilder& verdict);

/// Host time in which the window's steps were launched: [first, last). The whole of time without
/// steps.
[[nodiscard]] HostSpan host_span(const ProcessSteps& steps);
/// Whether an operation belongs to the steps 2 to N + 1 that are counted (any operation without
/// steps).
[[nodiscard]] bool is_counted(const Operation& op, const ProcessSteps& steps);

}  // namespace perfgate::analysis
