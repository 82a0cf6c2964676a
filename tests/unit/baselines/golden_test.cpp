// A store written by any past version opens, migrates and still serves as a baseline.
#include <fstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/drills.h"
#include "baselines/exchange.h"
#include "baselines/maintenance.h"
#include "baselines/migrations.h"
#include "baselines/noise_runs.h"
#include "baselines/select.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

const std::filesystem::path kGolden = "tests/golden/baselines";

std::string restored(const TemporaryFolder& folder, const std::string& version) {
  std::ifstream file(kGolden / version / "store.sql");
  const std::string sql{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(sql.empty()) << version;
  std::string path = folder / (version + ".db");
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
  return path;
}

std::string version_name(int version) {
  const std::string digits = std::to_string(version);
  return "v" + std::string(4 - digits.size(), '0') + digits;
}

TEST(GoldenStore, EveryPastSchemaHasADumpThatMigratesAndServes) {
  for (const Migration& step : migrations()) {
    const TemporaryFolder folder;
    const std::string path = restored(folder, version_name(step.version));
    const Store store = recording(path);
    EXPECT_EQ(store.database().execAndGet("PRAGMA user_version").getInt(),
              migrations().back().version);
    EXPECT_TRUE(check_integrity(store).ok());
    SelectionQuery query;
    query.workload_name = "decode_8b";
    query.workload_digest = kDecodeDigest;
    query.branch = "main";
    query.fingerprint = h200();
    const auto selection = select(store, query);
    ASSERT_TRUE(selection.ok()) << selection.error().context;
    EXPECT_EQ(selection.value().choice.commit, "commit2");
    ASSERT_EQ(selection.value().series.size(), 2U);
    const BaselineSeries& series = selection.value().series.at(1);
    EXPECT_EQ(series.metric, "step_time_p50");
    EXPECT_EQ(series.points.size(), 3U);
    EXPECT_EQ(series.pinned, 4.27);
    EXPECT_EQ(series.calibrated_sd_ratio, 0.0005);
    EXPECT_EQ(selection.value().traced_over_untraced, 1.014);
  }
}

TEST(GoldenStore, ItsRunsKeepTheirDigests) {
  const TemporaryFolder folder;
  const Store store = recording(restored(folder, "v0001"));
  const auto runs = list_runs(store).value();
  ASSERT_EQ(runs.size(), 3U);
  for (const RunSummary& run : runs) {
    EXPECT_EQ(run_digest(show_run(store, run.run).value()), run.digest)
        << "a change of the digest would store old results twice";
  }
}

TEST(GoldenStore, ItsNoiseRunsAreRead) {
  const TemporaryFolder folder;
  const Store store = recording(restored(folder, "v0004"));
  const auto points = noise_points(store, kDecodeDigest);
  ASSERT_TRUE(points.ok()) << points.error().context;
  ASSERT_EQ(points.value().size(), 2U);
  EXPECT_EQ(points.value().back().value, 4.275);
  EXPECT_THAT(points.value().back().samples, ::testing::ElementsAre(4.275, 4.275, 4.275));
}

TEST(GoldenStore, ItsWorkIsRead) {
  const TemporaryFolder folder;
  const Store store = recording(restored(folder, "v0005"));
  const auto run = show_run(store, 3);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().work.tokens, 16.0);
  EXPECT_EQ(run.value().work.kv_bytes, std::nullopt);
  EXPECT_EQ(run.value().work.output_hash, "9f3a");
  EXPECT_EQ(show_run(store, 1).value().work.tokens, std::nullopt);
}

TEST(GoldenStore, ItsDrillsAreRead) {
  const TemporaryFolder folder;
  const Store store = recording(restored(folder, "v0006"));
  const auto trials = drill_trials(store, kDecodeDigest);
  ASSERT_TRUE(trials.ok()) << trials.error().context;
  ASSERT_EQ(trials.value().size(), 2U);
  EXPECT_EQ(trials.value().front().planted, Planted::spin);
  EXPECT_EQ(trials.value().front().outcome, Outcome::fail);
  EXPECT_EQ(trials.value().front().size_us, 42.7);
  EXPECT_EQ(trials.value().back().planted, Planted::nothing);
  EXPECT_FALSE(trials.value().back().finds_from_ratio.has_value());
}

TEST(GoldenStore, ItsSchemaIsTheOneOfTheMigrations) {
  const TemporaryFolder folder;
  const std::string sql =
      "SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), ';') FROM "
      "(SELECT * FROM sqlite_schema ORDER BY type, name)";
  Store fresh = recording(folder / "fresh.db");
  Store old = recording(restored(folder, "v0001"));
  EXPECT_EQ(old.database().execAndGet(sql).getString(),
            fresh.database().execAndGet(sql).getString());
}

}  // namespace
}  // namespace perfgate::baselines
