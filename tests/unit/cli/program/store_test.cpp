// Stores, disks and outputs that refuse: a clear error, and nothing is lost.
#include "baselines/store.h"

#include <filesystem>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/measure/run_folder.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Storing : public Program {
 protected:
  void SetUp() override { write_workload("cpu", "ok"); }

  Said measure(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run",   "cpu.yaml", "--gpu",   "none",
                                       "--out", out,        "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expect_store_of(const std::string& runs) {
    EXPECT_THAT(run({"baseline", "list", "--store", "s.db"}).out, HasSubstr(runs));
    const auto store = baselines::Store::open(folder / "s.db", baselines::OpenMode::read);
    ASSERT_TRUE(store.ok());
    EXPECT_TRUE(baselines::check_integrity(store.value()).ok());
  }
};

TEST_F(Storing, TheFirstRecordedRunBecomesTheBaseline) {
  const Said first = measure("one", {"--record"});
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(first.out, HasSubstr("run 1 recorded in s.db"));
  expect_store_of("cpu");
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("This run was stored as the first of the baseline"),
                    HasSubstr("perfgate run cpu.yaml --gpu none --store s.db --record")));
  EXPECT_THAT(read("one/report.md"), HasSubstr("stored: run 1 recorded in s.db"));
  const Said again = run({"baseline", "import", "one", "--store", "s.db"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("run 1 was already in s.db"));
}

TEST_F(Storing, AMissingStoreIsNoBaselineAndIsNotMade) {
  const Said said = measure("one");
  EXPECT_EQ(said.code, 3) << said.err;
  EXPECT_THAT(said.out, HasSubstr("NO BASELINE"));
  EXPECT_FALSE(exists("s.db"));
}

TEST_F(Storing, WhatTheEnvironmentSaysNeitherSteersTheTerminalNorBeginsALine) {
  const Said said = run(Call{.arguments = {"run", "cpu.yaml", "--gpu", "none", "--out", "one",
                                           "--store", "s.db", "--record"},
                             .environment = {{"GITHUB_SHA", "\033[2Jab\nrun 9: forged"},
                                             {"GITHUB_REF_NAME", "ma\033[31m\nrun 8: in"}}});
  EXPECT_EQ(said.code, 0) << said.err;
  const auto is_clean = [](const Said& answer) {
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.out.find('\033'), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("\nrun 8"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("\nrun 9"), std::string::npos) << answer.out;
  };
  is_clean(said);
  is_clean(run({"baseline", "list", "--store", "s.db"}));
  is_clean(run({"baseline", "show", "1", "--store", "s.db"}));
  is_clean(run({"baseline", "remove", "1", "--store", "s.db"}));
  write("a\033[31m\nb.yaml", read("cpu.yaml"));
  is_clean(run({"validate", "a\033[31m\nb.yaml"}));
}

TEST_F(Storing, ADamagedRunIsRefusedByNameAndCanBeRemoved) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  ASSERT_EQ(measure("two", {"--record"}).code, 0);
  SQLite::Database(folder / "s.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE metrics SET value = value * 2 WHERE run = 1 AND metric = 'step_time_p50'");
  const Said judged = measure("three");
  EXPECT_EQ(judged.code, 4) << judged.out;
  EXPECT_THAT(judged.err, AllOf(HasSubstr("run 1 in "), HasSubstr("is damaged"),
                                HasSubstr("perfgate baseline remove 1 ")));
  EXPECT_EQ(run({"baseline", "show", "1", "--store", "s.db"}).code, 4);
  EXPECT_THAT(run({"doctor", "--gpu", "none", "--store", "s.db"}).out, HasSubstr("is damaged"));
  EXPECT_THAT(run({"baseline", "remove", "1", "--store", "s.db"}).out,
              HasSubstr("removed run 1, which was damaged"));
  EXPECT_EQ(measure("four").code, 3);
}

TEST_F(Storing, ABrokenLimitIsNamedInTheFirstLine) {
  write_workload("limited", "ok", "", "gates: [{metric: step_time_p50, max: 1 us}]\n");
  const Said said =
      run({"run", "limited.yaml", "--gpu", "none", "--out", "one", "--store", "l.db"});
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("FAIL     limited fails: step_time_p50 "));
  EXPECT_THAT(said.out, AllOf(HasSubstr("above the limit of"), HasSubstr("within its limit")));
  EXPECT_EQ(said.out.find("faster"), std::string::npos) << said.out;
  EXPECT_THAT(read("one/report.md"), HasSubstr("limited fails: step"));
  EXPECT_THAT(run({"report", "one", "--format", "junit"}).out,
              HasSubstr("FAIL: limited fails: step_time_p50"));
  EXPECT_THAT(run({"report", "one", "--format", "html"}).out,
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("limited fails: step_time_p50"),
                    EndsWith("</html>\n")));
}

TEST_F(Storing, ABadPointIsRemovedAndAPinnedOneOnlyByForce) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  ASSERT_EQ(measure("two", {"--record"}).code, 0);
  const std::vector<std::string> store{"--store", "s.db"};
  const auto baseline = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "baseline");
    words.insert(words.end(), store.begin(), store.end());
    return run(words);
  };
  ASSERT_EQ(baseline({"pin", "1", "--metric", "step_time_p50", "--reason", "good"}).code, 0);
  EXPECT_THAT(baseline({"list"}).out, HasSubstr("step_time_p50"));
  EXPECT_THAT(baseline({"show", "1"}).out,
              AllOf(HasSubstr("step_time_p50 at 4.25"), HasSubstr(": good\n"),
                    HasSubstr("\ndigest "), HasSubstr("baseline of main\n")));
  EXPECT_EQ(baseline({"show", "99"}).code, 2);
  EXPECT_EQ(baseline({"unpin", "2"}).code, 2);
  EXPECT_EQ(baseline({"import", "nothing.jsonl"}).code, 2);
  const Said refused = baseline({"remove", "2", "1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("run 1 is pinned"), HasSubstr("unpin 1")));
  const Said removed = baseline({"remove", "2"});
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_THAT(removed.out, AllOf(HasSubstr("removed run 2: cpu, commit"),
                                 HasSubstr("perfgate baseline import")));
  EXPECT_THAT(baseline({"unpin", "1"}).out, HasSubstr("step_time_p50 is not pinned any more"));
  EXPECT_EQ(baseline({"remove", "1"}).code, 0);
  EXPECT_THAT(baseline({"list"}).out, HasSubstr("no runs recorded"));
  EXPECT_EQ(baseline({"import", "one"}).code, 0) << "the run folder brings it back";
}

TEST_F(Storing, ForceRemovesThePinToo) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  const auto baseline = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "baseline");
    words.insert(words.end(), {"--store", "s.db"});
    return run(words);
  };
  ASSERT_EQ(baseline({"pin", "1", "--metric", "step_time_p50", "--reason", "good"}).code, 0);
  EXPECT_THAT(baseline({"remove", "1", "--force"}).out,
              HasSubstr("no longer pinned: step_time_p50"));
  EXPECT_EQ(baseline({"import", "one"}).code, 0);
  EXPECT_EQ(baseline({"unpin", "2"}).code, 2) << "no pin came back";
}

TEST_F(Storing, AnExportReplacesNothingUnasked) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  write("all.jsonl", "mine");
  const Said refused = run({"baseline", "export", "all.jsonl", "--store", "s.db"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(read("all.jsonl"), "mine");
  EXPECT_EQ(run({"baseline", "export", "all.jsonl", "--store", "s.db", "--force"}).code, 0);
  EXPECT_THAT(run({"baseline", "import", "s.db", "--store", "t.db"}).err, HasSubstr("SQLite"));
}

TEST_F(Storing, PruneNamesWhatItDeletes) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  ASSERT_EQ(measure("two", {"--record"}).code, 0);
  EXPECT_THAT(run({"baseline", "prune", "--keep", "1", "--store", "s.db"}).out,
              AllOf(HasSubstr("removed run 1: cpu"), HasSubstr("1 runs removed")));
}

TEST_F(Storing, TheOwnFolderIsKeptOutOfGit) {
  ASSERT_EQ(run({"run", "cpu.yaml", "--gpu", "none"}).code, 3);
  EXPECT_EQ(read(".perfgate/.gitignore"), "*\n");
}

TEST_F(Storing, AStoreThatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "dir");
  for (const char* named : {"pipe", "dir", "/dev/null"}) {
    for (const char* record : {"--record", "--json"}) {
      const Said said = run({"run", "cpu.yaml", "--gpu", "none", "--store", named, record});
      EXPECT_THAT(said.code, AnyOf(2, 4)) << named << said.err;
      EXPECT_THAT(said.err, AllOf(HasSubstr(named), HasSubstr("hint: "))) << said.err;
    }
    EXPECT_NE(run({"baseline", "list", "--store", named}).code, 0);
  }
}

TEST_F(Storing, ALockedStoreCostsNoMeasurement) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  SQLite::Database holder(folder / "s.db", SQLite::OPEN_READWRITE);
  holder.exec("BEGIN IMMEDIATE");
  const Said said = measure("two", {"--record"});
  EXPECT_EQ(said.code, 4) << said.err;
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("lock"), HasSubstr("hint: "), HasSubstr("perfgate baseline import")));
  holder.exec("ROLLBACK");
  const Said kept = run({"baseline", "import", "two", "--store", "s.db"});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("run 2 recorded"));
}

TEST_F(Storing, ANewerStoreIsRefusedBeforeTheMeasuring) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  SQLite::Database(folder / "s.db", SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 9999");
  for (const bool record : {true, false}) {
    const Said said =
        measure("two", record ? std::vector<std::string>{"--record"} : std::vector<std::string>{});
    EXPECT_EQ(said.code, 4);
    EXPECT_THAT(said.err, AllOf(HasSubstr("newer perfgate"), HasSubstr("hint: ")));
    EXPECT_FALSE(exists("two/processes"));
  }
}

TEST_F(Storing, ACorruptStoreIsRefusedBeforeTheMeasuringAndKept) {
  const std::string bytes(16384, 'x');
  write("s.db", bytes);
  const Said said = measure("two", {"--record"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("s.db"), HasSubstr("hint: ")));
  EXPECT_EQ(read("s.db"), bytes);
  EXPECT_FALSE(exists("two/processes"));
}

TEST_F(Storing, AReadOnlyStoreServesAsBaselineButRefusesToRecord) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  fs::permissions(folder.path(), fs::perms(0755));
  fs::create_directory(folder / "open");
  fs::permissions(folder / "open", fs::perms(0777));
  const auto as_nobody = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"run",   "cpu.yaml", "--gpu",   "none",
                                       "--out", "open/two", "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(Call{.arguments = arguments, .as_nobody = true});
  };
  const Said refused = as_nobody({"--record"});
  if (refused.code == 126) GTEST_SKIP() << "another user cannot run the built program here";
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("read-only"), HasSubstr("hint: ")));
  EXPECT_FALSE(exists("open/two/processes"));
  const Said judged = as_nobody({});
  EXPECT_THAT(judged.code, AnyOf(0, 1, 3)) << judged.err;
  EXPECT_THAT(judged.out, ::testing::Not(HasSubstr("NO BASELINE")));
}

TEST_F(Storing, TwoRunsAreNeverMixedInOneFolder) {
  ASSERT_EQ(measure("one").code, 3);
  const std::string before = read("one/result.json");
  const Said said = measure("one");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("is not empty"), HasSubstr("--out")));
  EXPECT_EQ(read("one/result.json"), before);
}

TEST_F(Storing, AnOutFolderThatCannotBeMadeIsFoundBeforeTheMeasuring) {
  write("file", "");
  const Said said = measure("file/run");
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("file/run"), HasSubstr("hint: ")));
}

TEST_F(Storing, ALimitOnFileSizesIsAnErrorThatNamesTheFile) {
  const Said said = run(Call{.arguments = {"run", "cpu.yaml", "--gpu", "none", "--out", "run"},
                             .file_size_limit = 2048});
  EXPECT_EQ(said.code, 4) << said.out;
  EXPECT_THAT(said.err, AllOf(HasSubstr("cannot write"), HasSubstr("ulimit -f")));
  const platform::DiskFileSystem files;
  const auto processes = measure::read_processes(files, folder / "run");
  ASSERT_TRUE(processes.ok()) << processes.error().message;
  EXPECT_EQ(processes.value().size(), 2U);
}

TEST_F(Storing, AFullDiskIsAnErrorAndTheStoreStaysWhole) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  fs::create_directory(folder / "small");
  if (::mount("tmpfs", (folder / "small").c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "needs the right to mount";
  const Said said = measure("small/run", {"--record"});
  ::umount2((folder / "small").c_str(), MNT_DETACH);
  EXPECT_EQ(said.code, 4) << said.out;
  EXPECT_THAT(said.err + said.out, HasSubstr("No space left on device"));
  expect_store_of("cpu");
}

TEST_F(Storing, AClosedPipeChangesNeitherTheVerdictNorTheFiles) {
  const Said said = run(Call{.arguments = {"run", "cpu.yaml", "--gpu", "none", "--out", "run",
                                           "--record", "--store", "s.db"},
                             .closed_pipe = true});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(exists("run/result.json"));
  expect_store_of("cpu");
}

TEST_F(Storing, AFullOutputIsAnErrorAndTheRunIsKept) {
  const Said said = run(Call{.arguments = {"run", "cpu.yaml", "--gpu", "none", "--out", "run"},
                             .stdout_path = "/dev/full"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("standard output"), HasSubstr("hint: ")));
  EXPECT_TRUE(exists("run/result.json"));
}

TEST_F(Storing, JsonIsTheResultAloneAndGateListsIt) {
  const Said said = measure("one", {"--json"});
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.out, read("one/result.json"));
  const Said gate = run({"gate", "one", "one/result.json", "--json"});
  EXPECT_EQ(gate.code, 3);
  EXPECT_THAT(gate.out, AllOf(HasSubstr("\"exit_code\": 3"), HasSubstr("no_baseline")));
  EXPECT_EQ(run({"gate", "one", "--on-no-baseline", "pass"}).code, 0);
  EXPECT_EQ(run({"report", "one", "--format", "md"}).code, 0);
}

TEST_F(Storing, AnEditedVerdictIsNotBelieved) {
  ASSERT_EQ(measure("one").code, 3);
  std::string text = read("one/result.json");
  const std::string said = "\"outcome\": \"no_baseline\"";
  const std::size_t verdict = text.find(said, text.find("\"verdict\": {"));
  ASSERT_NE(verdict, std::string::npos);
  text.replace(verdict, said.size(), "\"outcome\": \"pass\"");
  write("one/result.json", text);
  for (const char* command : {"gate", "report"}) {
    const Said answer = run({command, "one"});
    EXPECT_EQ(answer.code, 4) << command << answer.out;
    EXPECT_THAT(answer.err, AllOf(HasSubstr("result.json contradicts itself: it says pass"),
                                  HasSubstr("hint: ")));
  }
  EXPECT_EQ(run({"baseline", "import", "one", "--store", "s.db"}).code, 4);
}

TEST_F(Storing, ACommandIsAdvisedAsItWasRun) {
  const Said said = run_child({"ok"}, {"--store", "s.db"});
  EXPECT_EQ(said.code, 3) << said.err;
  EXPECT_THAT(read("run/result.json"),
              HasSubstr("\"command\": [\"perfgate\", \"run\", "
                        "\"--gpu\", \"none\", \"--store\", \"s.db\", \"--\""));
}

TEST_F(Storing, AnEditedWorkloadFileIsNotComparableAndSaysWhy) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  std::string text = read("cpu.yaml");
  text.replace(text.find("warmup: 1"), 9, "warmup: 2");
  write("cpu.yaml", text);
  const Said said = measure("two");
  EXPECT_EQ(said.code, 3) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("NOT COMPARABLE"), HasSubstr("the workload file has"),
                    HasSubstr("git log -p -- cpu.yaml"), HasSubstr("Record a new baseline")));
  EXPECT_THAT(read("two/report.md"), HasSubstr("run 1 of workload digest "));
  EXPECT_EQ(said.out.find("workload_digest"), std::string::npos) << said.out;
}

TEST_F(Storing, TwoCommandsOfOneProgramAreToldApart) {
  // --record: the first run is no failure.
  ASSERT_EQ(run_child({"ok"}, {"--store", "s.db", "--record"}).code, 0);
  std::filesystem::rename(folder / "run", folder / "first");
  const Said other = run_child({"ok", "again"}, {"--store", "s.db"});
  EXPECT_EQ(other.code, 3) << other.err;
  EXPECT_THAT(other.out, AllOf(HasSubstr("NOT COMPARABLE"), HasSubstr("a workload file"),
                               HasSubstr("another command"), HasSubstr("(perfgate init")));
}

TEST_F(Storing, AStoreThatIsALinkToNowhereIsAnErrorAndNotNoBaseline) {
  std::filesystem::create_symlink("gone.db", folder / "s.db");
  const Said dangling = measure("one");
  EXPECT_EQ(dangling.code, 2) << dangling.out;
  EXPECT_THAT(dangling.err, AllOf(HasSubstr("a symbolic link to gone.db, which is not there"),
                                  HasSubstr("hint: ")));
  std::filesystem::create_symlink("b.db", folder / "a.db");
  std::filesystem::create_symlink("a.db", folder / "b.db");
  const Said looping = run({"baseline", "list", "--store", "a.db"});
  EXPECT_EQ(looping.code, 2);
  EXPECT_THAT(looping.err, HasSubstr("a symbolic link that leads back to itself"));
}

TEST_F(Storing, SeveralResultsHaveOneAnswer) {
  write_workload("other", "ok");
  const Said both =
      run({"run", "cpu.yaml", "other.yaml", "--gpu", "none", "--out", "both", "--json"});
  EXPECT_EQ(both.code, 3) << both.err;
  EXPECT_THAT(both.out, AllOf(StartsWith("{\"exit_code\": 3,\n\"results\": [\n{"),
                              HasSubstr("},\n"), EndsWith("}\n]}\n")));
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  const Said gate = run({"gate", "one", "both/other", "nothing", "--on-no-baseline", "pass"});
  EXPECT_THAT(gate.out, StartsWith("UNREADABLE"));
  EXPECT_THAT(gate.out, HasSubstr("3 results: 1 unreadable, 2 no baseline"));
  const Said json = run({"gate", "one", "both/other", "--json"});
  EXPECT_THAT(json.out, StartsWith("{\n  \"verdict\": \"no_baseline\""));
}

}  // namespace
}  // namespace perfgate::testing
