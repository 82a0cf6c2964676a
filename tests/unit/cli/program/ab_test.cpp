// Two programs in one session, as a user compares them.
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The report in one line, however it was wrapped.
std::string unwrapped(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const char blank = c == '\n' ? ' ' : c;
    if (blank != ' ' || line.empty() || line.back() != ' ') line += blank;
  }
  return line;
}

class Ab : public Program {
 protected:
  void SetUp() override { write_step("4.5"); }

  /// A step that takes as long as the command says it does.
  void write_step(const std::string& ms) {
    write("step.yaml", "perfgate: 1\nname: step\nrun:\n  command: {argv: [echo, '{\"ms\": " + ms +
                           "}'], results: {json: /ms}}\nsteps: {warmup: 1, measure: 20}\n"
                           "timing: {processes: [3, 5]}\n"
                           "gates:\n  - {metric: step_time_p50, margin: 1%, tolerance: 3%}\n");
  }
  static std::string takes(const std::string& ms) { return R"(echo '{"ms": )" + ms + "}'"; }
  Said ab(const std::string& base, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"ab",     "step.yaml", "--gpu", "none",
                                       "--base", base,        "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  Said record() { return run({"run", "step.yaml", "--gpu", "none", "--record"}); }
};

TEST_F(Ab, TheSameProgramPassesAtTheFirstLook) {
  const Said said = ab(".");
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out), AllOf(HasSubstr("PASS"), HasSubstr("3 pairs of processes"),
                                         HasSubstr("in this session: --base .")));
}

TEST_F(Ab, ASlowerHeadFailsOnFreshPairs) {
  const Said said = ab(takes("4.3"));
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out),
              AllOf(HasSubstr("FAIL"), HasSubstr("4.7 % slower than the base"),
                    HasSubstr("confirmed on 16 fresh pairs"), HasSubstr("command echo")));
}

TEST_F(Ab, AFasterHeadPassesAndIsFlagged) {
  const Said said = ab(takes("4.9"));
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out), HasSubstr("faster than the base"));
}

TEST_F(Ab, TheHeadMayBeNamedToo) { EXPECT_EQ(ab(takes("4.5"), {"--head", takes("4.6")}).code, 1); }

TEST_F(Ab, AReplayAndAJointVerdictSayTheSame) {
  ASSERT_EQ(ab(takes("4.3")).code, 1);
  const Said again = run({"run", "step.yaml", "--replay", "run", "--out", "again"});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_THAT(unwrapped(again.out), HasSubstr("confirmed on 16 fresh pairs"));
  EXPECT_EQ(run({"gate", "run"}).code, 1);
}

TEST_F(Ab, WhatFailsAloneIsSuspectedWhereItIsTooLittleAmongSeveralResults) {
  ASSERT_EQ(ab(takes("4.3")).code, 1);
  std::string text = read("run/result.json");
  const std::string key = "\"p_value\": ";
  const std::size_t at = text.find(key) + key.size();
  text.replace(at, text.find_first_of(",\n", at) - at, "0.009");
  write("a.json", text);
  write("b.json", text);
  EXPECT_EQ(run({"gate", "a.json"}).code, 1);
  const Said joint = run({"gate", "a.json", "b.json"});
  EXPECT_EQ(joint.code, 3) << joint.out << joint.err;
  EXPECT_THAT(
      unwrapped(joint.out),
      AllOf(HasSubstr("SUSPECTED 2 results: 2 suspected"),
            HasSubstr("step_time_p50 fails in its own report and is suspected here: p 0.009 "
                      "in its own report, 0.018 over the 2 tests of the joint one")));
  EXPECT_THAT(run({"gate", "a.json", "b.json", "--json"}).out,
              AllOf(HasSubstr("\"tests\": 2"), HasSubstr("\"from\": \"fail\"")));
  EXPECT_EQ(run({"gate", "a.json", "b.json", "--on-suspected", "pass"}).code, 3)
      << "joining makes nothing green";
  EXPECT_EQ(run({"gate", "a.json", "b.json", "--on-suspected", "fail"}).code, 1);
}

TEST_F(Ab, AReplayIsMeasuredAgainAsItWasMeasured) {
  ASSERT_EQ(ab(".").code, 0);
  const Said again = run({"run", "./step.yaml", "--replay", "run", "--out", "again", "--json"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(unwrapped(again.out),
              HasSubstr(R"("command": ["perfgate", "ab", "./step.yaml", "--base", ".", )"));
}

TEST_F(Ab, TheTimesOfBothArmsAreHeldAgainstTheirProcesses) {
  ASSERT_EQ(ab(takes("4.3")).code, 1);
  std::string text = read("run/processes/00-timing/results.jsonl");
  ASSERT_THAT(text, HasSubstr("4.3"));
  for (std::size_t at = text.find("4.3"); at != std::string::npos; at = text.find("4.3", at + 1))
    text.replace(at, 3, "4.5");
  write("run/processes/00-timing/results.jsonl", text);
  EXPECT_EQ(run({"gate", "run"}).code, 4);
  EXPECT_EQ(run({"run", "step.yaml", "--replay", "run", "--out", "again"}).code, 4);
}

TEST_F(Ab, AReplayWithHalfAPairIsInvalid) {
  ASSERT_EQ(ab(takes("4.3")).code, 1);
  // The last process is of the base or the head; its pair is not whole without it.
  std::filesystem::remove_all(folder / "run/processes/37-timing");
  const Said again = run({"run", "step.yaml", "--replay", "run", "--out", "again"});
  EXPECT_EQ(again.code, 4) << again.out << again.err;
}

TEST_F(Ab, ABaseThatFailsIsNamed) {
  const Said said = ab("false");
  EXPECT_EQ(said.code, 4) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out), AllOf(HasSubstr("INVALID"), HasSubstr("base: ")));
}

TEST_F(Ab, ABaseThatIsNotThereRunsNothing) {
  const Said said = ab("no-such-program");
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("base: "), HasSubstr("no-such-program")));
  EXPECT_FALSE(exists("run/processes"));
}

TEST_F(Ab, APlaceThatIsNotThereIsNamedAsItWasTyped) {
  for (const char* place : {"../nowhere", "./old"}) {
    const Said said = ab(place);
    EXPECT_EQ(said.code, 2) << said.out << said.err;
    EXPECT_THAT(said.err, HasSubstr(std::string("--base ") + place +
                                    ": no such folder, and no such program"));
    EXPECT_FALSE(exists("run/processes"));
  }
}

TEST_F(Ab, AComparisonIsNoPointOfTheBaseline) {
  const Said said = run({"run", "step.yaml", "--gpu", "none", "--base", ".", "--record"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("no point of the baseline"));
  ASSERT_EQ(ab(".").code, 0);
  const Said imported = run({"baseline", "import", "run"});
  EXPECT_EQ(imported.code, 2) << imported.out << imported.err;
}

/// The step's time comes out of a file, so that the workload stays what the store knows.
TEST_F(Ab, WhatTheStoreSuspectsABaseConfirms) {
  write("ms.json", "{\"ms\": 4.5}");
  write("step.yaml",
        "perfgate: 1\nname: step\nrun:\n  command: {argv: [cat, ms.json], results: {json: /ms}}\n"
        "steps: {warmup: 1, measure: 20}\ntiming: {processes: [3]}\n"
        "gates:\n  - {metric: step_time_p50, margin: 1%, tolerance: 3%}\n");
  for (int i = 0; i < 4; ++i) record();
  write("ms.json", "{\"ms\": 4.7}");
  const std::vector<std::string> alone{"run", "step.yaml", "--gpu", "none"};
  EXPECT_EQ(run(alone).code, 3) << "four runs in the store may only suspect";
  std::filesystem::create_directory(folder / "main");
  write("main/ms.json", "{\"ms\": 4.5}");
  const Said said =
      run({"run", "step.yaml", "--gpu", "none", "--base", "main", "--out", "confirmed"});
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out),
              AllOf(HasSubstr("confirmed on 16 fresh pairs"), HasSubstr("4 runs")));
  EXPECT_EQ(run({"gate", "confirmed"}).code, 1);
  std::filesystem::remove(folder / "main/ms.json");
  const Said broken = run({"run", "step.yaml", "--gpu", "none", "--base", "main"});
  EXPECT_EQ(broken.code, 4) << broken.out << broken.err;
  EXPECT_THAT(unwrapped(broken.out),
              AllOf(HasSubstr("(base, timing)"), HasSubstr("Fix the base"),
                    HasSubstr("against the store step_time_p50 +4.44 %, would be suspected")));
}

TEST_F(Ab, WithoutRunsInTheStoreABaseIsLookedAtInPairs) {
  const Said said = run({"run", "step.yaml", "--gpu", "none", "--base", "."});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(unwrapped(said.out), HasSubstr("3 pairs of processes"));
}

TEST_F(Ab, ALineThatNeedsAShellIsRefusedBeforeAnythingRuns) {
  const Said said = ab("echo a | cat");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("sh -c"));
  EXPECT_FALSE(exists("run"));
}

}  // namespace
}  // namespace perfgate::testing
