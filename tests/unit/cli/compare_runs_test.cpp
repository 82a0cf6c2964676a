// Two run folders held against each other: what is said first, what is warned of, what is refused.
#include "runner/cli/run/compare_runs.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/result_json.h"
#include "runner/cli/result_input.h"
#include "runner/measure/run_folder.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ComparingRuns : public ::testing::Test {
 protected:
  render::Explanation compared() {
    auto explanation = compare_runs(files, base, head);
    EXPECT_TRUE(explanation.ok()) << (explanation.ok() ? "" : explanation.error().message);
    return explanation.ok() ? std::move(explanation).value() : render::Explanation{};
  }

  TemporaryFolder folder;
  platform::DiskFileSystem files;
  std::string base = folder / "base";
  std::string head = folder / "head";
};

TEST_F(ComparingRuns, SaysHowMuchSlowerAndThatItIsNoVerdict) {
  write_recorded_run(base, {});
  write_recorded_run(head, {.slower_ratio = 1.1});
  const render::Explanation explanation = compared();
  EXPECT_EQ(explanation.label, "COMPARED");
  EXPECT_EQ(explanation.sentence, "synthetic is 10.0 % slower in " + head + " than in " + base);
  EXPECT_THAT(explanation.note, HasSubstr("not a verdict: two runs, 5 and 5 processes"));
  ASSERT_TRUE(explanation.ledger.has_value());
  EXPECT_FALSE(explanation.ledger->rows.empty());
  EXPECT_NEAR(explanation.ledger->step.head / explanation.ledger->step.base, 1.1, 1e-6);
  EXPECT_THAT(explanation.warnings, Not(Contains(HasSubstr("not comparable"))));
}

TEST_F(ComparingRuns, OfTheSameProgramFindsNothingToExplain) {
  write_recorded_run(base, {});
  write_recorded_run(head, {});
  const render::Explanation explanation = compared();
  EXPECT_THAT(explanation.sentence, HasSubstr("is as fast in"));
  EXPECT_TRUE(explanation.diagnosis.empty());
}

TEST_F(ComparingRuns, WarnsOfAnotherEnvironmentAndShowsItAllTheSame) {
  write_recorded_run(base, {.gpu = "NVIDIA H100"});
  write_recorded_run(head, {});
  const render::Explanation explanation = compared();
  ASSERT_FALSE(explanation.warnings.empty());
  EXPECT_EQ(explanation.warnings.front(),
            "not comparable, and shown all the same: gpu NVIDIA H100 -> NVIDIA H200");
  EXPECT_TRUE(explanation.ledger.has_value());
}

TEST_F(ComparingRuns, WarnsOfOtherWork) {
  const auto of_tokens = [](double tokens) {
    return [tokens](ProcessRecord& record) { record.results->work.tokens = tokens; };
  };
  write_recorded_run(base, {.change = of_tokens(16.0)});
  write_recorded_run(head, {.change = of_tokens(8.0)});
  EXPECT_THAT(compared().warnings, Contains("other work: 16 -> 8 tokens a step"));
}

TEST_F(ComparingRuns, SaysFirstThatACaptureIsCut) {
  write_recorded_run(base, {.gpu = "NVIDIA H100"});
  write_recorded_run(head, {.cut_capture_to = 4000});
  const render::Explanation explanation = compared();
  ASSERT_FALSE(explanation.warnings.empty());
  EXPECT_THAT(explanation.warnings.front(), StartsWith("the captures of the head are "));
}

TEST_F(ComparingRuns, NamesTheArmOfARunOfTwoProgramsAndTakesTheOther) {
  write_recorded_run(base, {});
  write_recorded_run(head, {});
  auto session = read_run_folder(files, head);
  ASSERT_TRUE(session.ok());
  BaseArm& other = session.value().base_arm.emplace();
  other.how = "--base ../main";
  other.subject = {{"program", "other"}};
  for (ProcessRecord& process : session.value().measurement.processes) {
    if (process.index % 2 == 0) process.arm = Arm::base;
    ASSERT_TRUE(measure::write_record(files, head, process).ok());
  }
  ASSERT_TRUE(files.write(head + "/result.json", render::to_result_json(session.value())).ok());
  EXPECT_EQ(compared().warnings.front(),
            head + " is a run of two programs (--base ../main): its head is taken for the head; " +
                head + ":base names the other");
  const auto arms = compare_runs(files, head + ":base", head + ":head");
  ASSERT_TRUE(arms.ok()) << arms.error().message;
  EXPECT_THAT(arms.value().warnings, Not(Contains(HasSubstr("two programs"))));
  EXPECT_THAT(arms.value().sentence, HasSubstr(head + ":base"));
  EXPECT_EQ(arms.value().ledger->base.processes, 3);
  EXPECT_EQ(arms.value().ledger->head.processes, 2);
  EXPECT_FALSE(arms.value().changed.empty()) << "the base is another program";
  const auto none = compare_runs(files, base + ":base", head);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("is a run of one program"));
}

TEST_F(ComparingRuns, RefusesAFolderWithoutProcesses) {
  write_recorded_run(base, {});
  write_recorded_run(head, {});
  std::filesystem::remove_all(head + "/processes");
  const auto refused = compare_runs(files, base, head);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_measurement);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(head), HasSubstr("no processes of its own")));
  const auto missing = compare_runs(files, folder / "nowhere", base);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace perfgate::cli
