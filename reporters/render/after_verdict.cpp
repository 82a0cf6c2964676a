#include "reporters/render/after_verdict.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/change_facts.h"
#include "reporters/render/diagnosis_words.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/sight.h"
#include "reporters/render/summary_lines.h"

namespace perfgate::render {
namespace {

// Where to look for idle time of a cause that grew.
constexpr std::array<std::pair<IdleCause, std::string_view>, 7> kLeads{{
    {IdleCause::synchronisation, "Look for a synchronising call that was added"},
    {IdleCause::launch_overhead, "Look for launches that became slower: the GPU waits for them"},
    {IdleCause::device_wait, "Look for a new dependency between streams"},
    {IdleCause::allocation, "Look for allocations inside the step"},
    {IdleCause::transfer, "Look for a copy that the step now waits for"},
    {IdleCause::jit, "Look for kernels compiled or loaded inside the step; warm up longer"},
    {IdleCause::host, "Look at what the host does between launches"},
}};

std::string lead_of(const RunResult& result, const Comparison* row,
                    std::span<const Contribution> parts) {
  if (!result.diagnosis.empty() && !result.diagnosis.front().lever.empty())
    return lever_words(result.diagnosis.front());
  switch (graph_use(result)) {
    case GraphUse::vanished: return "Check that CUDA graphs are still used";
    case GraphUse::less: return "Look for kernels that left a CUDA graph";
    case GraphUse::not_less: break;
  }
  if (result.analysis.traced.empty() && (row == nullptr || row->kind != MetricKind::counted)) {
    return "Find what the change does more of: a profiler of the host tells, or a run with traces "
           "on a GPU";
  }
  const auto largest = std::ranges::find_if(
      parts, [](const Contribution& part) { return part.notable && part.change_ms > 0.0; });
  if (largest == parts.end()) {
    return row != nullptr && row->kind == MetricKind::counted
               ? "Find out why " + row->metric + " changed"
               : "Read the compared rows below";
  }
  if (largest->part != Contribution::Part::family) {
    const auto lead =
        std::ranges::find(kLeads, largest->cause, &std::pair<IdleCause, std::string_view>::first);
    return lead == kLeads.end() ? "Look at the gap sites below" : std::string(lead->second);
  }
  if (result.ledger && !keeps_no_kernels(*result.ledger))
    return "Compare the " + largest->name + " kernels of the head with those of the base";
  return "The store keeps no kernels: compare the " + largest->name +
         " kernels below with those of a run on the base branch (perfgate kernels " +
         folder_word(result) + ")";
}

// "the accept of step_time_p50 expired on 2026-10-01 ...": whoever looks for the line that covered
// it finds it here.
std::string expired_words(const RunResult& result) {
  for (const AcceptUse& use : result.accepted) {
    if (use.state != AcceptState::expired) continue;
    const Comparison* row = find_comparison(result, use.accept.metric);
    if (row == nullptr || row->outcome != Outcome::fail) continue;
    return fmt::format(
        "; the accept of {} expired on {} (line {} of perfgate-accepts.yaml, {}): renew it or undo "
        "the change",
        use.accept.metric, use.accept.expires, use.accept.line, use.accept.owner);
  }
  return {};
}

}  // namespace

std::string folder_word(const RunResult& result) {
  return result.folder.empty() ? "RUN_FOLDER" : shell_word(result.folder);
}

std::string accept_command(const RunResult& result) {
  return "perfgate baseline accept " + folder_word(result) +
         " --reason TEXT --issue URL --owner WHO --expires DATE";
}

NextAction after_fail(const RunResult& result, const Comparison* row,
                      std::span<const Contribution> parts) {
  if (row != nullptr && only_limit_broken(*row)) {
    return {"Bring " + row->metric +
                " within its limit, or change the limit (max, min) in the workload file: a "
                "baseline does not move it. To measure again",
            run_command(result)};
  }
  NextAction next{.sentence = lead_of(result, row, parts) + expired_words(result)};
  if (result.ledger) {
    next.more.push_back(
        {"where it went, kernel by kernel", "perfgate explain " + folder_word(result)});
  }
  if (!result.recorded.empty()) {
    next.sentence +=
        ". This run was stored as a point of the baseline; if it should not be one, perfgate "
        "baseline remove takes it out";
    return next;
  }
  next.more.push_back({"if the change is meant", accept_command(result)});
  next.more.push_back({"to measure again", run_command(result)});
  return next;
}

NextAction after_pass(const RunResult& result, const Comparison* row) {
  if (accepted_count(result) > 0) {
    return {
        "Review the accepted lines with the change; run with --record on the base branch after "
        "the merge to begin the new level",
        ""};
  }
  if (std::string hidden = row == nullptr ? "" : after_hidden(result, *row); !hidden.empty()) {
    if (!result.recorded.empty()) hidden += ". This run was stored";
    return {std::move(hidden), ""};
  }
  if (!result.recorded.empty()) return {"Nothing to do; this run was stored", ""};
  if (row != nullptr && row->improved) {
    return {
        "Nothing to fix; run with --record on the base branch after the merge to keep the "
        "better level",
        ""};
  }
  if (has_stale_accepts(result))
    return {"Nothing to fix; stale lines of perfgate-accepts.yaml can go", ""};
  return {"Nothing to do", ""};
}

}  // namespace perfgate::render
