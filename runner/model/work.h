/// The work of a step beside its time: what the store keeps of it, and the names under which a
/// change of it is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/model/timing.h"

namespace perfgate {

/// What the program of a recorded run said that one step does. `work.output_hash` is empty where
/// the processes of the run did not give one output.
struct BaselineWork {
  std::int64_t run = 0;  ///< store row
  std::string commit;    ///< empty: of no commit, or with changes on top of one
  WorkDone work;
};

/// In the place of a metric in perfgate-accepts.yaml. Fewer tokens a step; the ceiling is the
/// fewest that are accepted:
inline constexpr std::string_view kAcceptTokens = "work/tokens";
/// An improvement with another output; it has no ceiling:
inline constexpr std::string_view kAcceptOutput = "work/output";

[[nodiscard]] constexpr bool is_work(std::string_view metric) {
  return metric == kAcceptTokens || metric == kAcceptOutput;
}

[[nodiscard]] inline bool says_nothing(const WorkDone& work) {
  return !work.tokens && !work.weights_bytes && !work.kv_bytes && !work.flops &&
         work.output_hash.empty();
}

}  // namespace perfgate
