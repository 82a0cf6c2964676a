#include "reporters/render/diagnosis_words.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/change_facts.h"
#include "reporters/render/ledger_rows.h"

namespace perfgate::render {
namespace {

constexpr int kDecimals = 3;

// Sentences come with or without their full stop.
std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string name_of(const Diagnosis& diagnosis) {
  return fmt::format("{} ({})", without_stop(diagnosis.cause), to_string(diagnosis.confidence));
}

}  // namespace

std::string named_cause(const RunResult& result) {
  if (result.diagnosis.empty()) return {};
  const Diagnosis& first = result.diagnosis.front();
  const std::string rest = named_cause_rest(result);
  if (rest.empty()) return name_of(first);
  return name_of(first) + (first.evidence.empty() ? "; " : ": ") + rest;
}

std::string named_cause_rest(const RunResult& result) {
  if (result.diagnosis.empty()) return {};
  const Diagnosis& first = result.diagnosis.front();
  std::string evidence = first.evidence.empty() ? "" : without_stop(first.evidence.front());
  const std::string said = name_of(first) + ": " + evidence;
  std::vector<std::string> facts = changed_facts(result);
  // A change of values is not said twice; that the program is another one may be a word anywhere.
  std::erase_if(facts, [&](const std::string& fact) {
    return fact.find(" -> ") != std::string::npos && said.find(fact) != std::string::npos;
  });
  if (facts.empty()) return evidence;
  return fmt::format("{}{}changed: {}", evidence, evidence.empty() ? "" : "; ",
                     fmt::join(facts, ", "));
}

std::vector<std::string> listed_evidence(const Diagnosis& diagnosis) {
  static constexpr std::size_t kMost = 20;
  const std::vector<std::string>& all = diagnosis.evidence;
  std::vector<std::string> listed(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMost)));
  if (all.size() > kMost) listed.push_back(more_words(all.size(), kMost, "finding"));
  return listed;
}

std::string diagnosis_title(const Diagnosis& diagnosis) {
  const bool explains = diagnosis.explains_ms != 0.0 && std::isfinite(diagnosis.explains_ms);
  return fmt::format("{} ({}{})", without_stop(diagnosis.cause), to_string(diagnosis.confidence),
                     explains
                         ? fmt::format(", {} ms", change_text(diagnosis.explains_ms, kDecimals))
                         : std::string());
}

std::string diagnosis_words(const Diagnosis& diagnosis) {
  std::string text = diagnosis_title(diagnosis);
  std::vector<std::string> evidence;
  evidence.reserve(diagnosis.evidence.size());
  for (const std::string& sentence : listed_evidence(diagnosis))
    evidence.push_back(without_stop(sentence));
  if (!evidence.empty()) text += fmt::format(": {}", fmt::join(evidence, "; "));
  text += ".";
  if (!diagnosis.lever.empty()) text += " Lever: " + lever_words(diagnosis) + ".";
  return text;
}

std::string lever_words(const Diagnosis& diagnosis) { return without_stop(diagnosis.lever); }

std::string no_cause_words(const Ledger& ledger) {
  return ledger.step.within_noise()
             ? "nothing to explain: the step changed by no more than its noise"
             : "cause not established";
}

}  // namespace perfgate::render
