#include "runner/analysis/diagnosis/diagnose.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runner/analysis/diagnosis/rule_catalog.h"
#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

std::vector<Diagnosis> diagnose(const DiagnosisInput& input) {
  Unclaimed unclaimed = unclaimed_of(input);
  std::vector<Diagnosis> causes;
  for (const DiagnosisRule& rule : diagnosis_rules()) {
    for (Finding& finding : rule.look(unclaimed)) {
      finding.diagnosis.rule = std::string(rule.name);
      finding.diagnosis.explains_ms = ms_of(unclaimed, finding.part);
      take(unclaimed, finding.part);
      causes.push_back(std::move(finding.diagnosis));
    }
  }
  std::ranges::stable_sort(causes, std::greater<>{}, &Diagnosis::explains_ms);
  return causes;
}

}  // namespace perfgate::analysis
