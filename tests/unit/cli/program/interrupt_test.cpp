// Ctrl-C at several moments: exit 130, no child left, the store whole, the run folder readable.
#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "baselines/store.h"
#include "runner/measure/run_folder.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class Interrupted : public Program {
 protected:
  /// A word of this test alone, as an argument of its children.
  std::string mark() const { return folder.path(); }
  void expect_all_whole() {
    EXPECT_TRUE(wait_until([&] { return processes_with(mark()).empty(); })) << "a child is left";
    if (exists("run/processes")) {
      const platform::DiskFileSystem files;
      const auto processes = measure::read_processes(files, folder / "run");
      EXPECT_TRUE(processes.ok()) << processes.error().message << processes.error().context;
    }
    if (exists("s.db")) {
      const auto store = baselines::Store::open(folder / "s.db", baselines::OpenMode::read);
      ASSERT_TRUE(store.ok()) << store.error().message;
      EXPECT_TRUE(baselines::check_integrity(store.value()).ok());
    }
  }
  Said interrupt(const std::string& mode, const std::function<void(pid_t)>& meanwhile) {
    return run(Call{.arguments = {"run", "--gpu", "none", "--out", "run", "--store", "s.db",
                                  "--record", "--", PERFGATE_FAKE_CHILD, mode, mark()},
                    .meanwhile = meanwhile});
  }
};

TEST_F(Interrupted, WhileAChildRunsTheChildIsEnded) {
  const Said said = interrupt("hang", [&](pid_t pid) {
    EXPECT_TRUE(wait_until([&] { return processes_with(mark()).size() == 2; }));
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(said.code, 130) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("interrupted"), HasSubstr("hint: ")));
  expect_all_whole();
  EXPECT_THAT(run({"report", "run"}).err, HasSubstr("did not come to its end"));
}

TEST_F(Interrupted, AChildThatIgnoresSigtermIsKilled) {
  const Said said = interrupt("stubborn", [&](pid_t pid) {
    EXPECT_TRUE(wait_until([&] { return exists("run/processes/00-timing/stdout.txt"); }));
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(said.code, 130) << said.err;
  expect_all_whole();
}

TEST_F(Interrupted, ATerminationSignalEndsTheChildrenToo) {
  const Said said = interrupt("hang", [&](pid_t pid) {
    EXPECT_TRUE(wait_until([&] { return processes_with(mark()).size() == 2; }));
    ::kill(pid, SIGTERM);
  });
  EXPECT_EQ(said.code, 130) << said.err;
  expect_all_whole();
}

class AtAnyMoment : public Interrupted, public ::testing::WithParamInterface<int> {};

/// The whole run takes some 100 ms: the moments fall before, between and into processes, and into
/// the recording.
TEST_P(AtAnyMoment, NothingIsLeftHalfDone) {
  const Said said = interrupt("ok", [](pid_t pid) {
    std::this_thread::sleep_for(std::chrono::milliseconds(GetParam()));
    ::kill(pid, SIGINT);
  });
  EXPECT_THAT(said.code, AnyOf(130, 0)) << said.err;  // 0: it was done before
  expect_all_whole();
}

INSTANTIATE_TEST_SUITE_P(Milliseconds, AtAnyMoment,
                         ::testing::Values(0, 5, 10, 20, 30, 45, 60, 80, 100, 130, 170, 220));

}  // namespace
}  // namespace perfgate::testing
