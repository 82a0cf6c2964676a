/// What changed beside times: counts of a step, facts about the program, the use of CUDA graphs.
/// Pure.
///
/// Nothing is concluded from what one side lacks: a store of an earlier perfgate has no
/// `graph_launches`, and then `launch_calls` against `kernel_launches`, or the idle time inside
/// graphs, carry the evidence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

struct CountChange {
  std::string metric;  ///< "launch_calls"
  double base = 0.0;   ///< per step
  double head = 0.0;
};
/// Counts that differ by more than their noise, gated or not, in the result's order.
[[nodiscard]] std::vector<CountChange> changed_counts(const RunResult& result);

/// "cublaslt 13.0.0.19 -> 13.0.2.14", "program": a digest's change is told without the digests. At
/// most three, then "2 more".
[[nodiscard]] std::vector<std::string> changed_facts(const RunResult& result);
[[nodiscard]] std::vector<std::string> changed_facts(
    std::span<const FingerprintDifference> differences);

/// The limit that a failed row broke: "step_time_p50 4.49 ms is above the limit of 4 ms". Empty: it
/// kept its limits, has none, or its result is of an earlier perfgate, which did not keep findings.
[[nodiscard]] std::string broken_limit(const Comparison& row);
/// The row failed by its limit alone: against the baseline it did not, or nothing was compared.
[[nodiscard]] bool only_limit_broken(const Comparison& row);

enum class GraphUse : std::uint8_t {
  not_less,  ///< as before, or nothing is known about it
  less,      ///< the same kernels take more launch calls
  vanished,  ///< the baseline launched graphs, this run launches none
};
[[nodiscard]] GraphUse graph_use(const RunResult& result);

/// True if the baseline had idle time of this cause, beyond its noise, and this run has none.
[[nodiscard]] bool idle_is_gone(const RunResult& result, IdleCause cause);

}  // namespace perfgate::render
