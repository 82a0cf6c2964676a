#include "runner/analysis/diagnosis/diagnose.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "runner/analysis/diagnosis/rule_catalog.h"
#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

namespace {

/// What a cause asks for, never less than nothing.
struct Claim {
  double gpu_ms = 0.0;
  double idle_ms = 0.0;
};

Claim claim_of(const Unclaimed& unclaimed, const Part& part) {
  double idle = 0.0;
  for (const auto& [row, ms] : part.rows) {
    if (unclaimed.ledger.rows[row].part == LedgerPart::idle) idle += ms;
  }
  const double all = std::max(0.0, ms_of(unclaimed, part));
  const double gpu = std::clamp(all - idle, 0.0, all);
  return {.gpu_ms = gpu, .idle_ms = all - gpu};
}

/// What there is to explain: where the change is not shown, what it could be at most.
double explainable_ms(const LedgerChange& step) {
  const double doubt = step.within_noise() ? *step.half_width : 0.0;
  return std::max(0.0, step.change() + doubt);
}

/// Shares the change out. Tracing lengthens waits more than work: a traced gap may have grown by
/// more than the untraced step did (a copy and a wait of 180 us showed 530 us on an H200). So the
/// time on the GPU is served first. Where claims of a kind are more than there is (causes overlap,
/// or are lengthened), it is not known whose are too high: all get the same share of theirs.
void share_out(double left_ms, const std::vector<Claim>& claims, std::vector<Diagnosis>& causes) {
  for (double Claim::*kind : {&Claim::gpu_ms, &Claim::idle_ms}) {
    double claimed = 0.0;
    for (const Claim& claim : claims) claimed += claim.*kind;
    if (claimed <= 0.0) continue;
    const double share = std::min(1.0, left_ms / claimed);
    for (std::size_t i = 0; i < causes.size(); ++i)
      causes[i].explains_ms += share * (claims[i].*kind);
    left_ms = std::max(0.0, left_ms - share * claimed);
  }
}

bool head_is_invalid(const Analysis* head) {
  return head != nullptr && !head->traced.empty() &&
         std::ranges::all_of(head->traced, [](const TracedProcess& process) {
           return process.verdict.validity == Validity::invalid;
         });
}

/// Times that do not add up are evidence of less, records that are missing of hardly anything.
Confidence confidence_in(const DiagnosisInput& input, Confidence said) {
  if (head_is_invalid(input.head)) return Confidence::possible;
  if (input.ledger.established) return said;
  return said == Confidence::certain ? Confidence::likely : Confidence::possible;
}

}  // namespace

std::vector<Diagnosis> diagnose(const DiagnosisInput& input) {
  Unclaimed unclaimed = unclaimed_of(input);
  const bool other_work = other_tokens(unclaimed).has_value();
  std::vector<Diagnosis> causes;
  std::vector<Claim> claims;
  for (const DiagnosisRule& rule : diagnosis_rules()) {
    for (Finding& finding : rule.look(unclaimed)) {
      finding.diagnosis.rule = std::string(rule.name);
      // Beside another amount of work no other cause is more than possible.
      const bool beside = other_work && rule.name != kOtherWork;
      finding.diagnosis.confidence =
          beside ? Confidence::possible : confidence_in(input, finding.diagnosis.confidence);
      claims.push_back(claim_of(unclaimed, finding.part));
      take(unclaimed, finding.part);
      causes.push_back(std::move(finding.diagnosis));
    }
  }
  share_out(explainable_ms(input.ledger.step), claims, causes);
  // What is counted is so whatever it explains; other causes of nothing are contained in those of
  // all.
  std::erase_if(causes, [&](const Diagnosis& cause) {
    return step_is_slower(unclaimed) && cause.explains_ms < unclaimed.floor_ms &&
           cause.confidence != Confidence::certain;
  });
  std::ranges::stable_sort(causes, std::greater<>{}, &Diagnosis::explains_ms);
  return causes;
}

}  // namespace perfgate::analysis
