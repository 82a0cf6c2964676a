// An edited result is not believed.
#include "gates/contradiction.h"

#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::HasSubstr;

/// A run as `judge` left it: two gates, both kept.
RunResult judged_run(double slower = 1.0) {
  Report report;
  report.add(gate_of("step_time_p50"), metric_of("step_time_p50", {4.27 * slower}),
             series_of("step_time_p50", quiet_runs()));
  report.add(gate_of("kernel_launches"),
             metric_of("kernel_launches", {385}, MetricKind::counted, "1"),
             series_of("kernel_launches", {385}, MetricKind::counted, "1"));
  const GateOutput output = report.judged();
  RunResult result;
  result.metrics = report.metrics;
  result.comparisons = output.comparisons;
  result.verdict = output.verdict;
  result.analysis.capture = report.capture;
  for (const ProcessRole role : {ProcessRole::timing, ProcessRole::control, ProcessRole::trace}) {
    ProcessRecord process;
    process.index = static_cast<int>(result.measurement.processes.size());
    process.role = role;
    result.measurement.processes.push_back(process);
  }
  return result;
}

TEST(Contradiction, AJudgedRunHasNone) {
  EXPECT_EQ(judged_run().verdict.outcome, Outcome::pass);
  EXPECT_EQ(contradiction(judged_run()), "");
  EXPECT_EQ(judged_run(1.1).verdict.outcome, Outcome::fail);
  EXPECT_EQ(contradiction(judged_run(1.1)), "");
}

TEST(Contradiction, AVerdictIsTheWorstOfItsComparisons) {
  RunResult edited = judged_run(1.1);
  edited.verdict.outcome = Outcome::pass;
  EXPECT_EQ(contradiction(edited), "it says pass, and the worst of what was compared is fail");
  edited.comparisons.clear();
  EXPECT_EQ(contradiction(edited), "it says pass, and nothing was compared");
  RunResult undecided = judged_run();
  undecided.comparisons[0].outcome = Outcome::suspected;
  EXPECT_THAT(contradiction(undecided), HasSubstr("suspected"));
}

TEST(Contradiction, AProcessThatFailedLeavesNoVerdict) {
  RunResult edited = judged_run();
  edited.measurement.processes[1].state = ProcessState::crashed;
  EXPECT_EQ(contradiction(edited), "") << "a control says nothing about the workload";
  edited.measurement.processes[0].state = ProcessState::crashed;
  EXPECT_EQ(contradiction(edited), "process 0 is crashed, and the verdict is not invalid");
  edited.measurement.processes[0].repeated = true;
  EXPECT_EQ(contradiction(edited), "") << "another one took its place";
}

TEST(Contradiction, WithoutAValidCaptureNothingOutOfOneIsJudged) {
  RunResult edited = judged_run();
  edited.analysis.capture.validity = Validity::partial;
  EXPECT_THAT(contradiction(edited), HasSubstr("it says pass"));
  edited.measurement.processes.pop_back();
  EXPECT_EQ(contradiction(edited), "kernel_launches is judged, and the capture is partial");
  edited.comparisons.pop_back();
  edited.verdict.reasons.clear();
  EXPECT_EQ(contradiction(edited), "") << "times alone need none";
}

TEST(Contradiction, WhatIsJudgedIsTheRunsOwnValue) {
  RunResult edited = judged_run();
  edited.metrics[0].value *= 1.1;
  EXPECT_THAT(contradiction(edited), HasSubstr("another value"));
  edited.metrics.clear();
  EXPECT_THAT(contradiction(edited), HasSubstr("no value of it"));
}

/// The failing row of a run that is a tenth slower, edited; the verdict and its reasons with it.
std::string edited_failure(const std::function<void(Comparison&)>& edit) {
  RunResult edited = judged_run(1.1);
  Comparison& row = edited.comparisons[0];
  edit(row);
  edited.verdict.outcome = row.outcome;
  edited.verdict.reasons.clear();
  edited.verdict.policies = {"--on-inconclusive pass", "--record: x"};
  return contradiction(edited);
}

TEST(Contradiction, AnOutcomeFollowsFromTheFiguresBesideIt) {
  for (const Outcome outcome : {Outcome::pass, Outcome::inconclusive, Outcome::suspected,
                                Outcome::no_baseline, Outcome::not_comparable}) {
    const std::string word(to_string(outcome));
    EXPECT_THAT(edited_failure([&](Comparison& row) { row.outcome = outcome; }),
                HasSubstr("says " + word + ", and what its rules found is fail"));
    // An earlier perfgate did not keep what the rules found.
    const std::string older = edited_failure([&](Comparison& row) {
      row.outcome = outcome;
      row.findings.clear();
    });
    EXPECT_THAT(older, HasSubstr("step_time_p50 says " + word));
  }
}

TEST(Contradiction, WhatIsNotSettledDoesNotPass) {
  const auto open = [](Comparison& row) {
    row.findings.clear();
    row.p_value = 0.4;
    row.outcome = Outcome::pass;
  };
  EXPECT_THAT(edited_failure([&](Comparison& row) {
                open(row);
                row.unsettled = Unsettled::wide_interval;
              }),
              HasSubstr("it is not settled: wide_interval"));
  EXPECT_THAT(edited_failure([&](Comparison& row) {
                open(row);
                row.passing_tolerance_ratio = 0.1;
              }),
              HasSubstr("its interval reaches over its tolerance"));
}

TEST(Contradiction, AReasonSaysWhatItsRowSays) {
  RunResult edited = judged_run();
  edited.verdict.reasons.push_back(
      {.code = "breach", .text = "it failed", .metric = "step_time_p50"});
  EXPECT_EQ(contradiction(edited),
            "step_time_p50 says pass, and the reason of the verdict says fail");
  edited.verdict.reasons.back().metric = "gpu_idle_ms";
  EXPECT_EQ(contradiction(edited), "gpu_idle_ms has a reason, and is not compared");
  edited.verdict.reasons.back() = {.code = "measurement_invalid", .text = "a process crashed"};
  EXPECT_THAT(contradiction(edited), HasSubstr("its reason is measurement_invalid"));
}

TEST(Contradiction, EveryGateIsJudgedAsItIsWritten) {
  const std::vector<GateSpec> gates{gate_of("step_time_p50"), gate_of("kernel_launches")};
  EXPECT_EQ(contradiction_of_gates(judged_run(), gates), "");
  EXPECT_EQ(contradiction_of_gates(judged_run(1.1), gates), "");
  RunResult fewer = judged_run();
  fewer.comparisons.pop_back();
  EXPECT_EQ(contradiction_of_gates(fewer, gates), "the gate on kernel_launches was not judged");

  GateSpec limited = gate_of("step_time_p50");
  limited.max = 4.0;
  EXPECT_THAT(contradiction_of_gates(judged_run(), std::vector{limited}),
              HasSubstr("it breaks the limit of its gate"));
  EXPECT_THAT(contradiction_of_gates(judged_run(), std::vector{gate_of("step_time_p50", 0.5, 0.6)}),
              HasSubstr("by other bounds than its gate has"));
  RunResult more = judged_run();
  more.comparisons[1].head += 1;
  EXPECT_THAT(contradiction_of_gates(more, gates), HasSubstr("its count got worse"));
}

/// Two arms, a rise shown again by fresh pairs; metrics over both stages.
RunResult session_run() {
  const GateOutput screened = session_of(1.03, 12).screened();
  const Session fresh = session_of(1.03, 16);
  const GateOutput output = fresh.confirms(screened);
  RunResult result;
  const auto both = [](double level, bool other) {
    std::vector<double> samples = wobbling(level, 0.01, 12, other);
    for (const double sample : wobbling(level, 0.01, 16, other)) samples.push_back(sample);
    return std::vector{metric_of("step_time_p50", samples)};
  };
  result.metrics = both(4.27 * 1.03, true);
  result.base_arm.emplace();
  result.base_arm->metrics = both(4.27, false);
  result.comparisons = output.comparisons;
  result.verdict = output.verdict;
  for (const Stage stage : {Stage::screen, Stage::confirm}) {
    for (const Arm arm : {Arm::base, Arm::head}) {
      ProcessRecord process;
      process.index = static_cast<int>(result.measurement.processes.size());
      process.arm = arm;
      process.stage = stage;
      result.measurement.processes.push_back(process);
    }
  }
  return result;
}

TEST(Contradiction, ASessionIsHeldAgainstBothItsArms) {
  ASSERT_EQ(session_run().verdict.outcome, Outcome::fail);
  EXPECT_EQ(contradiction(session_run()), "");
  RunResult edited = session_run();
  edited.verdict.outcome = Outcome::pass;
  EXPECT_THAT(contradiction(edited), HasSubstr("it says pass"));
  edited = session_run();
  edited.comparisons[0].head *= 1.1;
  EXPECT_THAT(contradiction(edited), HasSubstr("no process of the head explains"));
  edited = session_run();
  edited.comparisons[0].base *= 1.1;
  EXPECT_THAT(contradiction(edited), HasSubstr("no process of the base explains"));
  edited = session_run();
  edited.base_arm.reset();
  EXPECT_THAT(contradiction(edited), HasSubstr("the run has none"));
  edited = session_run();
  edited.measurement.processes.resize(2);
  EXPECT_EQ(contradiction(edited), "step_time_p50 is confirmed, and no fresh pairs ran");
}

TEST(Contradiction, AnInvalidRunNeedsNoComparisonToSaySo) {
  RunResult crashed;
  crashed.verdict.outcome = Outcome::invalid;
  crashed.measurement.processes.resize(1);
  crashed.measurement.processes[0].state = ProcessState::crashed;
  EXPECT_EQ(contradiction(crashed), "");
  RunResult hidden = judged_run(1.1);
  hidden.verdict.outcome = Outcome::invalid;
  EXPECT_NE(contradiction(hidden), "") << "a failure is not hidden behind it";
}

/// With a ledger out of the store: 0.427 ms more, all of it in the products.
RunResult explained_run() {
  RunResult result = judged_run(1.1);
  const Comparison& step = result.comparisons[0];
  Observation& gemm = result.observed.emplace_back();
  gemm.metric = "family_ms/gemm";
  gemm.unit = "ms";
  gemm.base = 3.0;
  gemm.head = 3.0 + step.head - step.base;
  gemm.n_base = 10;
  Ledger& ledger = result.ledger.emplace();
  ledger.step = {.base = step.base, .head = step.head, .half_width = 0.01};
  ledger.base.traced = 10;
  ledger.rows = {
      {.part = LedgerPart::family, .name = "gemm", .ms = {.base = gemm.base, .head = gemm.head}},
      {.part = LedgerPart::unattributed, .name = "unattributed"}};
  ledger.established = true;
  Diagnosis& cause = result.diagnosis.emplace_back();
  cause.rule = "kernel_changed";
  cause.explains_ms = 0.4;
  return result;
}

std::string edited_explanation(const std::function<void(RunResult&)>& edit) {
  RunResult edited = explained_run();
  edit(edited);
  return contradiction(edited);
}

TEST(Contradiction, ALedgerSaysWhatWasCompared) {
  EXPECT_EQ(contradiction(explained_run()), "");
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.ledger->step.base -= 1.0; }),
            "its ledger says another change of step_time_p50 than was compared");
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.ledger->rows[0].ms.head += 1.0; }),
            "its ledger says another change of family_ms/gemm than was compared");
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.observed.clear(); }),
            "its ledger has family_ms/gemm, which was not compared");
}

TEST(Contradiction, ALedgerSumsToItsStep) {
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.ledger->rows[1].ms.head = 0.1; }),
            "the rows of its ledger do not sum to the change of the step");
  const std::string doubtful = edited_explanation([](RunResult& run) {
    run.observed[0].head -= 0.3;
    run.ledger->rows[0].ms.head -= 0.3;
    run.ledger->rows[1].ms.head += 0.3;
  });
  EXPECT_THAT(doubtful, HasSubstr("says that it is established"));
}

TEST(Contradiction, CausesExplainNoMoreThanTheChange) {
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.diagnosis[0].explains_ms = 4.0; }),
            "its causes explain more than the step changed");
  EXPECT_THAT(edited_explanation([](RunResult& run) { run.diagnosis[0].explains_ms = -1.0; }),
              HasSubstr("explains less than nothing"));
  EXPECT_EQ(edited_explanation([](RunResult& run) { run.ledger.reset(); }),
            "it names a cause, and has no ledger");
}

TEST(Contradiction, ALedgerInSessionIsOfTheArmsSteps) {
  const auto in_session = [](RunResult& run) {
    run.ledger->base.processes = 5;
    run.observed.clear();
  };
  EXPECT_EQ(edited_explanation(in_session), "its ledger is against a base, and the run has none");
}

}  // namespace
}  // namespace perfgate::gates
