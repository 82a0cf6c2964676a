// Whether more processes are worth their time, and whether what is advised settles the gate.
#include "gates/looks.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/judge.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::HasSubstr;

const std::string kStep = "step_time_p50";

Report undecided(double process_sd, double run_sd) {
  Report report;
  report.spec.timing.processes = {5, 8, 12};
  const double value = 4.27 * 1.004;
  BaselineSeries series = series_of(kStep, quiet_runs(4.27, run_sd));
  for (BaselinePoint& point : series.points) {
    point.samples.clear();
    for (int i = -2; i <= 2; ++i) point.samples.push_back(point.value * std::exp(i * process_sd));
  }
  std::vector<double> head;
  for (int i = -2; i <= 2; ++i) head.push_back(value * std::exp(i * process_sd));
  report.add(gate_of(kStep, 0.003, 0.005), metric_of(kStep, head), series);
  return report;
}

TEST(Judge, WhatWouldSettleAnUndecidedGateDoesSettleIt) {
  Report report = undecided(0.0005, 0.0004);
  const Comparison row = report.judged().comparisons.at(0);
  ASSERT_EQ(row.outcome, Outcome::inconclusive);
  EXPECT_EQ(row.unsettled, Unsettled::wide_interval);
  ASSERT_GT(row.processes_to_settle, 0);
  Report lenient = report;
  lenient.spec.gates[0].tolerance_ratio = row.passing_tolerance_ratio * 1.0001;
  EXPECT_EQ(lenient.judged().verdict.outcome, Outcome::pass);
  lenient.spec.gates[0].tolerance_ratio = row.passing_tolerance_ratio * 0.9999;
  EXPECT_EQ(lenient.judged().verdict.outcome, Outcome::inconclusive);
  Report young = undecided(0.0, 0.0004);
  young.baseline[0].points.resize(3);
  const Comparison few = young.judged().comparisons.at(0);
  ASSERT_EQ(few.outcome, Outcome::inconclusive) << few.reason;
  EXPECT_EQ(few.processes_to_settle, 0);
  EXPECT_GT(few.runs_to_settle, 0) << few.reason;
}

TEST(NextLook, AddsProcessesOnlyWhileTheyHelp) {
  const GateOutput helped = undecided(0.0005, 0.0004).judged();
  ASSERT_EQ(helped.verdict.outcome, Outcome::inconclusive);
  const std::vector<int> looks{5, 8, 12};
  EXPECT_EQ(next_look(helped, looks, 5, false).processes, 8);
  EXPECT_EQ(next_look(helped, looks, 8, false).processes, 12);
  EXPECT_EQ(next_look(helped, looks, 12, false).processes, 0);
  EXPECT_EQ(next_look(helped, looks, 5, true).processes, 0) << "no traced gate is undecided";
  const GateOutput hopeless = undecided(0.00001, 0.002).judged();
  ASSERT_EQ(hopeless.verdict.outcome, Outcome::inconclusive);
  const LookAdvice advice = next_look(hopeless, looks, 5, false);
  EXPECT_EQ(advice.processes, 0);
  EXPECT_THAT(advice.why, HasSubstr("would not narrow"));
  Report steady;
  steady.add(gate_of(kStep), metric_of(kStep, std::vector<double>(5, 4.27)),
             series_of(kStep, quiet_runs(4.27, 0.0005, 10)));
  const LookAdvice decided = next_look(steady.judged(), looks, 5, false);
  EXPECT_EQ(decided.processes, 0);
  EXPECT_EQ(decided.why, "");
}

TEST(NextLook, GoesOnWhereALaterLookOfTheFileSettlesTheGate) {
  GateOutput output;
  Comparison row;
  row.metric = kStep;
  row.outcome = Outcome::inconclusive;
  row.processes_to_settle = 55;
  output.comparisons = {row};
  output.sensitivities = {{.metric = kStep, .process_part = 0.3}};
  const std::vector<int> looks{5, 20, 60};
  EXPECT_EQ(next_look(output, looks, 5, false).processes, 20);
  const std::vector<int> short_looks{5, 20, 59};
  const LookAdvice advice = next_look(output, short_looks, 5, false);
  EXPECT_EQ(advice.processes, 0);
  EXPECT_THAT(advice.why, HasSubstr("would take 60; the workload file ends with 59"));
  output.comparisons[0].outcome = Outcome::suspected;
  output.comparisons[0].unsettled = Unsettled::weak_evidence;
  EXPECT_EQ(next_look(output, looks, 5, false).processes, 20) << "more evidence is to be had";
  output.comparisons[0].unsettled = Unsettled::few_runs;
  EXPECT_EQ(next_look(output, looks, 5, false).processes, 0) << "only runs would help";
}

TEST(NextLook, ALoneRunGetsMoreProcessesWhereTheyAreWhatMakesItUncertain) {
  GateOutput output;
  Comparison row;
  row.metric = kStep;
  row.outcome = Outcome::suspected;
  row.unsettled = Unsettled::lone_run;
  output.comparisons = {row};
  output.sensitivities = {{.metric = kStep, .process_part = 0.8}};
  const std::vector<int> looks{5, 8, 12};
  EXPECT_EQ(next_look(output, looks, 5, false).processes, 8);
  output.sensitivities[0].process_part = 0.2;
  EXPECT_EQ(next_look(output, looks, 5, false).processes, 0) << "it is one run whatever it has";
}

}  // namespace
}  // namespace perfgate::gates
