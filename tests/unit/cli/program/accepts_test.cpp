// A regression is accepted by a line in a file that is reviewed: from the failed run to the green
// one.
#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFile = "perfgate-accepts.yaml";
constexpr const char* kLine =
    "  - workload: cpu\n"
    "    metric: step_time_p50\n"
    "    ceiling: 10000 ms\n"
    "    reason: a slower machine\n"
    "    issue: https://example.org/12\n"
    "    owner: '@team'\n";
const std::string kStart = "perfgate_accepts: 1\naccepts:\n";

/// No step takes less than a nanosecond, so that every run breaches the limit.
class Accepting : public Program {
 protected:
  void SetUp() override {
    write_workload("cpu", "ok", "", "gates: [{metric: step_time_p50, max: 0.000001 ms}]\n");
  }
  Said measure(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", "cpu.yaml", "--gpu", "none", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Said accept(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"baseline",
                                   "accept",
                                   "failed",
                                   "--reason",
                                   "slower",
                                   "--issue",
                                   "https://example.org/12",
                                   "--owner",
                                   "@team",
                                   "--expires",
                                   "2999-12-31"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Accepting, AFailedRunIsAcceptedAndTheNextOnePasses) {
  ASSERT_EQ(measure("failed").code, 1);
  const Said said = accept({"--ceiling", "10 s"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("written to perfgate-accepts.yaml"),
                              HasSubstr("ceiling: 10000 ms"), HasSubstr("next: commit")));
  const Said green = measure("green");
  EXPECT_EQ(green.code, 0) << green.out << green.err;
  EXPECT_THAT(green.out, AllOf(HasSubstr("PASS"), HasSubstr("compared: 1 accepted"),
                               HasSubstr("until 2999-12-31, owner @team: slower")));
  EXPECT_THAT(read("green/report.md"),
              AllOf(HasSubstr("(1 accepted regression)"), HasSubstr("Accepted regressions")));
  EXPECT_EQ(run({"gate", "green"}).code, 0);
  EXPECT_EQ(accept().code, 2) << "the line is there already";
  EXPECT_EQ(accept({"--replace", "--ceiling", "1 ns"}).code, 2) << "the result is worse already";
  write(kFile, kStart + kLine + "    expires: 2999-12-31\n");
  std::string text = read(kFile);
  text.replace(text.find("10000 ms"), 8, "0.001 ms");
  write(kFile, text);
  const Said worse = measure("worse");
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.out, HasSubstr("worse than the accepted"));
  EXPECT_EQ(run({"baseline", "accept", "green", "--reason", "r", "--issue", "https://a.org/1",
                 "--owner", "o", "--expires", "2999-12-31"})
                .code,
            2)
      << "nothing to accept";
}

TEST_F(Accepting, AStoredResultIsJudgedAgainWithTheLinesThatItsCommentProposes) {
  ASSERT_EQ(measure("failed").code, 1);
  const Said comment = run({"report", "failed", "--format", "comment"});
  EXPECT_EQ(comment.code, 0) << comment.err;
  const std::string fence = "```yaml\n";
  const std::size_t begin = comment.out.find(fence) + fence.size();
  std::string lines = comment.out.substr(begin, comment.out.find("```", begin) - begin);
  EXPECT_THAT(lines, HasSubstr("  - workload: cpu\n    metric: step_time_p50\n    ceiling: "));
  write(kFile, kStart + lines);
  EXPECT_EQ(run({"gate", "failed"}).code, 2) << "not filled in";
  const auto fill = [&](const std::string& blank, const std::string& text) {
    lines.replace(lines.find(blank), blank.size(), text);
  };
  fill("WHY", "a slower machine");
  fill("ADDRESS", "https://example.org/12");
  fill("WHO", "'@team'");
  fill("YYYY-MM-DD", "2999-12-31");
  write(kFile, kStart + lines);
  const Said green = run({"gate", "failed"});
  EXPECT_EQ(green.code, 0) << green.out << green.err;
  EXPECT_THAT(green.out, HasSubstr("accepted until 2999-12-31"));
}

TEST_F(Accepting, ARunOfTheStoreIsAcceptedWithItsMetricAndFileNamed) {
  ASSERT_EQ(measure("failed", {"--record", "--store", "s.db"}).code, 1);
  std::vector<std::string> words{"baseline", "accept",    "store:1",   "--store",    "s.db",
                                 "--reason", "slower",    "--issue",   "http://a/1", "--owner",
                                 "@team",    "--expires", "2999-12-31"};
  const Said vague = run(words);
  EXPECT_EQ(vague.code, 2);
  EXPECT_THAT(vague.err, HasSubstr("add --metric ID and --file PATH"));
  EXPECT_FALSE(exists(kFile));
  words.insert(words.end(), {"--metric", "step_time_p50", "--file", kFile});
  const Said said = run(words);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(read(kFile), HasSubstr("ceiling: 4.25 ms"));
  EXPECT_EQ(measure("green").code, 0);
}

TEST_F(Accepting, AnExpiredLineHasNoEffectAndIsNamed) {
  write(kFile, kStart + kLine + "    expires: 2020-01-31\n");
  const Said said = measure("run");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("was accepted until 2020-01-31"));
  const Said validated = run({"validate", "cpu.yaml"});
  EXPECT_EQ(validated.code, 0) << "a warning";
  EXPECT_THAT(validated.out,
              AllOf(HasSubstr("perfgate-accepts.yaml:9:14: warning: "), HasSubstr("cpu.yaml: ok"),
                    HasSubstr("perfgate-accepts.yaml: ok")));
}

TEST_F(Accepting, AReplayReadsTheFileBesideTheNamedWorkload) {
  ASSERT_EQ(measure("failed").code, 1);
  EXPECT_EQ(run({"run", "cpu.yaml", "--replay", "failed", "--out", "before"}).code, 1);
  write(kFile, kStart + kLine + "    expires: 2999-12-31\n");
  const Said said = run({"run", "cpu.yaml", "--replay", "failed", "--out", "after"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST_F(Accepting, ABadFileIsRefusedBeforeAnythingRuns) {
  write(kFile, kStart + kLine + "    expires: 2027-02-30\n");
  const Said said = measure("run");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("perfgate-accepts.yaml:9:14: error: "));
  EXPECT_FALSE(exists("run"));
  EXPECT_EQ(run({"validate", "cpu.yaml"}).code, 2);
  EXPECT_EQ(run({"validate", kFile}).code, 2);
}

TEST_F(Accepting, ValidateKnowsTheWorkloadsOfTheFolder) {
  write(kFile, kStart + "  - workload: cpuu\n" + std::string(kLine).substr(18) +
                   "    expires: 2999-12-31\n");
  const Said said = run({"validate", kFile, "--json"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out, AllOf(HasSubstr("no workload file of this folder is named 'cpuu'"),
                              HasSubstr("did you mean 'cpu'?")));
  EXPECT_EQ(measure("run").code, 1) << "a run does not look at other workload files";
}

TEST_F(Accepting, AGlobThatTakesTheFileRunsTheWorkloads) {
  write(kFile, kStart + kLine + "    expires: 2999-12-31\n");
  const Said said = run({"run", "cpu.yaml", kFile, "--gpu", "none", "--out", "run", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("\"accepted\""), Not(HasSubstr("\"results\": ["))));
}

TEST_F(Accepting, TheSchemaOfTheFileIsPrinted) {
  EXPECT_THAT(run({"schema", "--accepts"}).out, HasSubstr("perfgate_accepts"));
}

}  // namespace
}  // namespace perfgate::testing
