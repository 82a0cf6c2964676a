#include "runner/cli/run/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/baselines/run_builder.h"

namespace perfgate::cli {
namespace {

using baselines::decode_run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Recording : public ::testing::Test {
 protected:
  Recorded recorded(const RunResult& result) {
    const auto said = record_result(store, result, "digest", {});
    EXPECT_TRUE(said.ok()) << said.error().message;
    return said.ok() ? said.value() : Recorded{};
  }
  baselines::TemporaryFolder folder;
  const std::string store = folder / "s.db";
};

TEST_F(Recording, AGreenRunOfACommitNeedsNoWarning) {
  EXPECT_THAT(recorded(decode_run(1)).warnings, IsEmpty());
}

TEST_F(Recording, ASuspectedRunIsStoredAndTheWarningSaysHowToTakeItBack) {
  RunResult result = decode_run(1);
  result.verdict.outcome = Outcome::suspected;
  EXPECT_THAT(recorded(result).warnings,
              ElementsAre("recorded although SUSPECTED; if it is not meant: perfgate baseline "
                          "remove 1 --store " +
                          store));
  EXPECT_THAT(recorded(result).warnings, IsEmpty()) << "it was there already";
}

TEST_F(Recording, UncommittedChangesAreWarnedOf) {
  RunResult result = decode_run(1);
  result.identity.dirty = true;
  EXPECT_THAT(recorded(result).warnings, ElementsAre(HasSubstr("commit commit1 does not hold")));
}

TEST_F(Recording, WhatFailsAfterwardsSaysThatTheRunIsThereAlready) {
  const Error full{
      .code = ErrorCode::io, .message = "disk full", .hint = "free some", .context = {}};
  const Status said = with_record(full, {.said = "run 9 recorded in s.db"});
  ASSERT_FALSE(said.ok());
  EXPECT_EQ(said.error().message, "disk full; run 9 recorded in s.db all the same");
  EXPECT_EQ(said.error().hint, "do not record again: the store has this run; free some");
  EXPECT_TRUE(with_record({}, {.said = "run 9 recorded"}).ok());
}

TEST_F(Recording, ARunWithoutACommitIsWarnedOfAndWhomItServesIsSaid) {
  RunResult result = decode_run(1);
  result.identity.commit.clear();
  EXPECT_THAT(recorded(result).warnings,
              ElementsAre(HasSubstr("serves only runs whose ancestors are not known")));
}

TEST_F(Recording, AReplayedRunIsNamedAsSuch) {
  RunResult result = decode_run(1);
  result.source = RunSource::replayed;
  const auto refused = record_result(store, result, "digest", {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_THAT(refused.error().message, HasSubstr("a replayed run is not recorded"));
}

TEST(LineForRecording, BeyondTheBranchTheCheckedOutOneIsOffered) {
  const Ancestry beyond{.commits = {"base"}, .note = {}, .head_is_beyond = true};
  const Status refused = check_line_for_recording(beyond, "main", "feature");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_EQ(refused.error().message,
            "you are on `feature`; its runs never serve as baseline of main");
  EXPECT_EQ(refused.error().hint, "check out main, or name the branch: --branch feature");
  EXPECT_EQ(check_line_for_recording(beyond, "main", "HEAD").error().hint, "check out main");
  EXPECT_TRUE(check_line_for_recording({}, "main", "feature").ok()) << "shallow, or no git";
}

}  // namespace
}  // namespace perfgate::cli
