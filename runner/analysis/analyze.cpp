#include "runner/analysis/analyze.h"

#include <utility>

#include "runner/analysis/families.h"
#include "runner/analysis/floors.h"
#include "runner/analysis/traced_process.h"
#include "runner/analysis/validity.h"

namespace perfgate::analysis {

Result<Analysis> analyze(const AnalysisInput& input) {
  PG_ASSIGN_OR_RETURN(const Classifier classifier, Classifier::create(input.spec.families));
  Analysis analysis;
  analysis.rules_hash = classifier.rules_hash();
  for (const TracedInput& traced : input.traced) {
    PG_ASSIGN_OR_RETURN(TracedProcess process, analyze_traced(input, traced, classifier));
    analysis.traced.push_back(std::move(process));
  }
  analysis.capture = joint_verdict(analysis.traced);
  const double step_ms = untraced_step_ms(input.timing, 0, 0);
  FloorOutcome floor = compute_floor(input.spec.floor, input.work, input.ceilings, step_ms);
  analysis.floor = std::move(floor.floor);
  analysis.floor_problem = std::move(floor.problem);
  return analysis;
}

}  // namespace perfgate::analysis
