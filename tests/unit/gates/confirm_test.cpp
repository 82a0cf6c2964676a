// Suspects on fresh pairs: shown again, or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/pairs.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kStep = "step_time_p50";

auto has_code(const std::string& code) { return Contains(Field(&Reason::code, code)); }

/// Fresh pairs of the same gates.
Session fresh_of(double ratio, double cv = 0.01) { return session_of(ratio, 16, cv); }

TEST(Confirm, ThreePercentAtACvOfOneIsSuspectedThenConfirmed) {
  const GateOutput screened = session_of(1.03, 12).screened();
  const ConfirmNeeds needs = confirm_needs(screened, session_of(1.03, 12).spec);
  EXPECT_EQ(needs.timing_pairs, kConfirmTimingPairs);
  EXPECT_EQ(needs.trace_pairs, 0);
  EXPECT_THAT(needs.suspects, ElementsAre(kStep));
  const GateOutput output = fresh_of(1.03).confirms(screened);
  EXPECT_EQ(output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(output.verdict.reasons, has_code("confirmed"));
  EXPECT_THAT(output.verdict.reasons, Not(has_code("unconfirmed")));
  const Comparison& row = output.comparisons.at(0);
  EXPECT_TRUE(row.confirmed);
  EXPECT_EQ(row.unsettled, Unsettled::no);
  EXPECT_EQ(row.n_head, 16);
  EXPECT_LT(*row.p_value, 0.01);
  EXPECT_THAT(row.reason, HasSubstr("confirmed: 16 fresh pairs"));
}

TEST(Confirm, ASuspectOfChanceIsNotShownAgain) {
  const GateOutput screened = session_of(1.03, 12).screened();
  const GateOutput output = fresh_of(1.0).confirms(screened);
  EXPECT_EQ(output.verdict.outcome, Outcome::pass);
  EXPECT_THAT(output.verdict.reasons, has_code("not_shown_again"));
  EXPECT_THAT(output.comparisons.at(0).reason,
              HasSubstr("the screen suspected it, 16 fresh pairs do not show it"));
  EXPECT_THAT(confirm_needs(output, session_of(1.0, 12).spec).suspects, IsEmpty());
}

TEST(Confirm, WhatStaysBetweenTheBoundsIsInconclusive) {
  const GateOutput output = fresh_of(1.015, 0.02).confirms(session_of(1.03, 12).screened());
  const Comparison& row = output.comparisons.at(0);
  EXPECT_EQ(row.outcome, Outcome::inconclusive) << row.reason;
  EXPECT_GT(row.processes_to_settle, 0);
  EXPECT_THAT(output.verdict.reasons, has_code("not_shown_again"));
}

TEST(Confirm, HolmOverTheSuspectsHoldsBackWeakEvidence) {
  // Past the margin with a p of about 0.6 %: enough alone, not among twenty.
  const double ratio = 1.0203;
  const GateOutput alone = fresh_of(ratio).confirms(session_of(1.03, 12).screened());
  EXPECT_EQ(alone.verdict.outcome, Outcome::fail) << alone.comparisons.at(0).reason;
  Session screen;
  Session fresh;
  for (int i = 0; i < 20; ++i) {
    const GateSpec gate = gate_of("m" + std::to_string(i), 0.01, 0.03);
    screen.add(gate, metric_of(gate.metric, wobbling(4.27, 0.01, 12)),
               metric_of(gate.metric, wobbling(4.27 * 1.03, 0.01, 12, true)));
    const double again = i == 0 ? ratio : i == 1 ? 1.05 : 1.0;
    fresh.add(gate, metric_of(gate.metric, wobbling(4.27, 0.01, 16)),
              metric_of(gate.metric, wobbling(4.27 * again, 0.01, 16, true)));
  }
  const GateOutput output = fresh.confirms(screen.screened());
  EXPECT_EQ(output.comparisons.at(0).outcome, Outcome::suspected);
  EXPECT_EQ(output.comparisons.at(0).unsettled, Unsettled::weak_evidence);
  EXPECT_THAT(output.comparisons.at(0).reason,
              HasSubstr("does not reach 1 % over the 20 suspects"));
  EXPECT_EQ(output.comparisons.at(1).outcome, Outcome::fail) << "the clear one is confirmed";
  EXPECT_EQ(output.comparisons.at(2).outcome, Outcome::pass);
}

TEST(Confirm, TheBoundsAreThoseOfTheScreen) {
  const GateSpec automatic = gate_of(kStep);
  const GateOutput screened = session_of(1.05, 12, 0.01, automatic).screened();
  ASSERT_EQ(screened.comparisons.at(0).outcome, Outcome::suspected);
  const Comparison row = session_of(1.05, 16, 0.03, automatic).confirms(screened).comparisons.at(0);
  EXPECT_EQ(row.margin_ratio, screened.comparisons.at(0).margin_ratio);
  EXPECT_EQ(row.tolerance_ratio, screened.comparisons.at(0).tolerance_ratio);
  EXPECT_TRUE(row.margin_auto);
}

TEST(Confirm, AHigherIsBetterSuspectIsConfirmedByADrop) {
  Session screen = session_of(0.97, 12);
  Session fresh = fresh_of(0.97);
  for (Session* session : {&screen, &fresh}) {
    session->base[0].better = session->head[0].better = Better::higher;
  }
  EXPECT_EQ(fresh.confirms(screen.screened()).verdict.outcome, Outcome::fail);
  std::swap(fresh.base, fresh.head);
  EXPECT_EQ(fresh.confirms(screen.screened()).verdict.outcome, Outcome::pass);
}

TEST(Confirm, RowsThatNobodySuspectsStayAsScreened) {
  Session screen = session_of(1.03, 12);
  screen.add(gate_of("other", 0.01, 0.03), metric_of("other", wobbling(1.0, 0.01, 12)),
             metric_of("other", wobbling(1.0, 0.01, 12, true)));
  Session fresh = fresh_of(1.03);
  fresh.add(screen.spec.gates[1], metric_of("other", wobbling(1.0, 0.01, 16)),
            metric_of("other", wobbling(1.2, 0.01, 16, true)));
  const GateOutput output = fresh.confirms(screen.screened());
  EXPECT_EQ(output.comparisons.at(1).outcome, Outcome::pass);
  EXPECT_EQ(output.comparisons.at(1).n_head, 12);
}

TEST(Confirm, FreshPairsThatCannotBeUsedDecideNothing) {
  const GateOutput screened = session_of(1.03, 12).screened();
  Session nothing = fresh_of(1.03);
  nothing.base.clear();
  nothing.head.clear();
  EXPECT_EQ(nothing.confirms(screened).verdict.outcome, Outcome::suspected);
  const Session session = fresh_of(1.03);
  PairsInput broken = session.input();
  broken.measurement_ok = false;
  broken.measurement_problem = {ProblemCode::process_failed, "process 40 crashed"};
  const GateOutput output = confirm_pairs(screened, broken);
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(output.verdict.reasons.at(0).text,
            "the fresh pairs cannot be used: process 40 crashed");
  EXPECT_EQ(output.comparisons.at(0).outcome, Outcome::invalid);
}

TEST(Confirm, AControlThatMovedBetweenFreshArmsVoidsTheTest) {
  Session fresh = fresh_of(1.03);
  fresh.base_controls = {{"read_stream", "bytes/s", {4.00e12, 4.01e12, 4.00e12, 4.01e12}}};
  fresh.head_controls = {{"read_stream", "bytes/s", {3.90e12, 3.91e12, 3.90e12, 3.91e12}}};
  const GateOutput output = fresh.confirms(session_of(1.03, 12).screened());
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
}

TEST(Confirm, TracedSuspectsNeedTracedPairs) {
  Session session;
  const GateSpec gate = gate_of("family_ms/gemm", 0.01, 0.03);
  session.add(gate, metric_of(gate.metric, wobbling(2.0, 0.0005, 4), MetricKind::traced),
              metric_of(gate.metric, wobbling(2.1, 0.0005, 4, true), MetricKind::traced));
  const GateOutput screened = session.screened();
  EXPECT_EQ(confirm_needs(screened, session.spec).trace_pairs, kConfirmTracePairs);
  EXPECT_EQ(confirm_needs(screened, session.spec).timing_pairs, 0);
  EXPECT_EQ(session.confirms(screened).verdict.outcome, Outcome::fail);
  session.base_capture = {.validity = Validity::invalid, .reasons = {"cut off"}};
  const Comparison row = session.confirms(screened).comparisons.at(0);
  EXPECT_EQ(row.outcome, Outcome::invalid);
  EXPECT_THAT(row.reason, HasSubstr("this is of the fresh pairs"));
}

Session counts(double base, double head) {
  Session session;
  session.add(gate_of("kernel_launches"),
              metric_of("kernel_launches", {base, base, base}, MetricKind::counted, "1"),
              metric_of("kernel_launches", {head, head, head}, MetricKind::counted, "1"));
  return session;
}

TEST(Confirm, ACountStandsUnlessFreshProcessesCountOtherwise) {
  const GateOutput screened = counts(385, 386).screened();
  EXPECT_THAT(confirm_needs(screened, counts(385, 386).spec).suspects, IsEmpty());
  const Comparison same = counts(385, 386).confirms(screened).comparisons.at(0);
  EXPECT_EQ(same.outcome, Outcome::fail);
  EXPECT_TRUE(same.confirmed);
  EXPECT_THAT(same.reason, HasSubstr("3 fresh traced pairs count the same"));
  const Comparison other = counts(385, 385).confirms(screened).comparisons.at(0);
  EXPECT_EQ(other.outcome, Outcome::inconclusive);
  EXPECT_FALSE(other.confirmed);
  Session uncaptured = counts(385, 385);
  uncaptured.base_capture.validity = Validity::invalid;
  EXPECT_EQ(uncaptured.confirms(screened).comparisons.at(0).outcome, Outcome::fail);
}

Report stored(double ratio, int runs) {
  Report report;
  report.spec.timing.processes = {5, 8, 12};
  report.add(gate_of(kStep), metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
             series_of(kStep, quiet_runs(4.27, 0.0005, runs)));
  return report;
}

TEST(Confirm, WhatTheStoreFailedComesBackConfirmedOrCleared) {
  const GateOutput failed = stored(1.01, 10).judged();
  ASSERT_EQ(failed.verdict.outcome, Outcome::fail);
  EXPECT_THAT(confirm_needs(failed, stored(1.01, 10).spec).suspects, ElementsAre(kStep));
  const GateSpec gate = gate_of(kStep);
  const GateOutput again = session_of(1.01, 16, 0.001, gate).confirms(failed);
  EXPECT_EQ(again.verdict.outcome, Outcome::fail);
  EXPECT_TRUE(again.comparisons.at(0).confirmed);
  EXPECT_EQ(again.comparisons.at(0).against, Against::session);
  EXPECT_EQ(again.comparisons.at(0).margin_ratio, failed.comparisons.at(0).margin_ratio);
  // The machine became slower, and so did the base.
  EXPECT_EQ(session_of(1.0, 16, 0.001, gate).confirms(failed).verdict.outcome, Outcome::pass);
  const GateOutput young = stored(1.01, 3).judged();
  ASSERT_EQ(young.verdict.outcome, Outcome::suspected);
  EXPECT_EQ(session_of(1.01, 16, 0.001, gate).confirms(young).verdict.outcome, Outcome::fail);
}

TEST(Confirm, WhatTheStoreLeftOpenIsDecidedByFreshPairs) {
  // Ten runs that scatter by 1 % cannot tell +2 % from the margin; sixteen pairs can.
  Report report;
  report.spec.timing.processes = {5};
  const GateSpec gate = gate_of(kStep, 0.01, 0.03);
  report.add(gate, metric_of(kStep, std::vector<double>(5, 4.27 * 1.02)),
             series_of(kStep, quiet_runs(4.27, 0.01, 10)));
  const GateOutput open = report.judged();
  ASSERT_EQ(open.verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(confirm_needs(open, report.spec).timing_pairs, kConfirmTimingPairs);
  EXPECT_EQ(session_of(1.02, 16, 0.001, gate).confirms(open).verdict.outcome, Outcome::fail);
  const GateOutput same = session_of(1.0, 16, 0.001, gate).confirms(open);
  EXPECT_EQ(same.verdict.outcome, Outcome::pass);
  EXPECT_THAT(same.comparisons.at(0).reason, HasSubstr("the store left it open"));
}

TEST(Confirm, FactsBesideTheRowsAndBrokenLimitsOfTheStoreStand) {
  Report report = stored(1.01, 10);
  report.baseline[0].pinned = 4.2;
  report.capture = {.validity = Validity::partial, .reasons = {"a record was dropped"}};
  const GateSpec gate = gate_of(kStep);
  const GateOutput output = session_of(1.0, 16, 0.001, gate).confirms(report.judged());
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid) << "the head's capture is as it was";
  EXPECT_THAT(output.verdict.reasons, has_code("capture_partial"));
  EXPECT_THAT(output.verdict.reasons, has_code("pinned_breach"));
  Report limited = stored(1.01, 10);
  limited.spec.gates[0].max = 4.0;
  EXPECT_THAT(confirm_needs(limited.judged(), limited.spec).suspects, IsEmpty());
  Session fresh = session_of(1.0, 16, 0.001, limited.spec.gates[0]);
  EXPECT_EQ(fresh.confirms(limited.judged()).verdict.outcome, Outcome::fail);
}

TEST(Confirm, ACountThatTheStoreFailedIsCountedAgainInBothArms) {
  Report report;
  report.add(gate_of("kernel_launches"),
             metric_of("kernel_launches", {386, 386, 386}, MetricKind::counted, "1"),
             series_of("kernel_launches", {385}, MetricKind::counted, "1"));
  const GateOutput failed = report.judged();
  ASSERT_EQ(failed.verdict.outcome, Outcome::fail);
  const GateOutput same = counts(386, 386).confirms(failed);
  EXPECT_EQ(same.verdict.outcome, Outcome::pass);
  EXPECT_THAT(same.comparisons.at(0).reason, HasSubstr("the store had 385"));
  EXPECT_TRUE(counts(385, 386).confirms(failed).comparisons.at(0).confirmed);
  EXPECT_EQ(session_of(1.0, 16).confirms(failed).verdict.outcome, Outcome::fail);
}

}  // namespace
}  // namespace perfgate::gates
