// Real children: whatever one does, it ends, it is reaped, and what it said last is kept. No time
// is asserted.
#include "runner/platform/process.h"

#include <cerrno>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::platform {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using End = ProcessOutcome::End;

constexpr const char* kChild = PERFGATE_FAKE_CHILD;

class ChildProcess : public ::testing::Test {
 protected:
  Result<ProcessOutcome> run(std::vector<std::string> arguments, double timeout_s = 60.0) {
    arguments.insert(arguments.begin(), kChild);
    request.argv = std::move(arguments);
    request.timeout_s = timeout_s;
    request.grace_s = 0.1;
    return runner.run(request);
  }
  void TearDown() override {
    errno = 0;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
    EXPECT_EQ(errno, ECHILD);
  }

  /// Whoever adopted it may take a moment to reap it: a zombie counts as dead.
  [[nodiscard]] bool ended(int pid) const {
    const auto status = files.read("/proc/" + std::to_string(pid) + "/stat");
    return !status.ok() || status.value().find(") Z") != std::string::npos ||
           status.value().find(") X") != std::string::npos;
  }

  TemporaryFolder folder;
  DiskFileSystem files;
  SystemClock clock;
  Cancellation cancellation;
  SystemProcessRunner runner{clock, cancellation};
  ProcessRequest request;
};

TEST_F(ChildProcess, ReportsTheExitCodeAndTheLastWords) {
  const auto outcome = run({"fail"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::exited);
  EXPECT_EQ(outcome.value().exit_code, 3);
  EXPECT_EQ(outcome.value().stderr_tail, "no such model: llama\n");
}

TEST_F(ChildProcess, ReportsTheSignal) {
  const auto outcome = run({"killed"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::signalled);
  EXPECT_EQ(outcome.value().signal, SIGKILL);
}

TEST_F(ChildProcess, AHangEndsAtTheTimeOut) {
  const auto outcome = run({"hang"}, 0.2);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::timed_out);
  EXPECT_EQ(outcome.value().signal, SIGTERM);
}

TEST_F(ChildProcess, OneThatIgnoresSigtermIsKilled) {
  // It is ready only after it printed: a loaded machine may need longer than the time-out, then
  // SIGTERM ends it.
  const auto outcome = run({"stubborn"}, 0.5);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::timed_out);
  const bool ignored_it = outcome.value().stdout_tail == "ready\n";
  EXPECT_EQ(outcome.value().signal, ignored_it ? SIGKILL : SIGTERM);
}

TEST_F(ChildProcess, AGrandchildThatOutlivesItsParentIsEnded) {
  const auto outcome = run({"grandchild", folder / "pid"});
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome.value().exit_code, 0);
  const int pid = std::stoi(files.read(folder / "pid").value());
  for (int i = 0; i < 2000 && !ended(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(ended(pid));
}

TEST_F(ChildProcess, WhatLeftTheGroupIsEndedAndReaped) {
  for (const char* mode : {"daemon", "hang_with_daemon"}) {
    request.environment = {{"PERFGATE_RESULTS", folder / "results.jsonl"}};
    const auto outcome = run({mode, folder / "pid"}, mode[0] == 'd' ? 60.0 : 1.0);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome.value().left_running, 2) << mode;
    const int pid = std::stoi(files.read(folder / "pid").value());
    EXPECT_EQ(::kill(pid, 0), -1) << mode << ": it is gone, not even a zombie";
  }
}

TEST_F(ChildProcess, WhatLeftTheGroupIsEndedEvenIfWeAreKilled) {
  request.environment = {{"PERFGATE_RESULTS", folder / "results.jsonl"}};
  const pid_t we = ::fork();
  if (we == 0) {
    static_cast<void>(run({"hang_with_daemon", folder / "pid"}, 60.0));
    ::_exit(0);
  }
  const auto told = [&] {
    const auto text = files.read(folder / "pid");
    return text.ok() && text.value().ends_with('\n');
  };
  for (int i = 0; i < 2000 && !told(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const int pid = std::stoi(files.read(folder / "pid").value());
  EXPECT_FALSE(ended(pid));
  ::kill(we, SIGKILL);
  ::waitpid(we, nullptr, 0);
  for (int i = 0; i < 2000 && !ended(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(ended(pid));
  if (!ended(pid)) ::kill(pid, SIGKILL);
}

TEST_F(ChildProcess, OneThatKillsItsParentEndsWithIt) {
  request.argv = {"/bin/sh", "-c", "kill -9 $PPID; sleep 60"};
  const auto outcome = runner.run(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::signalled) << "and we are still here";
  EXPECT_EQ(outcome.value().signal, SIGKILL);
}

TEST_F(ChildProcess, OneThatSignalsItsParentEndsNothing) {
  request.argv = {"/bin/sh", "-c", "kill $PPID; kill -INT $PPID; exit 4"};
  const auto outcome = runner.run(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().end, End::exited);
  EXPECT_EQ(outcome.value().exit_code, 4);
}

TEST_F(ChildProcess, ChildrenOfOursThatWereThereBeforeAreLeftAlone) {
  const pid_t before = ::fork();
  if (before == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto outcome = run({"silent"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().left_running, 0);
  EXPECT_EQ(::kill(before, 0), 0);
  ::kill(before, SIGKILL);
  ::waitpid(before, nullptr, 0);
}

TEST_F(ChildProcess, OneThatRunsBesideAnotherIsLeftAlone) {
  std::thread beside([&] {
    SystemProcessRunner other(clock, cancellation);
    ProcessRequest asked;
    asked.argv = {kChild, "hang"};
    asked.timeout_s = 1.0;
    const auto outcome = other.run(asked);
    EXPECT_TRUE(outcome.ok() && outcome.value().end == End::timed_out);
  });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(run({"silent"}).ok());
  beside.join();
}

TEST_F(ChildProcess, GetsExactlyTheEnvironmentGiven) {
  request.environment = {{"ONE", "1"}, {"EMPTY", ""}};
  const auto outcome = run({"environment"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().stdout_tail, "EMPTY=\nONE=1\n");
}

TEST_F(ChildProcess, InheritsNoDescriptorAndLeadsItsOwnSession) {
  const Descriptor leaked(::dup(1));  // without close-on-exec
  const auto outcome = run({"descriptors"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().stdout_tail, "session leader 1\nstdin bytes 0\n");
}

TEST_F(ChildProcess, RunsInTheFolderAsked) {
  request.cwd = folder.path();
  const auto outcome = run({"cwd"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().stdout_tail, std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST_F(ChildProcess, AMegabyteOfStderrIsKeptOnDiskAndItsTailInMemory) {
  request.stderr_path = folder / "stderr.txt";
  request.environment = {{"PERFGATE_RESULTS", folder / "results.jsonl"}};
  const auto outcome = run({"chatty"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_LE(outcome.value().stderr_tail.size(), kTailBytes);
  EXPECT_THAT(outcome.value().stderr_tail, HasSubstr("the last line\n"));
  EXPECT_TRUE(outcome.value().stderr_tail.starts_with("line "));
  EXPECT_GT(files.read(folder / "stderr.txt").value().size(), 1'000'000U);
  EXPECT_FALSE(outcome.value().stdout_cut);
}

TEST_F(ChildProcess, OutputBeyondTheBoundIsDroppedAndTheChildGoesOn) {
  request.stdout_path = folder / "stdout.txt";
  const auto outcome = run({"flood"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_TRUE(outcome.value().stdout_cut);
  EXPECT_EQ(std::filesystem::file_size(folder / "stdout.txt"), kOutputFileBytes);
  EXPECT_THAT(outcome.value().stdout_tail, HasSubstr("the last line\n"));
}

TEST_F(ChildProcess, AFullDiskUnderTheOutputFileIsReported) {
  request.stderr_path = "/dev/full";
  const auto outcome = run({"fail"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().output_error, ENOSPC);
  EXPECT_EQ(outcome.value().stderr_tail, "no such model: llama\n");
}

TEST_F(ChildProcess, LastWordsAreValidUtf8WithoutTerminalCodes) {
  const auto outcome = run({"latin1"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().stderr_tail, "caf\xEF\xBF\xBD red broke\n");
}

TEST_F(ChildProcess, CancellingEndsItAndStaysSet) {
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancellation.cancel();
  });
  const auto outcome = run({"hang"});
  interrupter.join();
  // On a loaded machine the flag may be set before the start.
  if (outcome.ok()) {
    EXPECT_EQ(outcome.value().end, End::interrupted);
  } else {
    EXPECT_EQ(outcome.error().code, ErrorCode::interrupted);
  }
  const auto second = run({"silent"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::interrupted);
}

TEST_F(ChildProcess, ASignalToUsBecomesACancellation) {
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    Cancellation fresh;
    {
      const InterruptScope scope(fresh);
      ::raise(number);
    }
    EXPECT_TRUE(fresh.cancelled()) << number;
  }
}

TEST_F(ChildProcess, AMissingProgramNamesWhereWasLooked) {
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  request.argv = {"no-such-program-here"};
  const auto outcome = runner.run(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::not_found);
  EXPECT_THAT(outcome.error().message, HasSubstr("no-such-program-here"));
  EXPECT_THAT(outcome.error().context, HasSubstr("/usr/bin:/bin"));
}

TEST_F(ChildProcess, AFolderThatDoesNotExistIsNamed) {
  request.cwd = "/nonexistent";
  const auto outcome = run({"silent"});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("/nonexistent"));
}

TEST_F(ChildProcess, AScriptWithAMissingInterpreterSaysSo) {
  ASSERT_TRUE(files.write(folder / "script", "#!/no/such/interpreter\n").ok());
  std::filesystem::permissions(folder / "script", std::filesystem::perms::owner_all);
  request.argv = {folder / "script"};
  const auto outcome = runner.run(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().hint, HasSubstr("interpreter"));
}

TEST(FindProgram, LooksInPathThenInTheWorkingFolder) {
  FakeFileSystem files;
  files.programs = {"/jobs/tool", "/usr/bin/tool", "/jobs/only-here"};
  const Variables path{{"PATH", "/bin:/usr/bin"}};
  EXPECT_EQ(find_program("tool", "/jobs", path, files).value(), "/usr/bin/tool");
  EXPECT_EQ(find_program("./tool", "/jobs", path, files).value(), "/jobs/tool");
  EXPECT_EQ(find_program("only-here", "/jobs", path, files).value(), "/jobs/only-here");
  EXPECT_FALSE(find_program("", "/jobs", path, files).ok());
}

TEST(FindProgram, TellsAFileThatIsNotExecutableFromAMissingOne) {
  FakeFileSystem files;
  files.contents["/jobs/train.py"] = "print(1)";
  const auto found = find_program("train.py", "/jobs", {}, files);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::io);
  EXPECT_THAT(found.error().hint, HasSubstr("chmod +x"));
  files.folders.emplace_back("/jobs/train");
  EXPECT_THAT(find_program("./train", "/jobs", {}, files).error().message,
              HasSubstr("is a folder, not a program"));
}

}  // namespace
}  // namespace perfgate::platform
