// Two programs in one session: which one runs when, what is confirmed, and what the budget cuts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "tests/unit/measure/played_children.h"

namespace perfgate::measure {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Pairs : public PlayedChildren {
 protected:
  Pairs() { std::get<CommandRun>(base_spec.run).argv = {"python3", "old.py"}; }
  [[nodiscard]] SessionPlan plan(Screen screen = Screen::pairs) const {
    return {.head = {spec, options}, .base = Subject{base_spec, options}, .screen = screen};
  }
  Measurement run_pairs(const NeedMore& need_more = {}) {
    return run_session(plan(), {.need_more = need_more, .confirm = {}});
  }
  Measurement confirm_with(const ConfirmPlan& wanted, Screen screen = Screen::pairs) {
    return run_session(plan(screen), {.need_more = {}, .confirm = [&](const Measurement& screened) {
                                        ++asked;
                                        seen = screened.processes.size();
                                        return wanted;
                                      }});
  }
  /// "base timing", in start order.
  static std::vector<std::string> arms_of(const std::vector<ProcessRecord>& processes) {
    std::vector<std::string> list;
    for (const ProcessRecord& record : processes)
      list.push_back(std::string(to_string(record.arm)) + " " +
                     std::string(to_string(record.role)));
    return list;
  }
  static std::vector<ProcessRecord> of_stage(const Measurement& measurement, Stage stage) {
    std::vector<ProcessRecord> list;
    for (const ProcessRecord& record : measurement.processes)
      if (record.stage == stage) list.push_back(record);
    return list;
  }

  WorkloadSpec base_spec = spec;
  int asked = 0;
  std::size_t seen = 0;  ///< processes, by whom was asked what to confirm
};

TEST_F(Pairs, TheBaseIsFirstInEveryOtherOne) {
  options.controls = false;
  spec.timing.processes = {3};
  spec.trace.processes = {2};
  const Measurement measurement = run_pairs();
  EXPECT_THAT(arms_of(measurement.processes),
              ElementsAre("base timing", "head timing", "head timing", "base timing", "base timing",
                          "head timing", "base trace", "head trace", "head trace", "base trace"));
  for (std::size_t i = 0; i < runner.requests.size(); ++i) {
    const bool base = measurement.processes[i].arm == Arm::base;
    EXPECT_EQ(runner.requests[i].argv[1], base ? "old.py" : "serve.py") << i;
    EXPECT_EQ(progress.arms[i], measurement.processes[i].arm) << i;
  }
  EXPECT_THAT(progress.phases, ElementsAre("timing 6", "trace 4"));
}

TEST_F(Pairs, AControlStandsBeforeTheFirstAndAfterEachOfEitherArm) {
  const Measurement measurement = run_pairs();
  EXPECT_THAT(
      arms_of(measurement.processes),
      ElementsAre("head control", "base timing", "base control", "head timing", "head control",
                  "head timing", "head control", "base timing", "base control"));
  EXPECT_EQ(measurement.controls.at(0).readings.size(), 5U);
  const auto base = of_arm(measurement.processes, Arm::base, Stage::screen);
  EXPECT_EQ(control_readings(base).at(0).readings.size(), 2U);
  EXPECT_EQ(timing_samples(base_spec, base).processes.size(), 2U);
}

TEST_F(Pairs, LooksCountThem) {
  options.controls = false;
  spec.timing.processes = {1, 2, 4};
  spec.trace.processes = {1, 2};
  std::vector<std::size_t> asked_at;
  const Measurement measurement = run_pairs([&](const Measurement& so_far, ProcessRole) {
    asked_at.push_back(so_far.processes.size());
    return so_far.processes.size() < 4;
  });
  EXPECT_THAT(asked_at, ElementsAre(2, 4, 6));
  EXPECT_EQ(measurement.processes.size(), 6U);
  EXPECT_THAT(measurement.notes, ElementsAre("after 1 pair undecided: going on to 2"));
}

TEST_F(Pairs, TheBudgetLeavesNoneHalf) {
  options.controls = false;
  child_s = 10.0;
  spec.timing = {.processes = {1, 2, 4}, .budget_s = 70.0};
  const Measurement measurement = run_pairs([](const Measurement&, ProcessRole) { return true; });
  EXPECT_THAT(arms_of(measurement.processes),
              ElementsAre("base timing", "head timing", "head timing", "base timing"));
  EXPECT_THAT(measurement.notes,
              ElementsAre("after 1 pair undecided: going on to 2",
                          "stopped at 2 pairs: 4 would exceed timing.budget (70 s)"));
}

TEST_F(Pairs, AFurtherLookLeavesRoomForThePairsThatConfirm) {
  options.controls = false;
  child_s = 10.0;
  spec.timing = {.processes = {1, 2, 4}, .budget_s = 110.0};
  SessionPlan session = plan();
  session.confirm_timing_pairs = 3;
  const Measurement measurement =
      run_session(session, {.need_more = [](const Measurement&, ProcessRole) { return true; },
                            .confirm =
                                [](const Measurement&) {
                                  return ConfirmPlan{3, 0, ""};
                                }});
  EXPECT_THAT(measurement.notes,
              ElementsAre("after 1 pair undecided: going on to 2",
                          "stopped at 2 pairs: 4 and the pairs that a suspect needs would exceed "
                          "timing.budget (110 s)",
                          "confirming with 3 pairs of fresh processes"));
  EXPECT_EQ(measurement.processes.size(), 4U + 6U);
}

TEST_F(Pairs, LooksGoOnWhereThePairsThatConfirmHaveNoRoomAnyway) {
  options.controls = false;
  child_s = 10.0;
  spec.timing = {.processes = {1, 2}, .budget_s = 70.0};
  SessionPlan session = plan();
  session.confirm_timing_pairs = 3;
  const Measurement measurement = run_session(
      session, {.need_more = [](const Measurement&, ProcessRole) { return true; }, .confirm = {}});
  EXPECT_EQ(measurement.processes.size(), 4U);
}

TEST_F(Pairs, ABudgetWithoutRoomToConfirmIsSaidAtOnce) {
  options.controls = false;
  child_s = 10.0;
  spec.timing = {.processes = {1}, .budget_s = 70.0};
  SessionPlan session = plan();
  session.confirm_timing_pairs = 3;
  EXPECT_THAT(
      run_session(session, {}).notes,
      ElementsAre("the first look and the 3 pairs that a suspect needs will take about 80 s, "
                  "more than timing.budget (70 s): a suspect will stay SUSPECTED"));
}

TEST_F(Pairs, ADisturbedProcessIsRepeatedBeforeTheOtherArmRuns) {
  spec.timing.processes = {1};
  const DeviceSample cool = device.samples[0];
  DeviceSample hot = cool;
  hot.thermal_slowdown_us = 5'000'000;
  device.samples = {cool, cool, cool, hot};  // the control, then the base's first process
  const Measurement measurement = run_pairs();
  EXPECT_THAT(arms_of(measurement.processes),
              ElementsAre("head control", "base timing", "base timing", "base control",
                          "head timing", "head control"));
  EXPECT_TRUE(measurement.processes[1].repeated);
  EXPECT_FALSE(measurement.processes[2].repeated);
  EXPECT_EQ(timing_samples(spec, of_arm(measurement.processes, Arm::base)).processes.size(), 1U);
}

TEST_F(Pairs, AFailingBaseIsNamedAndEndsTheLaunching) {
  options.controls = false;
  end_of = [](const platform::ProcessRequest& request) {
    platform::ProcessOutcome outcome;
    outcome.exit_code = request.argv[1] == "old.py" ? 3 : 0;
    return outcome;
  };
  const Measurement measurement = confirm_with({.timing_pairs = 2, .trace_pairs = 0, .why = ""});
  ASSERT_EQ(measurement.processes.size(), 1U);
  EXPECT_EQ(measurement.processes[0].problem, "base: the program exited with code 3");
  EXPECT_EQ(read_processes(files, "/run").value()[0].problem, measurement.processes[0].problem);
  EXPECT_EQ(asked, 0) << "nothing is confirmed after a failure";
}

TEST_F(Pairs, ABaseThatIsNotThereIsNamedBeforeAnythingRuns) {
  std::get<CommandRun>(base_spec.run).argv = {"pyhton3", "old.py"};
  const auto measurement = measure(plan(), {runner, clock, files, device}, progress, {});
  ASSERT_FALSE(measurement.ok());
  EXPECT_EQ(measurement.error().code, ErrorCode::not_found);
  EXPECT_TRUE(measurement.error().message.starts_with("base: ")) << measurement.error().message;
  EXPECT_THAT(runner.requests, IsEmpty());
}

TEST_F(Pairs, WithoutABaseTheHeadRunsAloneAndNobodyIsNamed) {
  options.controls = false;
  const SessionPlan alone{.head = {spec, options}, .base = {}, .screen = Screen::pairs};
  const Measurement measurement =
      run_session(alone, {.need_more = {}, .confirm = [&](const Measurement&) {
                            ++asked;
                            return ConfirmPlan{.timing_pairs = 1, .trace_pairs = 1, .why = ""};
                          }});
  EXPECT_THAT(arms_of(measurement.processes), ElementsAre("head timing", "head timing"));
  EXPECT_THAT(progress.arms, Each(std::nullopt));
  EXPECT_EQ(asked, 0);
}

TEST_F(Pairs, ConfirmRunsAsManyAsWereAskedForAfresh) {
  spec.trace.processes = {1};
  const Measurement measurement =
      confirm_with({.timing_pairs = 2, .trace_pairs = 1, .why = "step_time_p50 is suspected"});
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(seen, 11U) << "the whole screen";
  EXPECT_EQ(of_stage(measurement, Stage::screen).size(), 11U);
  EXPECT_THAT(
      arms_of(of_stage(measurement, Stage::confirm)),
      ElementsAre("base timing", "base control", "head timing", "head control", "head timing",
                  "head control", "base timing", "base control", "base trace", "head trace"));
  EXPECT_THAT(progress.phases,
              ElementsAre("timing 4", "trace 2", "confirm timing 4", "confirm trace 2"));
  EXPECT_THAT(measurement.notes,
              ElementsAre("step_time_p50 is suspected; confirming with 2 pairs of fresh processes",
                          "step_time_p50 is suspected; confirming with 1 traced pair of fresh "
                          "processes"));
}

TEST_F(Pairs, AHeadThatWasScreenedAloneIsConfirmedInPairs) {
  options.controls = false;
  const Measurement measurement =
      confirm_with({.timing_pairs = 1, .trace_pairs = 0, .why = ""}, Screen::alone);
  EXPECT_THAT(arms_of(measurement.processes),
              ElementsAre("head timing", "head timing", "base timing", "head timing"));
  EXPECT_EQ(measurement.processes[1].stage, Stage::screen);
  EXPECT_EQ(measurement.processes[2].stage, Stage::confirm);
}

TEST_F(Pairs, NothingToConfirmRunsNothing) {
  const Measurement measurement = confirm_with({});
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(of_stage(measurement, Stage::confirm), IsEmpty());
  EXPECT_THAT(measurement.notes, IsEmpty());
}

TEST_F(Pairs, AConfirmThatDoesNotFitTheBudgetIsANoteAndNothingRuns) {
  options.controls = false;
  child_s = 10.0;
  spec.trace.processes = {1};
  spec.timing.budget_s = 100.0;  // the screen takes 60 s
  const Measurement measurement =
      confirm_with({.timing_pairs = 16, .trace_pairs = 2, .why = "step_time_p50 is suspected"});
  EXPECT_THAT(measurement.notes,
              ElementsAre("step_time_p50 is suspected; not confirmed: 16 pairs would take about "
                          "320 s, and 40 s of timing.budget (100 s) are left; a larger "
                          "timing.budget settles it",
                          "step_time_p50 is suspected; confirming with 2 traced pairs of fresh "
                          "processes"));
  EXPECT_THAT(arms_of(of_stage(measurement, Stage::confirm)),
              ElementsAre("base trace", "head trace", "head trace", "base trace"))
      << "each kind fits by itself";
}

TEST_F(Pairs, AConfirmThatFailsEndsTheLaunching) {
  options.controls = false;
  spec.trace.processes = {1};
  end_of = [this](const platform::ProcessRequest&) {
    platform::ProcessOutcome outcome;
    outcome.exit_code = runner.requests.size() == 8 ? 3 : 0;
    return outcome;
  };
  const Measurement measurement = confirm_with({.timing_pairs = 2, .trace_pairs = 1, .why = ""});
  EXPECT_EQ(measurement.processes.size(), 8U);
  EXPECT_EQ(measurement.processes.back().problem, "head: the program exited with code 3");
  EXPECT_EQ(measurement.processes.back().stage, Stage::confirm);
}

TEST_F(Pairs, WithoutTheProbeNoTraceIsConfirmed) {
  options.controls = false;
  spec.trace.processes = {1};
  options.probe_library.clear();
  const Measurement measurement = confirm_with({.timing_pairs = 0, .trace_pairs = 1, .why = ""});
  EXPECT_THAT(measurement.notes,
              ElementsAre("no traced processes: libperfgate_probe.so is not installed"));
  EXPECT_THAT(arms_of(measurement.processes), Not(Contains(HasSubstr("trace"))));
}

TEST_F(Pairs, ThePowerCapIsToldOfAllTimingProcesses) {
  options.controls = false;
  spec.timing.processes = {1};
  DeviceSample before = device.samples[0];
  before.power_cap_us = 100'000;
  DeviceSample after = before;
  after.power_cap_us = 323'000;
  device.samples = {before, before, before, before, before, after, after};
  const Measurement measurement = confirm_with({.timing_pairs = 1, .trace_pairs = 0, .why = ""});
  EXPECT_THAT(measurement.notes.back(),
              HasSubstr("in 1 of 4 timing processes, for 223 ms at most"));
}

TEST_F(Pairs, TheFolderKeepsArmAndStageBeyondAHundredProcesses) {
  spec.timing.processes = {16};
  const Measurement measurement = confirm_with({.timing_pairs = 16, .trace_pairs = 1, .why = ""});
  ASSERT_EQ(measurement.processes.size(), 131U);
  EXPECT_TRUE(files.exists("/run/processes/09-timing"));
  EXPECT_TRUE(files.exists("/run/processes/100-control"));
  const auto read = read_processes(files, "/run");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), measurement.processes.size());
  for (std::size_t i = 0; i < read.value().size(); ++i) {
    EXPECT_EQ(read.value()[i].index, static_cast<int>(i));
    EXPECT_EQ(read.value()[i].arm, measurement.processes[i].arm) << i;
    EXPECT_EQ(read.value()[i].stage, measurement.processes[i].stage) << i;
  }
  EXPECT_THAT(read.value().back().capture_files, ElementsAre("captures/130/1-2.pgcap"));
  EXPECT_TRUE(load_captures(files, "/run", read.value().back()).ok());
}

TEST_F(Pairs, ARecordOfOneProgramIsReadAsTheHeadsScreen) {
  options.controls = false;
  run_pairs();
  std::string& line = files.contents.at("/run/processes/00-timing/process.json");
  const std::string fields = R"("arm":"base","stage":"screen",)";
  const auto at = line.find(fields);
  ASSERT_NE(at, std::string::npos) << line;
  const std::string whole = line;
  line.erase(at, fields.size());
  const auto old = read_processes(files, "/run");
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old.value()[0].arm, Arm::head);
  EXPECT_EQ(old.value()[0].stage, Stage::screen);
  for (const char* half : {R"("arm":"base",)", R"("stage":"screen",)"}) {
    line = whole;
    line.erase(line.find(half), std::string(half).size());
    EXPECT_EQ(read_processes(files, "/run").error().code, ErrorCode::corrupt) << half;
  }
}

}  // namespace
}  // namespace perfgate::measure
