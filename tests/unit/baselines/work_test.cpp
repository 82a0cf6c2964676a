// What a step did is kept beside what it took, and a run is the same run with and without it.
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

using ::testing::HasSubstr;
using ::testing::SizeIs;

RunResult working_run(int number, double tokens = 16.0, const std::string& hash = "9f3a") {
  RunResult run = decode_run(number);
  WorkDone& work = run.measurement.processes.front().results->work;
  work.tokens = tokens;
  work.flops = 2.4e11;
  work.output_hash = hash;
  return run;
}

std::vector<BaselineWork> selected(const Store& store) {
  SelectionQuery query;
  query.workload_name = "decode_8b";
  query.workload_digest = kDecodeDigest;
  query.branch = "main";
  query.fingerprint = h200();
  auto selection = select(store, query);
  EXPECT_TRUE(selection.ok()) << selection.error().message;
  return selection.ok() ? selection.value().work : std::vector<BaselineWork>{};
}

std::string exported(const Store& store) {
  std::string text;
  EXPECT_TRUE(export_lines(store, [&](std::string_view line) {
                text.append(line).append("\n");
                return Status();
              }).ok());
  return text;
}

TEST(StoredWork, IsSelectedNewestFirstOfTheRunsThatTellIt) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  ASSERT_TRUE(record(store, working_run(1), kDecodeDigest).ok());
  ASSERT_TRUE(record(store, decode_run(2), kDecodeDigest).ok());
  ASSERT_TRUE(record(store, working_run(3, 8.0, "a1b2"), kDecodeDigest).ok());
  const auto work = selected(store);
  ASSERT_THAT(work, SizeIs(2));
  EXPECT_EQ(work[0].commit, "commit3");
  EXPECT_EQ(work[0].work.tokens, 8.0);
  EXPECT_EQ(work[0].work.flops, 2.4e11);
  EXPECT_EQ(work[0].work.kv_bytes, std::nullopt);
  EXPECT_EQ(work[1].work.output_hash, "9f3a");
}

TEST(StoredWork, HasNoOutputWhereTheProcessesGaveSeveral) {
  RunResult run = working_run(1);
  ProcessRecord other = run.measurement.processes.front();
  other.index = 1;
  other.results->work.output_hash = "a1b2";
  run.measurement.processes.push_back(other);
  const auto stored = stored_run_of(run, kDecodeDigest);
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored.value().work.output_hash, "");
  EXPECT_EQ(stored.value().work.tokens, 16.0);
}

TEST(StoredWork, TravelsInAnExportAndIsCheckedThere) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  ASSERT_TRUE(record(store, working_run(1), kDecodeDigest).ok());
  std::string text = exported(store);
  Store copy = recording(folder / "b.db");
  ASSERT_TRUE(import_lines(copy, text).ok());
  EXPECT_EQ(exported(copy), text);
  EXPECT_TRUE(check_integrity(copy).ok());
  const std::size_t at = text.find("\"tokens\":16");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 11, "\"tokens\":32");
  Store third = recording(folder / "c.db");
  const auto changed = import_lines(third, text);
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message, HasSubstr("the digest of its work does not fit"));
}

TEST(StoredWork, IsNoPartOfWhichRunItIsAndIsAddedToAnOlderOne) {
  const TemporaryFolder folder;
  Store store = recording(folder / "s.db");
  const auto before = record(store, decode_run(1), kDecodeDigest);
  const auto again = record(store, working_run(1), kDecodeDigest);
  ASSERT_TRUE(before.ok() && again.ok());
  EXPECT_TRUE(again.value().was_there);
  EXPECT_EQ(again.value().digest, before.value().digest);
  ASSERT_THAT(selected(store), SizeIs(1));
  ASSERT_TRUE(record(store, working_run(1, 8.0), kDecodeDigest).ok());
  EXPECT_EQ(selected(store).front().work.tokens, 16.0) << "what is there is not changed";
  EXPECT_TRUE(check_integrity(store).ok());
}

TEST(StoredWork, ThatWasDamagedIsNamed) {
  for (const char* damage :
       {"UPDATE runs SET work_tokens = 32.0", "UPDATE runs SET work_tokens = NULL",
        "UPDATE runs SET work_kv_bytes = 1.0", "UPDATE runs SET work_output_hash = 'a1b2'",
        "UPDATE runs SET work_digest = NULL"}) {
    const TemporaryFolder folder;
    Store store = recording(folder / "s.db");
    ASSERT_TRUE(record(store, working_run(1), kDecodeDigest).ok());
    ASSERT_EQ(store.database().exec(damage), 1);
    const auto shown = show_run(store, 1);
    ASSERT_FALSE(shown.ok()) << damage;
    EXPECT_EQ(shown.error().code, ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace perfgate::baselines
