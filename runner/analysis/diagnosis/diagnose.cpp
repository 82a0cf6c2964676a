#include "runner/analysis/diagnosis/diagnose.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runner/analysis/diagnosis/rule_catalog.h"
#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

namespace {

/// Tracing lengthens waits more than work: a traced gap may have grown by more than the untraced
/// step did (a copy and a wait of 180 us showed 530 us on an H200). No cause explains more than
/// there is.
double at_most_the_change(const Ledger& ledger, double ms) {
  const double change = ledger.step.change();
  return ledger.step.within_noise() || change <= 0.0 ? ms : std::min(ms, change);
}

}  // namespace

std::vector<Diagnosis> diagnose(const DiagnosisInput& input) {
  Unclaimed unclaimed = unclaimed_of(input);
  std::vector<Diagnosis> causes;
  for (const DiagnosisRule& rule : diagnosis_rules()) {
    for (Finding& finding : rule.look(unclaimed)) {
      finding.diagnosis.rule = std::string(rule.name);
      finding.diagnosis.explains_ms =
          at_most_the_change(input.ledger, ms_of(unclaimed, finding.part));
      take(unclaimed, finding.part);
      causes.push_back(std::move(finding.diagnosis));
    }
  }
  std::ranges::stable_sort(causes, std::greater<>{}, &Diagnosis::explains_ms);
  return causes;
}

}  // namespace perfgate::analysis
