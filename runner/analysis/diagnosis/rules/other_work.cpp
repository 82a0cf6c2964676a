#include <algorithm>

#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {

Findings other_work(const Unclaimed& unclaimed) {
  const auto times = other_tokens(unclaimed);
  const LedgerChange& step = unclaimed.ledger.step;
  if (!times || *times < 1.0 || !step_is_slower(unclaimed)) return {};
  // k times the work explains k times the step at most; which of its parts, is not known.
  const double most_ms = step.base * (*times - 1.0);
  double rise = 0.0;
  for (const double ms : unclaimed.left_ms) rise += std::max(0.0, ms);
  if (rise <= 0.0) return {};
  const double share = std::min(1.0, most_ms / rise);
  Part part;
  for (std::size_t row = 0; row < unclaimed.left_ms.size(); ++row) {
    if (unclaimed.left_ms[row] > 0.0) part.rows[row] = share * unclaimed.left_ms[row];
  }
  Diagnosis diagnosis;
  diagnosis.cause = "another amount of work: " + times_words(*times) + " the tokens a step";
  diagnosis.confidence = Confidence::certain;
  add_sentence(diagnosis, "tokens " + number_words(*unclaimed.base_work->tokens) + " -> " +
                              number_words(*unclaimed.head_work->tokens) + " a step");
  diagnosis.lever =
      "Compare runs of the same work; if the work is meant to differ, compare the time per token.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
