// Two writers take turns; a killed writer and a full disk leave the store whole.
#include <csignal>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "baselines/database.h"
#include "baselines/maintenance.h"
#include "baselines/record.h"
#include "baselines/rows.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

TEST(TwoWriters, InOneProcessBothRecordAll) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  constexpr int kEach = 15;
  const auto write = [&](int first) {
    Store store = recording(path);  // the file is created by whichever thread is first
    for (int i = first; i < first + kEach; ++i) {
      const auto outcome = record(store, decode_run(i), kDecodeDigest);
      EXPECT_TRUE(outcome.ok()) << outcome.error().message << outcome.error().context;
    }
  };
  std::thread one(write, 0);
  std::thread two(write, kEach);
  one.join();
  two.join();
  const auto store = Store::open(path, OpenMode::read);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(list_runs(store.value()).value().size(), 2U * kEach);
}

TEST(TwoWriters, OfTheSameResultStoreItOnce) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  { Store store = recording(path); }
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto store = Store::open(path, OpenMode::record);
      if (!store.ok()) ::_exit(1);
      for (int i = 0; i < 10; ++i) {
        if (!record(store.value(), decode_run(i), kDecodeDigest).ok()) ::_exit(2);
      }
      ::_exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int state = 0;
    ::waitpid(pid, &state, 0);
    EXPECT_EQ(state, 0);
  }
  const auto store = Store::open(path, OpenMode::read);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(list_runs(store.value()).value().size(), 10U);
}

TEST(KilledWriter, LeavesTheLastCommittedState) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  {
    Store store = recording(path);
    ASSERT_TRUE(record(store, decode_run(0), kDecodeDigest).ok());
  }
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = Store::open(path, OpenMode::record);
    if (!store.ok()) ::_exit(1);
    SQLite::Transaction transaction(store.value().database(),
                                    SQLite::TransactionBehavior::IMMEDIATE);
    // Pages reach the WAL before the commit.
    store.value().database().exec("PRAGMA cache_size = 1");
    for (int i = 1; i < 40; ++i) {
      static_cast<void>(insert_run(store.value().database(),
                                   stored_run_of(decode_run(i), kDecodeDigest).value()));
    }
    ::raise(SIGKILL);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  ASSERT_TRUE(WIFSIGNALED(state));
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0U) << "the child died before it wrote";
  Store store = recording(path);
  EXPECT_EQ(list_runs(store).value().size(), 1U);
  EXPECT_TRUE(check_integrity(store).ok());
  EXPECT_TRUE(record(store, decode_run(1), kDecodeDigest).ok()) << "the lock died with the child";
}

TEST(FullDisk, IsAnErrorAndTheStoreIsUnchanged) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  {
    Store store = recording(path);
    ASSERT_TRUE(record(store, decode_run(0), kDecodeDigest).ok());
  }
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit on the size of a file is what an ordinary user can set; SQLite meets it as a failed
    // write.
    ::signal(SIGXFSZ, SIG_IGN);
    auto store = Store::open(path, OpenMode::record);
    if (!store.ok()) ::_exit(1);
    constexpr rlim_t kBytes = rlim_t{64} * 1024;
    const rlimit limit{kBytes, kBytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    RunResult huge = decode_run(1);
    huge.measurement.processes[0].results->steps.assign(100'000, {0, 4.27});
    const auto outcome = record(store.value(), huge, kDecodeDigest);
    if (outcome.ok()) ::_exit(3);
    if (outcome.error().code != ErrorCode::io) ::_exit(4);
    if (outcome.error().hint.empty()) ::_exit(5);
    ::_exit(0);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  ASSERT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 0);
  Store store = recording(path);
  EXPECT_EQ(list_runs(store).value().size(), 1U);
  EXPECT_TRUE(check_integrity(store).ok());
}

}  // namespace
}  // namespace perfgate::baselines
