// perfgate trend: the nightly report of a store, its exit code, and what it says of what it cannot
// tell.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "baselines/drills.h"
#include "baselines/record.h"
#include "baselines/store.h"
#include "baselines/stored_run.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Deterministic noise of run i, between -1 and 1.
double noise(int i) { return std::sin(12.9898 * i) * std::cos(78.233 * i); }

class Trend : public Program {
 protected:
  void SetUp() override {
    auto opened = baselines::Store::open(folder / "s.db", baselines::OpenMode::record);
    ASSERT_TRUE(opened.ok());
    store = std::make_unique<baselines::Store>(std::move(opened).value());
  }
  /// Run i of a workload; the step time is 4.49 ms times `factor`, with a noise of 0.01 %.
  baselines::StoredRun stored(const std::string& workload, int i, double factor) const {
    baselines::StoredRun run;
    run.identity.tool_version = "0.1.0";
    run.identity.branch = "main";
    run.identity.commit =
        std::string(1, static_cast<char>('a' + i % 6)) + std::to_string(100000 + i);
    run.identity.run_id = workload + std::to_string(i);
    run.identity.started_utc =
        "2026-0" + std::to_string(1 + i / 28) + "-" + std::to_string(10 + i % 28) + "T02:00:00Z";
    run.workload_name = workload;
    run.workload_digest = "digest-of-" + workload;
    run.fingerprint.environment = {{"gpu", "NVIDIA H200"}, {"driver", driver}};
    run.fingerprint.instance = {{"gpu_uuid", "GPU-1"}};
    const double ms = 4.49 * factor * (1.0 + 1e-4 * noise(i));
    run.metrics = {{.id = "step_time_p50", .value = ms, .unit = "ms", .samples = {ms, ms, ms}}};
    run.outcome = "pass";
    return run;
  }
  void add(const baselines::StoredRun& run) {
    const auto recorded = baselines::record(*store, run);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  }
  void add_runs(const std::string& workload, int from, int to, double slope = 0.0) {
    for (int i = from; i < to; ++i) add(stored(workload, i, 1.0 + slope * (i - from)));
  }
  void pin(const std::string& workload, int i, double factor = 1.0) {
    const baselines::StoredRun run = stored(workload, i, factor);
    ASSERT_TRUE(baselines::pin(
                    *store, {.key = {run.workload_digest,
                                     baselines::environment_key(run.fingerprint), "step_time_p50"},
                             .level = run.metrics[0].value,
                             .reason = "first level",
                             .utc = "2026-01-30T00:00:00Z",
                             .run = baselines::run_digest(run)})
                    .ok());
  }
  Said trend(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"trend", "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  std::unique_ptr<baselines::Store> store;
  std::string driver = "580.65";
};

TEST_F(Trend, CreepIsAnAlertWithTheCommitsAndTheNextStep) {
  add_runs("decode", 0, 10);
  add_runs("decode", 10, 50, 0.0001);
  pin("decode", 9);
  add_runs("prefill", 0, 20);
  pin("prefill", 0);
  const Said said = trend();
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(said.out, StartsWith("ALERT    1 alert; 2 metrics of 2 workloads on branch main\n"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("decode: step_time_p50"), HasSubstr("of run 10 ("),
                              HasSubstr("git log --oneline "),
                              HasSubstr("perfgate baseline pin 50 --metric step_time_p50"),
                              HasSubstr("--store s.db"), HasSubstr("prefill on NVIDIA H200")));
  EXPECT_THAT(said.out, HasSubstr("in the order of dates"));
}

TEST_F(Trend, ByPolicyAnAlertWarnsOnly) {
  add_runs("decode", 0, 10);
  add_runs("decode", 10, 50, 0.0002);
  pin("decode", 9);
  const Said said = trend({"--on-alert", "pass"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("ALERT"), HasSubstr("(--on-alert pass)")));
}

TEST_F(Trend, UnchangedRunsAreQuiet) {
  add_runs("decode", 0, 40);
  pin("decode", 5);
  const Said said = trend();
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out,
              AllOf(StartsWith("QUIET    no alert; 1 metric of 1 workload on branch main"),
                    HasSubstr("40 runs since 2026-01-10")));
}

TEST_F(Trend, WithoutAPinNothingIsGuessed) {
  add_runs("decode", 0, 40);
  const Said said = trend();
  EXPECT_EQ(said.code, 3) << said.out;
  EXPECT_THAT(said.out, AllOf(StartsWith("NOT JUDGED"), HasSubstr("nothing was accepted"),
                              HasSubstr("gates are not known without the workload file")));
  EXPECT_EQ(trend({"--on-not-judged", "pass"}).code, 0);
  EXPECT_EQ(trend({"--on-not-judged", "fail"}).code, 1);
}

TEST_F(Trend, OneRunIsTooLittle) {
  add_runs("decode", 0, 1);
  pin("decode", 0);
  const Said said = trend();
  EXPECT_EQ(said.code, 3) << said.out;
  EXPECT_THAT(said.out, HasSubstr("too few runs of the accepted level; 7 more runs would"));
}

TEST_F(Trend, AnEmptyStoreAndAnUnknownWorkloadAreNotJudged) {
  EXPECT_EQ(trend().code, 3);
  add_runs("decode", 0, 3);
  const Said said = trend({"--workload", "decoed"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, HasSubstr("no run is recorded on branch main; there are decode"));
  EXPECT_THAT(trend({"--branch", "release"}).out, StartsWith("NOT JUDGED"));
}

TEST_F(Trend, AStoreThatIsNotThereIsAMistake) {
  const Said said = run({"trend", "--store", "elsewhere.db"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("elsewhere.db"));
  EXPECT_FALSE(exists("elsewhere.db"));
}

TEST_F(Trend, RunsBeforeAnotherDriverAreToldAndNotCompared) {
  add_runs("decode", 0, 20);
  driver = "590.10";
  add_runs("decode", 28, 40, 0.001);
  const Said said = trend();
  EXPECT_THAT(said.out, AllOf(HasSubstr("12 runs since"), HasSubstr("driver 580.65 -> 590.10"),
                              HasSubstr("another environment before: 20 runs until")));
}

TEST_F(Trend, TwoEnvironmentsThatBothGoOnAreTwoSections) {
  for (int i = 0; i < 20; ++i) {
    driver = i % 2 == 0 ? "580.65" : "590.10";
    add(stored("decode", i, 1.0));
  }
  const std::string out = trend().out;
  EXPECT_THAT(out, AllOf(HasSubstr("on NVIDIA H200, driver 580.65: 10 runs"),
                         HasSubstr("on NVIDIA H200, driver 590.10: 10 runs")));
}

TEST_F(Trend, RunsThatFailedWhenRecordedAreNamedAndTheNewestIsAnAlert) {
  add_runs("decode", 0, 20);
  pin("decode", 3);
  baselines::StoredRun failed = stored("decode", 20, 1.0);
  failed.outcome = "fail";
  add(failed);
  EXPECT_THAT(trend().out, HasSubstr("the newest, run 21 (c100020, 2026-01-30), FAILED"));
  EXPECT_EQ(trend().code, 1);
  add_runs("decode", 21, 22);
  EXPECT_EQ(trend().code, 0);
  EXPECT_THAT(trend().out, HasSubstr("1 run when recorded: run 21"));
}

TEST_F(Trend, TheDrillsOfThisWorkloadStandWithTheirIntervals) {
  add_runs("decode", 0, 20);
  pin("decode", 3);
  const baselines::StoredRun run = stored("decode", 0, 1.0);
  for (int i = 0; i < 10; ++i) {
    for (const int place : {0, 1}) {
      baselines::DrillTrial trial{.workload_name = "decode",
                                  .workload_digest = run.workload_digest,
                                  .environment_key = baselines::environment_key(run.fingerprint),
                                  .instance = "GPU-1",
                                  .drill_utc = "2026-01-20T00:00:00Z",
                                  .run = i,
                                  .place = place,
                                  .step_ms = 4.49,
                                  .outcome = Outcome::pass};
      if (place == 1) {
        trial.planted = baselines::Planted::spin;
        trial.size_ratio = 0.01;
        trial.size_us = 44.9;
        trial.outcome = i == 0 ? Outcome::inconclusive : Outcome::fail;
      }
      ASSERT_TRUE(baselines::record_drill(*store, trial).ok());
    }
  }
  const std::string out = trend().out;
  EXPECT_THAT(out, AllOf(HasSubstr("drills"), HasSubstr("0.0 to 27.8 %  false FAIL"),
                         HasSubstr("90.0 %  59.6 to 98.2 %  power")));
}

TEST_F(Trend, MarkdownAndJsonSayTheSame) {
  add_runs("decode", 0, 10);
  add_runs("decode", 10, 50, 0.0002);
  pin("decode", 9);
  const Said markdown = trend({"--format", "md"});
  EXPECT_EQ(markdown.code, 1);
  EXPECT_THAT(markdown.out, AllOf(StartsWith("## perfgate trend: ALERT\n"),
                                  HasSubstr("| `step_time_p50` |"), HasSubstr("- **decode**: ")));
  const Said json = trend({"--format", "json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"schema\": \"perfgate.trend/1\""),
                              HasSubstr("\"exit_code\": 1"), Not(HasSubstr("null,null"))));
}

TEST_F(Trend, TheNewestRunsAloneAreLookedAt) {
  add_runs("decode", 0, 40);
  EXPECT_THAT(trend({"--last", "12"}).out, HasSubstr("12 runs since"));
  EXPECT_EQ(trend({"--last", "0"}).code, 2);
}

// The dates are the wrong way round: a run of an older commit was recorded again later.
TEST_F(Trend, RunsStandInTheOrderOfTheirCommitsWhereThatIsKnown) {
  if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git here";
  const std::string git = "git -C " + folder.path() + " -c user.name=x -c user.email=x@y ";
  ASSERT_EQ(std::system((git + "init -q -b main").c_str()), 0);
  std::vector<std::string> commits;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(std::system((git + "commit -q --allow-empty -m work").c_str()), 0);
    ASSERT_EQ(std::system((git + "rev-parse HEAD >" + folder.path() + "/head").c_str()), 0);
    commits.push_back(read("head").substr(0, 40));
  }
  for (int i = 0; i < 4; ++i) {
    baselines::StoredRun run = stored("decode", i, 1.0);
    run.identity.commit = i < 3 ? commits[static_cast<std::size_t>(2 - i)] : "elsewhere";
    add(run);
  }
  const std::string out = trend().out;
  EXPECT_THAT(out, AllOf(HasSubstr("in the order of the first-parent line"),
                         HasSubstr("3 runs since"), HasSubstr("the newest run 1"),
                         HasSubstr("1 run of commits that this checkout did not grow from")));
}

TEST_F(Trend, AMetricThatTheNewestRunLacksIsTold) {
  add_runs("decode", 0, 20);
  pin("decode", 3);
  baselines::StoredRun other = stored("decode", 20, 1.0);
  other.metrics[0].id = "step_time_mean";
  add(other);
  EXPECT_THAT(trend().out, HasSubstr("the newest run does not have step_time_p50;"));
}

TEST_F(Trend, AWorkloadFileBringsItsGates) {
  write_workload("cpu", "ok", "",
                 "gates:\n  - {metric: step_time_p50}\n  - {metric: step_time_p05}\n");
  const Said recorded =
      run({"run", "cpu.yaml", "--gpu", "none", "--record", "--store", "s.db", "--out", "out"});
  ASSERT_EQ(recorded.code, 0) << recorded.err;
  add_runs("decode", 0, 5);
  const Said said = trend({"cpu.yaml"});
  EXPECT_EQ(said.code, 3) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("step_time_p05"), Not(HasSubstr("gates are not known")),
                              Not(HasSubstr("decode"))));
}

}  // namespace
}  // namespace perfgate::testing
