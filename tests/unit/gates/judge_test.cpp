// The joint verdict: evidence, validity, comparability, and reasons as data.
#include "gates/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/comparability.h"
#include "gates/store_level.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

const std::string kStep = "step_time_p50";

auto has_code(const std::string& code) { return Contains(Field(&Reason::code, code)); }

Report decode(double ratio, int runs = 10) {
  Report report;
  report.add(gate_of(kStep), metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
             series_of(kStep, quiet_runs(4.27, 0.0005, runs)));
  return report;
}

BaselineSeries control_of(double level) {
  return series_of("control/read_stream", quiet_runs(level), MetricKind::timed, "bytes/s");
}

TEST(Judge, AnUnchangedRunPasses) {
  const GateOutput output = decode(1.0).judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::pass);
  EXPECT_THAT(output.verdict.reasons, has_code("within_tolerance"));
  EXPECT_FALSE(output.comparisons.at(0).confirmed);
}

TEST(Judge, ARegressionFailsOnTenRunsAndIsSuspectedOnSeven) {
  const GateOutput ten = decode(1.01).judged();
  EXPECT_EQ(ten.verdict.outcome, Outcome::fail);
  EXPECT_THAT(ten.verdict.reasons, has_code("breach"));
  EXPECT_EQ(decode(1.01, 8).judged().verdict.outcome, Outcome::fail);
  const GateOutput seven = decode(1.01, 7).judged();
  EXPECT_EQ(seven.verdict.outcome, Outcome::suspected);
  EXPECT_THAT(seven.comparisons.at(0).reason, HasSubstr("7 comparable runs, 8 are needed"));
}

TEST(Judge, EveryRowOfStatisticsHasItsPValueAndSaysWhatItFinds) {
  const Comparison kept = decode(1.0).judged().comparisons.at(0);
  ASSERT_TRUE(kept.p_value.has_value());
  EXPECT_GT(*kept.p_value, 0.95);
  EXPECT_GT(kept.finds_from_ratio, kept.margin_ratio);
  EXPECT_LT(kept.finds_from_ratio, 0.01);
  const Comparison breach = decode(1.01).judged().comparisons.at(0);
  EXPECT_LT(breach.p_value.value_or(1.0), 0.01);
  EXPECT_LT(breach.finds_from_ratio, 0.01) << "what failed lies above it";
  const Comparison young = decode(1.0, 7).judged().comparisons.at(0);
  EXPECT_TRUE(young.p_value.has_value());
  EXPECT_EQ(young.finds_from_ratio, 0.0) << "seven runs fail nothing";
}

TEST(Judge, HolmOverTheReportHoldsBackWeakEvidence) {
  // One metric just past the margin: enough alone, not among a hundred.
  const double ratio = 1.0 + 0.0015 + 0.0018;
  EXPECT_EQ(decode(ratio).judged().verdict.outcome, Outcome::fail);
  Report many = decode(ratio);
  for (int i = 0; i < 99; ++i) {
    const std::string id = "family_ms/f" + std::to_string(i);
    many.add(gate_of(id), metric_of(id, {4.27}), series_of(id, quiet_runs()));
  }
  const GateOutput output = many.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::suspected);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("over the 100 gated metrics"));
}

TEST(Judge, AnotherGpuMayOnlySuspect) {
  const Report report = decode(1.05);
  GateInput input = report.input();
  input.head_instance = "GPU-2";
  const GateOutput output = judge(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::suspected);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("another GPU"));
}

TEST(Judge, AnUnusableMeasurementIsInvalidAndNothingElse) {
  const Report report = decode(1.0);
  GateInput input = report.input();
  input.measurement_ok = false;
  input.measurement_problem = {ProblemCode::process_failed, "process 3 crashed"};
  const GateOutput output = judge(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  ASSERT_EQ(output.verdict.reasons.size(), 1U);
  EXPECT_EQ(output.verdict.reasons[0].text, "process 3 crashed");
  ASSERT_TRUE(output.verdict.problem.has_value());
  EXPECT_EQ(output.verdict.problem->code, ProblemCode::process_failed);
  EXPECT_EQ(output.comparisons.at(0).outcome, Outcome::invalid);
}

TEST(Judge, AnInvalidCaptureIsNeverGreen) {
  Report report = decode(1.0);
  report.capture = {.validity = Validity::invalid, .reasons = {"12 records were dropped"}};
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(output.verdict.reasons, has_code("capture_invalid"));
  EXPECT_EQ(output.comparisons.at(0).outcome, Outcome::pass)
      << "the timed metric stands for itself";
  GateInput untraced = report.input();
  untraced.capture_expected = false;
  EXPECT_EQ(judge(untraced).verdict.outcome, Outcome::pass);
}

TEST(Judge, APartialOrSuspectCaptureIsNeverGreenEither) {
  for (const Validity validity : {Validity::partial, Validity::suspect}) {
    Report report = decode(1.0);
    report.capture = {.validity = validity, .reasons = {"cut at block 7"}};
    EXPECT_EQ(report.judged().verdict.outcome, Outcome::invalid);
  }
}

TEST(Judge, OneBadRunInTheStoreDoesNotLetASlowHeadPass) {
  std::vector<double> runs(9, 2.0);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += 0.001 * static_cast<double>(i % 3);
  runs.push_back(2.4);
  Report report;
  report.add(gate_of("step_time_p50"), metric_of("step_time_p50", {2.4, 2.4, 2.4, 2.4, 2.4}),
             series_of("step_time_p50", runs));
  const GateOutput output = report.judged();
  EXPECT_NE(output.verdict.outcome, Outcome::pass);
  EXPECT_LE(output.comparisons.at(0).margin_ratio, 0.05);
}

TEST(Judge, TracedAndCountedMetricsNeedAValidCapture) {
  for (const Validity validity : {Validity::partial, Validity::suspect, Validity::invalid}) {
    Report report = decode(1.0);
    report.add(gate_of("kernel_launches"),
               metric_of("kernel_launches", {385}, MetricKind::counted, "1"),
               series_of("kernel_launches", {385}, MetricKind::counted, "1"));
    report.capture = {.validity = validity, .reasons = {"cut at block 7"}};
    const GateOutput output = report.judged();
    EXPECT_EQ(output.comparisons.at(1).outcome, Outcome::invalid);
    EXPECT_THAT(output.comparisons.at(1).reason, HasSubstr("cut at block 7"));
    EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  }
}

TEST(Judge, TimesOutOfCapturesNeedASmallTracingTaxOnBothSides) {
  Report report;
  const std::string id = "family_ms/gemm";
  report.add(gate_of(id), metric_of(id, {4.27}, MetricKind::traced),
             series_of(id, quiet_runs(), MetricKind::traced));
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass);
  GateInput base = report.input();
  base.base_traced_over_untraced.reset();
  EXPECT_EQ(judge(base).verdict.outcome, Outcome::inconclusive);
  report.traced_over_untraced = 1.2;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::inconclusive);
  EXPECT_THAT(report.judged().comparisons.at(0).reason,
              HasSubstr("tracing changed the step by +20.0 %"));
  report.traced_over_untraced = 0.0;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::inconclusive);
}

TEST(Judge, ATracedMetricIsNeverComparedWithATimedSeries) {
  Report report;
  report.add(gate_of(kStep), metric_of(kStep, {4.27}),
             series_of(kStep, quiet_runs(), MetricKind::traced));
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::no_baseline);
}

TEST(Judge, AnotherUnitIsNotComparableAndNamesBoth) {
  const std::string ttft = "reported/ttft";
  Report report;
  report.add(gate_of(ttft), metric_of(ttft, {312.0, 312.1, 311.9}),
             series_of(ttft, quiet_runs(0.312), MetricKind::timed, "s"));
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
  EXPECT_EQ(output.comparisons.at(0).unsettled, Unsettled::other_unit);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("'ms', the store in 's'"));
  report.spec.gates[0].max = 300.0;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::fail) << "a limit needs no comparison";
  report.spec.gates[0].max.reset();
  report.baseline.push_back(series_of(ttft, quiet_runs(312.0)));
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass) << "runs in this unit serve";
}

TEST(Judge, TheOtherDirectionIsNotComparableUnlessTheGateSaysWhich) {
  const std::string rate = "reported/rate";
  for (const double head : {20.0, 5.0}) {
    Report report;
    MetricValue turned = metric_of(rate, {head, head, head});
    turned.better = Better::higher;
    BaselineSeries before = series_of(rate, quiet_runs(10.0));
    before.better = Better::lower;
    report.add(gate_of(rate), turned, before);
    const GateOutput output = report.judged();
    EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
    EXPECT_EQ(output.comparisons.at(0).unsettled, Unsettled::other_direction);
    EXPECT_THAT(output.comparisons.at(0).reason,
                HasSubstr("this run says that higher is better, the store's runs said lower"));
    report.spec.gates[0].better = Better::lower;
    EXPECT_EQ(report.judged().verdict.outcome, head > 10.0 ? Outcome::fail : Outcome::pass);
    report.spec.gates[0].better = Better::higher;
    EXPECT_EQ(report.judged().verdict.outcome, head > 10.0 ? Outcome::pass : Outcome::fail);
    report.spec.gates[0].better.reset();
    report.baseline.push_back(series_of(rate, quiet_runs(head)));
    report.baseline[1].better = Better::higher;
    EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass) << "runs of this direction serve";
  }
}

TEST(Judge, AMetricThatTheRunDidNotProduceIsInvalid) {
  Report report = decode(1.0);
  report.spec.gates.push_back(gate_of("ttft_ms"));
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(output.comparisons.at(1).reason, HasSubstr("did not produce it"));
}

TEST(Judge, WithoutABaselineOnlyLimitsAreJudged) {
  Report report = decode(1.0);
  report.choice = {};
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::no_baseline);
  report.spec.gates[0].max = 4.0;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::fail);
  report.spec.gates[0].max = 5.0;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass);
}

TEST(Judge, AnotherEnvironmentIsNotComparableAndNamesTheRows) {
  Report report = decode(2.0);
  report.choice.exists = false;
  report.choice.comparability.environment = {{"driver", "580.65", "590.10"}};
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
  EXPECT_THAT(output.verdict.reasons, has_code("environment_differs"));
  EXPECT_THAT(output.verdict.reasons,
              Contains(Field(&Reason::text, HasSubstr("driver 580.65 -> 590.10"))));
}

TEST(Judge, AChangedSubjectIsListedAndJudged) {
  Report report = decode(1.0);
  report.choice.comparability.subject = {{"cuda", "13.0", "13.1"}};
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::pass);
  EXPECT_THAT(output.verdict.reasons, has_code("subject_differs"));
}

TEST(Judge, AControlThatMovedMakesTimesNotComparable) {
  Report report = decode(1.02);
  report.controls = {{"read_stream",
                      "bytes/s",
                      {4.60e12, 4.601e12, 4.599e12, 4.6e12, 4.50e12, 4.501e12, 4.499e12, 4.5e12}}};
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
  EXPECT_THAT(output.comparisons.at(0).reason,
              HasSubstr("the control read_stream moved by -2.17 %"));
  EXPECT_EQ(output.comparisons.at(0).unsettled, Unsettled::control_in_run);
  GateInput other = report.input();
  other.bounding_control = "bf16_gemm";
  EXPECT_EQ(judge(other).verdict.outcome, Outcome::fail)
      << "only the control that bounds it counts";
}

// Seen on an H200 beside `perfgate-workload stream`: +112 %, and the first line blamed the capture.
TEST(Judge, AnotherProgramOnTheGpuIsNamedBeforeWhatItDid) {
  Report report = decode(2.1);
  report.capture = {.validity = Validity::suspect, .reasons = {"1 step of 5 differs"}};
  GateInput input = report.input();
  input.shared_gpu = "another program was on the GPU";
  const GateOutput output = judge(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::not_comparable);
  EXPECT_EQ(output.verdict.reasons.front().text, input.shared_gpu);
  EXPECT_EQ(output.comparisons.at(0).unsettled, Unsettled::shared_gpu);
  report.capture.validity = Validity::invalid;
  GateInput lost = report.input();
  lost.shared_gpu = input.shared_gpu;
  EXPECT_THAT(judge(lost).verdict.reasons, has_code("capture_invalid")) << "records are missing";
}

TEST(Judge, AControlAgainstItsLevelInTheStore) {
  Report report = decode(1.0);
  report.controls = {{"read_stream", "bytes/s", {4.4e12}}};
  report.baseline.push_back(control_of(4.6e12));
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::not_comparable);
  EXPECT_EQ(report.judged().comparisons.at(0).unsettled, Unsettled::control_since);
  report.controls[0].readings = {4.6e12};
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass);
}

TEST(Judge, AControlThatMovedVoidsAComparisonWithALevelOfZeroToo) {
  const std::string idle = "idle_ms/device_wait";
  Report report;
  GateSpec gate = gate_of(idle);
  gate.at_least = 0.01;
  report.add(gate, metric_of(idle, {0.5, 0.5, 0.5}, MetricKind::traced),
             series_of(idle, std::vector<double>(10, 0.0), MetricKind::traced));
  ASSERT_EQ(report.judged().verdict.outcome, Outcome::fail);
  report.controls = {{"read_stream", "bytes/s", {4.4e12}}};
  report.baseline.push_back(control_of(4.6e12));
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::not_comparable);
  report.spec.gates[0].margin_ratio = 0.01;
  report.spec.gates[0].max = 5.0;
  EXPECT_EQ(report.judged().comparisons.at(0).unsettled, Unsettled::control_since)
      << "beside a limit too";
}

TEST(Judge, ABreachOfALimitOutlivesAControlThatMoved) {
  Report report = decode(1.02);
  report.controls = {{"read_stream", "bytes/s", {4.4e12}}};
  report.baseline.push_back(control_of(4.6e12));
  report.spec.gates[0].margin_ratio = 0.0015;
  report.spec.gates[0].tolerance_ratio = 0.0045;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::not_comparable);
  report.spec.gates[0].max = 4.3;
  const GateOutput output = report.judged();
  EXPECT_EQ(output.verdict.outcome, Outcome::fail);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("above the limit of 4.3 ms"));
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("the control read_stream moved"));
  report.spec.gates[0].max = 5.0;
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::not_comparable);
}

TEST(Judge, ASuspicionSaysHowManyRunsAreMissing) {
  const Comparison three = decode(1.05, 3).judged().comparisons.at(0);
  ASSERT_EQ(three.outcome, Outcome::suspected);
  EXPECT_EQ(three.unsettled, Unsettled::few_runs);
  EXPECT_EQ(three.runs_to_settle, 5);
  EXPECT_EQ(decode(1.05, 8).judged().comparisons.at(0).unsettled, Unsettled::no);
  Report elsewhere = decode(1.05);
  for (std::size_t i = 2; i < 10; ++i) elsewhere.baseline[0].points[i].instance = "GPU-2";
  const Comparison two = elsewhere.judged().comparisons.at(0);
  EXPECT_EQ(two.unsettled, Unsettled::other_gpu);
  EXPECT_EQ(two.runs_to_settle, 6) << "of this GPU";
}

TEST(Judge, AnEmptyStoreSaysHowManyRunsAFailTakes) {
  Report report = decode(1.0);
  report.choice = {};
  report.add(gate_of("kernel_launches"),
             metric_of("kernel_launches", {385}, MetricKind::counted, "1"),
             series_of("kernel_launches", {}, MetricKind::counted, "1"));
  const GateOutput output = report.judged();
  EXPECT_EQ(output.comparisons.at(0).runs_to_settle, kRunsToFail);
  EXPECT_EQ(output.comparisons.at(1).runs_to_settle, 1) << "a count needs one run";
}

TEST(Judge, RunsOfNoAncestorAreNotSaidToBeNone) {
  Report report = decode(1.0);
  report.choice = {};
  report.choice.no_ancestor = true;
  const Comparison row = report.judged().comparisons.at(0);
  EXPECT_EQ(row.outcome, Outcome::no_baseline);
  EXPECT_EQ(row.unsettled, Unsettled::no_ancestor);
  EXPECT_THAT(row.reason, HasSubstr("none of an ancestor of this commit; merge"));
}

TEST(Judge, AChangedWorkloadFileIsToldOnceAndInWords) {
  Report report = decode(1.0);
  report.choice.exists = false;
  report.choice.comparability.environment = {{"workload", "41f2e9", "9ac011"},
                                             {"workload_digest", "41f2e924", "9ac01144"}};
  const GateOutput output = report.judged();
  for (const Reason& reason : output.verdict.reasons) {
    EXPECT_THAT(reason.text, HasSubstr("workload file"));
    EXPECT_EQ(reason.text.find("41f2e9"), std::string::npos) << reason.text;
  }
}

TEST(Judge, ANoisyControlRefusesNothing) {
  Report report = decode(1.0);
  report.controls = {{"read_stream", "bytes/s", {4.4e12, 4.7e12, 4.5e12, 4.6e12, 4.3e12, 4.8e12}}};
  EXPECT_EQ(report.judged().verdict.outcome, Outcome::pass);
}

TEST(Judge, AGateThatCannotPassIsAConfigurationError) {
  Report report;
  report.add(gate_of(kStep, 0.001, 0.003), metric_of(kStep, {4.27}),
             series_of(kStep, quiet_runs(4.27, 0.01)));
  const GateOutput output = report.judged();
  ASSERT_EQ(output.configuration_errors.size(), 1U);
  EXPECT_THAT(output.verdict.reasons, has_code("gate_can_never_pass"));
  EXPECT_NE(output.verdict.outcome, Outcome::pass);
}

TEST(Judge, NoGateIsInvalid) { EXPECT_EQ(Report{}.judged().verdict.outcome, Outcome::invalid); }

TEST(WorstOutcome, FollowsTheExitCodes) {
  int last = 5;
  const auto severity = [](Outcome outcome) {
    const int code = exit_code(outcome);
    return code == kExitFail ? 4 : code == kExitInvalid ? 3 : code == kExitNotJudged ? 2 : 1;
  };
  for (const Outcome outcome : kWorstFirst) {
    EXPECT_LE(severity(outcome), last);
    last = severity(outcome);
  }
  EXPECT_EQ(worst_outcome({}), Outcome::invalid);
}

TEST(Fingerprints, AMissingFieldIsUnknownNotEqual) {
  Fingerprint base;
  base.environment = {{"gpu", "H200"}, {"ecc", "on"}};
  base.instance = {{"gpu_uuid", "GPU-1"}};
  Fingerprint head = base;
  EXPECT_TRUE(compare_fingerprints(base, head).environment.empty());
  EXPECT_TRUE(compare_fingerprints(base, head).same_instance);
  head.environment.erase("ecc");
  head.subject["cuda"] = "13.1";
  const Comparability found = compare_fingerprints(base, head);
  ASSERT_EQ(found.environment.size(), 1U);
  EXPECT_EQ(found.environment[0].head, "unknown");
  EXPECT_EQ(describe(found.subject), "cuda unknown -> 13.1");
  EXPECT_FALSE(compare_fingerprints({}, {}).same_instance) << "unknown is not the same";
}

}  // namespace
}  // namespace perfgate::gates
