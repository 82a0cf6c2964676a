// perfgate selftest against corpora that are wrong on purpose: it must be able to fail.
#include <csignal>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPair =
    "  - {name: pair, kind: a_a, recording: tiny, heads: each, expect: [pass, inconclusive, "
    "not_comparable], why: nothing changed}\n";
constexpr const char* kSlower =
    "  - {name: slower, kind: regression, recording: tiny, heads: each, size: +5 %, change: "
    "[{metric: step_time_p50, by: +5%}], expect: fail, why: five per cent are}\n";

class Selftest : public Program {
 protected:
  void SetUp() override {
    fs::create_directories(folder / "corpus");
    fs::create_directories(folder / "tmp");
    fs::copy(fs::current_path() / "workloads/recordings/tiny", folder / "corpus/tiny",
             fs::copy_options::recursive);
  }
  Said examine(const std::string& cases, std::vector<std::string> more = {}) {
    write("corpus/selftest.yaml", "perfgate_selftest: 1\ncases:\n" + cases + "end: true\n");
    return again(std::move(more));
  }
  Said again(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"selftest", "--corpus", "corpus"};
    words.insert(words.end(), more.begin(), more.end());
    return run(Call{.arguments = words, .environment = {{"TMPDIR", folder / "tmp"}}});
  }
  /// 80 columns, as without a terminal.
  static void expect_narrow(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  /// Some bytes off the end of a file of the corpus.
  void cut(const std::string& name, std::uintmax_t bytes) {
    const std::string path = folder / name;
    fs::resize_file(path, fs::file_size(path) - bytes);
  }
};

TEST_F(Selftest, ThatIsInterruptedLeavesNoFolder) {
  write("corpus/selftest.yaml",
        "perfgate_selftest: 1\ncases:\n" + std::string(kPair) + kSlower + "end: true\n");
  const Said said =
      run(Call{.arguments = {"selftest", "--corpus", "corpus"},
               .environment = {{"TMPDIR", folder / "tmp"}},
               .meanwhile = [&](pid_t pid) {
                 EXPECT_TRUE(wait_until([&] { return !fs::is_empty(folder / "tmp"); }));
                 ::kill(pid, SIGINT);
               }});
  EXPECT_EQ(said.code, 130) << said.out << said.err;
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
}

TEST_F(Selftest, IsGreenWhereEverythingCameOutAsItMust) {
  const Said said = examine(std::string(kPair) + kSlower);
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("18 of 18 trials of 2 cases"), HasSubstr("A/A passed"),
                              HasSubstr("+5 % found"), HasSubstr("9 of 9")));
  expect_narrow(said.out);
}

TEST_F(Selftest, CallsTheGateTriggerHappyWhereAnAaPairFails) {
  const Said said = examine(std::string(kSlower) +
                            "  - {name: not so equal, kind: a_a, recording: tiny, heads: run 2, "
                            "change: [{metric: step_time_p50, by: +5%}], expect: pass, why: "
                            "labelled wrongly on purpose}\n");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("TRIGGER-HAPPY not so equal (tiny, run 2)"),
                              HasSubstr("expected pass: labelled wrongly on purpose"),
                              HasSubstr("came out fail: step_time_p50"),
                              HasSubstr("the gate is trigger-happy"), HasSubstr("9 of 10 trials")));
  expect_narrow(said.out);
}

TEST_F(Selftest, CallsTheGateBlindWhereARegressionPasses) {
  const Said said = examine(std::string(kPair) +
                            "  - {name: no regression, kind: regression, recording: tiny, expect: "
                            "fail, why: labelled wrongly on purpose}\n");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("BLIND"), HasSubstr("no regression (tiny, candidate)"),
                    HasSubstr("came out pass: step_time_p50"), HasSubstr("the gate is blind")));
}

TEST_F(Selftest, SaysWhereMissingDataIsGreen) {
  const Said said = examine(std::string(kPair) + kSlower +
                            "  - {name: nothing broken, kind: invalid, recording: tiny, expect: "
                            "invalid, why: labelled wrongly on purpose}\n");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("green on missing data"));
}

TEST_F(Selftest, LooksAtTheWordsAndTheFlagToo) {
  const Said said =
      examine(std::string(kPair) + kSlower +
              "  - {name: words, kind: regression, recording: tiny, change: [{metric: "
              "step_time_p50, by: +5%}], expect: fail, says: kernel_launches became, why: no}\n"
              "  - {name: flag, kind: improvement, recording: tiny, expect: pass, flagged: "
              "improved, why: no}\n");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("OTHERWISE words"), HasSubstr("OTHERWISE flag"),
                              HasSubstr("18 of 20 trials")));
}

TEST_F(Selftest, ListsWhatIsNotBuiltYetAndDoesNotCountIt) {
  const Said said = examine(std::string(kPair) + kSlower +
                            "  - {name: later, kind: invalid, recording: tiny, expect: invalid, "
                            "not_yet: Nobody looks., why: it should}\n");
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("not yet  later: wanted invalid, today pass. Nobody looks"),
                              HasSubstr("cases came out as they must, 1 not yet")));
}

TEST_F(Selftest, PrintsEveryTrialForPrograms) {
  const Said said = examine(std::string(kPair) + kSlower, {"--json"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("\"verdict\": \"pass\""), HasSubstr("\"trials\": 18"),
                              HasSubstr("\"head\": \"candidate\""), HasSubstr("\"low\": 0.")));
}

TEST_F(Selftest, LeavesNothingBehind) {
  EXPECT_EQ(examine(std::string(kPair) + kSlower).code, 0);
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
  EXPECT_FALSE(exists(".perfgate"));
  EXPECT_FALSE(exists("corpus/tiny/candidate/replay.db"));
}

TEST_F(Selftest, RefusesADamagedCorpus) {
  const std::string cases = std::string(kPair) + kSlower;
  ASSERT_EQ(examine(cases).code, 0);
  cut("corpus/selftest.yaml", 10);
  EXPECT_EQ(again().code, 4);
  EXPECT_THAT(again().err, HasSubstr("the file is cut"));

  cut("corpus/tiny/baseline.jsonl", 30);
  const Said store = examine(cases);
  EXPECT_EQ(store.code, 4);
  EXPECT_THAT(store.err, HasSubstr("case 'pair'"));
}

TEST_F(Selftest, RefusesACorpusWithACutCapture) {
  for (const auto& entry : fs::recursive_directory_iterator(folder / "corpus/tiny")) {
    if (entry.path().extension() != ".pgcap") continue;
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    break;
  }
  const Said said = examine(std::string(kPair) + kSlower);
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, HasSubstr("holds a capture that is partial"));
}

TEST_F(Selftest, RefusesACorpusThatIsNotThere) {
  const Said nothing = run({"selftest", "--corpus", "nowhere"});
  EXPECT_EQ(nothing.code, 4);
  EXPECT_THAT(nothing.err, HasSubstr("nowhere/selftest.yaml"));
  const Said other = examine(std::string(kPair) + kSlower +
                             "  - {name: x, kind: a_a, recording: gone, expect: pass, why: x}\n");
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, AllOf(HasSubstr("case 'x'"), Not(HasSubstr("internal"))));
}

TEST_F(Selftest, RefusesToChangeFilesOfAPointOfTheStore) {
  const Said said = examine(std::string(kPair) + kSlower +
                            "  - {name: no files, kind: invalid, recording: tiny, heads: run 2, "
                            "change: [{capture: all, cut: 50%}], expect: invalid, why: x}\n");
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, HasSubstr("run 2 is a point of the store"));
}

TEST_F(Selftest, RefusesACaseThatChangesNothing) {
  const Said said = examine(std::string(kPair) +
                            "  - {name: typo, kind: regression, recording: tiny, change: [{metric: "
                            "family_ms/attentoin, by: +5%}], expect: fail, why: x}\n");
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("family_ms/attentoin"), HasSubstr("case 'typo'")));
}

}  // namespace
}  // namespace perfgate::testing
