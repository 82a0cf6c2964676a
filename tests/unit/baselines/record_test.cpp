// What is stored comes back whole, once, whatever its names; a run that cannot be used is refused.
#include "baselines/record.h"

#include <cmath>
#include <limits>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/maintenance.h"
#include "runner/platform/sha256.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::HasSubstr;

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(platform::sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(platform::sha256_hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(platform::sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Record, TheSameResultTwiceIsOneRun) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  const auto first = record(store, decode_run(1), kDecodeDigest);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(first.value().was_there);
  RunResult again = decode_run(1);
  again.verdict.outcome = Outcome::fail;  // judged anew against another baseline
  const auto second = record(store, again, kDecodeDigest);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second.value().was_there);
  EXPECT_EQ(second.value().run, first.value().run);
  EXPECT_EQ(list_runs(store).value().size(), 1U);
}

TEST(Record, ASecondAttemptIsAnotherRun) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  ASSERT_TRUE(record(store, decode_run(1), kDecodeDigest).ok());
  RunResult repeated = decode_run(1);
  repeated.identity.attempt = 2;
  EXPECT_FALSE(record(store, repeated, kDecodeDigest).value().was_there);
}

TEST(Record, KeepsEveryRawSampleAndTheFingerprint) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  RunResult run = decode_run(1, 0.1 + 0.2);
  run.measurement.controls.push_back({"read_stream", "bytes/s", {4.5e12, 4.6e12, 4.7e12}});
  run.measurement.processes[0].capture_files = {"captures/1-2.pgcap"};
  TracedProcess traced;
  traced.traced_over_untraced = 1.014;
  run.analysis.traced.push_back(traced);
  const auto recorded = record(store, run, kDecodeDigest, {{"captures/1-2.pgcap", "c0ffee"}});
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  const auto shown = show_run(store, recorded.value().run);
  ASSERT_TRUE(shown.ok());
  const StoredRun& stored = shown.value();
  EXPECT_EQ(stored.metrics.at(0).samples, run.metrics[0].samples);
  EXPECT_EQ(stored.metrics.at(1).id, "control/read_stream");
  EXPECT_EQ(stored.metrics.at(1).value, 4.6e12);
  EXPECT_EQ(stored.process_step_ms.at(0), (std::vector<double>{0.1 + 0.2, (0.1 + 0.2) * 1.01}));
  EXPECT_EQ(stored.captures.at(0).digest, "c0ffee");
  EXPECT_EQ(stored.traced_over_untraced, 1.014);
  EXPECT_EQ(stored.fingerprint.environment, run.measurement.fingerprint.environment);
  EXPECT_EQ(stored.fingerprint.subject, run.measurement.fingerprint.subject);
  EXPECT_EQ(stored.fingerprint.instance, run.measurement.fingerprint.instance);
  EXPECT_EQ(run_digest(stored), recorded.value().digest) << "reading back changes no bit";
}

TEST(Record, HostileNamesComeBackByteForByte) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  const std::string names[] = {
      "'; DROP TABLE runs; --", "\"quoted\"", std::string("nul\0inside", 10),
      "line\nbreak\r\n",        "%s %n ?1",   "\xE2\x9C\x93 \xF0\x9F\x9A\x80",
      std::string(200'000, 'x')};
  int number = 0;
  for (const std::string& name : names) {
    RunResult run = decode_run(number++);
    run.workload_name = name;
    run.identity.branch = name;
    run.identity.commit = name;
    run.metrics[0].id = name;
    run.measurement.fingerprint.environment[name] = name;
    const auto recorded = record(store, run, name);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    const auto shown = show_run(store, recorded.value().run);
    ASSERT_TRUE(shown.ok());
    EXPECT_EQ(shown.value().workload_name, name);
    EXPECT_EQ(shown.value().workload_digest, name);
    EXPECT_EQ(shown.value().metrics.at(0).id, name);
    EXPECT_EQ(shown.value().fingerprint.environment.at(name), name);
  }
  EXPECT_EQ(list_runs(store).value().size(), std::size(names));
}

TEST(Record, RefusesWhatIsNotUtf8) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  for (const std::string bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "cut \xe2\x9c"}) {
    RunResult run = decode_run(1);
    run.identity.branch = bad;
    const auto outcome = record(store, run, kDecodeDigest);
    ASSERT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.error().message, HasSubstr("UTF-8"));
  }
}

TEST(Record, RefusesValuesThatAreNoMeasurement) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0}) {
    RunResult in_value = decode_run(1);
    in_value.metrics[0].value = bad;
    EXPECT_EQ(record(store, in_value, kDecodeDigest).error().code, ErrorCode::invalid_measurement);
    RunResult in_sample = decode_run(1);
    in_sample.metrics[0].samples[1] = bad;
    EXPECT_FALSE(record(store, in_sample, kDecodeDigest).ok());
    RunResult in_step = decode_run(1);
    in_step.measurement.processes[0].results->steps[0].ms = bad;
    EXPECT_FALSE(record(store, in_step, kDecodeDigest).ok());
  }
  RunResult twice = decode_run(1);
  twice.metrics.push_back(twice.metrics[0]);
  EXPECT_FALSE(record(store, twice, kDecodeDigest).ok());
  RunResult none = decode_run(1);
  none.metrics.clear();
  EXPECT_FALSE(record(store, none, kDecodeDigest).ok());
  EXPECT_TRUE(list_runs(store).value().empty());
}

TEST(Record, AnInvalidRunNeverBecomesABaseline) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  RunResult run = decode_run(1);
  run.verdict.outcome = Outcome::invalid;
  const auto outcome = record(store, run, kDecodeDigest);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("invalid"));
}

TEST(Record, ASnapshotStoreRefusesWriting) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  ASSERT_TRUE(record(store, decode_run(1), kDecodeDigest).ok());
  ASSERT_TRUE(write_snapshot(store, folder / "snap.db").ok());
  auto snapshot = Store::open(folder / "snap.db", OpenMode::snapshot);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
  EXPECT_EQ(list_runs(snapshot.value()).value().size(), 1U);
  const auto outcome = record(snapshot.value(), decode_run(2), kDecodeDigest);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("read-only"));
}

TEST(Snapshot, OpensFromAPathWithUriCharacters) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  ASSERT_TRUE(record(store, decode_run(1), kDecodeDigest).ok());
  const std::string target = folder / "a b?mode=x#y%41.db";
  ASSERT_TRUE(write_snapshot(store, target).ok());
  const auto snapshot = Store::open(target, OpenMode::snapshot);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
  EXPECT_EQ(list_runs(snapshot.value()).value().size(), 1U);
}

TEST(Snapshot, NeverOverwrites) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  ASSERT_TRUE(write_snapshot(store, folder / "snap.db").ok());
  const Status second = write_snapshot(store, folder / "snap.db");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::usage);
}

TEST(Prune, KeepsTheNewestOfEachSeriesAndTheBeginningOfALevel) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  std::vector<std::string> digests;
  for (int i = 0; i < 6; ++i) {
    digests.push_back(record(store, decode_run(i), kDecodeDigest).value().digest);
  }
  RunResult other = decode_run(0);
  other.identity.branch = "release";
  ASSERT_TRUE(record(store, other, kDecodeDigest).ok());
  ASSERT_TRUE(mark_level(store, {digests[1], "", LevelMark::Kind::accept, "new cache", "t"}).ok());
  const Pruned count = prune(store, 2).value();
  ASSERT_EQ(count.deleted.size(), 3U);
  EXPECT_EQ(count.deleted.front().commit, "commit0");
  EXPECT_EQ(count.held, 1);
  const auto left = list_runs(store).value();
  std::vector<std::string> commits;
  for (const RunSummary& run : left) commits.push_back(run.commit + "@" + run.branch);
  EXPECT_THAT(commits, ::testing::UnorderedElementsAre("commit5@main", "commit4@main",
                                                       "commit1@main", "commit0@release"));
  EXPECT_EQ(store.database().execAndGet("SELECT count(*) FROM metrics").getInt(), 4);
  EXPECT_EQ(store.database().execAndGet("SELECT count(*) FROM samples").getInt(), 12);
  EXPECT_FALSE(prune(store, 0).ok());
  EXPECT_TRUE(check_integrity(store).ok());
}

TEST(Prune, EqualWorkloadsOfTwoNamesAreTwoSeries) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  for (int i = 0; i < 4; ++i) {
    RunResult run = decode_run(i);
    if (i % 2 == 1) run.workload_name = "decode_8b_again";
    ASSERT_TRUE(record(store, run, kDecodeDigest).ok());
  }
  EXPECT_EQ(prune(store, 2).value().deleted.size(), 0U);
  EXPECT_EQ(prune(store, 1).value().deleted.size(), 2U);
  const auto left = list_runs(store).value();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_NE(left[0].workload_name, left[1].workload_name);
}

class Pinned : public ::testing::Test {
 protected:
  Pinned() : store(recording(folder / "s.db")) {
    for (int i = 0; i < 4; ++i) {
      const RecordOutcome outcome = record(store, decode_run(i, 4.25), kDecodeDigest).value();
      runs.push_back(outcome.run);
      digests.push_back(outcome.digest);
    }
  }
  void pin_at(std::size_t run, const std::string& utc) {
    const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
    ASSERT_TRUE(pin(store, {key, 4.25, "accepted", utc, digests[run]}).ok());
  }
  std::vector<std::int64_t> listed() {
    std::vector<std::int64_t> found;
    const std::vector<RunSummary> all = list_runs(store).value();
    for (const RunSummary& run : all) found.push_back(run.run);
    return found;
  }
  TemporaryFolder folder;
  Store store;
  std::vector<std::int64_t> runs;
  std::vector<std::string> digests;
};

TEST_F(Pinned, OnlyTheRunAtWhichTheNewestPinWasSetIsListedAsPinned) {
  pin_at(0, "2025-01-01");
  pin_at(2, "2025-02-01");
  const std::vector<RunSummary> all = list_runs(store).value();
  for (const RunSummary& run : all) {
    EXPECT_EQ(run.pinned.size(), run.run == runs[2] ? 1U : 0U) << run.run;
  }
}

TEST_F(Pinned, PruneKeepsThePinnedRunAndCountsIt) {
  pin_at(0, "2025-01-01");
  const Pruned count = prune(store, 1).value();
  EXPECT_EQ(count.deleted.size(), 2U);
  EXPECT_EQ(count.held, 1);
  EXPECT_THAT(listed(), ::testing::ElementsAre(runs[3], runs[0]));
}

TEST_F(Pinned, RemovingTakesAllOfARunOrNothingOfAny) {
  pin_at(0, "2025-01-01");
  const auto refused = remove_runs(store, {runs[1], runs[0]}, HeldRuns::refuse);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_THAT(refused.error().message, HasSubstr("pinned for step_time_p50"));
  EXPECT_EQ(remove_runs(store, {runs[1], 4711}, HeldRuns::refuse).error().code,
            ErrorCode::not_found);
  EXPECT_EQ(listed().size(), 4U);
  pin_at(0, "2024-12-01");
  EXPECT_THAT(remove_runs(store, {runs[1], runs[0]}, HeldRuns::remove).value(),
              ::testing::ElementsAre("step_time_p50"));
  EXPECT_THAT(listed(), ::testing::ElementsAre(runs[3], runs[2]));
  for (const char* table : {"metrics", "process_steps", "fingerprint_fields"}) {
    EXPECT_EQ(store.database()
                  .execAndGet(std::string("SELECT count(DISTINCT run) FROM ") + table)
                  .getInt(),
              2)
        << table;
  }
  EXPECT_EQ(store.database().execAndGet("SELECT count(*) FROM samples").getInt(), 6);
  EXPECT_EQ(store.database().execAndGet("SELECT count(*) FROM pins").getInt(), 0)
      << "an older pin does not come back";
  EXPECT_TRUE(check_integrity(store).ok());
}

TEST_F(Pinned, ThePinsOfARunAreThoseThatCountWithTheirReasons) {
  pin_at(0, "2025-01-01");
  EXPECT_EQ(pins_of(store, runs[0]).value().front().reason, "accepted");
  pin_at(2, "2025-02-01");
  EXPECT_TRUE(pins_of(store, runs[0]).value().empty());
  EXPECT_EQ(pins_of(store, runs[2]).value().front().key.metric, "step_time_p50");
}

TEST_F(Pinned, ARunAtWhichALevelBeginsIsHeldToo) {
  ASSERT_TRUE(mark_level(store, {digests[1], "", LevelMark::Kind::accept, "why", "t"}).ok());
  EXPECT_THAT(remove_runs(store, {runs[1]}, HeldRuns::refuse).error().message,
              HasSubstr("a level begins at run"));
  EXPECT_TRUE(remove_runs(store, {runs[1]}, HeldRuns::remove).ok());
}

TEST_F(Pinned, AnEqualWorkloadOfAnotherNameKeepsItsOwnPin) {
  RunResult other = decode_run(9, 4.25);
  other.workload_name = "decode_8b_again";
  const RecordOutcome again = record(store, other, kDecodeDigest).value();
  pin_at(0, "2025-11-01");
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store, {key, 5.0, "accepted", "2025-11-02", again.digest}).ok());
  EXPECT_EQ(remove_runs(store, {runs[0]}, HeldRuns::refuse).error().code, ErrorCode::usage)
      << "the newer pin is of another workload";
  ASSERT_TRUE(unpin(store, again.run, "").ok());
  EXPECT_EQ(remove_runs(store, {runs[0]}, HeldRuns::refuse).error().code, ErrorCode::usage);
}

TEST_F(Pinned, UnpinningForgetsTheOlderPinsToo) {
  pin_at(0, "2025-01-01");
  pin_at(2, "2025-02-01");
  EXPECT_EQ(unpin(store, runs[0], "").error().code, ErrorCode::not_found);
  EXPECT_EQ(unpin(store, runs[2], "gpu_idle_ms").error().code, ErrorCode::not_found);
  EXPECT_THAT(unpin(store, runs[2], "").value(), ::testing::ElementsAre("step_time_p50"));
  EXPECT_EQ(store.database().execAndGet("SELECT count(*) FROM pins").getInt(), 0);
  EXPECT_TRUE(remove_runs(store, {runs[2]}, HeldRuns::refuse).ok());
}

TEST(Provenance, TheSeriesGitsBranchAndUncommittedChangesAreKept) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  RunResult run = decode_run(1);
  run.identity.branch = "master";
  run.identity.series_branch = "main";
  run.identity.dirty = true;
  const RecordOutcome outcome = record(store, run, kDecodeDigest).value();
  EXPECT_EQ(list_runs(store).value().front().branch, "main");
  const StoredRun stored = show_run(store, outcome.run).value();
  EXPECT_EQ(stored.identity.branch, "master");
  EXPECT_EQ(series_of(stored.identity), "main");
  EXPECT_TRUE(stored.identity.dirty);
  const StoredRun exchanged = stored_run_from_json(to_json_line(stored)).value();
  EXPECT_EQ(exchanged.identity.branch, "master");
  EXPECT_EQ(run_digest(exchanged), outcome.digest);
}

TEST(Reference, FindsARunByNumberAndByDigest) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  const auto recorded = record(store, decode_run(1), kDecodeDigest).value();
  EXPECT_EQ(find_reference(store, std::to_string(recorded.run)).value(), recorded.run);
  EXPECT_EQ(find_reference(store, recorded.digest.substr(0, 12)).value(), recorded.run);
  EXPECT_EQ(find_reference(store, "store:" + std::to_string(recorded.run)).value(), recorded.run);
  EXPECT_EQ(find_reference(store, "zzzz").error().code, ErrorCode::not_found);
  EXPECT_EQ(find_reference(store, "").error().code, ErrorCode::not_found);
  EXPECT_EQ(show_run(store, 4711).error().code, ErrorCode::not_found);
}

TEST(Levels, RefuseWhatSaysNothing) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  EXPECT_FALSE(pin(store, {key, 0.0, "why", "t"}).ok());
  EXPECT_FALSE(pin(store, {key, std::nan(""), "why", "t"}).ok());
  EXPECT_FALSE(pin(store, {key, 4.2, "", "t"}).ok());
  EXPECT_FALSE(calibrate(store, {key, 0.001, 2, "t"}).ok());
  EXPECT_FALSE(calibrate(store, {key, 1.0, 3, "t"}).ok());
  EXPECT_TRUE(calibrate(store, {key, 0.001, 3, "t"}).ok());
  EXPECT_EQ(mark_level(store, {"none", "", LevelMark::Kind::change, "why", "t"}).error().code,
            ErrorCode::not_found);
}

}  // namespace
}  // namespace perfgate::baselines
