/// Whether another look at the same run would help. Pure.
///
/// A look adds processes. It helps a gate that is undecided (inconclusive, or suspected on too weak
/// evidence, or as a lone run) where a look of the file has the processes that would settle it, or
/// where the part of its interval's variance that processes shrink is the larger one: against the
/// run-to-run spread no number of processes helps.
///
/// In session (`Comparison::against`) a process of each arm joins as a pair, all of the width comes
/// from pairs, and a suspect needs no further look: fresh pairs tell (pairs.h).
#pragma once

#include <span>
#include <string>

#include "gates/judge.h"

namespace perfgate::gates {

inline constexpr double kDominantPart = 0.5;

struct LookAdvice {
  int processes = 0;  ///< in all at the next look; 0 = stop here
  std::string why{};  ///< one sentence, for the notes of the run; empty = nothing is undecided
};

/// `looks` as in the workload file (timing.processes, or trace.processes for `traced`); `done`:
/// processes measured so far. `traced` picks the gates: false the timed ones, true the traced and
/// counted ones.
[[nodiscard]] LookAdvice next_look(const GateOutput& output, std::span<const int> looks, int done,
                                   bool traced);

}  // namespace perfgate::gates
