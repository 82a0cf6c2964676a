// Command lines and files that are wrong: exit 2, a place, a next step, and nothing is run.
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Each file would leave "ran" behind if it were run.
class Usage : public Program {
 protected:
  void refused(const std::string& lines, const std::string& message) {
    write("bad.yaml", "perfgate: 1\nname: bad\nrun: {command: {argv: [touch, ran]}}\n" + lines);
    const Said said = run({"run", "bad.yaml", "--gpu", "none"});
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_THAT(said.err, AllOf(StartsWith("bad.yaml:"), HasSubstr(message), HasSubstr("^")));
    // Said once: the place, then the message.
    EXPECT_EQ(said.err.find(message), said.err.rfind(message)) << said.err;
    EXPECT_FALSE(exists("ran"));
    EXPECT_FALSE(exists(".perfgate"));
  }
};

TEST_F(Usage, AnUnknownKeyOffersTheNearName) {
  refused("stepz: {warmup: 1}\n", "unknown key 'stepz'");
  EXPECT_THAT(run({"validate", "bad.yaml"}).out, HasSubstr("did you mean 'steps'"));
}

TEST_F(Usage, AKeyLongerThanTheCommentsMarkerHoldsIsRefused) {
  const Said said = run({"post", "none", "--comment-key", std::string(201, 'k')});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("--comment-key"), HasSubstr("longer than 200 bytes")));
  EXPECT_THAT(run({"post", "none", "--comment-key", std::string(200, 'k')}).err,
              Not(HasSubstr("longer than")));
}

TEST_F(Usage, ADuplicateKeyIsRefused) {
  refused("steps: {warmup: 1, warmup: 2}\n", "duplicate key 'warmup'");
}

TEST_F(Usage, AWrongTypeIsRefused) {
  refused("steps: {warmup: many}\n", "steps.warmup must be a whole number");
}

TEST_F(Usage, ABadRegexIsRefused) {
  refused("families: [{name: x, match: '('}]\n", "families.match");
}

TEST_F(Usage, AnEmptyStepRangeIsRefused) { refused("steps: {range: ''}\n", "steps.range"); }

TEST_F(Usage, AMetricThatIsNotThereIsRefused) {
  refused("gates: [{metric: step_tim_p50}]\n", "there is no metric");
}

TEST_F(Usage, AKeyThatMeansNothingForItsMetricIsRefusedAtItsPlace) {
  refused("gates: [{metric: step_time_p50, exact: true}]\n", "exact is for counts");
  refused("gates: [{metric: family_ms/gemm, slack: 2}]\n", "slack is for counts");
  refused("gates: [{metric: kernel_launches, margin: 3%, tolerance: 9%}]\n", "margin is for times");
  const Said said = run({"validate", "bad.yaml"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out, AllOf(StartsWith("bad.yaml:4:"), HasSubstr("write slack: N")));
}

TEST_F(Usage, ADirectionIsRefusedWhereTheMetricHasItsOwn) {
  const char* gates = "gates:\n  - {metric: step_time_p50, better: higher}\n";
  refused(gates, "better is for a metric of the program's own, and of step_time_p50 lower is");
  refused(gates, "only reported/NAME may set it");
}

TEST_F(Usage, WhatIsNoFileOrNoProgramIsCalledWhatItIs) {
  std::filesystem::create_directory(folder / "folder");
  EXPECT_THAT(run({"validate", "folder"}).err, HasSubstr("this is a folder; name a file"));
  EXPECT_THAT(run({"baseline", "import", "folder"}).err, HasSubstr("holds no run"));
  EXPECT_THAT(run({"run", "--gpu", "none", "--", "./folder"}).err,
              HasSubstr("is a folder, not a program"));
  std::vector<std::string> words{"run", "--gpu", "none", "--", "true"};
  words.resize(18, std::string(100'000, 'x'));
  const Said said = run(words);
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("the command line is longer than 1 MiB"));
}

TEST_F(Usage, ATimeThatIsNoneIsRefused) {
  for (const char* time : {"nan", "inf", "0", "-1", "1e9", "5s", ""}) {
    const Said said = run({"init", "--timeout", time, "--", "true"});
    EXPECT_EQ(said.code, 2) << time << said.err;
    EXPECT_THAT(said.err, HasSubstr("is not a number of seconds above 0")) << time;
  }
}

TEST_F(Usage, SeveralProblemsAreAllShown) {
  write("bad.yaml", "perfgate: 1\nname: bad\nrun: {command: {argv: [x]}}\nfoo: 1\nbar: 2\n");
  const Said said = run({"run", "bad.yaml"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(StartsWith("perfgate: 2 problems in bad.yaml\n"),
                              HasSubstr("bad.yaml:4:1"), HasSubstr("bad.yaml:5:1")));
}

TEST_F(Usage, OneBadFileKeepsTheGoodOnesFromRunning) {
  write("good.yaml", "perfgate: 1\nname: good\nrun: {command: {argv: [touch, ran]}}\n");
  write("bad.yaml", "perfgate: 1\n");
  EXPECT_EQ(run({"run", "good.yaml", "bad.yaml", "--gpu", "none"}).code, 2);
  EXPECT_FALSE(exists("ran"));
}

TEST_F(Usage, TwoWorkloadsOfOneNameAreRefused) {
  for (const char* name : {"a.yaml", "b.yaml"})
    write(name, "perfgate: 1\nname: same\nrun: {command: {argv: [touch, ran]}}\n");
  const Said said = run({"run", "a.yaml", "b.yaml", "--gpu", "none"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("a.yaml and b.yaml are both named 'same'"));
  EXPECT_FALSE(exists("ran"));
}

TEST_F(Usage, AFileThatIsNotThereSaysHowACommandIsRun) {
  const Said said = run({"run", "python"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("cannot read 'python'"), HasSubstr("perfgate run -- CMD")));
}

TEST_F(Usage, AnOptionThatACommandLacksIsNamedAndNotTheWordsBehindIt) {
  const Said said = run({"init", "--gpu", "none", "--", "touch", "ran"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("init has no option --gpu"), HasSubstr("perfgate init --help")));
  EXPECT_FALSE(exists("ran"));
}

TEST_F(Usage, AFileAndACommandTogetherAreRefused) {
  const Said said = run({"run", "a.yaml", "--", "touch", "ran"});
  EXPECT_EQ(said.code, 2);
  // The parser's answer, or ours where its version takes both.
  EXPECT_THAT(said.err, AnyOf(HasSubstr("a command after -- stands alone"),
                              HasSubstr("both a workload file and a command")));
  EXPECT_FALSE(exists("ran"));
}

TEST_F(Usage, AnUnknownOptionPointsToTheHelp) {
  const Said said = run({"run", "--rekord", "a.yaml"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("--rekord"), HasSubstr("--help")));
}

TEST_F(Usage, AnUnknownCommandOffersTheNearName) {
  const Said typo = run({"basline", "list"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, AllOf(HasSubstr("there is no command 'basline'"),
                              HasSubstr("did you mean 'baseline'?")));
  const Said nested = run({"baseline", "lst"});
  EXPECT_EQ(nested.code, 2);
  EXPECT_THAT(nested.err, AllOf(HasSubstr("there is no command 'baseline lst'"),
                                HasSubstr("did you mean 'list'?")));
  EXPECT_THAT(run({"frobnicate"}).err, HasSubstr("known: run, ab, gate"));
  EXPECT_EQ(run(std::vector<std::string>{}).code, 2);
}

TEST_F(Usage, AnUnknownCommandIsNotHelpedButCorrected) {
  const Said typo = run({"basline", "--help"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean 'baseline'?"));
  EXPECT_EQ(run({"baseline", "lst", "--help"}).code, 2);
}

TEST_F(Usage, AWorkloadThatComesWithPerfgateIsNamedWithItsPath) {
  for (const char* name : {"workloads/decode_8b.yaml", "decode_8b"}) {
    const Said said = run({"run", name});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("comes with perfgate: perfgate run /"));
    EXPECT_THAT(said.err, HasSubstr("/decode_8b.yaml"));
  }
  EXPECT_THAT(run({"run", "nothing.yaml"}).err, HasSubstr("name a workload file"));
}

TEST_F(Usage, RecordAndReplayContradictEachOther) {
  const Said said = run({"run", "a.yaml", "--record", "--replay", "somewhere"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("--record and --replay"));
}

/// As `--base "$BASE"` of an unset variable.
TEST_F(Usage, AnEmptyValueIsNeverTheDefault) {
  write("a.yaml", "perfgate: 1\nname: a\nrun: {command: {argv: [touch, ran]}}\n");
  const std::vector<std::vector<std::string>> calls{
      {"ab", "a.yaml", "--gpu", "none", "--base", ""},
      {"run", "a.yaml", "--gpu", "none", "--base", ""},
      {"run", "a.yaml", "--gpu", "none", "--replay", ""},
      {"run", "a.yaml", "--gpu", "none", "--branch", " "},
      {"run", "a.yaml", "--gpu", "none", "--store", ""},
      {"run", "--gpu", "none", "--range", "", "--", "touch", "ran"},
      {"run", "a.yaml", "--gpu", ""},
      {"gate", ""},
      {"baseline", "list", "--store", ""}};
  for (const auto& call : calls) {
    const Said said = run(call);
    EXPECT_EQ(said.code, 2) << call.front() << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr("its value is empty"), HasSubstr("hint: ")));
    EXPECT_FALSE(exists("ran"));
  }
  EXPECT_EQ(run({"run", "--gpu", "none", "--", "touch", "ran", ""}).code, 4)
      << "the words of a command are its own";
}

TEST_F(Usage, APullRequestNeverRecords) {
  const Said said = run(Call{.arguments = {"run", "a.yaml", "--record"},
                             .environment = {{"GITHUB_EVENT_NAME", "pull_request"}}});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("pull-request"));
}

TEST_F(Usage, APullRequestNeverChangesWhichRunsCount) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"baseline", "remove", "1"},
        {"baseline", "prune"},
        {"baseline", "unpin", "1"}}) {
    const Said said =
        run(Call{.arguments = arguments, .environment = {{"GITHUB_EVENT_NAME", "pull_request"}}});
    EXPECT_EQ(said.code, 2) << arguments[1];
    EXPECT_THAT(said.err, HasSubstr("not changed in a pull-request event"));
  }
}

TEST_F(Usage, WithoutAGpuTheNextStepIsNamed) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  write("builtin.yaml",
        "perfgate: 1\nname: decode\nrun: {builtin: transformer_decode}\nsteps: {range: decode}\n");
  const Said builtin = run({"run", "builtin.yaml"});
  EXPECT_EQ(builtin.code, 4);
  EXPECT_THAT(builtin.err, HasSubstr("--replay auto"));
  const Said command = run({"run", "--", "true"});
  EXPECT_EQ(command.code, 4);
  EXPECT_THAT(command.err,
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("perfgate run --gpu none -- CMD"),
                    HasSubstr("--replay DIR")));
  EXPECT_FALSE(exists(".perfgate/runs"));
}

TEST_F(Usage, ABuiltinWorkloadCannotDoWithoutAGpu) {
  write("builtin.yaml",
        "perfgate: 1\nname: decode\nrun: {builtin: transformer_decode}\nsteps: {range: decode}\n");
  const Said said = run({"run", "builtin.yaml", "--gpu", "none"});
  // 4 where this build has no built-in workloads at all.
  EXPECT_THAT(said.code, AnyOf(2, 4));
  EXPECT_THAT(said.err, HasSubstr("--replay auto"));
}

TEST_F(Usage, ARecordingThatIsNotThereIsNamed) {
  write_workload("cpu", "ok");
  const Said automatic = run({"run", "cpu.yaml", "--replay", "auto"});
  EXPECT_EQ(automatic.code, 4);
  EXPECT_THAT(automatic.err, AllOf(HasSubstr("no recorded run of 'cpu'"), HasSubstr("hint: "),
                                   HasSubstr("recorded are decode_8b, ")));
  EXPECT_THAT(automatic.err, Not(HasSubstr("GPU")));
  const Said named = run({"run", "cpu.yaml", "--replay", "nowhere"});
  EXPECT_EQ(named.code, 4);
  EXPECT_THAT(named.err, AllOf(HasSubstr("nowhere"), HasSubstr("hint: ")));
}

TEST_F(Usage, WhatANameHidesIsShownAsAQuestionMark) {
  const Said said = run({"run", "a\xE2\x80\xAE\x1B]0;b.yaml"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("cannot read 'a??]0;b.yaml'"));
}

TEST_F(Usage, InitTakesTheResultsFileThatItSawAndNamesTheScript) {
  write("decode.sh", "exec " PERFGATE_FAKE_CHILD " ok\n");
  const Said said = run({"init", "--out", "mine.yaml", "--", "sh", "decode.sh"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("wrote mine.yaml: results: file, as the program wrote 200 "
                                        "step times of 4.25 ms"),
                              HasSubstr("perfgate validate mine.yaml")));
  EXPECT_THAT(read("mine.yaml"), AllOf(HasSubstr("name: decode\n"), HasSubstr("results: file")));
  EXPECT_EQ(run({"validate", "mine.yaml"}).code, 0);
  EXPECT_EQ(read(".perfgate/.gitignore"), "*\n");
  std::filesystem::remove(folder / ".perfgate/.gitignore");
  EXPECT_TRUE(std::filesystem::is_empty(folder / ".perfgate"));
}

TEST_F(Usage, WhatInitWritesIntoAnotherFolderRunsAsItIs) {
  std::filesystem::create_directories(folder / "workloads/cpu");
  write("app.sh", "test -f app.sh && exec " PERFGATE_FAKE_CHILD " ok\n");
  for (const std::string file : {"workloads/cpu/app.yaml", "workloads/../here.yaml"}) {
    const Said said = run({"init", "--out", file, "--", "sh", "app.sh"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(run({"validate", file}).code, 0);
    std::filesystem::remove_all(folder / "run");
    const Said measured = run({"run", file, "--gpu", "none", "--out", "run"});
    EXPECT_EQ(measured.code, 3) << measured.out << measured.err;
    EXPECT_THAT(measured.out, HasSubstr("NO BASELINE"));
  }
  EXPECT_THAT(read("workloads/cpu/app.yaml"), HasSubstr("    cwd: \"../..\"\n"));
  EXPECT_THAT(read("here.yaml"), HasSubstr("    # cwd: ."));
}

TEST_F(Usage, InitSaysHowTheProgramEnded) {
  const auto said_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "init");
    const Said said = run(std::move(words));
    EXPECT_EQ(said.code, 4);
    return said.err;
  };
  EXPECT_THAT(said_of({"--timeout", "0.5", "--", "sleep", "30"}),
              AllOf(HasSubstr("sleep was stopped after 0.5 s"), HasSubstr("--timeout")));
  EXPECT_THAT(said_of({"--", "sh", "-c", "exit 3"}), HasSubstr("sh exited with code 3"));
  EXPECT_THAT(said_of({"--", "sh", "-c", "kill -SEGV $$"}), HasSubstr("sh was ended by SIGSEGV"));
}

TEST_F(Usage, ValidateDoesNotPromiseRangesThatInitDidNotSee) {
  write("steps.sh", "for i in 1 2 3 4 5 6 7 8; do echo \"step $i: 4.$i ms\"; done\n");
  ASSERT_EQ(run({"init", "--out", "mine.yaml", "--", "sh", "steps.sh"}).code, 0);
  EXPECT_THAT(run({"validate", "mine.yaml"}).out, HasSubstr("open an NVTX range around each step"));
}

TEST_F(Usage, InitTakesWhatTheProgramPrints) {
  write("steps.sh", "for i in 1 2 3 4 5 6 7 8; do echo \"step $i: 4.$i ms\"; done\n");
  const Said said = run({"init", "--out", "mine.yaml", "--", "sh", "steps.sh"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("results: regex, as the program printed 8 values"));
  EXPECT_EQ(run({"validate", "mine.yaml"}).code, 0);
  std::string text = read("mine.yaml");
  const Said measured = run({"run", "mine.yaml", "--gpu", "none", "--out", "run"});
  EXPECT_EQ(measured.code, 3) << measured.out << measured.err;
}

TEST_F(Usage, InitSaysWhatIsMissingWhenTheProgramLeavesNoStepTimes) {
  const Said said = run({"init", "--", "true"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("no results file was written"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("name: true\n"), HasSubstr("It needs one of them")));
  write("open.yaml", said.out);
  const Said checked = run({"validate", "open.yaml"});
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.out, HasSubstr("results"));
}

TEST_F(Usage, AResultThatIsNotOneIsNamed) {
  write("result.json", "{}");
  for (const char* command : {"report", "kernels", "gate"}) {
    EXPECT_EQ(run({command, "nowhere"}).code, 4) << command;
    const Said said = run({command, "result.json"});
    EXPECT_EQ(said.code, 4) << command;
    EXPECT_THAT(said.err, AllOf(HasSubstr("result.json: "), HasSubstr("hint: "))) << command;
  }
}

class ClosedStreams : public Program {};

TEST_F(ClosedStreams, TakeNoReportAndThatIsSaid) {
  write_workload("good", "ok");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"validate", "good.yaml"},
        {"schema"},
        {"--help"},
        {"--version"},
        {"validate", "--help"}}) {
    EXPECT_EQ(run(Call{.arguments = arguments, .closed_streams = true}).code, 4) << arguments[0];
    const Said full = run(Call{.arguments = arguments, .stdout_path = "/dev/full"});
    EXPECT_EQ(full.code, 4) << arguments[0];
    EXPECT_THAT(full.err, AllOf(HasSubstr("standard output"), HasSubstr("hint: ")));
  }
}

TEST_F(ClosedStreams, GiveTheirNumbersToNoFile) {
  const Said said = run(
      Call{.arguments = {"run", "--gpu", "none", "--out", "run", "--", PERFGATE_FAKE_CHILD, "json"},
           .closed_streams = true});
  EXPECT_EQ(said.code, 4) << "it leaves no results file";
  EXPECT_EQ(read("run/processes/00-timing/stdout.txt"), "{\"ms\": 4.5}\n");
  EXPECT_EQ(read("run/processes/00-timing/stderr.txt"), "");
  EXPECT_THAT(read("run/result.json"), StartsWith("{"));
  EXPECT_THAT(run({"report", "run"}).out, HasSubstr("INVALID"));
}

}  // namespace
}  // namespace perfgate::testing
