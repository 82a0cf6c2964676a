#include "gates/joint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "gates/decision.h"
#include "gates/judge.h"
#include "gates/statistics.h"
#include "gates/verdict.h"
#include "gates/wording.h"
#include "runner/model/reason_text.h"

namespace perfgate::gates {
namespace {

/// A row of a result whose p value could have failed it.
struct Test {
  std::size_t result = 0;
  std::size_t row = 0;
  double p = 1.0;  ///< at a level of 1 %
  double own_p = 1.0;
  double joint_p = 1.0;
};

bool fresh_pairs_tested(const Comparison& row, const Verdict& verdict) {
  if (row.confirmed || row.unsettled == Unsettled::weak_evidence) return true;
  return std::ranges::any_of(verdict.reasons, [&](const Reason& reason) {
    return reason.metric == row.metric &&
           (reason.code == "not_shown_again" || reason.code == "accepted");
  });
}

/// Without findings (of an earlier perfgate) a limit may be what failed: that stands.
bool fails_by_p(const Comparison& row) {
  return row.outcome == Outcome::fail && row.p_value && !row.findings.empty() &&
         broken_limit_of(row) == nullptr;
}

bool store_decides(const RunResult& result) {
  return !result.base_arm || std::ranges::any_of(result.comparisons, [](const Comparison& row) {
    return row.against == Against::store && fails_by_p(row);
  });
}

/// Of all looks in the store 1 %, of this one its part.
double at_one_percent(const Comparison& row) {
  if (row.against == Against::session || !(row.interval_level > 0.0)) return *row.p_value;
  const double look = 1.0 - row.interval_level;
  return look > 0.0 ? std::min(1.0, *row.p_value * std::max(1.0, pocock_level(1) / look)) : 1.0;
}

/// Holm's adjusted p values: rejected at a level are those that are not above it.
std::vector<double> adjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> all(p_values.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(order.size() - k) * p_values[order[k]]);
    all[order[k]] = std::min(1.0, largest);
  }
  return all;
}

std::vector<Test> tests_of(const RunResult& result, std::size_t place) {
  std::vector<Test> tests;
  std::vector<double> p_values;
  const bool by_store = store_decides(result);
  for (std::size_t i = 0; i < result.comparisons.size(); ++i) {
    const Comparison& row = result.comparisons[i];
    const bool could_fail =
        row.against == Against::store ? by_store : fresh_pairs_tested(row, result.verdict);
    if (!row.p_value || !could_fail) continue;
    p_values.push_back(at_one_percent(row));
    tests.push_back({.result = place, .row = i, .p = p_values.back()});
  }
  const std::vector<double> own = adjusted(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i].own_p = own[i];
  return tests;
}

/// "0.008", "2e-05".
std::string p_text(double p) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2g", p);
  return text.data();
}

std::string text_of(const Test& test, int tests) {
  return "p " + p_text(test.own_p) + " in its own report, " + p_text(test.joint_p) + " over the " +
         count_of(tests, "test") + " of the joint one";
}

/// Worst first: behind what is worse than a suspect, before the rest.
void move_reason(Verdict& verdict, const std::string& before, const Comparison& row) {
  constexpr std::array<std::string_view, 9> kWorse{
      "breach",         "confirmed",   "invalid_metric",      "other_output", "less_work",
      "not_comparable", "no_baseline", "gate_can_never_pass", "pinned_breach"};
  const auto old = std::ranges::find_if(verdict.reasons, [&](const Reason& reason) {
    // Results of an earlier perfgate do not say whose a reason is.
    return reason.metric.empty() ? reason.text == before
                                 : reason.metric == row.metric && is_row_code(reason.code);
  });
  Reason reason;
  reason.metric = row.metric;
  if (old != verdict.reasons.end()) {
    reason = *old;
    verdict.reasons.erase(old);
  }
  reason.code = "suspected";
  reason.text = row.reason;
  const auto place = std::ranges::find_if(verdict.reasons, [&](const Reason& other) {
    return std::ranges::find(kWorse, other.code) == kWorse.end() && !voids_report(other);
  });
  verdict.reasons.insert(place, std::move(reason));
}

void suspect(Comparison& row, const std::string& text, Verdict& verdict) {
  const std::string before = row.reason;
  row.outcome = Outcome::suspected;
  row.unsettled = Unsettled::weak_evidence;
  row.confirmed = false;
  row.reason += "; suspected in the joint report: " + text;
  note_compared(row, row.outcome);
  move_reason(verdict, before, row);
}

}  // namespace

JointWeighing weigh_jointly(std::vector<RunResult>& results) {
  std::vector<Test> tests;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<Test> own = tests_of(results[i], i);
    tests.insert(tests.end(), own.begin(), own.end());
  }
  JointWeighing weighing{.tests = static_cast<int>(tests.size())};
  if (results.size() < 2) return weighing;
  std::vector<double> p_values;
  p_values.reserve(tests.size());
  for (const Test& test : tests) p_values.push_back(test.p);
  const std::vector<double> joint = adjusted(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    Test& test = tests[i];
    test.joint_p = joint[i];
    RunResult& result = results[test.result];
    Comparison& row = result.comparisons[test.row];
    // What joining does not weaken stays, whatever rules its own report was judged by.
    if (!fails_by_p(row) || test.joint_p <= std::max(kReportLevel, test.own_p)) continue;
    const std::string text = text_of(test, weighing.tests);
    suspect(row, text, result.verdict);
    result.verdict.outcome = outcome_of(result.comparisons, result.verdict);
    weighing.changes.push_back({.result = test.result,
                                .metric = row.metric,
                                .own_p = test.own_p,
                                .joint_p = test.joint_p,
                                .text = text});
  }
  return weighing;
}

}  // namespace perfgate::gates
