// `baseline accept`: from a result that failed to reviewed lines, and from an accepted run to the
// store's new level.
#include "runner/cli/accepts/accept_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/select.h"
#include "baselines/store.h"
#include "reporters/render/result_json.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/run/recording.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::cli {
namespace {

using baselines::decode_run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFile = "jobs/perfgate-accepts.yaml";
constexpr const char* kToday = "2026-11-30";

Comparison row_of(const std::string& metric, double base, double head, Outcome outcome) {
  Comparison row;
  row.metric = metric;
  row.unit = "ms";
  row.base = base;
  row.head = head;
  row.delta_ratio = head / base - 1.0;
  row.ci_low_ratio = row.delta_ratio - 0.001;
  row.ci_high_ratio = row.delta_ratio + 0.001;
  row.interval_known = true;
  row.margin_ratio = 0.0015;
  row.n_base = 10;
  row.n_head = 5;
  row.outcome = outcome;
  if (outcome == Outcome::suspected) row.unsettled = Unsettled::weak_evidence;
  row.reason = metric + " was judged";
  return row;
}

/// Step time 4.27 -> 4.60 fails; the mean is what is said.
RunResult failed_run(Outcome step = Outcome::fail, Outcome mean = Outcome::pass) {
  RunResult run = decode_run(9, 4.6);
  run.workload_path = "jobs/decode_8b.yaml";
  MetricValue other = run.metrics.front();
  other.id = "step_time_mean";
  run.metrics.push_back(other);
  run.comparisons = {row_of("step_time_p50", 4.27, 4.6, step),
                     row_of("step_time_mean", 4.27, 4.6, mean)};
  run.verdict.outcome =
      step == Outcome::fail || mean == Outcome::fail ? Outcome::fail : Outcome::pass;
  for (ProcessRecord& process : run.measurement.processes) process.state = ProcessState::ok;
  return run;
}

class Accepting : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_TRUE(files.write("jobs/decode_8b.yaml", "perfgate: 1\n").ok());
    keep(failed_run());
  }
  void keep(const RunResult& run) {
    EXPECT_TRUE(files.write("run/result.json", render::to_result_json(run)).ok());
  }
  Result<std::string> accept() { return accept_regressions(request, files, {}, kToday); }
  std::string refused() {
    const auto said = accept();
    EXPECT_FALSE(said.ok()) << said.value();
    return said.ok() ? std::string() : said.error().message + "; " + said.error().hint;
  }
  std::vector<Accept> written() {
    const auto text = files.read(kFile);
    if (!text.ok()) return {};
    const auto accepts = workloads::parse_accepts(text.value(), kFile, accepts_options(kToday));
    EXPECT_TRUE(accepts.ok()) << accepts.error().context;
    return accepts.ok() ? accepts.value() : std::vector<Accept>{};
  }

  platform::FakeFileSystem files;
  AcceptRequest request{.result = "run/result.json",
                        .metric = {},
                        .reason = "longer context",
                        .issue = "https://example.org/12",
                        .owner = "@team",
                        .expires = "2027-03-31",
                        .ceiling = {},
                        .file = {},
                        .store = {}};
};

TEST_F(Accepting, LessWorkAndAnotherOutputAreWrittenAsTheHeadDidThem) {
  RunResult run = failed_run(Outcome::invalid);
  run.verdict = {.outcome = Outcome::invalid,
                 .reasons = {{.code = "less_work", .text = "half the work"},
                             {.code = "other_output", .text = "the output changed"}},
                 .policies = {}};
  for (ProcessRecord& process : run.measurement.processes)
    process.results->work = {.tokens = 8.0,
                             .weights_bytes = std::nullopt,
                             .kv_bytes = std::nullopt,
                             .flops = std::nullopt,
                             .output_hash = "a1b2"};
  keep(run);
  const auto said = accept();
  ASSERT_TRUE(said.ok()) << said.error().message << said.error().context;
  EXPECT_THAT(said.value(), HasSubstr("metric: work/tokens\n    ceiling: 8\n"));
  EXPECT_THAT(said.value(), HasSubstr("metric: work/output\n    reason:"));
  ASSERT_EQ(written().size(), 2U);
  EXPECT_EQ(written()[0].ceiling, 8.0);
}

TEST_F(Accepting, ProposedLinesAreThoseThatWouldBeWrittenAndAreRefusedUnfilled) {
  const render::ProposedAccepts proposed = proposed_accepts(failed_run());
  EXPECT_EQ(proposed.workload, "decode_8b");
  EXPECT_EQ(proposed.file, kFile);
  EXPECT_EQ(proposed.lines,
            "  - workload: decode_8b\n"
            "    metric: step_time_p50\n"
            "    ceiling: 4.605 ms\n"
            "    reason: WHY\n"
            "    issue: ADDRESS\n"
            "    owner: WHO\n"
            "    expires: YYYY-MM-DD\n");
  const std::string text = "perfgate_accepts: 1\naccepts:\n" + proposed.lines;
  EXPECT_FALSE(workloads::parse_accepts(text, kFile, accepts_options(kToday)).ok());
  EXPECT_EQ(proposed_accepts(failed_run(Outcome::pass)).lines, "");
}

TEST_F(Accepting, LinesThatCameSinceTheRunAreAppliedOnce) {
  RunResult run = failed_run();
  ASSERT_TRUE(apply_accepts_since(files, run, kToday).ok()) << "no file, nothing to do";
  EXPECT_EQ(run.verdict.outcome, Outcome::fail);
  ASSERT_TRUE(accept().ok());
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(apply_accepts_since(files, run, kToday).ok());
    EXPECT_EQ(run.verdict.outcome, Outcome::pass);
    ASSERT_EQ(run.accepted.size(), 1U);
    EXPECT_EQ(run.accepted.front().state, AcceptState::used);
  }
  ASSERT_TRUE(files.write(kFile, "perfgate_accepts: 1\naccepts: [nonsense]\n").ok());
  EXPECT_FALSE(apply_accepts_since(files, run, kToday).ok());
}

TEST_F(Accepting, LinesAreFoundFromTheFolderThatTheRunWasMeasuredIn) {
  RunResult run = failed_run();
  ASSERT_TRUE(accept().ok());
  ASSERT_TRUE(files.write("project/" + std::string(kFile), files.read(kFile).value()).ok());
  ASSERT_TRUE(files.write("project/jobs/decode_8b.yaml", "perfgate: 1\n").ok());
  files.contents.erase("/jobs/decode_8b.yaml");
  files.contents.erase("/" + std::string(kFile));
  run.folder = "project/.perfgate/runs/one";
  EXPECT_EQ(find_workload_file(files, run), "/project/jobs/decode_8b.yaml");
  const auto unread = apply_accepts_since(files, run, kToday);
  ASSERT_TRUE(unread.ok());
  EXPECT_EQ(unread.value(), "");
  EXPECT_EQ(run.verdict.outcome, Outcome::pass);
}

TEST_F(Accepting, WhereNoFileIsFoundAFailSaysWhereItWasLookedFor) {
  files.contents.erase("/jobs/decode_8b.yaml");
  RunResult run = failed_run();
  // Nobody reviewed what lies in the run folder itself.
  ASSERT_TRUE(files.write("kept/jobs/decode_8b.yaml", "perfgate: 1\n").ok());
  run.folder = "kept";
  const auto unread = apply_accepts_since(files, run, kToday);
  ASSERT_TRUE(unread.ok());
  EXPECT_THAT(unread.value(),
              AllOf(HasSubstr("no accepts file was read: looked for /jobs/perfgate-"),
                    HasSubstr("where no jobs/decode_8b.yaml lies either")));
  RunResult passed = failed_run(Outcome::pass);
  EXPECT_EQ(apply_accepts_since(files, passed, kToday).value(), "") << "it would change nothing";
}

TEST_F(Accepting, WhatFailedIsWrittenBesideTheWorkloadAndTheCommandSaysWhatIsNext) {
  const auto said = accept();
  ASSERT_TRUE(said.ok()) << said.error().message << said.error().context;
  EXPECT_THAT(said.value(), AllOf(HasSubstr("written to jobs/perfgate-accepts.yaml"),
                                  HasSubstr("metric: step_time_p50"),
                                  Not(HasSubstr("step_time_mean")), HasSubstr("next: commit")));
  ASSERT_EQ(written().size(), 1U);
  const Accept accept = written().front();
  EXPECT_EQ(accept.workload, "decode_8b");
  EXPECT_EQ(accept.unit, "ms");
  // 4.27 x (1 + 0.0773 + 0.001) = 4.60427, rounded up to four digits.
  EXPECT_EQ(accept.ceiling, 4.605);
  EXPECT_EQ(accept.expires, "2027-03-31");
}

TEST_F(Accepting, EveryFailedRowGetsALineUnlessOneIsNamed) {
  keep(failed_run(Outcome::fail, Outcome::fail));
  ASSERT_TRUE(accept().ok());
  EXPECT_EQ(written().size(), 2U);
  files.contents.erase(files.absolute(kFile));
  request.metric = "step_time_mean";
  ASSERT_TRUE(accept().ok());
  ASSERT_EQ(written().size(), 1U);
  EXPECT_EQ(written().front().metric, "step_time_mean");
}

TEST_F(Accepting, AGivenCeilingCountsAndIsForOneMetric) {
  request.ceiling = "4700 us";
  ASSERT_TRUE(accept().ok());
  EXPECT_EQ(written().front().ceiling, 4.7);
  keep(failed_run(Outcome::fail, Outcome::fail));
  EXPECT_THAT(refused(), HasSubstr("--ceiling is for one metric, and 2 failed"));
}

TEST_F(Accepting, ACeilingThatTheResultBreaksAlreadyIsRefusedAndAFarOneWarnedOf) {
  request.ceiling = "4.5 ms";
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("--ceiling 4.5 ms is better than the step_time_p50 of this"),
                    HasSubstr("for 4.605 ms")));
  EXPECT_FALSE(files.exists(kFile));
  request.ceiling = "4.6 s";
  const auto far = accept();
  ASSERT_TRUE(far.ok()) << far.error().message;
  EXPECT_THAT(far.value(), AllOf(HasSubstr("warning: the ceiling 4600 ms of step_time_p50"),
                                 HasSubstr("without --ceiling it is 4.605 ms")));
  request.ceiling.clear();
  request.replace = true;
  EXPECT_THAT(accept().value(), Not(HasSubstr("warning")));
}

TEST_F(Accepting, AResultThatDidNotFailHasNothingToAccept) {
  keep(failed_run(Outcome::pass));
  EXPECT_THAT(refused(), HasSubstr("nothing to accept: no metric failed or is suspected"));
  keep(failed_run());
  request.metric = "step_time_mean";
  EXPECT_THAT(refused(), HasSubstr("nothing to accept: step_time_mean is pass"));
  request.metric = "copies";
  EXPECT_THAT(refused(), HasSubstr("copies is not judged"));
  EXPECT_FALSE(files.exists(kFile));
}

TEST_F(Accepting, ALineThatIsThereIsReplacedOnlyOnRequestAndTheCommentsStay) {
  ASSERT_TRUE(accept().ok());
  const std::string before = "# ours\n" + files.read(kFile).value();
  ASSERT_TRUE(files.write(kFile, before).ok());
  request.reason = "an even longer context";
  EXPECT_THAT(refused(), HasSubstr("--replace"));
  EXPECT_EQ(files.read(kFile).value(), before);
  request.replace = true;
  ASSERT_TRUE(accept().ok());
  EXPECT_TRUE(files.read(kFile).value().starts_with("# ours\n"));
  ASSERT_EQ(written().size(), 1U);
  EXPECT_EQ(written().front().reason, "an even longer context");
}

TEST_F(Accepting, WrongPartsAreRefusedByTheirOption) {
  request.expires = "2026-11-29";
  EXPECT_THAT(refused(), HasSubstr("--expires: 2026-11-29 is over"));
  request.expires = "2027-02-30";
  EXPECT_THAT(refused(), HasSubstr("--expires: no calendar has the day 2027-02-30"));
  request.expires = "2027-03-31";
  request.ceiling = "4,6 ms";
  EXPECT_THAT(refused(), HasSubstr("write a decimal point"));
  request.ceiling.clear();
  request.file = "jobs/accepts.yaml";
  EXPECT_THAT(refused(), HasSubstr("no run would read it"));
  EXPECT_FALSE(files.exists(kFile));
}

TEST_F(Accepting, ABrokenFileIsLeftAsItIs) {
  ASSERT_TRUE(files.write(kFile, "perfgate_accepts: 1\naccepts: [\n").ok());
  EXPECT_FALSE(accept().ok());
  EXPECT_EQ(files.read(kFile).value(), "perfgate_accepts: 1\naccepts: [\n");
}

TEST_F(Accepting, AnEditedResultIsNotBelieved) {
  RunResult run = failed_run();
  run.verdict.outcome = Outcome::pass;
  keep(run);
  EXPECT_THAT(refused(), HasSubstr("contradicts itself"));
}

TEST(RoundedWorse, KeepsFourDigitsAndNeverBecomesBetter) {
  EXPECT_EQ(rounded_worse(4.62, Better::lower), 4.62);
  EXPECT_EQ(rounded_worse(4.6201, Better::lower), 4.621);
  EXPECT_EQ(rounded_worse(4.6209, Better::higher), 4.62);
  EXPECT_EQ(rounded_worse(3.7301e12, Better::lower), 3.731e12);
  EXPECT_EQ(rounded_worse(0.00012345, Better::lower), 0.0001235);
  EXPECT_EQ(rounded_worse(0.0, Better::lower), 0.0);
  for (double value = 1e-6; value < 1e9; value *= 1.37) {
    EXPECT_GE(rounded_worse(value, Better::lower), value);
    EXPECT_LE(rounded_worse(value, Better::higher), value);
    EXPECT_NEAR(rounded_worse(value, Better::lower), value, value * 0.0011);
  }
}

class AcceptedLevel : public ::testing::Test {
 protected:
  void record(const RunResult& run) {
    const auto said = record_result(store, run, "digest", {});
    ASSERT_TRUE(said.ok()) << said.error().message << said.error().context;
    last_said = said.value().said;
  }
  [[nodiscard]] std::vector<std::string> commits_of_level() const {
    const auto opened = baselines::Store::open(store, baselines::OpenMode::read);
    baselines::SelectionQuery query;
    query.workload_name = "decode_8b";
    query.workload_digest = "digest";
    query.branch = "main";
    query.fingerprint = baselines::h200();
    const auto selection = baselines::select(opened.value(), query);
    std::vector<std::string> commits;
    for (const BaselineSeries& series : selection.value().series) {
      if (series.metric != "step_time_p50") continue;
      for (const BaselinePoint& point : series.points) commits.push_back(point.commit);
    }
    return commits;
  }
  static RunResult accepted_run(double base) {
    RunResult run = failed_run(Outcome::pass);
    run.comparisons.front() = row_of("step_time_p50", base, 4.6, Outcome::pass);
    run.accepted = {{.accept = {.workload = "decode_8b",
                                .metric = "step_time_p50",
                                .ceiling = 4.62,
                                .unit = "ms",
                                .reason = "longer context",
                                .issue = "https://example.org/12",
                                .owner = "@team",
                                .expires = "2027-03-31",
                                .line = 3},
                     .state = AcceptState::used}};
    return run;
  }

  baselines::TemporaryFolder folder;
  const std::string store = folder / "s.db";
  std::string last_said;
};

TEST_F(AcceptedLevel, OfEachMetricBeginsWhereFewerTokensWereAccepted) {
  for (int i = 0; i < 3; ++i) record(decode_run(i, 4.27));
  RunResult run = decode_run(9, 2.1);
  run.accepted = {{.accept = {.workload = "decode_8b",
                              .metric = "work/tokens",
                              .ceiling = 8.0,
                              .unit = {},
                              .reason = "smaller batch",
                              .issue = "https://example.org/12",
                              .owner = "@team",
                              .expires = "2027-03-31",
                              .line = 3},
                   .state = AcceptState::used}};
  record(run);
  EXPECT_THAT(last_said, HasSubstr("the accepted level begins here: all metrics"));
  EXPECT_THAT(commits_of_level(), ElementsAre("commit9"));
}

TEST_F(AcceptedLevel, BeginsAtTheRecordedRunAndLaterRunsAreJudgedAgainstIt) {
  for (int i = 0; i < 9; ++i) record(decode_run(i, 4.27));
  record(accepted_run(4.27));
  EXPECT_THAT(last_said, HasSubstr("the accepted level begins here: step_time_p50"));
  EXPECT_THAT(commits_of_level(), ElementsAre("commit9"));
  record(decode_run(10, 4.6));
  EXPECT_THAT(commits_of_level(), ElementsAre("commit9", "commit10"));
  record(accepted_run(4.27));
  EXPECT_THAT(commits_of_level(), ElementsAre("commit9", "commit10")) << "twice is once";
}

TEST_F(AcceptedLevel, DoesNotBeginWhereALimitAloneWasBreached) {
  for (int i = 0; i < 3; ++i) record(decode_run(i, 4.6));
  record(accepted_run(4.6));
  EXPECT_EQ(commits_of_level().size(), 4U);
}

TEST_F(AcceptedLevel, DoesNotBeginWhereTheLineWasNotUsed) {
  for (int i = 0; i < 3; ++i) record(decode_run(i, 4.27));
  RunResult run = accepted_run(4.27);
  run.accepted.front().state = AcceptState::exceeded;
  run.comparisons.front().outcome = Outcome::fail;
  run.verdict.outcome = Outcome::fail;
  record(run);
  EXPECT_EQ(commits_of_level().size(), 4U);
}

TEST(AcceptsBeside, TheFileLiesInTheFolderOfTheWorkload) {
  EXPECT_EQ(accepts_beside("workloads/decode_8b.yaml"), "workloads/perfgate-accepts.yaml");
  EXPECT_EQ(accepts_beside("decode_8b.yaml"), "perfgate-accepts.yaml");
  EXPECT_TRUE(names_accepts("perfgate-accepts.yaml"));
  EXPECT_TRUE(names_accepts("a/perfgate-accepts.yaml"));
  EXPECT_FALSE(names_accepts("a/my-perfgate-accepts.yaml"));
}

}  // namespace
}  // namespace perfgate::cli
