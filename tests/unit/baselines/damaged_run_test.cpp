// A flipped bit in the store is neither judged against nor passed over in silence.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/exchange.h"
#include "baselines/maintenance.h"
#include "baselines/record.h"
#include "baselines/select.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Five runs, and SQL that damages what the second one holds.
class DamagedRun : public ::testing::TestWithParam<const char*> {
 protected:
  DamagedRun() : store_(recording(folder_ / "s.db")) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(record(store_, decode_run(i), kDecodeDigest).ok());
  }
  void damage(const std::string& sql) { ASSERT_EQ(store_.database().exec(sql), 1) << sql; }
  Result<Selection> selected() {
    SelectionQuery query;
    query.workload_name = "decode_8b";
    query.workload_digest = kDecodeDigest;
    query.branch = "main";
    query.fingerprint = h200();
    return select(store_, query);
  }
  void names_run_two(const Status& status) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::corrupt);
    EXPECT_THAT(status.error().message, HasSubstr("run 2 in " + store_.path() + " is damaged: "));
    EXPECT_THAT(status.error().hint, HasSubstr("perfgate baseline remove 2 "));
  }
  template <typename Value>
  static Status status_of(const Result<Value>& result) {
    return result.ok() ? Status() : Status(result.error());
  }
  TemporaryFolder folder_;
  Store store_;
};

TEST_P(DamagedRun, IsNamedByWhateverWouldUseItAndCanBeRemoved) {
  ASSERT_TRUE(selected().ok());
  ASSERT_NO_FATAL_FAILURE(damage(GetParam()));
  names_run_two(status_of(selected()));
  names_run_two(status_of(show_run(store_, 2)));
  names_run_two(export_lines(store_, [](std::string_view) { return Status(); }));
  names_run_two(check_integrity(store_));
  ASSERT_TRUE(remove_runs(store_, {2}, HeldRuns::refuse).ok());
  ASSERT_TRUE(selected().ok());
  EXPECT_EQ(selected().value().series.front().points.size(), 4U);
  EXPECT_TRUE(check_integrity(store_).ok());
}

INSTANTIATE_TEST_SUITE_P(
    Of, DamagedRun,
    ::testing::Values("UPDATE metrics SET value = value * 1.5 WHERE run = 2",
                      "UPDATE metrics SET unit = 'us' WHERE run = 2",
                      "UPDATE samples SET value = 5.0 WHERE position = 1 AND metric = 2",
                      "DELETE FROM samples WHERE position = 2 AND metric = 2",
                      "UPDATE process_steps SET step_ms = zeroblob(16) WHERE run = 2",
                      "UPDATE fingerprint_fields SET value = 'x' WHERE run = 2 AND field = 'cuda'",
                      // These would hide the run from the selection.
                      "UPDATE runs SET environment_key = 'x' WHERE id = 2",
                      "UPDATE runs SET workload_digest = 'x' WHERE id = 2",
                      "UPDATE runs SET branch = 'mair' WHERE id = 2",
                      "UPDATE runs SET source = 'replayed' WHERE id = 2",
                      "UPDATE runs SET measure_version = 9 WHERE id = 2",
                      "UPDATE runs SET digest = 'x' WHERE id = 2"));

TEST_F(DamagedRun, APinThatIsNotTheLevelOfItsRunIsNamed) {
  const std::string digest = run_digest(show_run(store_, 2).value());
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store_, {key, 4.271, "why", "2025-01-01", digest}).ok());
  ASSERT_TRUE(selected().ok());
  damage("UPDATE pins SET level = level * 2");
  const auto selection = selected();
  ASSERT_FALSE(selection.ok());
  EXPECT_THAT(selection.error().message, AllOf(HasSubstr("the pinned level of step_time_p50"),
                                               HasSubstr("not that of run 2")));
  EXPECT_THAT(selection.error().hint, HasSubstr("perfgate baseline unpin 2 --metric"));
}

/// Leaves run 2 out of an index, as a flipped bit in its key does.
void hide_run_two(const std::string& path, const std::string& index) {
  const std::string where = " WHERE name = '" + index + "'";
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA writable_schema = ON");
    database.exec("UPDATE sqlite_schema SET sql = sql || ' WHERE id <> 2'" + where);
  }
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("REINDEX " + index);
  database.exec("PRAGMA writable_schema = ON");
  database.exec("UPDATE sqlite_schema SET sql = replace(sql, ' WHERE id <> 2', '')" + where);
}

TEST_F(DamagedRun, AnIndexThatHidesOneIsNoticedBeforeAnythingIsJudged) {
  for (const std::string index : {"runs_by_series", "runs_by_name"}) {
    const std::string path = folder_ / (index + ".db");
    {
      Store store = recording(path);
      for (int i = 0; i < 5; ++i) ASSERT_TRUE(record(store, decode_run(i), kDecodeDigest).ok());
    }
    hide_run_two(path, index);
    store_ = recording(path);
    ASSERT_FALSE(check_integrity(store_).ok()) << "row 2 missing from index " << index;
    const auto selection = selected();
    ASSERT_FALSE(selection.ok()) << index;
    EXPECT_EQ(selection.error().code, ErrorCode::corrupt);
    EXPECT_THAT(selection.error().message, HasSubstr("an index hides runs"));
    store_.database().exec("REINDEX");
    EXPECT_TRUE(selected().ok()) << index;
  }
}

}  // namespace
}  // namespace perfgate::baselines
