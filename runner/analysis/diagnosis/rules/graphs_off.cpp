#include <algorithm>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

/// The head's own captures have no graph launch: known also where the base did not count them.
bool head_has_none(const Unclaimed& unclaimed) {
  if (unclaimed.head == nullptr || unclaimed.head->traced.empty()) return false;
  return std::ranges::all_of(unclaimed.head->traced, [](const TracedProcess& process) {
    return process.graph_launches == 0 && process.api_launches > 0;
  });
}

}  // namespace

Findings graphs_off(const Unclaimed& unclaimed) {
  if (!graphs_fell(unclaimed)) return {};
  const auto graphs = count_of(unclaimed, "graph_launches");
  const CountChange calls = *count_of(unclaimed, "launch_calls");
  Part part;
  add_launching_idle(unclaimed, part);
  const std::string idle = idle_words(unclaimed, part);
  const double slower = add_slower_kernels(unclaimed, part, kLostPerLaunchMs * calls.rise());
  if (!step_is_slower(unclaimed) && !matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  const bool all = !graphs || graphs->head <= 0.0;
  diagnosis.cause = all ? "CUDA graphs are off" : "less of the step runs in CUDA graphs";
  // Only a graph runs many kernels by one call. The counts are exact: the launches are single ones
  // now, whatever time that takes.
  diagnosis.confidence =
      all && (graphs || head_has_none(unclaimed)) ? Confidence::certain : Confidence::likely;
  add_sentence(diagnosis, count_words(unclaimed, "graph_launches", "graph launches"));
  add_sentence(diagnosis, count_words(unclaimed, "launch_calls", "launch calls"));
  if (const auto kernels = count_of(unclaimed, "kernel_launches")) {
    add_sentence(diagnosis, "the step runs " + number_words(kernels->head) + " kernels in " +
                                number_words(calls.head) + " launch calls");
  }
  add_sentence(diagnosis, idle);
  if (slower >= kWorthWordsMs) {
    add_sentence(diagnosis, "the same kernels take " + time_words(slower) +
                                " longer without the graph: less overlap");
  }
  diagnosis.lever =
      "Capture the step in a CUDA graph; look for what broke or turned off the capture (an eager "
      "option, a new shape, a call that cannot be captured).";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
