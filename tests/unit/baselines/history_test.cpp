// What a report over a history reads: series that can be compared, across level marks.
#include "baselines/history.h"

#include <gmock/gmock.h>

#include "baselines/record.h"
#include "baselines/select.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class History : public ::testing::Test {
 protected:
  std::string add(const RunResult& run, const std::string& digest = kDecodeDigest) {
    const auto recorded = record(store, run, digest);
    EXPECT_TRUE(recorded.ok()) << (recorded.ok() ? "" : recorded.error().message);
    return recorded.ok() ? recorded.value().digest : std::string();
  }
  void mark(const std::string& run, const std::string& metric, const std::string& reason) {
    EXPECT_TRUE(mark_level(store, {.first_run = run,
                                   .metric = metric,
                                   .kind = LevelMark::Kind::accept,
                                   .reason = reason,
                                   .utc = "2025-12-01T00:00:00Z"})
                    .ok());
  }
  [[nodiscard]] Selection selected(bool across_levels) const {
    SelectionQuery query;
    query.workload_name = "decode_8b";
    query.workload_digest = kDecodeDigest;
    query.branch = "main";
    query.fingerprint = h200();
    query.across_levels = across_levels;
    auto selection = select(store, query);
    EXPECT_TRUE(selection.ok());
    return selection.ok() ? std::move(selection).value() : Selection{};
  }
  static std::size_t points(const Selection& selection) {
    return selection.series.empty() ? 0 : selection.series.front().points.size();
  }

  TemporaryFolder folder;
  Store store = recording(folder / "s.db");
};

TEST_F(History, SeriesAreOneWorkloadFileInOneEnvironmentOnOneBranch) {
  add(decode_run(1));
  add(decode_run(2));
  RunResult other_driver = decode_run(3);
  other_driver.measurement.fingerprint.environment["driver"] = "590.10";
  add(other_driver);
  add(decode_run(4), "another-file");
  RunResult other_branch = decode_run(5);
  other_branch.identity.branch = other_branch.identity.series_branch = "release";
  add(other_branch);
  RunResult replayed = decode_run(6);
  replayed.source = RunSource::replayed;
  add(replayed);
  const auto series = recorded_series(store, "main");
  ASSERT_TRUE(series.ok());
  ASSERT_THAT(series.value(), SizeIs(3));
  EXPECT_THAT(series.value()[0].runs, SizeIs(2));
  EXPECT_EQ(series.value()[0].runs[0].commit, "commit1");
  EXPECT_EQ(series.value()[0].runs[1].outcome, "pass");
  EXPECT_NE(series.value()[0].environment_key, series.value()[1].environment_key);
  EXPECT_EQ(series.value()[2].workload_digest, "another-file");
  const auto of_all_branches = recorded_series(store, "");
  EXPECT_THAT(of_all_branches.value(), SizeIs(3));
  EXPECT_THAT(of_all_branches.value()[0].runs, SizeIs(3));
  EXPECT_THAT(recorded_series(store, "main", kMeasureVersion + 1).value(), IsEmpty());
}

TEST_F(History, AHistoryGoesAcrossLevelMarksAndABaselineDoesNot) {
  std::vector<std::string> digests;
  for (int run = 1; run <= 6; ++run) digests.push_back(add(decode_run(run)));
  mark(digests[2], "", "less work");
  mark(digests[4], "step_time_p50", "longer context");
  EXPECT_EQ(points(selected(false)), 2U);
  EXPECT_THAT(selected(false).marks, IsEmpty());
  const Selection history = selected(true);
  EXPECT_EQ(points(history), 6U);
  ASSERT_THAT(history.marks, SizeIs(2));
  EXPECT_EQ(history.marks[0].first_run, 3);
  EXPECT_EQ(history.marks[0].metric, "");
  EXPECT_EQ(history.marks[1].first_run, 5);
  EXPECT_EQ(history.marks[1].reason, "longer context");
}

TEST_F(History, ThePinThatCountsIsNamedWithItsRun) {
  const std::string first = add(decode_run(1));
  const std::string second = add(decode_run(2));
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  EXPECT_TRUE(
      pin(store, {key, decode_run(1).metrics[0].value, "first", "2025-11-01T00:00:00Z", first})
          .ok());
  EXPECT_TRUE(pin(store, {key, decode_run(2).metrics[0].value, "new driver", "2025-11-02T00:00:00Z",
                          second})
                  .ok());
  const Selection history = selected(true);
  ASSERT_THAT(history.pins, SizeIs(1));
  EXPECT_EQ(history.pins[0].run, 2);
  EXPECT_EQ(history.pins[0].commit, "commit2");
  EXPECT_EQ(history.pins[0].reason, "new driver");
  EXPECT_EQ(history.pins[0].set_utc, "2025-11-02T00:00:00Z");
  EXPECT_EQ(history.series.front().pinned, decode_run(2).metrics[0].value);
}

}  // namespace
}  // namespace perfgate::baselines
