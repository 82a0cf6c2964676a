// perfgate drill: slowdowns of known size, and none, judged blind and kept.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "baselines/store.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// perfgate in a tree with a probe beside it, which stands for the real one: these programs have no
/// NVTX that would load it, and take the delay out of its variables themselves.
class Drill : public Program {
 protected:
  void SetUp() override {
    fs::create_directories(folder / "tree/bin");
    fs::create_directories(folder / "tree/lib");
    fs::copy_file(PERFGATE_PROGRAM, folder / "tree/bin/perfgate");
    write("tree/lib/libperfgate_probe.so", "");
    write_step("4500 + (n + 1) % 2 + d");
  }
  /// `us`: of a step, in the shell's arithmetic; n is the process's number, d its delay.
  void write_step(const std::string& us, const std::string& steps = "range: step, ",
                  const std::string& first = "true") {
    write("step.yaml",
          "perfgate: 1\nname: step\nrun:\n  command:\n"
          "    argv: [sh, -c, 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n >n; " +
              first +
              "; echo $PERFGATE_DELAY_US $NVTX_INJECTION64_PATH >>seen; d=${PERFGATE_DELAY_US%.*}; "
              "us=$((" +
              us +
              ")); for i in 1 2 3 4 5 6; do printf \"step %d.%03d\\n\" $((us / 1000)) "
              "$((us % 1000)); done', " +
              folder.path() + "]\n    results: {regex: 'step ([0-9.]+)'}\nsteps: {" + steps +
              "warmup: 1, measure: 5}\ntiming: {processes: [3, 5]}\ntrace: {steps: 2}\n"
              "gates:\n  - {metric: step_time_p50, margin: 1%, tolerance: 3%}\n");
  }
  Said drill(std::vector<std::string> more = {},
             std::map<std::string, std::string> environment = {},
             const std::function<void(pid_t)>& meanwhile = {}) {
    std::vector<std::string> arguments{"drill", "step.yaml", "--gpu", "none", "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(Call{.arguments = arguments,
                    .environment = std::move(environment),
                    .program = folder / "tree/bin/perfgate",
                    .meanwhile = meanwhile});
  }
  /// The program writes the file anew: between the two it is empty.
  [[nodiscard]] int processes() const {
    const std::string count = read("n");
    return count.empty() ? 0 : std::stoi(count);
  }
};

TEST_F(Drill, FindsThePlantedSlowdownAndSparesTheSameProgram) {
  const Said said = drill({"--size", "5%"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("nothing planted: PASS"),
                              HasSubstr("225 us (5.00 %) a step by host delay: FAIL, measured +5"),
                              HasSubstr("step: 2 trials"), HasSubstr("false FAIL"),
                              HasSubstr("power"), Not(HasSubstr("wrong"))));
  // One before, one to see whether the clock sees it; three pairs; three pairs and 16 fresh ones.
  EXPECT_EQ(processes(), 1 + 1 + 6 + 6 + 32);
  const Said shown = drill({"--show", "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(
      shown.out,
      AllOf(HasSubstr("\"planted\": \"nothing\""), HasSubstr("\"planted\": \"host_delay\""),
            HasSubstr("\"size_us\": 225"), HasSubstr("\"seed\": "), HasSubstr("\"share_low\": ")));
  EXPECT_EQ(processes(), 46) << "--show measures nothing";
  EXPECT_THAT(run({"baseline", "list", "--store", "s.db"}).out, Not(HasSubstr("PASS")));
}

TEST_F(Drill, BothSidesCarryTheSameAndOnlyTheHeadWaits) {
  ASSERT_EQ(drill({"--size", "5%"}).code, 0);
  const std::string seen = read("seen");
  const auto count = [&](const std::string& word) {
    int found = 0;
    for (std::size_t at = seen.find(word); at != std::string::npos; at = seen.find(word, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("libperfgate_probe.so"), 46) << "in every process, the quiet ones too";
  EXPECT_EQ(count("\n225"), 3 + 16) << "the heads of one trial";
  EXPECT_EQ(count("\n4500 "), 1) << "a step of delay, before";
}

TEST_F(Drill, ItsRunFoldersTellAfterwardsWhatWasPlanted) {
  ASSERT_EQ(drill({"--size", "5%"}).code, 0);
  std::string reports;
  for (const auto& entry : fs::recursive_directory_iterator(folder / ".perfgate/drills")) {
    if (entry.path().filename() != "report.md") continue;
    reports += read(fs::relative(entry.path(), folder.path()).string());
    const std::string run_folder = entry.path().parent_path().string();
    EXPECT_EQ(run({"baseline", "import", run_folder, "--store", "s.db"}).code, 2);
  }
  EXPECT_THAT(reports, AllOf(HasSubstr("nothing planted"), HasSubstr("by host delay")));
}

TEST_F(Drill, WhatTheProgramsClockDoesNotSeeIsNoMiss) {
  write_step("4500");
  const Said said = drill();
  EXPECT_EQ(said.code, 4) << said.out;
  EXPECT_THAT(said.err, HasSubstr("the delay was not seen by the program's clock"));
  EXPECT_EQ(drill({"--show"}).code, 2) << "nothing is stored";
  write_step("4500 + 3 * d");
  EXPECT_THAT(drill().err, HasSubstr("made the step 3.0 steps longer"));
}

TEST_F(Drill, AMissedSlowdownThatWasPromisedEndsWithOne) {
  // The clock sees long delays alone: the one before is seen, those of the trials are not.
  write_step("4500 + n % 2 + (d > 1000 ? d : 0)");
  const Said said = drill({"--size", "5%"});
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("wrong: the gate said that it finds"), HasSubstr("0.0 %")));
  const Said small = drill({"--size", "0.1%"});
  EXPECT_EQ(small.code, 0) << small.out << small.err;
  EXPECT_THAT(small.out, HasSubstr("not found; the gate says that it finds"));
}

TEST_F(Drill, AFalseFailEndsWithOne) {
  // By its place in the pairs (three, then 16 fresh ones), whatever is planted, a head is slower.
  write_step(
      "4500 + d + 500 * (n > 2 && (((n - 3) % 38 + ((n - 3) % 38 < 6 ? 0 : 2)) % 4 + 1) / 2 "
      "% 2)");
  const Said said = drill({"--size", "5%"});
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("wrong: a FAIL where nothing was planted"));
}

TEST_F(Drill, IsRefusedWithAPlantedFaultInAPullRequestAndWithoutARange) {
  EXPECT_THAT(drill({}, {{"PERFGATE_INJECT", "spin_us=1"}}).err,
              HasSubstr("unset PERFGATE_INJECT"));
  const Said pull = drill({}, {{"GITHUB_EVENT_NAME", "pull_request"}});
  EXPECT_EQ(pull.code, 2);
  EXPECT_THAT(pull.err, AllOf(HasSubstr("pull-request event"), Not(HasSubstr("--record"))));
  EXPECT_EQ(drill({"--size", "1"}).code, 2);
  EXPECT_EQ(drill({"--size", "0%"}).code, 2);
  write_step("4500", "");
  const Said unnamed = drill();
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_THAT(unnamed.err, HasSubstr("names no NVTX range"));
  EXPECT_FALSE(exists("n")) << "nothing was run";
}

TEST_F(Drill, WithoutTheProbeSaysWhatIsMissing) {
  fs::remove(folder / "tree/lib/libperfgate_probe.so");
  const Said said = drill();
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, HasSubstr("libperfgate_probe.so"));
}

TEST_F(Drill, CtrlCBetweenItsPairsKeepsWhatWasJudged) {
  // From the 60th process on each takes its time: the first run's trials (46) are over by then.
  write_step("4500 + (n + 1) % 2 + d", "range: step, ", "[ $n -le 60 ] || sleep 0.1");
  const Said said = drill({"--size", "5%", "--runs", "9"}, {}, [&](pid_t pid) {
    EXPECT_TRUE(
        wait_until([&] { return exists("n") && read("n").size() > 2 && processes() > 61; }));
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(said.code, 130) << said.out << said.err;
  EXPECT_THAT(said.err, HasSubstr("interrupted"));
  EXPECT_TRUE(wait_until([&] { return processes_with(folder.path()).empty(); }));
  {
    const auto store = baselines::Store::open(folder / "s.db", baselines::OpenMode::read);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_TRUE(baselines::check_integrity(store.value()).ok());
  }
  const Said shown = drill({"--show"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AnyOf(HasSubstr("step: 2 trials"), HasSubstr("step: 3 trials")));
}

}  // namespace
}  // namespace perfgate::testing
