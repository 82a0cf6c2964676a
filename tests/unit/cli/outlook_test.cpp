// validate --against-store: whose runs serve, and what is told about them before anything runs.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/display_text.h"
#include "runner/cli/outlook/against_store.h"
#include "runner/cli/outlook/ahead_report.h"
#include "runner/cli/run/recording.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Fingerprint machine_of(const std::string& driver) {
  Fingerprint print;
  print.environment = {{"gpu", "NVIDIA H200"}, {"driver", driver}};
  print.instance = {{"gpu_uuid", "GPU-1"}};
  return print;
}

/// The text without its line breaks, so that a test can look for a sentence.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}

class AgainstStore : public ::testing::Test {
 protected:
  /// Runs of five processes, 0.08 % from process to process and 0.09 % from run to run.
  void record(int runs, const std::string& driver = "580.65", int first = 0) {
    for (int i = first; i < first + runs; ++i) {
      RunResult run;
      run.workload_name = spec.name;
      run.identity.branch = "main";
      run.identity.commit = "commit" + std::to_string(i);
      run.identity.started_utc = "2026-10-" + std::to_string(10 + i) + "T00:00:00Z";
      run.measurement.fingerprint = machine_of(driver);
      MetricValue step{.id = "step_time_p50", .value = 4.2, .unit = "ms", .samples = {}};
      step.value *= 1.0 + 0.001 * (i % 3 - 1);
      for (int k = -2; k <= 2; ++k) step.samples.push_back(step.value * (1.0 + 0.0005 * k));
      run.metrics.push_back(step);
      run.metrics.push_back({.id = "kernel_launches",
                             .kind = MetricKind::counted,
                             .value = 385,
                             .unit = "1",
                             .samples = {385, 385, 385}});
      run.verdict.outcome = Outcome::pass;
      const auto recorded = record_result(request.store, run, spec.workload_digest, {});
      ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    }
  }
  WorkloadAhead ahead() {
    const auto looked = look_ahead(spec, request);
    EXPECT_TRUE(looked.ok()) << looked.error().message;
    return looked.ok() ? looked.value() : WorkloadAhead{};
  }
  std::string text() {
    const std::string all = ahead_text(ahead(), {});
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(render::display_width(line), 80U) << line;
    }
    return unwrapped(all);
  }

  TemporaryFolder folder;
  WorkloadSpec spec = recorded_workload();
  AheadRequest request{.store = folder / "store.db", .branch = "main"};
};

TEST_F(AgainstStore, WithoutAStoreItSaysHowToBegin) {
  const WorkloadAhead looked = ahead();
  EXPECT_FALSE(looked.has_runs);
  EXPECT_THAT(text(), AllOf(HasSubstr("no store at"), HasSubstr("--record stores a first run")));
  EXPECT_FALSE(std::filesystem::exists(request.store));
}

TEST_F(AgainstStore, TenRunsTellWhatEachGateWillSee) {
  record(10);
  const WorkloadAhead looked = ahead();
  ASSERT_THAT(looked.gates, SizeIs(2));
  const gates::Outlook& step = looked.gates[0];
  EXPECT_EQ(step.runs, 10);
  EXPECT_EQ(step.fail_obstacle, Unsettled::no) << "the newest run's GPU stands for this one's";
  EXPECT_TRUE(step.fails_from);
  EXPECT_THAT(
      text(),
      AllOf(HasSubstr("10 runs on branch main"), HasSubstr("driver 580.65"),
            HasSubstr("that of the newest run, not asked of this machine"),
            HasSubstr("SD 0.088 % from run to run, 0.079 % from process to process; 10 runs at"),
            HasSubstr("smallest honest tolerance"),
            HasSubstr("in 95 of 100, at the last look (5 processes): a slowdown of"),
            HasSubstr("FAILs against the store"), HasSubstr("FAILs in session (ab)"),
            HasSubstr("any change of 385"), Not(HasSubstr("advice"))));
}

TEST_F(AgainstStore, AToleranceThatIsTooNarrowIsAdvisedAgainst) {
  record(10);
  spec.gates[0].margin_ratio = 0.0005;
  spec.gates[0].tolerance_ratio = 0.001;
  EXPECT_THAT(text(), AllOf(HasSubstr("tolerance 0.10 % is below what 5 processes can show"),
                            HasSubstr("of 100 unchanged runs would not pass; use"),
                            HasSubstr("tolerance 0.")));
  const std::string said = text();
  const std::string_view honest = "smallest honest tolerance ";
  const std::size_t at = said.find(honest) + honest.size();
  EXPECT_THAT(said, HasSubstr("use tolerance " + said.substr(at, said.find(" =", at) - at)))
      << "the advice has the same figure";
}

TEST_F(AgainstStore, FewRunsCanOnlySuspectAndOneSaysNothing) {
  record(1);
  EXPECT_THAT(text(), HasSubstr("one run shows no spread"));
  record(4, "580.65", 1);
  EXPECT_THAT(text(), AllOf(HasSubstr("the store alone can only suspect: 3 more runs let it FAIL"),
                            HasSubstr("is SUSPECTED against the store")));
}

TEST_F(AgainstStore, RunsOfTheNewestEnvironmentAreTakenAndTheOthersListed) {
  record(3, "570.12");
  record(9, "580.65", 3);
  EXPECT_EQ(ahead().gates[0].runs, 9);
  EXPECT_THAT(text(), HasSubstr("3 runs with driver 580.65 -> 570.12"));
  request.machine = machine_of("570.12");
  EXPECT_EQ(ahead().gates[0].runs, 3);
  EXPECT_THAT(text(),
              AllOf(HasSubstr("this machine's"), HasSubstr("9 runs with driver 570.12 -> 580.65")));
  request.machine = machine_of("590.01");
  EXPECT_FALSE(ahead().has_runs);
  EXPECT_THAT(text(), HasSubstr("9 runs with driver 590.01 -> 580.65"));
}

TEST_F(AgainstStore, OnlyRunsOfAncestorsServe) {
  record(10);
  request.ancestry.commits = {"commit5", "commit4", "commit3", "commit2"};
  EXPECT_EQ(ahead().gates[0].runs, 4);
  EXPECT_THAT(text(), HasSubstr("nearest measured ancestor commit5"));
  request.ancestry.commits = {"unmeasured"};
  EXPECT_FALSE(ahead().has_runs);
  EXPECT_THAT(text(), HasSubstr("no run of an ancestor"));
}

TEST_F(AgainstStore, TheJsonHasTheFigures) {
  record(10);
  const Json json = ahead_json(ahead());
  const Json& step = json["gates"][0];
  EXPECT_EQ(step["metric"], "step_time_p50");
  EXPECT_EQ(step["runs"], 10);
  EXPECT_GT(step["fails_from"]["ratio"].get<double>(), step["margin"]["ratio"].get<double>());
  EXPECT_GT(step["honest_tolerance"]["amount"].get<double>(), 0.0);
  EXPECT_THAT(step["advice"], IsEmpty());
  EXPECT_EQ(json["environment_of"], "the newest run");
}

}  // namespace
}  // namespace perfgate::cli
