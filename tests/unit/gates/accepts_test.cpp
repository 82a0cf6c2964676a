// A reviewed line makes a failed row pass, and nothing else.
#include "gates/accepts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/contradiction.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kStep = "step_time_p50";
constexpr const char* kToday = "2026-11-30";

Accept accept_of(const std::string& metric, double ceiling, const std::string& unit = "ms") {
  return {.workload = "decode_8b",
          .metric = metric,
          .ceiling = ceiling,
          .unit = unit,
          .reason = "longer context",
          .issue = "https://example.org/12",
          .owner = "@inference",
          .expires = "2027-03-31",
          .line = 3};
}

Report step_report(double ratio, int runs = 10) {
  Report report;
  report.add(gate_of(kStep), metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
             series_of(kStep, quiet_runs(4.27, 0.0005, runs)));
  return report;
}

Report& add_idle(Report& report, double ratio) {
  return report.add(gate_of("gpu_idle_ms", 0.05, 0.15),
                    metric_of("gpu_idle_ms", std::vector<double>(3, ratio), MetricKind::traced),
                    series_of("gpu_idle_ms", quiet_runs(1.0), MetricKind::traced));
}

struct Applied {
  GateOutput output;
  std::vector<AcceptUse> uses;

  [[nodiscard]] const Comparison& row(std::size_t index = 0) const {
    return output.comparisons.at(index);
  }
  [[nodiscard]] AcceptState state() const { return uses.at(0).state; }
};

Applied applied_to(const Report& report, const std::vector<Accept>& accepts,
                   std::string_view today = kToday) {
  Applied applied{.output = report.judged(), .uses = {}};
  applied.uses = apply_accepts(applied.output, accepts, today);
  return applied;
}

TEST(Accepts, AFailedRowWithinTheCeilingPassesAndSaysWhoAnswersForIt) {
  const Applied applied = applied_to(step_report(1.07), {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.state(), AcceptState::used);
  EXPECT_EQ(applied.row().outcome, Outcome::pass);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::pass);
  EXPECT_THAT(applied.row().reason,
              StartsWith("accepted until 2027-03-31: longer context (https://example.org/12, "
                         "@inference); the value would have failed: step_time_p50 4.5689 ms"));
  EXPECT_THAT(applied.output.verdict.reasons,
              Contains(Field(&Reason::code, std::string("accepted"))));
  EXPECT_THAT(applied.output.verdict.reasons,
              Not(Contains(Field(&Reason::code, std::string("breach")))));
}

TEST(Accepts, ASuspectedRowPassesToo) {
  const Applied applied = applied_to(step_report(1.07, 5), {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.row().outcome, Outcome::pass);
  EXPECT_THAT(applied.row().reason, HasSubstr("the value would be suspected: "));
  EXPECT_EQ(applied.row().runs_to_settle, 0);
  EXPECT_EQ(applied.row().unsettled, Unsettled::no);
}

TEST(Accepts, ARowThatFreshPairsConfirmedLeavesNoFailureAmongTheReasons) {
  Applied applied{.output = step_report(1.07).judged(), .uses = {}};
  applied.output.comparisons[0].confirmed = true;
  for (Reason& reason : applied.output.verdict.reasons) {
    if (reason.code == "breach") reason.code = "confirmed";
  }
  applied.uses = apply_accepts(applied.output, std::vector{accept_of(kStep, 4.62)}, kToday);
  EXPECT_EQ(applied.state(), AcceptState::used);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::pass);
  EXPECT_EQ(applied.output.verdict.reasons.front().code, "accepted");
  EXPECT_THAT(applied.output.verdict.reasons,
              Not(Contains(Field(&Reason::code, std::string("confirmed")))));
}

TEST(Accepts, AValueWorseThanTheCeilingFailsAndSaysSo) {
  const Applied applied = applied_to(step_report(1.09), {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.state(), AcceptState::exceeded);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(applied.row().reason, HasSubstr("; worse than the accepted 4.62 ms"));
  EXPECT_EQ(applied.output.verdict.reasons.front().text, applied.row().reason);
}

TEST(Accepts, ACeilingInAnotherUnitAcceptsNothing) {
  const Applied applied = applied_to(step_report(1.07), {accept_of(kStep, 4620, "us")});
  EXPECT_EQ(applied.state(), AcceptState::exceeded);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(applied.row().reason, HasSubstr("in another unit"));
}

TEST(Accepts, TheLastDayStillHoldsAndTheNextOneDoesNot) {
  const std::vector<Accept> accepts{accept_of(kStep, 4.62)};
  EXPECT_EQ(applied_to(step_report(1.07), accepts, "2027-03-31").state(), AcceptState::used);
  const Applied after = applied_to(step_report(1.07), accepts, "2027-04-01");
  EXPECT_EQ(after.state(), AcceptState::expired);
  EXPECT_EQ(after.output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(after.row().reason, Not(HasSubstr("accepted")));
}

TEST(Accepts, ALineThatIsNotNeededIsStale) {
  const Applied applied = applied_to(step_report(1.0), {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.state(), AcceptState::unused);
  EXPECT_EQ(applied_to(step_report(1.0), {accept_of("copies", 4)}).state(), AcceptState::unused);
}

TEST(Accepts, AFloorIsKeptFromAbove) {
  Report report;
  MetricValue tokens =
      metric_of("tokens_per_s", std::vector<double>(5, 930.0), MetricKind::timed, "tokens/s");
  tokens.better = Better::higher;
  report.add(gate_of("tokens_per_s"), tokens,
             series_of("tokens_per_s", quiet_runs(1000.0), MetricKind::timed, "tokens/s"));
  ASSERT_EQ(report.judged().verdict.outcome, Outcome::fail);
  EXPECT_EQ(applied_to(report, {accept_of("tokens_per_s", 920, "tokens/s")}).state(),
            AcceptState::used);
  EXPECT_EQ(applied_to(report, {accept_of("tokens_per_s", 940, "tokens/s")}).state(),
            AcceptState::exceeded);
}

TEST(Accepts, ACountOfUnitOneNeedsNoUnit) {
  Report report;
  report.add(gate_of("kernel_launches"),
             metric_of("kernel_launches", {386, 386, 386}, MetricKind::counted, "1"),
             series_of("kernel_launches", {385}, MetricKind::counted, "1"));
  const Applied applied = applied_to(report, {accept_of("kernel_launches", 386, "")});
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::pass);
  EXPECT_EQ(applied_to(report, {accept_of("kernel_launches", 385, "")}).state(),
            AcceptState::exceeded);
}

TEST(Accepts, TheOtherRowsStillDecide) {
  Report report = step_report(1.07);
  add_idle(report, 1.4);
  const Applied applied = applied_to(report, {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.row(0).outcome, Outcome::pass);
  EXPECT_EQ(applied.row(1).outcome, Outcome::fail);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::fail);
  EXPECT_EQ(applied.output.verdict.reasons.front().code, "breach") << "worst first";
  EXPECT_THAT(applied.output.verdict.reasons.front().text, StartsWith("gpu_idle_ms"));
}

TEST(Accepts, AnAcceptedRowStandsBeforeThoseThatPassed) {
  Report report = step_report(1.0);
  add_idle(report, 1.4);
  const Applied applied = applied_to(report, {accept_of("gpu_idle_ms", 1.5)});
  ASSERT_EQ(applied.output.verdict.reasons.size(), 2U);
  EXPECT_EQ(applied.output.verdict.reasons[0].code, "accepted");
  EXPECT_EQ(applied.output.verdict.reasons[1].code, "within_tolerance");
}

TEST(Accepts, WhatWasNotDecidedNeverBecomesAPass) {
  const std::vector<Accept> accepts{accept_of(kStep, 100.0)};
  Report none = step_report(1.07);
  none.choice = {};
  Report elsewhere = step_report(1.07);
  elsewhere.choice.exists = false;
  elsewhere.choice.comparability.environment = {{"driver", "580.65", "590.10"}};
  Report missing = step_report(1.07);
  missing.metrics.clear();
  for (const Report& report : {none, elsewhere, missing, step_report(1.07, 1)}) {
    const Outcome before = report.judged().verdict.outcome;
    const Applied applied = applied_to(report, accepts);
    EXPECT_EQ(applied.output.verdict.outcome, before);
    EXPECT_NE(before, Outcome::pass);
    EXPECT_TRUE(applied.uses.empty()) << "nobody knows whether the line is needed";
  }
}

TEST(Accepts, AnInvalidCaptureStaysInvalid) {
  Report report = step_report(1.07);
  report.capture = {.validity = Validity::partial, .reasons = {"12 records were dropped"}};
  ASSERT_EQ(report.judged().verdict.outcome, Outcome::fail);
  const Applied applied = applied_to(report, {accept_of(kStep, 4.62)});
  EXPECT_EQ(applied.row().outcome, Outcome::pass);
  EXPECT_EQ(applied.output.verdict.outcome, Outcome::invalid);
}

TEST(Accepts, ABreachedLimitThatIsAcceptedUncoversWhatTheComparisonSaid) {
  GateSpec limited = gate_of(kStep, 0.0015, 0.0045);
  limited.max = 4.0;
  const auto judged = [&](const std::vector<double>& base, double ratio = 1.0) {
    Report report;
    report.add(limited, metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
               series_of(kStep, base));
    return report;
  };
  const std::vector<Accept> accepts{accept_of(kStep, 100.0)};
  EXPECT_EQ(applied_to(judged(quiet_runs()), accepts).output.verdict.outcome, Outcome::pass);
  Report none = judged({});
  none.choice = {};
  ASSERT_EQ(none.judged().verdict.outcome, Outcome::fail);
  EXPECT_EQ(applied_to(none, accepts).output.verdict.outcome, Outcome::no_baseline);
  EXPECT_EQ(applied_to(judged({4.0, 4.6, 4.1, 4.5}), accepts).output.verdict.outcome,
            Outcome::inconclusive);
  Report elsewhere = judged({});
  elsewhere.choice.exists = false;
  elsewhere.choice.comparability.environment = {{"driver", "580.65", "590.10"}};
  EXPECT_EQ(applied_to(elsewhere, accepts).output.verdict.outcome, Outcome::not_comparable);
  Report moved = judged(quiet_runs());
  moved.controls = {{"read_stream", "bytes/s", {4.6e12, 4.6e12, 4.6e12, 4.0e12, 4.0e12, 4.0e12}}};
  ASSERT_THAT(moved.judged().comparisons.at(0).reason, HasSubstr("; the control read_stream"));
  EXPECT_EQ(applied_to(moved, accepts).output.verdict.outcome, Outcome::not_comparable);
}

TEST(Accepts, WhatTheComparisonSaidIsKeptAsACodeNotAsWords) {
  GateSpec limited = gate_of(kStep, 0.0015, 0.0045);
  limited.max = 4.0;
  Report moved;
  moved.add(limited, metric_of(kStep, std::vector<double>(5, 4.27)),
            series_of(kStep, quiet_runs()));
  moved.controls = {{"read_stream", "bytes/s", {4.6e12, 4.6e12, 4.6e12, 4.0e12, 4.0e12, 4.0e12}}};
  GateOutput output = moved.judged();
  const auto& findings = output.comparisons.at(0).findings;
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].code, RuleCode::compared);
  EXPECT_EQ(findings[0].outcome, Outcome::not_comparable);
  EXPECT_EQ(findings[1].code, RuleCode::above_limit);
  EXPECT_EQ(findings[1].limit, 4.0);
  EXPECT_EQ(findings[1].outcome, Outcome::fail);
  EXPECT_EQ(output.verdict.reasons.front().metric, kStep);
  output.comparisons[0].reason = "reworded";
  static_cast<void>(apply_accepts(output, std::vector{accept_of(kStep, 100.0)}, kToday));
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
  EXPECT_EQ(output.verdict.reasons.front().code, "accepted");
  EXPECT_EQ(output.verdict.reasons.size(), 1U) << "its reason is found by the metric";
}

TEST(Accepts, AnAcceptedLimitHidesNoComparisonWithoutAnInterval) {
  GateSpec limited = gate_of(kStep, 0.0015, 0.0045);
  limited.max = 4.0;
  Report report;
  report.add(limited, metric_of(kStep, std::vector<double>(5, 4.27)), series_of(kStep, {4.27}));
  ASSERT_EQ(report.judged().verdict.outcome, Outcome::fail);
  EXPECT_EQ(applied_to(report, {accept_of(kStep, 100.0)}).output.verdict.outcome,
            Outcome::inconclusive)
      << "one run shows no spread";
  report = Report{};
  report.add(limited, metric_of(kStep, std::vector<double>(5, 4.27)),
             series_of(kStep, quiet_runs(), MetricKind::timed, "s"));
  EXPECT_EQ(applied_to(report, {accept_of(kStep, 100.0)}).output.verdict.outcome,
            Outcome::not_comparable)
      << "two units";
}

TEST(Accepts, AFailOutOfTheStoreIsFoundByComparing) {
  const GateOutput output = step_report(1.07).judged();
  ASSERT_EQ(output.comparisons.at(0).findings.size(), 1U);
  EXPECT_EQ(output.comparisons[0].findings[0].code, RuleCode::compared);
  EXPECT_EQ(output.comparisons[0].findings[0].outcome, Outcome::fail);
  EXPECT_EQ(step_report(1.07, 5).judged().comparisons.at(0).findings.at(0).outcome,
            Outcome::suspected);
}

TEST(Accepts, ALimitWithoutAComparisonCanBeAccepted) {
  GateSpec limited = gate_of(kStep);
  limited.max = 4.0;
  Report report;
  report.add(limited, metric_of(kStep, std::vector<double>(5, 4.27)), series_of(kStep, {}));
  report.choice = {};
  ASSERT_EQ(report.judged().verdict.outcome, Outcome::fail);
  EXPECT_EQ(applied_to(report, {accept_of(kStep, 4.3)}).output.verdict.outcome, Outcome::pass);
}

TEST(Accepts, OnlyAWorseLevelIsANewLevel) {
  GateSpec limited = gate_of(kStep, 0.0015, 0.0045);
  limited.max = 4.0;
  Report same;
  same.add(limited, metric_of(kStep, std::vector<double>(5, 4.27)), series_of(kStep, quiet_runs()));
  EXPECT_FALSE(is_new_level(same.judged().comparisons.at(0)));
  EXPECT_TRUE(is_new_level(step_report(1.07).judged().comparisons.at(0)));
}

TEST(Accepts, ACeilingKeepsNoValueThatIsNoNumber) {
  EXPECT_FALSE(keeps_ceiling(accept_of(kStep, 4.62), Better::lower, std::nan("")));
  EXPECT_FALSE(keeps_ceiling(accept_of(kStep, 4.62), Better::higher, std::nan("")));
  EXPECT_TRUE(keeps_ceiling(accept_of(kStep, 4.62), Better::lower, 4.62));
}

TEST(Accepts, AnAcceptedResultDoesNotContradictItself) {
  const Applied applied = applied_to(step_report(1.07), {accept_of(kStep, 4.62)});
  RunResult result;
  result.comparisons = applied.output.comparisons;
  result.verdict = applied.output.verdict;
  result.accepted = applied.uses;
  result.metrics = {metric_of(kStep, std::vector<double>(5, 4.27 * 1.07))};
  EXPECT_EQ(contradiction(result), "");
}

}  // namespace
}  // namespace perfgate::gates
