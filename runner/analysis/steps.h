/// Which step owns which GPU operation: the one in whose span its launch call started, on any
/// thread of the process.
///
/// A step spans from its range's start to the next one's. Processes without a matching NVTX range:
/// one step per launch of the graph with the most GPU time, if there are at least three; else no
/// steps, and per-step tables are absent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

enum class StepSource : std::uint8_t { none, nvtx, graph_launch };

/// The steps of one OS process, in the order of their starts.
struct ProcessSteps {
  StepSource source = StepSource::none;
  std::uint32_t thread = 0;             ///< that marks the steps
  std::vector<std::int64_t> starts_ns;  ///< host time
  std::vector<std::uint32_t> ranges;    ///< NVTX range of each step; empty for graph launches
  int skipped_first =
      0;  ///< 1 = the first marked step had no GPU work (the window opened in it) and was left out
  std::vector<std::string> seen_ranges;  ///< names seen where none matched, at most 8
};

/// Finds the steps of each process and sets Operation::step. One workless step at either end is the
/// window's border and is left out; any other workless step stays and makes the capture invalid
/// (validity.h).
[[nodiscard]] std::vector<ProcessSteps> assign_steps(Timeline& timeline, const StepsSpec& spec);

}  // namespace perfgate::analysis
