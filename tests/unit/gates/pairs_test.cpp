// Two arms of one session at a look: bounds, margins, and what forbids a comparison.
#include "gates/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/bounds.h"
#include "gates/looks.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kStep = "step_time_p50";

auto has_code(const std::string& code) { return Contains(Field(&Reason::code, code)); }

Comparison row_of(const Session& session) { return session.screened().comparisons.at(0); }

Session traced_session(double ratio) {
  Session session;
  session.add(
      gate_of("family_ms/gemm", 0.01, 0.03),
      metric_of("family_ms/gemm", wobbling(2.0, 0.0005, 4), MetricKind::traced),
      metric_of("family_ms/gemm", wobbling(2.0 * ratio, 0.0005, 4, true), MetricKind::traced));
  return session;
}

Session counted_session(const std::vector<double>& base, const std::vector<double>& head) {
  Session session;
  session.add(gate_of("kernel_launches"),
              metric_of("kernel_launches", base, MetricKind::counted, "1"),
              metric_of("kernel_launches", head, MetricKind::counted, "1"));
  return session;
}

TEST(Pairs, TwoArmsOfOneProgramPass) {
  const GateOutput output = session_of(1.0, 8).screened();
  EXPECT_EQ(output.verdict.outcome, Outcome::pass);
  const Comparison& row = output.comparisons.at(0);
  EXPECT_EQ(row.against, Against::session);
  EXPECT_EQ(row.n_base, 8);
  EXPECT_EQ(row.n_head, 8);
  EXPECT_NEAR(row.base, 4.27, 1e-12);
  // Differences -2 %, 0, 0, 2 % twice: s = sqrt(16/7) %, t(1 - 0.0221 / 2, 7) = 2.92.
  EXPECT_NEAR(row.excludes_above_ratio, 2.92 * 0.01512 / std::sqrt(8.0), 3e-4);
  ASSERT_TRUE(row.p_value.has_value());
  EXPECT_GT(*row.p_value, 0.9);
}

TEST(Pairs, AClearRiseIsSuspectedAndNeverFailsAtALook) {
  const GateOutput output = session_of(1.03, 12).screened();
  EXPECT_EQ(output.verdict.outcome, Outcome::suspected);
  EXPECT_THAT(output.verdict.reasons, has_code("unconfirmed"));
  const Comparison& row = output.comparisons.at(0);
  EXPECT_EQ(row.unsettled, Unsettled::unconfirmed);
  EXPECT_FALSE(row.confirmed);
  EXPECT_LT(*row.p_value, 0.01);
  EXPECT_NEAR(row.delta_ratio, 0.03, 1e-9);
}

TEST(Pairs, HigherIsBetterTurnsTheDirection) {
  Session session = session_of(0.97, 12);
  session.base[0].better = session.head[0].better = Better::higher;
  EXPECT_EQ(row_of(session).outcome, Outcome::suspected);
  EXPECT_LT(row_of(session).ci_high_ratio, 0.0);
  session = session_of(1.03, 12);
  session.base[0].better = session.head[0].better = Better::higher;
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
  EXPECT_TRUE(row_of(session).improved);
}

TEST(Pairs, PairingTakesOutWhatDriftsOverTheSession) {
  Session session;
  std::vector<double> base;
  std::vector<double> head;
  for (int i = 0; i < 5; ++i) {
    base.push_back(4.27 * (1.0 + 0.02 * i));  // 8 % over the session, in both arms
    head.push_back(base.back() * (1.0 + 0.0002 * (i % 2)));
  }
  session.add(gate_of(kStep, 0.01, 0.03), metric_of(kStep, base), metric_of(kStep, head));
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
}

TEST(Pairs, MorePairsThatWouldSettleItDoSettleIt) {
  const Session few = session_of(1.02, 8, 0.01, gate_of(kStep, 0.01, 0.03));
  const Comparison row = row_of(few);
  ASSERT_EQ(row.outcome, Outcome::inconclusive) << row.reason;
  ASSERT_GT(row.processes_to_settle, 0);
  EXPECT_THAT(row.reason, HasSubstr("more pairs would settle it"));
  const int wanted = (8 + row.processes_to_settle + 3) / 4 * 4;
  EXPECT_NE(row_of(session_of(1.02, wanted)).outcome, Outcome::inconclusive);
  const LookAdvice advice = next_look(few.screened(), few.spec.timing.processes, 8, false);
  EXPECT_EQ(advice.processes, 12);
  EXPECT_EQ(advice.why, "step_time_p50 is undecided with 8 pairs, looking at 12");
  const LookAdvice last = next_look(few.screened(), few.spec.timing.processes, 12, false);
  EXPECT_EQ(last.processes, 0);
  const Session suspect = session_of(1.03, 12);
  EXPECT_EQ(next_look(suspect.screened(), suspect.spec.timing.processes, 8, false).why, "")
      << "a suspect waits for fresh pairs, not for a look";
}

TEST(Pairs, AutoMarginComesFromTheStoreOrElseFromTheProcesses) {
  Session session = session_of(1.0, 8, 0.01, gate_of(kStep));
  // p = 1.069 %, median of five: x sqrt(1.4342 / 5), three of them.
  EXPECT_NEAR(row_of(session).margin_ratio, 3 * 0.01069 * std::sqrt(1.4342 / 5.0), 1e-4);
  EXPECT_NEAR(row_of(session).tolerance_ratio, 3 * row_of(session).margin_ratio, 1e-12);
  session.history = {series_of(kStep, quiet_runs(4.27, 0.002))};
  EXPECT_NEAR(row_of(session).margin_ratio, 0.006, 1e-9);
  EXPECT_TRUE(row_of(session).margin_auto);
  session.history[0].unit = "s";
  EXPECT_GT(row_of(session).margin_ratio, 0.015) << "another unit is another metric";
  EXPECT_DOUBLE_EQ(row_of(session_of(1.0, 8, 0.0, gate_of(kStep))).margin_ratio, kLeastAutoMargin);
}

TEST(Pairs, EqualNumbersAreNoProofOfAChangeAsSmallAsTheMargin) {
  // A clock of coarse steps: every pair differs by the same 0.16 %.
  const Comparison coarse = row_of(session_of(1.0016, 8, 0.0, gate_of(kStep)));
  EXPECT_EQ(coarse.outcome, Outcome::pass) << coarse.reason;
  EXPECT_GT(coarse.ci_high_ratio, coarse.ci_low_ratio);
  Session known = session_of(1.004, 8, 0.0, gate_of(kStep));
  EXPECT_EQ(row_of(known).outcome, Outcome::suspected);
  known.history = {series_of(kStep, quiet_runs(4.27, 0.002))};
  EXPECT_EQ(row_of(known).outcome, Outcome::pass) << row_of(known).reason;
  // What moves whole runs is what pairs cancel: it never hides more than the margin allows.
  Session drifting = session_of(1.02, 8, 0.0, gate_of(kStep, 0.01, 0.03));
  drifting.history = {series_of(kStep, quiet_runs(4.27, 0.02))};
  EXPECT_EQ(row_of(drifting).outcome, Outcome::suspected) << row_of(drifting).reason;
}

TEST(Pairs, ArmsOfDifferentLengthHaveNoPairs) {
  Session session = session_of(1.0, 8);
  session.head[0].samples.pop_back();
  const Comparison row = row_of(session);
  EXPECT_EQ(row.outcome, Outcome::invalid);
  EXPECT_THAT(row.reason, HasSubstr("the base has 8 samples of it and the head 7"));
}

TEST(Pairs, OnePairShowsNoSpread) {
  const Comparison row = row_of(session_of(1.0, 1));
  EXPECT_EQ(row.outcome, Outcome::inconclusive);
  EXPECT_EQ(row.unsettled, Unsettled::no_spread);
}

TEST(Pairs, AZeroMetricIsADifferenceAndNeedsAtLeast) {
  Session session;
  GateSpec gate = gate_of("idle_ms/launch_gap");
  session.add(gate, metric_of(gate.metric, {0.0, 0.01, 0.0, 0.01}, MetricKind::traced),
              metric_of(gate.metric, {0.31, 0.3, 0.3, 0.31}, MetricKind::traced));
  EXPECT_EQ(row_of(session).outcome, Outcome::inconclusive);
  EXPECT_EQ(row_of(session).unsettled, Unsettled::zero_ratio);
  session.spec.gates[0].at_least = 0.1;
  EXPECT_EQ(row_of(session).outcome, Outcome::suspected) << row_of(session).reason;
  session.spec.gates[0].at_least = 0.5;
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
  Session none;
  none.add(gate, metric_of(gate.metric, {0.0, 0.0, 0.0}, MetricKind::traced),
           metric_of(gate.metric, {0.0, 0.0, 0.0}, MetricKind::traced));
  EXPECT_EQ(row_of(none).outcome, Outcome::pass) << "zero in both arms is no change";
  Session timed = session_of(1.0, 4);
  timed.head[0].samples[0] = 0.0;
  EXPECT_EQ(row_of(timed).outcome, Outcome::invalid);
}

TEST(Pairs, AControlThatMovedBetweenTheArmsVoidsTheComparison) {
  Session session = session_of(1.0, 8);
  session.base_controls = {{"read_stream", "bytes/s", {4.00e12, 4.01e12, 4.00e12, 4.01e12}}};
  session.head_controls = session.base_controls;
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
  for (double& reading : session.head_controls[0].readings) reading *= 0.98;
  const Comparison moved = row_of(session);
  EXPECT_EQ(moved.outcome, Outcome::not_comparable);
  EXPECT_EQ(moved.unsettled, Unsettled::control_in_run);
  EXPECT_FALSE(moved.p_value.has_value());
  EXPECT_THAT(moved.reason, HasSubstr("read_stream moved by -2.00 % between the arms"));
  session.head_controls = session.base_controls;
  session.base_controls[0].readings = {4.00e12, 4.01e12, 4.10e12, 4.11e12};
  EXPECT_THAT(row_of(session).reason, HasSubstr("beside the base"));
}

TEST(Pairs, ABaseWithoutAValidCaptureMakesItsRowsInvalidNotTheReport) {
  Session session = traced_session(1.0);
  EXPECT_EQ(session.screened().verdict.outcome, Outcome::pass);
  session.base_capture = {.validity = Validity::partial, .reasons = {"12 records were dropped"}};
  const GateOutput output = session.screened();
  EXPECT_EQ(output.comparisons.at(0).outcome, Outcome::invalid);
  EXPECT_THAT(output.comparisons.at(0).reason,
              HasSubstr("the capture of the base is partial (12 records were dropped)"));
  EXPECT_THAT(output.verdict.reasons, has_code("base_capture_partial"));
  Session timed = session_of(1.0, 8);
  timed.base_capture = session.base_capture;
  EXPECT_EQ(timed.screened().verdict.outcome, Outcome::pass);
  EXPECT_THAT(timed.screened().verdict.reasons, has_code("base_capture_partial"));
  timed.head_capture = session.base_capture;
  EXPECT_EQ(timed.screened().verdict.outcome, Outcome::invalid);
}

TEST(Pairs, ALimitOfTheHeadAsksNothingOfTheBase) {
  Session session = traced_session(1.0);
  GateSpec& gate = session.spec.gates[0];
  gate.margin_ratio.reset();
  gate.tolerance_ratio.reset();
  gate.max = 3.0;
  session.base_capture.validity = Validity::invalid;
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
  session.base.clear();
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
  session.head_capture.validity = Validity::invalid;
  EXPECT_EQ(row_of(session).outcome, Outcome::invalid);
}

TEST(Pairs, ATracingTaxOfTheBaseForbidsTracedComparisons) {
  Session session = traced_session(1.05);
  EXPECT_EQ(row_of(session).outcome, Outcome::suspected);
  session.base_traced_over_untraced = 1.2;
  EXPECT_EQ(row_of(session).unsettled, Unsettled::tracing);
  EXPECT_THAT(row_of(session).reason, HasSubstr("the base: tracing changed the step by +20.0 %"));
}

TEST(Pairs, ACountThatDiffersIsItsOwnConfirmation) {
  const Comparison more = row_of(counted_session({385, 385, 385}, {386, 386, 386}));
  EXPECT_EQ(more.outcome, Outcome::fail);
  EXPECT_TRUE(more.confirmed);
  EXPECT_EQ(more.n_base, 3);
  EXPECT_EQ(row_of(counted_session({385, 385, 385}, {385, 385, 385})).outcome, Outcome::pass);
  const Comparison disagree = row_of(counted_session({385, 386, 385}, {386, 386, 386}));
  EXPECT_EQ(disagree.outcome, Outcome::inconclusive);
  EXPECT_THAT(disagree.reason, HasSubstr("of the base disagree (385 to 386)"));
  EXPECT_EQ(row_of(counted_session({385, 385}, {386})).outcome, Outcome::invalid);
}

TEST(Pairs, WhatOnlyOneArmHasIsNamed) {
  Session session = traced_session(1.0);
  session.base.clear();
  EXPECT_EQ(row_of(session).outcome, Outcome::no_baseline);
  EXPECT_THAT(row_of(session).reason, HasSubstr("the base did not produce it"));
  session = traced_session(1.0);
  session.head.clear();
  EXPECT_EQ(row_of(session).outcome, Outcome::invalid);
  EXPECT_THAT(row_of(session).reason, HasSubstr("the head did not produce it"));
  EXPECT_EQ(row_of(session).head, 0.0);
}

TEST(Pairs, ANewFamilyIsAnObservation) {
  Session session = session_of(1.0, 8);
  session.head.push_back(
      metric_of("family_ms/softmax", {0.2, 0.21, 0.2, 0.21}, MetricKind::traced));
  session.base.push_back(metric_of("idle_ms/sync", {0.1, 0.1, 0.1, 0.1}, MetricKind::traced));
  const GateOutput output = session.screened();
  EXPECT_EQ(output.verdict.outcome, Outcome::pass);
  ASSERT_EQ(output.observed.size(), 2u);
  EXPECT_EQ(output.observed[0].metric, "family_ms/softmax");
  EXPECT_EQ(output.observed[0].base, 0.0);
  EXPECT_EQ(output.observed[0].n_base, 4);
  EXPECT_LT(*output.observed[0].noise, 0.1);
  EXPECT_EQ(output.observed[1].metric, "idle_ms/sync");
  EXPECT_EQ(output.observed[1].head, 0.0);
  session.base_capture.validity = Validity::invalid;
  EXPECT_THAT(session.screened().observed, IsEmpty());
}

TEST(Pairs, TwoUnitsAreNotCompared) {
  Session session = session_of(1.0, 8);
  session.base[0].unit = "s";
  EXPECT_EQ(row_of(session).outcome, Outcome::not_comparable);
  EXPECT_EQ(row_of(session).unsettled, Unsettled::other_unit);
}

TEST(Pairs, TwoDirectionsAreNotComparedUnlessTheGateSaysWhich) {
  Session session = session_of(1.0, 8);
  session.head[0].better = Better::higher;
  EXPECT_EQ(row_of(session).outcome, Outcome::not_comparable);
  EXPECT_EQ(row_of(session).unsettled, Unsettled::other_direction);
  session.spec.gates[0].better = Better::lower;
  EXPECT_EQ(row_of(session).outcome, Outcome::pass);
}

TEST(Pairs, AnUnusableMeasurementIsInvalidAndNothingElse) {
  const Session session = session_of(1.03, 12);
  PairsInput input = session.input();
  input.measurement_ok = false;
  input.measurement_problem = {ProblemCode::process_failed, "process 3 of the base crashed"};
  const GateOutput output = screen_pairs(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(output.verdict.reasons.at(0).text, "process 3 of the base crashed");
  EXPECT_EQ(output.comparisons.at(0).against, Against::session);
}

TEST(Pairs, AChangedSubjectIsListedAndALimitStillHolds) {
  Session session = session_of(1.0, 8);
  session.spec.gates[0].max = 4.0;
  const PairsInput input = [&] {
    PairsInput made = session.input();
    made.subject = {{"program", "a1", "b2"}};
    return made;
  }();
  const GateOutput output = screen_pairs(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(output.verdict.reasons, has_code("subject_differs"));
  EXPECT_THAT(confirm_needs(output, session.spec).suspects, IsEmpty());
  EXPECT_FALSE(output.comparisons.at(0).confirmed);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("above the limit"));
}

}  // namespace
}  // namespace perfgate::gates
