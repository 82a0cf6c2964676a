/// A measurement that goes from look to look, as `perfgate run` and `ab` do it, over samples that
/// are there already. What the caller's function returns must stay valid until it is called again.
#pragma once

#include <cstddef>
#include <functional>

#include "gates/judge.h"
#include "gates/pairs.h"

namespace perfgate::bench {

struct Judged {
  gates::GateOutput output;
  int processes = 0;       ///< when it was decided; in session those of both arms
  bool confirmed = false;  ///< fresh pairs ran
};

/// `count` pairs from pair `first` on.
using PairsAt = std::function<gates::PairsInput(std::size_t first, std::size_t count)>;
/// The pairs that confirm follow those of the last look at once.
[[nodiscard]] Judged judge_in_session(const WorkloadSpec& spec, const PairsAt& pairs);

/// The first `count` processes of the head.
using ProcessesAt = std::function<gates::GateInput(std::size_t count)>;
[[nodiscard]] Judged judge_against_store(const WorkloadSpec& spec, const ProcessesAt& processes);

}  // namespace perfgate::bench
