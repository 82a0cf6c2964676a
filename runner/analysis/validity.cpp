#include "runner/analysis/validity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string microseconds(std::int64_t ns) {
  return number(static_cast<double>(ns) / 1e3, 1) + " us";
}
std::string count_of(std::int64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string process_name(const Evidence& evidence, const Capture& capture) {
  return evidence.timeline.processes.size() == 1 ? "the process"
                                                 : "process " + std::to_string(capture.pid);
}

void check_file(const Evidence& evidence, const Capture& capture, VerdictBuilder& verdict) {
  const std::string who = process_name(evidence, capture);
  for (const std::string& reason : capture.reasons) verdict.raise(Validity::partial, reason);
  if (!capture.complete) {
    verdict.raise(Validity::partial,
                  "the capture has no end block: " + who + " was killed or the file is cut");
  }
  if (!capture.dropped) {
    verdict.raise(Validity::partial, "CUPTI did not say whether it lost records of " + who);
  } else if (*capture.dropped > 0) {
    verdict.raise(Validity::invalid,
                  "CUPTI lost " + count_of(static_cast<std::int64_t>(*capture.dropped), "record") +
                      " of " + who + ": trace fewer steps");
  }
  if (capture.windows.empty()) {
    verdict.raise(Validity::partial,
                  "no window was opened in " + who + ": what was recorded has no marked borders");
  }
  for (const CaptureWindow& window : capture.windows) {
    if (window.closed_ns == 0)
      verdict.raise(Validity::partial, "the window was still open when " + who + " ended");
  }
}

/// A step of the wall clock inside the capture moves host records against GPU records.
void check_clock_step(const Capture& capture, VerdictBuilder& verdict) {
  if (capture.clocks.size() < 2) return;
  const auto [first, last] = std::ranges::minmax(capture.clocks, {}, &ClockPair::monotonic_ns);
  // In doubles (256 ns at today's date): a made-up pair may lie further apart than 64 bits hold.
  const auto offset = [](const ClockPair& pair) {
    return static_cast<double>(pair.realtime_ns) - static_cast<double>(pair.monotonic_ns);
  };
  const auto [low, high] = std::ranges::minmax(capture.clocks, {}, offset);
  const double lasted =
      static_cast<double>(last.monotonic_ns) - static_cast<double>(first.monotonic_ns);
  const double allowed = kClockSlewRatio * lasted + static_cast<double>(kClockStepNs);
  if (const double moved = offset(high) - offset(low); moved > allowed) {
    verdict.raise(Validity::suspect,
                  "the wall clock moved by " + number(moved / 1e3, 1) + " us during the capture");
  }
}

std::int64_t clock_error(const Capture& capture) {
  std::int64_t low = kForever;
  std::int64_t high = -kForever;
  for (const ClockPair& pair : capture.clocks) {
    if (pair.cupti_ns == 0) continue;
    low = std::min(low, pair.cupti_ns - pair.realtime_ns);
    high = std::max(high, pair.cupti_ns - pair.realtime_ns);
  }
  return kClockErrorNs + (high > low ? high - low : 0);
}

void check_launch_order(const Evidence& evidence, VerdictBuilder& verdict) {
  std::vector<std::int64_t> allowed;
  allowed.reserve(evidence.timeline.processes.size());
  for (const ProcessIndex& process : evidence.timeline.processes)
    allowed.push_back(clock_error(*process.capture));
  std::int64_t early = 0;
  std::int64_t worst = 0;
  for (const DeviceEvidence& device : evidence.devices) {
    for (const Operation& op : device.timeline->operations) {
      if (op.launch == kNone) continue;
      const ApiRecord& launch =
          evidence.timeline.processes[op.process].capture->api_calls[op.launch];
      const std::int64_t ahead = launch.start_ns - op.start_ns;
      if (ahead <= allowed[op.process]) continue;
      ++early;
      worst = std::max(worst, ahead);
    }
  }
  if (early > 0) {
    verdict.raise(Validity::suspect, count_of(early, "GPU operation") +
                                         " started before the call that launched it, by up to " +
                                         microseconds(worst) +
                                         ": clocks or correlation ids are wrong");
  }
}

/// GPU work must be present for every process that launched some.
void check_work(const Evidence& evidence, VerdictBuilder& verdict) {
  std::vector<std::int64_t> operations(evidence.timeline.processes.size(), 0);
  std::int64_t kernels = 0;
  for (const DeviceEvidence& device : evidence.devices) {
    for (const Operation& op : device.timeline->operations) {
      ++operations[op.process];
      if (op.kind == OperationKind::kernel) ++kernels;
    }
  }
  if (kernels == 0) {
    verdict.raise(Validity::invalid,
                  "no GPU kernel was recorded: does the program use the GPU inside the window?");
    return;
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Capture& capture = *evidence.timeline.processes[i].capture;
    const auto launches =
        std::ranges::count_if(capture.api_calls, is_launch, &ApiRecord::api_class);
    if (operations[i] == 0 && launches > 0) {
      verdict.raise(Validity::invalid, "process " + std::to_string(capture.pid) + " made " +
                                           count_of(launches, "launch call") +
                                           ", but no GPU record came");
    }
  }
}

void check_records(const Evidence& evidence, VerdictBuilder& verdict) {
  if (evidence.timeline.without_time > 0) {
    verdict.raise(Validity::partial, count_of(evidence.timeline.without_time, "GPU record") +
                                         " without time left out");
  }
  for (const DeviceEvidence& device : evidence.devices) {
    if (device.order->covered == 0) continue;
    verdict.raise(Validity::suspect,
                  count_of(device.order->covered, "GPU operation") +
                      " lie inside an earlier one of the same stream (sum of durations " +
                      microseconds(device.order->raw_sum_ns) + ", cut at the next start " +
                      microseconds(device.order->clipped_sum_ns) + ")");
  }
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

void check_steps(const Evidence& evidence, VerdictBuilder& verdict) {
  for (const ProcessSteps& steps : evidence.steps) {
    if (steps.source != StepSource::nvtx && !evidence.spec.steps.range.empty() &&
        evidence.steps.size() == 1) {
      verdict.raise(Validity::partial,
                    "no NVTX range matches '" + evidence.spec.steps.range +
                        "' in the window; ranges seen: " + quoted_list(steps.seen_ranges));
    }
  }
  for (const DeviceEvidence& device : evidence.devices) {
    const Window& window = *device.window;
    if (window.workless_step >= 0) {
      verdict.raise(Validity::invalid,
                    "step " + std::to_string(window.workless_step + 1) +
                        " of the window has no GPU work on " + device.timeline->uuid +
                        ": its records are missing or the step range is not a step");
    }
    if (window.steps_interleave) {
      verdict.raise(Validity::suspect,
                    "work of a later step ran before that of an earlier one on " +
                        device.timeline->uuid + ": there are no step borders on the GPU");
    }
    const std::int64_t asked = evidence.spec.trace.window.empty() ? evidence.spec.trace.steps : 0;
    if (window.periods() > 0 && window.periods() < asked) {
      verdict.raise(Validity::partial, "the window holds " +
                                           count_of(window.periods(), "whole step") + ", " +
                                           std::to_string(asked) + " were asked for");
    } else if (window.periods() == 0 && !evidence.spec.steps.range.empty() &&
               window.workless_step < 0 && !window.steps_interleave) {
      verdict.raise(
          Validity::partial,
          "the window holds no whole step: at least 3 step starts with GPU work are needed");
    }
  }
}

void check_busy(const Evidence& evidence, VerdictBuilder& verdict) {
  if (evidence.untraced_step_ms <= 0.0) return;
  for (const DeviceEvidence& device : evidence.devices) {
    if (device.step_busy_ns.empty()) continue;
    const double busy_ms = static_cast<double>(integer_median(device.step_busy_ns)) / 1e6;
    const double records =
        static_cast<double>(device.operations) / static_cast<double>(device.step_busy_ns.size());
    const double allowed_ms =
        evidence.untraced_step_ms * (1.0 + kBusyTolerance) + records * kBusyPerRecordNs / 1e6;
    if (busy_ms > allowed_ms) {
      verdict.raise(Validity::suspect,
                    "the GPU was busy for " + number(busy_ms, 3) +
                        " ms in a traced step, but an untraced step lasts only " +
                        number(evidence.untraced_step_ms, 3) + " ms");
    }
  }
}

/// The program's own times of the traced steps: no longer than the same steps in the capture, which
/// tracing slows down just as much, and not so much shorter than the untraced ones. Both hold for
/// programs that time a part of each step only.
void check_own_times(const Evidence& evidence, VerdictBuilder& verdict) {
  const double own = evidence.own_step_ms;
  if (own <= 0.0) return;
  const auto refuse = [&](double other, const char* where) {
    verdict.raise(Validity::invalid, "its results file says " + number(own, 3) +
                                         " ms a traced step, " + where + number(other, 3) +
                                         " ms: another clock, unit or kind of step");
  };
  if (evidence.captured_step_ms > 0.0 && own > kOtherClockRatio * evidence.captured_step_ms) {
    refuse(evidence.captured_step_ms, "and the capture of the same steps ");
  } else if (kOtherClockRatio * own < evidence.same_untraced_step_ms) {
    refuse(evidence.same_untraced_step_ms, "and without tracing the same steps take ");
  }
}

/// Steps with the same number of operations do equal work; their busy times must agree.
void check_steady(const Evidence& evidence, VerdictBuilder& verdict) {
  for (const DeviceEvidence& device : evidence.devices) {
    const Window& window = *device.window;
    if (window.periods() < 3) continue;
    std::vector<std::int64_t> operations(static_cast<std::size_t>(window.periods()) + 2, 0);
    for (const Operation& op : device.timeline->operations) {
      const auto step = static_cast<std::size_t>(op.step);
      if (op.process == window.process && op.step >= 0 && step < operations.size())
        ++operations[step];
    }
    const auto [least, most] = std::minmax_element(operations.begin() + 1, operations.end() - 1);
    if (*least != *most) continue;
    const std::span<const std::int64_t> busy = device.step_busy_ns;
    const std::int64_t middle = integer_median(busy);
    const auto allowed =
        std::max(static_cast<double>(kSteadyNs), kSteadyRatio * static_cast<double>(middle));
    const auto unsteady = std::ranges::count_if(busy, [&](std::int64_t ns) {
      return std::abs(static_cast<double>(ns - middle)) > allowed;
    });
    if (unsteady > 0) {
      verdict.raise(Validity::suspect,
                    count_of(unsteady, "step") + " of " + std::to_string(busy.size()) +
                        " differ by more than 25 % from the median busy time at equal work");
    }
  }
}

void check_module_loads(const Evidence& evidence, VerdictBuilder& verdict) {
  std::int64_t loads = 0;
  for (std::size_t i = 0; i < evidence.steps.size(); ++i) {
    const HostSpan span = host_span(evidence.steps[i]);
    for (const ApiRecord& call : evidence.timeline.processes[i].capture->api_calls) {
      if (span.contains(call.start_ns) && call.api_class == ApiClass::module_load) ++loads;
    }
  }
  if (loads > 0) {
    verdict.raise(Validity::suspect,
                  count_of(loads, "module load") +
                      " inside the window (JIT or lazy loading): warm up for longer");
  }
}

}  // namespace

void VerdictBuilder::raise(Validity at_least, std::string reason) {
  verdict_.validity = std::max(verdict_.validity, at_least);
  if (std::ranges::find(verdict_.reasons, reason) == verdict_.reasons.end()) {
    verdict_.reasons.push_back(std::move(reason));
  }
}

HostSpan host_span(const ProcessSteps& steps) {
  if (steps.starts_ns.size() < 3) return {};
  return {.start_ns = steps.starts_ns[1], .end_ns = steps.starts_ns.back()};
}

bool is_counted(const Operation& op, const ProcessSteps& steps) {
  const auto count = static_cast<std::int32_t>(steps.starts_ns.size());
  return count < 3 || (op.step >= 1 && op.step <= count - 2);
}

CaptureVerdict check_capture(const Evidence& evidence) {
  VerdictBuilder verdict;
  if (evidence.timeline.processes.empty()) {
    verdict.raise(Validity::invalid,
                  "the traced process left no capture file: the probe was not loaded");
    return verdict.take();
  }
  check_work(evidence, verdict);
  for (const ProcessIndex& process : evidence.timeline.processes) {
    check_file(evidence, *process.capture, verdict);
    check_clock_step(*process.capture, verdict);
  }
  check_records(evidence, verdict);
  check_steps(evidence, verdict);
  check_graph_launches(evidence, verdict);
  check_launch_records(evidence, verdict);
  check_launch_order(evidence, verdict);
  check_busy(evidence, verdict);
  check_own_times(evidence, verdict);
  check_steady(evidence, verdict);
  check_module_loads(evidence, verdict);
  return verdict.take();
}

CaptureVerdict joint_verdict(std::span<const TracedProcess> traced) {
  if (traced.empty()) return {.validity = Validity::invalid, .reasons = {"no traced process"}};
  CaptureVerdict joint{.validity = Validity::valid, .reasons = {}};
  std::vector<std::pair<std::string, std::string>>
      reasons;  // reason -> processes, in order of appearance
  for (const TracedProcess& process : traced) {
    joint.validity = std::max(joint.validity, process.verdict.validity);
    if (process.verdict.output.state > joint.output.state) joint.output = process.verdict.output;
    for (const std::string& reason : process.verdict.reasons) {
      const auto known =
          std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
      const std::string index = std::to_string(process.process);
      if (known == reasons.end())
        reasons.emplace_back(reason, index);
      else
        known->second.append(", ").append(index);
    }
  }
  for (const auto& [reason, processes] : reasons) {
    std::string& text = joint.reasons.emplace_back("traced process ");
    text.append(processes).append(": ").append(reason);
  }
  return joint;
}

}  // namespace perfgate::analysis
