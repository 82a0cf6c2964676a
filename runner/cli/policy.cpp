#include "runner/cli/policy.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "gates/store_level.h"

namespace perfgate::cli {
namespace {

UndecidedPolicy policy_of(const std::string& word) {
  if (word == "pass") return UndecidedPolicy::pass;
  if (word == "fail") return UndecidedPolicy::fail;
  return UndecidedPolicy::not_judged;
}

}  // namespace

void add_policy_options(CLI::App& app, PolicyOptions& options) {
  const auto add = [&](const char* name, std::string& place, const char* what) {
    app.add_option(name, place, what)
        ->check(CLI::IsMember({"pass", "fail"}).description(""))
        ->type_name("pass|fail");
  };
  add("--on-suspected", options.on_suspected, "exit 0 or 1 instead of 3 when suspected");
  add("--on-inconclusive", options.on_inconclusive, "likewise when inconclusive");
  add("--on-no-baseline", options.on_no_baseline, "likewise without a baseline");
}

ExitPolicy exit_policy(const PolicyOptions& options) {
  return {policy_of(options.on_suspected), policy_of(options.on_inconclusive),
          policy_of(options.on_no_baseline)};
}

PolicyOptions with_recorded(PolicyOptions options, const Verdict& verdict) {
  const auto take = [&](const char* flag, std::string& word) {
    const std::string start = std::string(flag) + " ";
    for (const std::string& policy : verdict.policies) {
      if (word.empty() && policy.starts_with(start)) word = policy.substr(start.size());
    }
  };
  take("--on-suspected", options.on_suspected);
  take("--on-inconclusive", options.on_inconclusive);
  take("--on-no-baseline", options.on_no_baseline);
  const bool recorded = std::ranges::any_of(
      verdict.policies, [](const std::string& policy) { return policy.starts_with("--record: "); });
  if (recorded && options.on_no_baseline.empty()) options.on_no_baseline = "pass";
  if (recorded && options.on_inconclusive.empty()) options.on_inconclusive = "pass";
  return options;
}

void describe_policy(const PolicyOptions& options, Verdict& verdict) {
  const auto name = [&](Outcome outcome, const char* flag, const std::string& word) {
    if (verdict.outcome != outcome || word.empty()) return;
    std::erase_if(verdict.policies, [&](const std::string& policy) {
      return policy.starts_with(flag + std::string(" "));
    });
    verdict.policies.push_back(flag + (" " + word));
  };
  name(Outcome::suspected, "--on-suspected", options.on_suspected);
  name(Outcome::inconclusive, "--on-inconclusive", options.on_inconclusive);
  name(Outcome::no_baseline, "--on-no-baseline", options.on_no_baseline);
}

bool lacks_history(const RunResult& result) {
  if (result.verdict.outcome != Outcome::inconclusive) return false;
  return std::ranges::all_of(result.comparisons, [](const Comparison& row) {
    if (row.outcome == Outcome::pass) return true;
    if (row.against != Against::store || row.n_base >= gates::kRunsToFail) return false;
    const bool open = row.outcome == Outcome::inconclusive || row.outcome == Outcome::no_baseline;
    return open && (row.unsettled == Unsettled::wide_interval || row.runs_to_settle > 0);
  });
}

bool can_never_pass(const Verdict& verdict) {
  return verdict.outcome == Outcome::inconclusive &&
         std::ranges::find(verdict.reasons, "gate_can_never_pass", &Reason::code) !=
             verdict.reasons.end();
}

std::string deciding_words(const Verdict& verdict) {
  if (can_never_pass(verdict)) return "a gate can never pass as it is written: exit code 2";
  std::string text;
  for (const std::string& policy : verdict.policies) {
    if (policy.starts_with("--on-")) text += (text.empty() ? "decided by " : ", ") + policy;
  }
  return text;
}

}  // namespace perfgate::cli
