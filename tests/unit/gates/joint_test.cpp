// Several results judged as one report: what failed alone must still be evidence among all.
#include "gates/joint.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/judge.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Comparison row_of(const std::string& metric, Outcome outcome, std::optional<double> p) {
  Comparison row;
  row.metric = metric;
  row.outcome = outcome;
  row.p_value = p;
  row.reason = metric + " was judged";
  row.findings = {{.code = RuleCode::compared, .limit = std::nullopt, .outcome = outcome}};
  return row;
}

/// A row that fresh pairs failed.
Comparison confirmed(const std::string& metric, double p) {
  Comparison row = row_of(metric, Outcome::fail, p);
  row.against = Against::session;
  row.confirmed = true;
  row.interval_level = 0.95;
  return row;
}

RunResult result_of(std::vector<Comparison> rows) {
  RunResult result;
  std::vector<Outcome> outcomes;
  for (const Comparison& row : rows) {
    const char* code = row.outcome == Outcome::pass   ? "within_tolerance"
                       : row.outcome != Outcome::fail ? "suspected"
                       : row.confirmed                ? "confirmed"
                                                      : "breach";
    result.verdict.reasons.push_back({.code = code, .text = row.reason, .metric = row.metric});
    outcomes.push_back(row.outcome);
  }
  if (std::ranges::any_of(rows,
                          [](const Comparison& row) { return row.against == Against::session; })) {
    result.base_arm.emplace();
  }
  result.comparisons = std::move(rows);
  result.verdict.outcome = worst_outcome(outcomes);
  return result;
}

TEST(Joint, AFailureThatDoesNotSurviveAllSuspectsIsSuspected) {
  std::vector<RunResult> results{
      result_of({confirmed("a", 0.008)}), result_of({confirmed("b", 0.009)}),
      result_of({confirmed("c", 1e-6)}), result_of({confirmed("d", 1e-7), confirmed("e", 1e-8)})};
  const JointWeighing weighing = weigh_jointly(results);
  EXPECT_EQ(weighing.tests, 5);
  ASSERT_THAT(weighing.changes, SizeIs(2));
  EXPECT_EQ(weighing.changes[0].text,
            "p 0.008 in its own report, 0.016 over the 5 tests of the joint one");
  EXPECT_EQ(results[0].verdict.outcome, Outcome::suspected);
  EXPECT_EQ(results[1].verdict.outcome, Outcome::suspected);
  EXPECT_EQ(results[2].verdict.outcome, Outcome::fail);
  EXPECT_EQ(results[3].verdict.outcome, Outcome::fail);
  const Comparison& row = results[0].comparisons[0];
  EXPECT_EQ(row.unsettled, Unsettled::weak_evidence);
  EXPECT_FALSE(row.confirmed);
  EXPECT_THAT(row.reason,
              HasSubstr("a was judged; suspected in the joint report: p 0.008 in its own"));
  EXPECT_EQ(results[0].verdict.reasons.front().code, "suspected");
  EXPECT_EQ(results[0].verdict.reasons.front().text, row.reason);
}

TEST(Joint, AReasonThatDoesNotSayWhoseItIsIsFoundByItsText) {
  std::vector<RunResult> results{result_of({confirmed("a", 0.008)}),
                                 result_of({confirmed("b", 0.009)})};
  results[0].verdict.reasons[0].metric.clear();
  ASSERT_THAT(weigh_jointly(results).changes, SizeIs(2));
  EXPECT_THAT(results[0].verdict.reasons, SizeIs(1));
  EXPECT_EQ(results[0].verdict.reasons[0].code, "suspected");
}

TEST(Joint, AFailureThatDoesNotSayWhatFailedStands) {
  // Of an earlier perfgate: a limit may have been broken.
  Comparison old = confirmed("old", 0.4);
  old.findings.clear();
  std::vector<RunResult> results{result_of({old}), result_of({confirmed("b", 0.5)})};
  results[1].comparisons[0].outcome = Outcome::pass;
  EXPECT_THAT(weigh_jointly(results).changes, IsEmpty());
  EXPECT_EQ(results[0].verdict.outcome, Outcome::fail);
}

TEST(Joint, OneResultAloneKeepsItsVerdict) {
  std::vector<RunResult> results{result_of({confirmed("a", 0.009)})};
  EXPECT_THAT(weigh_jointly(results).changes, IsEmpty());
  EXPECT_EQ(results[0].verdict.outcome, Outcome::fail);
  std::vector<RunResult> with_nothing_tested{results[0],
                                             result_of({row_of("b", Outcome::pass, std::nullopt)})};
  EXPECT_THAT(weigh_jointly(with_nothing_tested).changes, IsEmpty());
}

TEST(Joint, FactsStayFailed) {
  Comparison limited = confirmed("limited", 0.009);
  limited.findings = {{.code = RuleCode::above_limit, .limit = 4.0, .outcome = Outcome::fail}};
  std::vector<RunResult> results{
      result_of({row_of("kernel_launches", Outcome::fail, std::nullopt)}), result_of({limited}),
      result_of({confirmed("b", 0.5), confirmed("c", 0.5)})};
  results[2].comparisons[0].outcome = results[2].comparisons[1].outcome = Outcome::pass;
  EXPECT_THAT(weigh_jointly(results).changes, IsEmpty());
  EXPECT_EQ(results[0].verdict.outcome, Outcome::fail);
  EXPECT_EQ(results[1].verdict.outcome, Outcome::fail);
}

TEST(Joint, InSessionTheRowsThatTheLooksClearedAreNoTests) {
  Comparison cleared = row_of("b", Outcome::pass, 0.9);
  cleared.against = Against::session;
  std::vector<RunResult> results{result_of({confirmed("a", 0.004)})};
  for (int i = 0; i < 3; ++i) results.push_back(result_of({cleared}));
  EXPECT_EQ(weigh_jointly(results).tests, 1);
  EXPECT_EQ(results[0].verdict.outcome, Outcome::fail);
  // Those that fresh pairs did not show again are.
  for (std::size_t i = 1; i < 4; ++i) results[i].verdict.reasons[0].code = "not_shown_again";
  EXPECT_EQ(weigh_jointly(results).tests, 4);
  EXPECT_EQ(results[0].verdict.outcome, Outcome::suspected) << "4 x 0.004";
}

TEST(Joint, AgainstTheStoreEveryRowWithStatisticsIsATest) {
  const auto store_result = [](double p, double level) {
    std::vector<Comparison> rows{row_of("a", Outcome::fail, p)};
    for (int i = 0; i < 9; ++i) rows.push_back(row_of("m" + std::to_string(i), Outcome::pass, 0.9));
    for (Comparison& row : rows) row.interval_level = level;
    return result_of(rows);
  };
  std::vector<RunResult> results{store_result(0.0009, 0.95), store_result(0.0001, 0.95)};
  const JointWeighing weighing = weigh_jointly(results);
  EXPECT_EQ(weighing.tests, 20);
  ASSERT_THAT(weighing.changes, SizeIs(1));
  EXPECT_EQ(weighing.changes[0].result, 0U);
  EXPECT_NEAR(weighing.changes[0].own_p, 0.009, 1e-12);
  EXPECT_NEAR(weighing.changes[0].joint_p, 0.0009 * 19, 1e-12);
  // Three looks share the 1 %, so that a p value counts for more.
  std::vector<RunResult> looks{store_result(0.0003, 0.95), store_result(0.0003, 0.9779)};
  ASSERT_THAT(weigh_jointly(looks).changes, SizeIs(1));
  EXPECT_EQ(looks[1].verdict.outcome, Outcome::suspected);
}

TEST(Joint, AnInvalidResultStaysInvalidAndWhatElseFailedStays) {
  RunResult invalid = result_of({confirmed("a", 0.008), row_of("b", Outcome::pass, std::nullopt)});
  invalid.verdict.reasons.insert(invalid.verdict.reasons.begin(),
                                 {.code = "capture_partial", .text = "the capture is partial"});
  RunResult mixed = result_of({confirmed("c", 0.008), row_of("n", Outcome::fail, std::nullopt)});
  std::vector<RunResult> results{invalid, mixed};
  EXPECT_THAT(weigh_jointly(results).changes, SizeIs(2));
  EXPECT_EQ(results[0].verdict.outcome, Outcome::invalid);
  EXPECT_EQ(results[0].verdict.reasons[1].code, "suspected");
  EXPECT_EQ(results[1].verdict.outcome, Outcome::fail);
  EXPECT_EQ(results[1].verdict.reasons[0].code, "breach");
  EXPECT_EQ(results[1].verdict.reasons[1].code, "suspected");
}

TEST(SimulatedJoint, TwentyUnchangedResultsFailTogetherInOneOfAHundred) {
  // One suspect each, whose p value on fresh pairs is uniform where nothing changed.
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> uniform;
  constexpr int kDraws = 4000;
  constexpr int kResults = 20;
  int alone = 0;
  int joint = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<RunResult> results;
    for (int k = 0; k < kResults; ++k) {
      Comparison row = confirmed("m", uniform(random));
      if (*row.p_value > 0.01) {
        row.outcome = Outcome::suspected;
        row.unsettled = Unsettled::weak_evidence;
        row.confirmed = false;
      }
      results.push_back(result_of({row}));
    }
    const auto any_fails = [&] {
      return std::ranges::any_of(
          results, [](const RunResult& result) { return result.verdict.outcome == Outcome::fail; });
    };
    if (any_fails()) ++alone;
    static_cast<void>(weigh_jointly(results));
    if (any_fails()) ++joint;
  }
  EXPECT_GT(alone, kDraws * 15 / 100) << "1 - 0.99^20 is 18 %";
  EXPECT_LE(joint, kDraws * 15 / 1000);
  EXPECT_GT(joint, 0);
}

TEST(Joint, JudgedReportsAreWeighedByTheirOwnFigures) {
  Report report;
  report.spec.timing.processes = {5, 8, 12};
  report.spec.trace.processes = {3, 5};
  report.add(gate_of("m", 0.001, 0.003), metric_of("m", {4.2853, 4.2853, 4.2853}),
             series_of("m", quiet_runs()));
  const GateOutput output = report.judged();
  ASSERT_EQ(output.verdict.outcome, Outcome::fail) << output.comparisons[0].reason;
  RunResult one;
  one.comparisons = output.comparisons;
  one.verdict = output.verdict;
  std::vector<RunResult> results(2, one);
  const JointWeighing two = weigh_jointly(results);
  EXPECT_EQ(two.tests, 2);
  std::vector<RunResult> many(40, one);
  for (std::size_t i = 1; i < many.size(); ++i) {
    many[i].comparisons[0].outcome = many[i].verdict.outcome = Outcome::pass;
    many[i].comparisons[0].p_value = 0.9;
  }
  ASSERT_THAT(weigh_jointly(many).changes, SizeIs(1));
  EXPECT_EQ(many[0].verdict.outcome, Outcome::suspected);
}

}  // namespace
}  // namespace perfgate::gates
