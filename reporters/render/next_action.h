/// What the reader should do now, by outcome, by what stands between the gate and a decision, and
/// by what changed most. Pure.
///
/// Every figure is the gate's own (Comparison::unsettled and what stands beside it): advice that
/// would not lead to a decision is not given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reporters/render/story.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

struct NextAction {
  std::string sentence;
  std::string command{};                ///< may be empty
  std::vector<ProposedCommand> more{};  ///< after it, in the order of their use
};

/// `row` is `headline_row(result)`, `parts` is `contributions(result)`.
[[nodiscard]] NextAction next_action(const RunResult& result, const Comparison* row,
                                     std::span<const Contribution> parts);

/// The reason that is a mistake of the workload file: a gate that can never pass as it is written.
/// nullptr = there is none.
[[nodiscard]] const Reason* gate_mistake(const RunResult& result);

}  // namespace perfgate::render
