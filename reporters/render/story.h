/// The verdict in words: the sentences that every report opens with. Pure.
///
/// The texts are plain and may contain names from outside: each renderer makes them harmless in its
/// own way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/breakdown.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// A command that serves a purpose of its own: {"if the change is meant", "perfgate baseline ..."}.
struct ProposedCommand {
  std::string purpose;
  std::string command;
};

struct Story {
  std::string
      origin;  ///< "replayed: recorded on NVIDIA H200, not measured here"; empty = measured here
  std::string label;      ///< "PASS", "NOT COMPARABLE"
  std::string sentence;   ///< "decode_8b is 7.8 % slower than baseline 3f2a91c"
  std::string certainty;  ///< "95 % interval +7.6 to +8.0 %; margin 0.15 %; 8 processes against 10
                          ///< runs"; may be empty
  /// The first diagnosis: "CUDA graphs are off (certain): launch_calls 1 -> 355 a step". Without
  /// one "launch_calls 1 -> 355 a step; idle launch_overhead +1.02 ms (354 gaps of 2.9 us), gemm
  /// unchanged". May be empty.
  std::string cause;
  /// The same in the few words that a headline has room for: "CUDA graphs are off (certain, +0.990
  /// ms)", "launch_calls 1 -> 355 a step". Empty where no cause is known.
  std::string lead_cause{};
  std::string next;                     ///< what to do, one sentence
  std::string command;                  ///< the command for it; may be empty
  std::vector<ProposedCommand> more{};  ///< what else serves
};
[[nodiscard]] Story tell(const RunResult& result);

/// The comparison that the verdict rests on: step time if it has the verdict's outcome, else the
/// largest change that has. Null when no row has it.
[[nodiscard]] const Comparison* headline_row(const RunResult& result);

/// The first process that did not end well, or null.
[[nodiscard]] const ProcessRecord* failed_process(const RunResult& result);

/// One part of the step and how its time changed against the baseline, in the traced runs.
struct Contribution {
  enum class Part : std::uint8_t { family, idle_of_cause, all_idle };
  std::string name;  ///< "gemm", "idle launch_overhead"
  Part part = Part::family;
  std::optional<IdleCause> cause{};  ///< idle of a cause that this perfgate knows
  double change_ms = 0.0;
  bool notable = false;  ///< beyond its noise and large enough to matter for the step
};
/// Gated or not, by falling size of the change.
[[nodiscard]] std::vector<Contribution> contributions(const RunResult& result);

[[nodiscard]] std::string_view label_of(Outcome outcome);
/// The outcome as a word for tables: "pass", "not comparable".
[[nodiscard]] std::string outcome_word(const Comparison& row);
/// "baseline 3f2a91c", "the baseline", or "the base" of a session.
[[nodiscard]] std::string base_name(const RunResult& result);

}  // namespace perfgate::render
