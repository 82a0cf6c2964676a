#include "runner/cli/store_access.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/run/recording.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StoreLocation, IsTheNamedOneElseTheVariablesElseTheFoldersOwn) {
  const platform::Environment environment{{{"PERFGATE_STORE", "/var/lib/store.db"}}};
  EXPECT_EQ(store_location(environment, "mine.db"), "mine.db");
  EXPECT_EQ(store_location(environment, ""), "/var/lib/store.db");
  EXPECT_EQ(store_location({{{"PERFGATE_STORE", ""}}}, ""), ".perfgate/perfgate.db");
}

TEST(StoreOptions, KnowTheCheckoutInCiOnly) {
  EXPECT_EQ(store_options({{{"CI", "true"}, {"GITHUB_WORKSPACE", "/w"}}}).checkout, "/w");
  EXPECT_THAT(store_options({{{"GITHUB_WORKSPACE", "/w"}}}).checkout, IsEmpty());
}

TEST(StoreAbove, IsTheProjectsWherePerfgateIsCalledInASubfolder) {
  platform::FakeFileSystem files;
  const std::string sub = "/project/sub/" + std::string(kDefaultStore);
  EXPECT_EQ(store_above(files, sub), "");
  ASSERT_TRUE(files.write("/project/.perfgate/perfgate.db", "x").ok());
  EXPECT_EQ(store_above(files, sub), "/project/.perfgate/perfgate.db");
  EXPECT_EQ(store_above(files, "/project/sub/other.db"), "") << "it was named";
  ASSERT_TRUE(files.write(sub, "x").ok());
  EXPECT_EQ(store_above(files, sub), "");
}

TEST(Baseline, AStoreThatIsNotThereIsNoBaselineAndNoError) {
  const TemporaryFolder folder;
  const auto selection =
      select_baseline({.store = folder / "none.db", .branch = "main"}, recorded_workload(), {});
  ASSERT_TRUE(selection.ok());
  EXPECT_FALSE(selection.value().choice.exists);
  EXPECT_THAT(selection.value().choice.how, HasSubstr("no store at "));
}

TEST(Baseline, AStoreThatIsNoDatabaseIsAnErrorNotAMissingBaseline) {
  const TemporaryFolder folder;
  std::ofstream(folder / "store.db") << std::string(8192, 'x');
  const auto selection =
      select_baseline({.store = folder / "store.db", .branch = "main"}, recorded_workload(), {});
  ASSERT_FALSE(selection.ok());
  EXPECT_FALSE(selection.error().hint.empty());
}

TEST(Baseline, WithoutAKnownAncestryTheNewestRunsServeAndTheReasonIsSaid) {
  const TemporaryFolder folder;
  RunResult run;
  run.workload_name = recorded_workload().name;
  run.identity.branch = "main";
  run.identity.commit = "feed";
  run.metrics.push_back({.id = "step_time_p50", .value = 4.2, .unit = "ms", .samples = {4.2}});
  run.verdict.outcome = Outcome::pass;
  const std::string store = folder / "store.db";
  ASSERT_TRUE(record_result(store, run, recorded_workload().workload_digest, {}).ok());
  const auto how = [&](Ancestry ancestry) {
    const auto selection =
        select_baseline({.store = store, .branch = "main", .ancestry = std::move(ancestry)},
                        recorded_workload(), {});
    EXPECT_TRUE(selection.ok());
    return selection.ok() ? selection.value().choice : BaselineChoice{};
  };
  const BaselineChoice fallback = how({.note = "this clone is shallow"});
  EXPECT_TRUE(fallback.exists);
  EXPECT_THAT(fallback.how, HasSubstr("; ancestors not known: this clone is shallow"));
  EXPECT_THAT(how({.commits = {"head", "feed"}}).how, HasSubstr("nearest measured ancestor feed"));
  EXPECT_FALSE(how({.commits = {"head"}}).exists);
  EXPECT_THAT(how({.commits = {"head"}, .is_cut = true}).how,
              HasSubstr("of 1 that were looked at"));
}

TEST(RecordingChecks, IsRefusedInAPullRequestEvent) {
  const Status refused = check_may_record({{{"GITHUB_EVENT_NAME", "pull_request"}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_TRUE(check_may_record({{{"GITHUB_EVENT_NAME", "push"}}}).ok());
}

TEST(RecordingChecks, AnInvalidRunIsRefusedAndTheStoreIsUnchanged) {
  const TemporaryFolder folder;
  RunResult result;
  result.verdict.outcome = Outcome::invalid;
  const auto recorded = record_result(folder / "store.db", result, "digest", {});
  ASSERT_FALSE(recorded.ok());
  EXPECT_EQ(recorded.error().code, ErrorCode::invalid_measurement);
  EXPECT_FALSE(std::ifstream(folder / "store.db").good());
}

TEST(RecordingChecks, AStoreThatCannotBeRecordedIntoIsFoundBeforeTheMeasuring) {
  const TemporaryFolder folder;
  std::ofstream(folder / "store.db") << std::string(8192, 'x');
  EXPECT_FALSE(check_store_for_recording(folder / "store.db", {}).ok());
  const platform::Environment ci{{{"CI", "1"}, {"GITHUB_WORKSPACE", folder.path()}}};
  const Status inside = check_store_for_recording(folder / "fresh.db", ci);
  ASSERT_FALSE(inside.ok());
  EXPECT_THAT(inside.error().message, HasSubstr("inside the checkout"));
}

}  // namespace
}  // namespace perfgate::cli
