// From a run folder to a verdict: everything after the measuring, over synthetic captures.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/record.h"
#include "baselines/store.h"
#include "reporters/render/result_json.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/recording.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;

class Replaying : public ::testing::Test {
 protected:
  /// Judges a run of these properties; `with_baseline`: against ten runs like the plain one.
  Assessed judge(const RecordedRunOptions& options, bool with_baseline = true) {
    if (with_baseline) {
      const std::string plain = folder / "plain/candidate";
      write_recorded_run(plain, {});
      const auto assessed = replay(plain, "plain-run");
      if (!assessed.ok()) ADD_FAILURE() << assessed.error().message;
      if (!assessed.ok()) return {};
      std::filesystem::create_directories(folder / "judged");
      write_baseline(folder / "judged/baseline.jsonl", assessed.value().result);
    }
    write_recorded_run(candidate, options);
    auto assessed = replay(candidate, "judged-run");
    if (!assessed.ok()) ADD_FAILURE() << assessed.error().message;
    return assessed.ok() ? std::move(assessed).value() : Assessed{};
  }
  static std::string first_reason(const Assessed& assessed) {
    const auto& reasons = assessed.result.verdict.reasons;
    return reasons.empty() ? std::string() : reasons.front().text;
  }

  TemporaryFolder folder;
  Replay replay{folder.path()};
  std::string candidate = folder / "judged/candidate";
};

TEST_F(Replaying, PassesARunLikeItsBaseline) {
  const Assessed assessed = judge({});
  EXPECT_EQ(assessed.result.verdict.outcome, Outcome::pass) << first_reason(assessed);
  EXPECT_EQ(assessed.result.source, RunSource::replayed);
  EXPECT_EQ(assessed.result.analysis.capture.validity, Validity::valid);
  EXPECT_EQ(assessed.result.comparisons.size(), 2U);
}

TEST_F(Replaying, FailsARunThatIsATenthSlower) {
  const Assessed assessed = judge({.slower_ratio = 1.1});
  EXPECT_EQ(assessed.result.verdict.outcome, Outcome::fail) << first_reason(assessed);
  EXPECT_THAT(first_reason(assessed), HasSubstr("step_time_p50"));
}

TEST_F(Replaying, WithoutABaselineNothingIsJudged) {
  const Assessed assessed = judge({}, false);
  EXPECT_EQ(assessed.result.verdict.outcome, Outcome::no_baseline);
  EXPECT_THAT(assessed.result.baseline.how, HasSubstr("no store"));
}

TEST_F(Replaying, AnotherGpuIsNotComparedAndDoesNotFail) {
  const Assessed assessed = judge({.slower_ratio = 2.0, .gpu = "NVIDIA B200"});
  EXPECT_EQ(assessed.result.verdict.outcome, Outcome::not_comparable);
}

TEST_F(Replaying, ACutCaptureIsNeverGreen) {
  const Assessed assessed = judge({.cut_capture_to = 3000});
  EXPECT_EQ(assessed.result.verdict.outcome, Outcome::invalid);
  EXPECT_NE(assessed.result.analysis.capture.validity, Validity::valid);
}

TEST_F(Replaying, ACaptureThatIsCutInsideItsHeaderIsAnErrorThatNamesTheFile) {
  write_recorded_run(candidate, {.cut_capture_to = 5});
  const auto assessed = replay(candidate, "judged-run");
  ASSERT_FALSE(assessed.ok());
  EXPECT_THAT(assessed.error().message + assessed.error().context, HasSubstr("4242-1.pgcap"));
}

TEST_F(Replaying, ItsFolderLeadsToTheRecordingThatWasJudged) {
  const Assessed assessed = judge({}, false);
  const std::string own = folder / "own";
  ASSERT_TRUE(write_reports(replay.request("own"), assessed.result, replay.files()).ok());
  const auto found = measured_folder(replay.files(), own);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value(), candidate);
  EXPECT_EQ(measured_folder(replay.files(), candidate).value(), candidate);
  std::filesystem::rename(candidate, folder / "moved");
  const auto gone = measured_folder(replay.files(), own);
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(gone.error().message, HasSubstr(candidate));
}

TEST_F(Replaying, TwoReplaysGiveTheSameBytes) {
  judge({.slower_ratio = 1.1});
  const auto first = replay(candidate, "first");
  const auto second = replay(candidate, "second");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(render::to_result_json(first.value().result),
            render::to_result_json(second.value().result));
}

TEST_F(Replaying, AnotherWorkloadThanTheRecordedOneIsRefused) {
  write_recorded_run(candidate, {});
  platform::DiskFileSystem files;
  std::string other(kRecordedWorkload);
  other.replace(other.find("warmup: 20"), 10, "warmup: 30");
  ASSERT_TRUE(files.write(candidate + "/workload.yaml", other).ok());
  const auto assessed = replay(candidate, "judged-run");
  ASSERT_FALSE(assessed.ok());
  EXPECT_EQ(assessed.error().code, ErrorCode::invalid_config);
  EXPECT_THAT(assessed.error().hint, HasSubstr("workload.yaml"));
}

TEST_F(Replaying, ARecordedRunIsNeverItsOwnBaseline) {
  const Assessed assessed = judge({}, false);
  RunResult measured = assessed.result;
  measured.source = RunSource::measured;
  ASSERT_TRUE(write_reports(replay.request("mine"), measured, replay.files()).ok());
  std::filesystem::copy(candidate + "/processes", folder / "mine/processes",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(candidate + "/captures", folder / "mine/captures",
                        std::filesystem::copy_options::recursive);
  const std::string store = folder / "store.db";
  const auto recorded = record_folder(store, folder / "mine", replay.files(), {});
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_THAT(recorded.value().said, HasSubstr("run 1 recorded in "));
  const auto again = record_folder(store, folder / "mine", replay.files(), {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_THAT(again.value().said, HasSubstr("run 1 was already in "));

  const auto judged = replay(folder / "mine", "again");
  ASSERT_TRUE(judged.ok()) << judged.error().message;
  EXPECT_EQ(judged.value().result.verdict.outcome, Outcome::no_baseline);
}

TEST_F(Replaying, ANamedStoreServesInsteadOfTheRecordedBaseline) {
  judge({});
  RunRequest asked = replay.request("named");
  asked.store = folder / "empty.db";
  ASSERT_TRUE(baselines::Store::open(asked.store, baselines::OpenMode::record).ok());
  asked.store_named = true;
  const auto assessed = replay(candidate, asked);
  ASSERT_TRUE(assessed.ok()) << assessed.error().message;
  EXPECT_EQ(assessed.value().result.verdict.outcome, Outcome::no_baseline);
  EXPECT_FALSE(std::filesystem::exists(folder / "named/replay.db"));
}

TEST_F(Replaying, AWorkloadIsNewWhereTheStoreHasRunsOfOthersAlone) {
  RunResult other = judge({}).result;
  RunRequest asked = replay.request("new");
  asked.store = folder / "others.db";
  asked.store_named = asked.branch_named = true;
  asked.branch = other.identity.branch = "main";
  ASSERT_TRUE(baselines::Store::open(asked.store, baselines::OpenMode::record).ok());
  const auto is_new = [&] {
    const auto assessed = replay(candidate, asked);
    if (!assessed.ok()) ADD_FAILURE() << assessed.error().message;
    if (!assessed.ok()) return false;
    const Verdict& verdict = assessed.value().result.verdict;
    EXPECT_EQ(verdict.outcome, Outcome::no_baseline);
    return std::ranges::find(verdict.reasons, "new_workload", &Reason::code) !=
           verdict.reasons.end();
  };
  EXPECT_FALSE(is_new());
  other.workload_name = "other";
  other.source = RunSource::measured;
  ASSERT_TRUE(record_result(asked.store, other, std::string(32, '7'), {}).ok());
  EXPECT_TRUE(is_new());
}

TEST_F(Replaying, RunsOfAnotherBranchAreNoBaseline) {
  write_recorded_run(candidate, {});
  const auto plain = replay(candidate, "plain");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  write_baseline(folder / "of_main", plain.value().result);  // of_main.db: ten runs of main
  RunResult own = plain.value().result;
  own.source = RunSource::measured;
  own.verdict.outcome = Outcome::pass;
  own.identity.commit = "another";
  own.identity.run_id = "1";
  auto store = baselines::Store::open(folder / "of_main.db", baselines::OpenMode::record);
  ASSERT_TRUE(store.ok());

  RunRequest asked = replay.request("main");
  asked.store = folder / "of_main.db";
  const auto runs = [&](const char* out) {
    asked.run_folder = folder / out;
    const auto assessed = replay(candidate, asked);
    EXPECT_TRUE(assessed.ok()) << assessed.error().message;
    return assessed.ok() ? assessed.value().result.baseline.how : std::string();
  };
  EXPECT_THAT(runs("fallback"), HasSubstr("10 runs on branch main"))
      << "the store has none of topic, where the recorded run is of";
  ASSERT_TRUE(baselines::record(store.value(), own, recorded_workload().workload_digest).ok());
  EXPECT_THAT(runs("own"), HasSubstr("1 run on branch topic"));
  asked.branch_named = true;
  EXPECT_THAT(runs("named"), HasSubstr("10 runs on branch main"));
  asked.branch = "release";
  EXPECT_THAT(runs("other"), HasSubstr("no run of this workload on branch release"));
}

TEST_F(Replaying, WithAnAncestorOnlyRunsOfItsLineAreABaseline) {
  judge({});
  RunRequest asked = replay.request("named");
  asked.ancestor = std::string(40, 'a');  // git does not know it here
  const auto unknown = replay(candidate, asked);
  ASSERT_TRUE(unknown.ok()) << unknown.error().message;
  EXPECT_THAT(unknown.value().result.baseline.how, HasSubstr("ancestors not known: "));
  asked.ancestor = "main";
  asked.run_folder = folder / "refused";
  const auto refused = replay(candidate, asked);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
}

TEST_F(Replaying, OneFileIsLeftOfTheStoreThatAReplayMakes) {
  judge({});
  EXPECT_TRUE(std::filesystem::exists(folder / "judged-run/replay.db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "judged-run/replay.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder / "judged-run/replay.db-shm"));
}

TEST_F(Replaying, AReplayedRunIsNotRecorded) {
  const Assessed assessed = judge({}, false);
  const Status refused = check_recordable(assessed.result);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
}

TEST_F(Replaying, AFolderWithoutItsReportSaysThatTheRunDidNotEnd) {
  write_recorded_run(candidate, {});
  std::filesystem::remove(candidate + "/result.json");
  const auto result = read_result(replay.files(), candidate);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
  EXPECT_THAT(result.error().message, HasSubstr("did not come to its end"));
}

TEST(Traces, AreNotAskedForWithoutAGpuIfOnlyTimesAreGated) {
  WorkloadSpec spec = recorded_workload();
  const Fingerprint with_gpu{
      .environment = {{"gpu", "NVIDIA H200"}}, .subject = {}, .instance = {}};
  const Fingerprint without_gpu{.environment = {{"gpu", "none"}}, .subject = {}, .instance = {}};
  EXPECT_TRUE(wants_traces(spec, with_gpu));
  EXPECT_TRUE(wants_traces(spec, without_gpu)) << "kernel_launches is gated";
  spec.gates.pop_back();
  EXPECT_FALSE(wants_traces(spec, without_gpu));
  EXPECT_TRUE(wants_traces(spec, with_gpu));
}

}  // namespace
}  // namespace perfgate::cli
