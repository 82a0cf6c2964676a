/// Which NVTX range is one step: a proposal out of the ranges that a program was seen to open.
///
/// Pure: `perfgate init` runs the program once with the NVTX half of the probe and passes what it
/// saw.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::workloads {

/// All ranges of one name in one run.
struct SeenRange {
  std::string name;
  std::int64_t count = 0;             ///< times it was opened
  std::int64_t threads = 1;           ///< threads that opened it
  std::int64_t median_period_ns = 0;  ///< from one start to the next; 0 = seen once or unknown
  /// Spread of the periods over their median, (p90 - p10) / p50; empty = unknown. A step is
  /// regular.
  std::optional<double> period_spread_ratio;
  bool is_outermost = false;  ///< never inside another range of its thread
};

/// Ranges that differ only in numbers: "step 1", "step 2" -> "step *".
struct RangeGroup {
  std::string glob;
  std::int64_t names = 0;  ///< distinct names in it
  std::int64_t count = 0;
  std::int64_t threads = 1;
  std::int64_t median_period_ns = 0;  ///< 0 = unknown
  std::optional<double> period_spread_ratio;
  bool is_outermost = false;
};

struct StepProposal {
  std::optional<std::string> glob;  ///< empty = none is proposed
  std::string reason;               ///< one sentence, for people; says why not if there is none
  std::vector<RangeGroup> groups;   ///< all that was seen, the likeliest step first
};

/// Every run of digits becomes '*'; a name without digits stays as it is.
[[nodiscard]] std::string collapse_numbers(std::string_view name);

/// Proposes the likeliest step among the groups seen at least 5 times: opened by one thread,
/// regular, with a word for a step in its name (step, decode, iteration, ...), outermost, and of
/// the rest the one with the longest period, since a step holds its parts. The order of `seen` does
/// not matter.
[[nodiscard]] StepProposal propose_step_range(std::span<const SeenRange> seen);

}  // namespace perfgate::workloads
