/// What the processes of one run must have in common: the work, and where it can be told, the
/// output. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "runner/model/analysis.h"
#include "runner/model/timing.h"

namespace perfgate::measure {

/// The first figure of `work` that two timing processes do not share, in a sentence with both
/// values; such a run is invalid. Empty: they did the same work.
[[nodiscard]] std::string work_disagreement(std::span<const ProcessRecord> processes);

/// What the timing processes say about the output.
struct UntracedOutput {
  enum class State : std::uint8_t {
    unknown,  ///< none tells a hash
    agreed,
    differs,  ///< between processes: the output cannot be compared with anything
  };
  State state = State::unknown;
  std::string hash;       ///< agreed
  std::size_t steps = 0;  ///< that it covers
};
[[nodiscard]] UntracedOutput untraced_output(std::span<const ProcessRecord> processes);

/// Whether a traced process computed what the untraced ones did. A hash covers all measured steps
/// and a traced process runs fewer of them unless the file names a window of its own, so hashes
/// over another number of steps prove nothing: unknown.
[[nodiscard]] OutputCheck check_output(const UntracedOutput& untraced, const ProcessRecord& traced);

}  // namespace perfgate::measure
