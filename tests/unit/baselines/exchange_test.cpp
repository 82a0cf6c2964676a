// What leaves a store arrives in another one unchanged, once; a bad file changes nothing.
#include "baselines/exchange.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/drills.h"
#include "baselines/maintenance.h"
#include "baselines/noise_runs.h"
#include "baselines/record.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::HasSubstr;

std::string exported(const Store& store) {
  std::string text;
  const Status status = export_lines(store, [&](std::string_view line) -> Status {
    text += std::string(line) + "\n";
    return {};
  });
  EXPECT_TRUE(status.ok());
  return text;
}

Store filled(const std::string& path) {
  Store store = recording(path);
  std::string digest;
  for (int i = 0; i < 3; ++i) digest = record(store, decode_run(i), kDecodeDigest).value().digest;
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  EXPECT_TRUE(pin(store, {key, 4.27, "accepted", "t", digest}).ok());
  EXPECT_TRUE(calibrate(store, {key, 0.0005, 4, "t"}).ok());
  EXPECT_TRUE(mark_level(store, {digest, "", LevelMark::Kind::environment, "new rack", "t"}).ok());
  NoisePoint noise{.key = key, .instance = "GPU-1", .occasion_utc = "t", .commit = "c"};
  noise.unit = "ms";
  noise.value = 4.27;
  noise.samples = {4.26, 4.27, 4.28};
  EXPECT_TRUE(record_noise(store, std::array{noise}).ok());
  DrillTrial drill{.workload_name = "decode_8b",
                   .workload_digest = kDecodeDigest,
                   .environment_key = key.environment_key,
                   .drill_utc = "t",
                   .outcome = Outcome::pass};
  EXPECT_TRUE(record_drill(store, drill).ok());
  drill.place = 1;
  drill.planted = Planted::spin;
  drill.size_ratio = 0.01;
  drill.size_us = 42.7;
  drill.change_ratio = -0.001;
  drill.finds_from_ratio = 0.004;
  EXPECT_TRUE(record_drill(store, drill).ok());
  return store;
}

TEST(Levels, ARunAtWhichOneBeginsSaysSo) {
  const TemporaryFolder folder;
  const Store store = filled(folder / "store.db");
  const auto runs = list_runs(store).value();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].begins, std::vector<std::string>{""}) << "of all metrics";
  EXPECT_TRUE(runs[1].begins.empty());
  const auto marks = marks_of(store, runs[0].run).value();
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].reason, "new rack");
  EXPECT_TRUE(marks_of(store, runs[1].run).value().empty());
}

TEST(Exchange, AnImportedStoreExportsTheSameBytes) {
  const TemporaryFolder folder;
  const std::string text = exported(filled(folder / "a.db"));
  Store copy = recording(folder / "b.db");
  const auto count = import_lines(copy, text);
  ASSERT_TRUE(count.ok()) << count.error().message;
  EXPECT_EQ(count.value().runs_added, 3);
  EXPECT_EQ(exported(copy), text);
}

TEST(Exchange, ImportingTwiceAddsNothing) {
  const TemporaryFolder folder;
  Store store = filled(folder / "a.db");
  const std::string text = exported(store);
  const auto count = import_lines(store, text);
  ASSERT_TRUE(count.ok()) << count.error().message;
  EXPECT_EQ(count.value().runs_added, 0);
  EXPECT_EQ(count.value().runs_known, 3);
  EXPECT_EQ(exported(store), text);
}

TEST(Exchange, WithoutWhatIsKnownTheRestIsAWholeFile) {
  const TemporaryFolder folder;
  Store store = filled(folder / "a.db");
  ExportedLines known;
  add_lines(exported(store), known);
  const auto rest = [&] {
    std::string text;
    const auto write = [&](std::string_view line) -> Status {
      text += std::string(line) + "\n";
      return {};
    };
    EXPECT_TRUE(export_lines(store, write, known).ok());
    return text;
  };
  EXPECT_EQ(rest(), "{\"perfgate_store_export\":1}\n{\"end\":true,\"lines\":0}\n");
  ASSERT_TRUE(record(store, decode_run(7), kDecodeDigest).ok());
  Store other = recording(folder / "b.db");
  const auto count = import_lines(other, rest());
  ASSERT_TRUE(count.ok()) << count.error().message;
  EXPECT_EQ(count.value().runs_added, 1);
}

TEST(Exchange, AFileCutAtAnyLineIsRefusedWhole) {
  const TemporaryFolder folder;
  const std::string text = exported(filled(folder / "a.db"));
  Store copy = recording(folder / "b.db");
  for (std::size_t end = 0; end + 1 < text.size(); end = text.find('\n', end + 1)) {
    EXPECT_FALSE(import_lines(copy, std::string_view(text).substr(0, end)).ok()) << end;
    EXPECT_TRUE(list_runs(copy).value().empty());
  }
}

TEST(Exchange, AChangedNumberDoesNotFitItsDigest) {
  const TemporaryFolder folder;
  std::string text = exported(filled(folder / "a.db"));
  const std::size_t at = text.find("4.272");
  ASSERT_NE(at, std::string::npos);
  text[at] = '3';
  Store copy = recording(folder / "b.db");
  const auto count = import_lines(copy, text);
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code, ErrorCode::corrupt);
  EXPECT_THAT(count.error().message, HasSubstr("line 3: the digest does not fit"));
  EXPECT_TRUE(list_runs(copy).value().empty()) << "the good first run is not kept either";
}

TEST(Exchange, ForeignAndNewerFilesAreNamed) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  EXPECT_EQ(import_lines(store, "").error().code, ErrorCode::corrupt);
  EXPECT_EQ(import_lines(store, std::string_view("SQLite format 3\0 and so on", 26)).error().code,
            ErrorCode::usage);
  EXPECT_EQ(import_lines(store, "hello").error().code, ErrorCode::corrupt);
  EXPECT_EQ(import_lines(store, "[1]\n").error().code, ErrorCode::corrupt);
  EXPECT_EQ(import_lines(store, "{\"perfgate_store_export\":9}\n").error().code,
            ErrorCode::unsupported);
  EXPECT_FALSE(import_lines(store, "{\"perfgate_store_export\":1}\n{\"x\":1}\n").ok());
  EXPECT_TRUE(
      import_lines(store, "{\"perfgate_store_export\":1}\n{\"end\":true,\"lines\":0}\n").ok());
}

TEST(Exchange, ALineThatIsNestedBeyondReasonIsRefusedUnparsed) {
  const TemporaryFolder folder;
  const std::string text = exported(filled(folder / "a.db"));
  const std::string header = text.substr(0, text.find('\n') + 1);
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  Store copy = recording(folder / "b.db");
  for (const std::string& line :
       {"{\"digest\":\"x\",\"run\":" + deep + "}", deep, "{\"pin\":" + deep + "}"}) {
    const auto count = import_lines(copy, header + line + "\n");
    ASSERT_FALSE(count.ok());
    EXPECT_EQ(count.error().code, ErrorCode::corrupt);
    EXPECT_EQ(count.error().message, "line 2: it is nested deeper than 64 levels");
  }
  EXPECT_FALSE(stored_run_from_json(deep).ok());
}

/// Whoever forges an export can make its digest too.
TEST(Exchange, ABranchWithAControlCharacterIsNotImported) {
  const TemporaryFolder folder;
  std::string text = exported(filled(folder / "a.db"));
  const std::string branch = "\"branch\":\"main\"";
  ASSERT_NE(text.find(branch), std::string::npos);
  text.replace(text.find(branch), branch.size(), R"("branch":"a\u001b[31m\n")");
  Store copy = recording(folder / "b.db");
  const auto count = import_lines(copy, text);
  ASSERT_FALSE(count.ok());
  EXPECT_THAT(count.error().message, HasSubstr("a name in it has a control character"));
}

TEST(Exchange, WhatWouldNotBeRecordedIsNotImportedEither) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  const auto imported = [&](const std::string& line) {
    return import_lines(
        store, "{\"perfgate_store_export\":1}\n" + line + "\n{\"end\":true,\"lines\":1}\n");
  };
  const std::string key = R"("workload_digest":"w","environment_key":"e","metric":"m","utc":"t",)";
  const auto calibration = [&](const std::string& rest) {
    return imported("{\"calibration\":{" + key + rest + "}}");
  };
  EXPECT_TRUE(calibration(R"("sd_ratio":0.001,"occasions":3)").ok());
  for (const char* bad : {R"("sd_ratio":0.001,"occasions":2)", R"("sd_ratio":0,"occasions":3)",
                          R"("sd_ratio":1.0,"occasions":3)", R"("sd_ratio":-0.1,"occasions":3)"}) {
    const auto refused = calibration(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
    EXPECT_THAT(refused.error().message, HasSubstr("line 2: a calibra"));
  }
  const auto noise = [&](const std::string& rest) {
    return imported("{\"noise\":{" + key + R"("measure_version":1,"instance":"","commit":"",)" +
                    R"("unit":"ms","samples":[1],)" + rest + "}}");
  };
  EXPECT_TRUE(noise(R"("run":0,"kind":"timed","value":1)").ok());
  for (const char* bad :
       {R"("run":-1,"kind":"timed","value":1)", R"("run":0,"kind":"odd","value":1)",
        R"("run":0,"kind":"timed","value":-1)", R"("run":0,"kind":"timed")"}) {
    const auto refused = noise(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
  }
  const auto pinned = [&](const std::string& rest) {
    return imported("{\"pin\":{" + key + rest + "}}");
  };
  EXPECT_TRUE(pinned(R"("level":4.2,"reason":"new driver")").ok());
  for (const char* bad : {R"("level":0,"reason":"why")", R"("level":-1,"reason":"why")",
                          R"("level":1e999,"reason":"why")", R"("level":4.2,"reason":"")"}) {
    EXPECT_FALSE(pinned(bad).ok()) << bad;
  }
}

TEST(Exchange, AnEndThatIsNoneIsNoEnd) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  const auto count =
      import_lines(store, "{\"perfgate_store_export\":1}\n{\"end\":false,\"lines\":0}\n");
  ASSERT_FALSE(count.ok());
  EXPECT_THAT(count.error().message, HasSubstr("line 2: "));
}

TEST(Exchange, AnErrorOfTheReceiverStopsTheExport) {
  const TemporaryFolder folder;
  const Store store = filled(folder / "a.db");
  int lines = 0;
  const Status status = export_lines(store, [&](std::string_view) -> Status {
    ++lines;
    return Error{.code = ErrorCode::io, .message = "disk full", .hint = {}, .context = {}};
  });
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace perfgate::baselines
