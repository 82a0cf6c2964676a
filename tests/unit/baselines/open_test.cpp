// A store that cannot be used says why and what to do, and is left as it was.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baselines/database.h"
#include "baselines/location.h"
#include "baselines/maintenance.h"
#include "baselines/migrations.h"
#include "baselines/record.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::HasSubstr;

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Store, OfASchemaThatNoPerfgateWritesIsNamed) {
  for (const char* version : {"0", "-1"}) {
    const TemporaryFolder folder;
    const std::string path = folder / "s.db";
    recording(path).database().exec(std::string("PRAGMA user_version = ") + version);
    for (const OpenMode mode : {OpenMode::read, OpenMode::record}) {
      const auto store = Store::open(path, mode);
      ASSERT_FALSE(store.ok());
      EXPECT_EQ(store.error().code, ErrorCode::corrupt);
      EXPECT_THAT(store.error().message,
                  HasSubstr(std::string("says that its schema is ") + version + ", which no"));
    }
  }
}

TEST(Store, ALinkToNowhereOrToItselfIsNoStore) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("gone", folder / "dangling");
  EXPECT_THAT(store_path(folder / "dangling").error().message, HasSubstr("link to gone, which is"));
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_THAT(store_path(folder / "loop").error().message, HasSubstr("leads back to itself"));
  write_file(folder / "real.db", "");
  std::filesystem::create_symlink("real.db", folder / "link");
  EXPECT_TRUE(store_path(folder / "link").ok());
}

TEST(Store, CreatesItsFolderAndOpensAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "deep/er/perfgate.db";
  ASSERT_TRUE(Store::open(path, OpenMode::record).ok());
  EXPECT_TRUE(Store::open(path, OpenMode::record).ok());
  const auto reader = Store::open(path, OpenMode::read);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(check_integrity(reader.value()).ok());
}

TEST(Store, ReadingWhereThereIsNoneNamesTheFirstStep) {
  const TemporaryFolder folder;
  const auto store = Store::open(folder / "none.db", OpenMode::read);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::not_found);
  EXPECT_THAT(store.error().hint, HasSubstr("--record"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db")) << "reading creates nothing";
}

TEST(Store, RefusesAFileThatIsNoDatabaseAndLeavesIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "notes.txt";
  write_file(path, "shopping list");
  for (const OpenMode mode : {OpenMode::read, OpenMode::record, OpenMode::snapshot}) {
    const auto store = Store::open(path, mode);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::corrupt);
    EXPECT_THAT(store.error().message, HasSubstr(path));
    EXPECT_FALSE(store.error().hint.empty());
  }
  EXPECT_EQ(read_file(path), "shopping list");
}

TEST(Store, AnEmptyFileIsLostHistoryInEveryMode) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  write_file(path, "");
  for (const OpenMode mode : {OpenMode::read, OpenMode::record, OpenMode::snapshot}) {
    const auto store = Store::open(path, mode, {.busy_timeout_ms = 0});
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::corrupt);
    EXPECT_THAT(store.error().message, HasSubstr("is lost"));
  }
  EXPECT_EQ(read_file(path), "");
}

TEST(Store, AFullDiskAtTheFirstRecordLeavesNoFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.db";
  const pid_t recorder = ::fork();
  if (recorder == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1024, 1024};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    const auto store = Store::open(path, OpenMode::record);
    ::_exit(!store.ok() && store.error().code == ErrorCode::io ? 0 : 1);
  }
  int state = 0;
  ::waitpid(recorder, &state, 0);
  EXPECT_EQ(state, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "it would be taken for a lost store";
  EXPECT_TRUE(Store::open(path, OpenMode::record).ok());
}

TEST(Store, AFileThatAnotherIsAboutToBeginIsWaitedFor) {
  const TemporaryFolder folder;
  const std::string made = folder / "made.db";
  ASSERT_TRUE(Store::open(made, OpenMode::record).ok());
  const std::string path = folder / "s.db";
  write_file(path, "");
  const pid_t other = ::fork();
  if (other == 0) {
    ::usleep(60'000);
    std::filesystem::rename(made, path);
    ::_exit(0);
  }
  EXPECT_TRUE(Store::open(path, OpenMode::record).ok());
  ::waitpid(other, nullptr, 0);
}

TEST(Store, RefusesADamagedDatabase) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  { Store store = recording(path); }
  std::string bytes = read_file(path);
  ASSERT_GT(bytes.size(), 200U);
  for (std::size_t i = 100; i < bytes.size(); ++i) bytes[i] = '\x5a';
  write_file(path, bytes);
  for (const OpenMode mode : {OpenMode::read, OpenMode::record}) {
    const auto store = Store::open(path, mode);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::corrupt) << store.error().message;
  }
}

TEST(Store, ATruncatedDatabaseIsFoundByTheIntegrityCheckOrRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  {
    Store store = recording(path);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(record(store, decode_run(i), kDecodeDigest).ok());
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto store = Store::open(path, OpenMode::read);
  if (store.ok()) {
    EXPECT_EQ(check_integrity(store.value()).error().code, ErrorCode::corrupt);
  } else {
    EXPECT_EQ(store.error().code, ErrorCode::corrupt);
  }
}

TEST(Store, RefusesTheDatabaseOfAnotherProgram) {
  const TemporaryFolder folder;
  const std::string path = folder / "browser.db";
  {
    SQLite::Database other(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE bookmarks (url TEXT)");
  }
  const auto store = Store::open(path, OpenMode::record);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message, HasSubstr("another program"));
}

TEST(Store, RefusesANewerSchemaAndNamesBothVersions) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  { Store store = recording(path); }
  {
    SQLite::Database future(path, SQLite::OPEN_READWRITE);
    future.exec("PRAGMA user_version = 99");
  }
  for (const OpenMode mode : {OpenMode::read, OpenMode::record}) {
    const auto store = Store::open(path, mode);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::store);
    EXPECT_THAT(store.error().message,
                HasSubstr("newer perfgate (schema 99, this one knows " +
                          std::to_string(migrations().back().version) + ")"));
  }
}

TEST(Store, SaysThatAnotherPerfgateHoldsTheLock) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  Store holder = recording(path);
  Store waiter = recording(path, {.busy_timeout_ms = 30});
  const SQLite::Transaction lock(holder.database(), SQLite::TransactionBehavior::IMMEDIATE);
  const auto outcome = record(waiter, decode_run(1), kDecodeDigest);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::store);
  EXPECT_THAT(outcome.error().message, HasSubstr("another perfgate holds it"));
}

TEST(Store, ReadersSeeTheStoreWhileItIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  Store writer = recording(path);
  ASSERT_TRUE(record(writer, decode_run(1), kDecodeDigest).ok());
  const SQLite::Transaction lock(writer.database(), SQLite::TransactionBehavior::IMMEDIATE);
  const auto reader = Store::open(path, OpenMode::read, {.busy_timeout_ms = 30});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(list_runs(reader.value()).value().size(), 1U);
}

/// Runs `work` in a child as an ordinary user, as root may write everywhere. Its exit code is the
/// result.
template <typename Work>
int as_ordinary_user(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
    ::_exit(work());
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 98;
}

TEST(Store, AReadOnlyFileRefusesRecordingAndAllowsReading) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  {
    Store store = recording(path);
    ASSERT_TRUE(record(store, decode_run(1), kDecodeDigest).ok());
  }
  using std::filesystem::perms;
  constexpr perms kRead = perms::owner_read | perms::group_read | perms::others_read;
  constexpr perms kEnter = perms::owner_exec | perms::group_exec | perms::others_exec;
  std::filesystem::permissions(path, kRead);
  std::filesystem::permissions(folder.path(), kRead | kEnter);
  EXPECT_EQ(as_ordinary_user([&] {
              const auto store = Store::open(path, OpenMode::record);
              if (store.ok()) return 1;
              if (store.error().code != ErrorCode::store) return 2;
              return store.error().message.find("read-only") == std::string::npos ? 3 : 0;
            }),
            0);
  EXPECT_EQ(as_ordinary_user([&] {
              const auto store = Store::open(path, OpenMode::read);
              if (!store.ok()) return 1;
              const auto runs = list_runs(store.value());
              return runs.ok() && runs.value().size() == 1 ? 0 : 2;
            }),
            0);
}

TEST(Location, APostgresUrlIsNotSupportedYet) {
  const auto path = store_path("postgresql://db/perf");
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.error().code, ErrorCode::usage);
  EXPECT_THAT(path.error().message, HasSubstr("not supported yet"));
  EXPECT_FALSE(store_path("postgres://db/perf").ok());
}

TEST(Location, RefusesFoldersEmptyNamesAndNulBytes) {
  const TemporaryFolder folder;
  EXPECT_FALSE(store_path("").ok());
  EXPECT_FALSE(store_path(std::string("a\0b", 3)).ok());
  EXPECT_FALSE(store_path(folder.path()).ok());
}

TEST(Location, RefusesAPipeInsteadOfWaitingForItsOtherEnd) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& named : {folder / "pipe", std::string("/dev/null")}) {
    for (const OpenMode mode : {OpenMode::read, OpenMode::record}) {
      const auto store = Store::open(named, mode);
      ASSERT_FALSE(store.ok());
      EXPECT_EQ(store.error().code, ErrorCode::usage);
      EXPECT_THAT(store.error().message, HasSubstr("not a file"));
    }
  }
}

TEST(Location, ANameThatSqliteWouldTakeForMemoryIsAFile) {
  const auto path = store_path(":memory:");
  ASSERT_TRUE(path.ok());
  EXPECT_TRUE(path.value().starts_with('/'));
}

TEST(Location, KnowsNetworkFileSystems) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(0x65735546), "FUSE");
  EXPECT_EQ(network_file_system(static_cast<long>(0xFF534D42)), "CIFS");
  EXPECT_EQ(network_file_system(static_cast<std::int32_t>(0xFF534D42)), "CIFS") << "signed f_type";
  EXPECT_EQ(network_file_system(0xEF53), "") << "ext4 is local";
}

TEST(Location, RefusesAStoreInsideTheCheckoutInCi) {
  const TemporaryFolder folder;
  const StoreOptions in_ci{.checkout = folder.path() + "/"};
  const auto inside = Store::open(folder / "sub/perfgate.db", OpenMode::record, in_ci);
  ASSERT_FALSE(inside.ok());
  EXPECT_THAT(inside.error().message, HasSubstr("inside the checkout"));
  const TemporaryFolder outside;
  EXPECT_TRUE(Store::open(outside / "perfgate.db", OpenMode::record, in_ci).ok());
  const StoreOptions sibling{.checkout = folder.path()};
  EXPECT_TRUE(check_recordable(folder.path() + "-other.db", sibling.checkout).ok())
      << "a name that only begins like the checkout is outside";
}

constexpr Migration kFirst{1, "initial", "CREATE TABLE a (x INTEGER) STRICT;"};
constexpr Migration kSecond{2, "more", "ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT '';"};
constexpr Migration kBroken{2, "broken", "CREATE TABLE b (x INTEGER); CREATE NONSENSE;"};

TEST(Migrate, AppliesTheMissingStepsAndKeepsACopyOfTheOldStore) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ASSERT_TRUE(migrate(database, path, std::array{kFirst}).ok());
  database.exec("INSERT INTO a (x) VALUES (7)");
  ASSERT_TRUE(migrate(database, path, std::array{kFirst, kSecond}).ok());
  EXPECT_EQ(database.execAndGet("SELECT x FROM a WHERE y = ''").getInt(), 7);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 2);
  SQLite::Database copy(path + ".before-v2", SQLite::OPEN_READONLY);
  EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_EQ(copy.execAndGet("SELECT x FROM a").getInt(), 7);
}

TEST(Migrate, AStepThatFailsLeavesTheOldSchemaWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "perfgate.db";
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ASSERT_TRUE(migrate(database, path, std::array{kFirst}).ok());
  const Status status = guarded(path, [&]() -> Status {
    return migrate(database, path, std::array{kFirst, kBroken});
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_FALSE(database.tableExists("b"));
}

TEST(Migrations, AreNumberedFromOneWithoutGaps) {
  int expected = 1;
  for (const Migration& step : migrations()) {
    EXPECT_EQ(step.version, expected++);
    EXPECT_FALSE(step.sql.empty()) << step.name;
  }
  EXPECT_GT(expected, 1);
}

}  // namespace
}  // namespace perfgate::baselines
