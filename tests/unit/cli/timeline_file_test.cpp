// A timeline on disk is whole or not there.
#include "runner/cli/analyze/timeline_file.h"

#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/platform/files.h"
#include "tests/support/synthetic_capture.h"
#include "tests/support/trace_check.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {
namespace {

using ::testing::IsEmpty;

/// A file of a few steps, as load_traced reads it.
LoadedTrace loaded_from(const testing::TemporaryFolder& folder,
                        const testing::SyntheticCaptureOptions& options) {
  platform::DiskFileSystem files;
  const auto bytes = testing::synthetic_capture_file(testing::synthetic_capture(options));
  const std::string path = folder / "a.pgcap";
  EXPECT_TRUE(files.write(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}).ok());
  auto loaded = load_traced(files, path, {});
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  return loaded.ok() ? std::move(loaded).value() : LoadedTrace{};
}

TEST(TimelineFile, NeverTakesThePlaceOfWhatItShows) {
  namespace fs = std::filesystem;
  const testing::TemporaryFolder folder;
  const std::string run = folder / "run";
  fs::copy("workloads/recordings/tiny/candidate", run, fs::copy_options::recursive);
  platform::DiskFileSystem files;
  const platform::Cancellation cancellation;
  for (const std::string& named : {run, run + "/result.json"}) {
    auto loaded = load_traced(files, named, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const std::vector<LoadedTrace> runs{std::move(loaded).value()};
    for (const char* inside : {"/result.json", "/./workload.yaml", "/processes/../report.md"}) {
      const auto written = write_timeline(runs, run + inside, cancellation);
      ASSERT_FALSE(written.ok()) << inside;
      EXPECT_EQ(written.error().code, ErrorCode::usage);
    }
    EXPECT_TRUE(write_timeline(runs, run + "/timeline.json", cancellation).ok());
    EXPECT_TRUE(write_timeline(runs, run + "/timeline.json", cancellation).ok()) << "again";
  }
}

TEST(TimelineFile, HoldsStreamsThreadsAndArrowsOfAnEagerProgram) {
  const testing::TemporaryFolder folder;
  testing::SyntheticCaptureOptions options;
  options.graph = false;
  options.streams = 2;
  options.layer_ranges = true;
  const std::vector<LoadedTrace> runs{loaded_from(folder, options)};
  const platform::Cancellation cancellation;
  const auto written = write_timeline(runs, folder / "out.json", cancellation);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto text = platform::DiskFileSystem().read(folder / "out.json");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(written.value().bytes, static_cast<std::int64_t>(text.value().size()));
  const testing::TraceCheck check = testing::check_trace(text.value());
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_EQ(check.arrows, written.value().totals.arrows);
  EXPECT_GT(check.arrows, 96 * 10);
  int streams = 0;
  for (const testing::CheckedTrack& track : check.tracks)
    streams += track.name.starts_with("stream ") ? 1 : 0;
  EXPECT_EQ(streams, 2);
}

TEST(TimelineFile, IsNotThereAfterCtrlC) {
  const testing::TemporaryFolder folder;
  const std::vector<LoadedTrace> runs{loaded_from(folder, {})};
  platform::Cancellation cancellation;
  cancellation.cancel();
  const auto written = write_timeline(runs, folder / "out.json", cancellation);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::interrupted);
  std::filesystem::remove(folder / "a.pgcap");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TracedInput, TakesTheRangeThatOpenedTheWindowForTheStep) {
  const testing::TemporaryFolder folder;
  const LoadedTrace loaded = loaded_from(folder, {});
  ASSERT_EQ(loaded.traced.devices.size(), 1U);
  EXPECT_EQ(loaded.traced.devices[0].steps, 10);
  EXPECT_FALSE(loaded.process.has_value());
}

}  // namespace
}  // namespace perfgate::cli
