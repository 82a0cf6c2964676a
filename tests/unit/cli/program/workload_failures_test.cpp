// Programs that fail in every way: exit 4, a reason, a next step, and a run folder that can be
// read.
#include <gmock/gmock.h>

#include "runner/measure/run_folder.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class Workload : public Program {
 protected:
  /// The report of a run that must end as invalid.
  std::string invalid(const Said& said) {
    EXPECT_EQ(said.code, 4) << said.out << said.err;
    EXPECT_TRUE(exists("run/result.json"));
    EXPECT_TRUE(exists("run/report.md"));
    platform::DiskFileSystem files;
    EXPECT_TRUE(measure::read_processes(files, folder / "run").ok());
    EXPECT_THAT(said.out, AllOf(HasSubstr("INVALID"), HasSubstr("next ")));
    return said.out;
  }
};

TEST_F(Workload, AProgramThatDoesNotExistIsNamedBeforeAnythingRuns) {
  const Said said = run({"run", "--gpu", "none", "--", "no-such-program"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("'no-such-program' was not found"), HasSubstr("hint: ")));
  EXPECT_FALSE(exists(".perfgate/runs"));
}

TEST_F(Workload, AFileThatIsNoProgramSaysHowToMakeItOne) {
  write("script.py", "print(1)\n");
  const Said said = run({"run", "--gpu", "none", "--", "./script.py"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, HasSubstr("chmod +x"));
}

TEST_F(Workload, ACrashShowsTheLastWords) {
  EXPECT_THAT(invalid(run_child({"fail"})),
              AllOf(HasSubstr("exited with code 3"), HasSubstr("no such model: llama")));
}

TEST_F(Workload, ASignalIsNamed) {
  EXPECT_THAT(invalid(run_child({"killed"})), HasSubstr("SIGKILL"));
}

TEST_F(Workload, OutOfMemoryIsSaid) {
  EXPECT_THAT(invalid(run_child({"oom"})), HasSubstr("out of memory"));
}

TEST_F(Workload, AHangIsStoppedAfterItsTimeout) {
  write_workload("hang", "hang", "    timeout: 0.3 s\n");
  EXPECT_THAT(invalid(run({"run", "hang.yaml", "--gpu", "none", "--out", "run"})),
              AllOf(HasSubstr("did not end within 0.3 s"), HasSubstr("timeout")));
}

TEST_F(Workload, WithoutAResultsFileTheReportSaysHowToWriteOne) {
  EXPECT_THAT(
      invalid(run_child({"silent"})),
      AllOf(HasSubstr("without a results"), HasSubstr("PERFGATE_RESULTS"),
            HasSubstr("CMD runs it once"), ::testing::Not(HasSubstr("run.command.results"))));
}

TEST_F(Workload, ACutResultsFileIsInvalid) {
  EXPECT_THAT(invalid(run_child({"cut"})), HasSubstr("cut"));
}

TEST_F(Workload, NotANumberIsInvalid) {
  EXPECT_THAT(invalid(run_child({"nan"})), HasSubstr("line 5"));
}

TEST_F(Workload, ANegativeTimeIsInvalid) {
  EXPECT_THAT(invalid(run_child({"negative"})), HasSubstr("line 5"));
}

TEST_F(Workload, AnotherSchemaIsNotGuessedAt) {
  write("child.sh",
        "#!/bin/sh\necho '{\"perfgate_results\":9,\"clock\":\"CLOCK_REALTIME\"}' > "
        "\"$PERFGATE_RESULTS\"\n");
  const Said said = run({"run", "--gpu", "none", "--out", "run", "--", "sh", "child.sh"});
  EXPECT_THAT(invalid(said), HasSubstr("9"));
}

TEST_F(Workload, FewerStepsThanAskedAreInvalid) {
  EXPECT_THAT(invalid(run_child({"few"})), HasSubstr("198 of"));
}

TEST_F(Workload, OutputThatTheRegexDoesNotMatchIsInvalid) {
  write_workload("regex", "json", "    results: {regex: 'step (\\d+) ms'}\n");
  EXPECT_THAT(invalid(run({"run", "regex.yaml", "--gpu", "none", "--out", "run"})),
              HasSubstr("no step time found"));
}

TEST_F(Workload, AGateOnTracesIsRefusedWhereNoGpuIsAskedFor) {
  write_workload("cpu", "ok", "", "gates: [{metric: kernel_launches, exact: true}]\n");
  const Said said = run({"run", "cpu.yaml", "--gpu", "none", "--out", "run"});
  EXPECT_EQ(said.code, 2) << said.out;
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("kernel_launches needs traced GPU work"), HasSubstr("hint")));
  EXPECT_FALSE(exists("run"));
}

TEST_F(Workload, ACpuProgramIsJudgedOnTimeAloneAndTheReportSaysSo) {
  write_workload("cpu", "ok");
  const Said said = run({"run", "cpu.yaml", "--gpu", "none", "--out", "run"});
  EXPECT_EQ(said.code, 3) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("NO BASELINE"), HasSubstr("judged on time alone")));
}

TEST_F(Workload, ARangeThatNoneOpensIsInvalidAndListsWhatWasSeen) {
  write_workload("nvtx", "ok", "    results: nvtx\n");
  std::string text = read("nvtx.yaml");
  text.replace(text.find("steps: {"), 8, "steps: {range: 'decode*', ");
  write("nvtx.yaml", text);
  const Said said = run({"run", "nvtx.yaml", "--gpu", "none", "--out", "run"});
  EXPECT_EQ(said.code, 4) << said.out << said.err;
  EXPECT_THAT(said.out + said.err,
              AnyOf(HasSubstr("ranges seen: none"), HasSubstr("libperfgate_probe.so")));
}

TEST_F(Workload, AnInvalidRunIsNotRecorded) {
  const Said said = run_child({"fail"}, {"--record", "--store", "s.db"});
  EXPECT_THAT(invalid(said), HasSubstr("exited with code 3"));
  EXPECT_THAT(said.err, HasSubstr("not recorded"));
  EXPECT_THAT(run({"baseline", "list", "--store", "s.db"}).out, HasSubstr("no runs recorded"));
}

TEST_F(Workload, AnotherInjectorInTheEnvironmentIsNamedAndNotFought) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const Said said =
        run(Call{.arguments = {"run", "--gpu", "none", "--", PERFGATE_FAKE_CHILD, "ok"},
                 .environment = {{name, "/opt/nsys/libinjection.so"}}});
    EXPECT_EQ(said.code, 4);
    EXPECT_THAT(said.err, AllOf(HasSubstr(std::string(name) + "=/opt/nsys"), HasSubstr("unset")));
    EXPECT_FALSE(exists(".perfgate/runs"));
  }
}

}  // namespace
}  // namespace perfgate::testing
