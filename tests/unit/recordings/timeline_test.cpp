// The timelines of the recorded H200 runs: what viewers take, and no nanosecond or kernel less than
// the captures and their analysis have.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/trace_json.h"
#include "runner/analysis/families.h"
#include "runner/analysis/trace_events.h"
#include "runner/cli/analyze/traced_input.h"
#include "tests/support/trace_check.h"

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// One traced process of a recorded run.
struct Recorded {
  std::string folder;
  int process = 0;
};

std::vector<Recorded> recorded() {
  std::vector<Recorded> all;
  for (const auto& entry : fs::recursive_directory_iterator("workloads/recordings")) {
    const fs::path captures = entry.path().parent_path();
    if (!entry.is_directory() || captures.filename() != "captures") continue;
    all.push_back({captures.parent_path().generic_string(), std::stoi(entry.path().filename())});
  }
  std::ranges::sort(all, {},
                    [](const Recorded& one) { return std::pair(one.folder, one.process); });
  return all;
}

LoadedTrace load(const Recorded& recorded) {
  const platform::DiskFileSystem files;
  auto loaded = load_traced(files, recorded.folder, {.process = recorded.process, .range = {}});
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  return loaded.ok() ? std::move(loaded).value() : LoadedTrace{};
}

struct Timeline {
  testing::TraceCheck check;
  analysis::TraceTotals totals;
};

Timeline timeline_of(const std::vector<LoadedTrace>& runs) {
  const std::vector<std::string> labels =
      runs.size() == 1 ? std::vector<std::string>{""} : std::vector<std::string>{"base", "head"};
  const auto rules = analysis::Classifier::create({});
  std::vector<std::vector<const Capture*>> captures(runs.size());
  std::vector<analysis::TraceRun> shown;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Capture& capture : runs[i].captures) captures[i].push_back(&capture);
    shown.push_back({.label = labels[i],
                     .captures = captures[i],
                     .steps = runs[i].spec.steps,
                     .classifier = rules.value()});
  }
  std::string text;
  render::TraceJson json([&](std::string_view piece) -> Status {
    text += piece;
    return {};
  });
  const auto totals = analysis::emit_trace(shown, json);
  EXPECT_TRUE(totals.ok());
  EXPECT_TRUE(json.finish({}).ok());
  return {testing::check_trace(text), totals.value()};
}

struct Drawn {
  LoadedTrace loaded;
  Timeline timeline;
};

/// Each is drawn once for all tests of it.
const Drawn& drawn(const Recorded& recorded) {
  static std::map<std::pair<std::string, int>, Drawn> all;
  const auto [at, is_new] = all.try_emplace({recorded.folder, recorded.process});
  if (is_new) {
    std::vector<LoadedTrace> runs;
    runs.push_back(load(recorded));
    at->second.timeline = timeline_of(runs);
    at->second.loaded = std::move(runs.front());
  }
  return at->second;
}

class EachTimeline : public ::testing::TestWithParam<Recorded> {};

TEST_P(EachTimeline, KeepsTheRulesOfTheFormat) {
  const Timeline& timeline = drawn(GetParam()).timeline;
  EXPECT_THAT(timeline.check.problems, IsEmpty());
  EXPECT_EQ(timeline.totals.left_out, 0);
  EXPECT_GT(timeline.check.arrows, 0);
  std::int64_t slices = 0;
  for (const testing::CheckedTrack& track : timeline.check.tracks) slices += track.slices;
  EXPECT_EQ(slices, timeline.totals.slices);
  EXPECT_LT(timeline.check.tracks.size(), 20U) << "lanes upon lanes are no picture";
}

TEST_P(EachTimeline, HasTheIdleTimeOfTheAnalysisByCause) {
  const auto& [loaded, timeline] = drawn(GetParam());
  ASSERT_EQ(loaded.traced.devices.size(), 1U);
  std::map<std::string, std::int64_t> expected;
  for (const IdleTime& idle : loaded.traced.devices[0].idle)
    expected[std::string(to_string(idle.cause))] = idle.total_ns;
  const auto& tracks = timeline.check.tracks;
  const auto idle = std::ranges::find(tracks, "idle", &testing::CheckedTrack::name);
  ASSERT_NE(idle, tracks.end());
  EXPECT_EQ(idle->total_ns, expected);
  const auto window = std::ranges::find(tracks, "window", &testing::CheckedTrack::name);
  ASSERT_NE(window, tracks.end());
  EXPECT_EQ(window->total_ns.at("window"), loaded.traced.devices[0].window_ns);
  EXPECT_EQ(window->first_ns, timeline.totals.window_at_ns);
}

TEST_P(EachTimeline, HasEveryOperationOfTheCaptureButThoseBehindTheWindow) {
  const auto& [loaded, timeline] = drawn(GetParam());
  ASSERT_EQ(loaded.captures.size(), 1U);
  const Capture& capture = loaded.captures.front();
  std::map<std::string, std::int64_t> missing;
  for (const KernelRecord& kernel : capture.kernels)
    ++missing["kernel on stream " + std::to_string(kernel.stream)];
  missing["gpu_memcpy"] = static_cast<std::int64_t>(capture.copies.size());
  missing["gpu_memset"] = static_cast<std::int64_t>(capture.memsets.size());
  for (const testing::CheckedTrack& track : timeline.check.tracks) {
    const std::string stream = track.name.substr(0, track.name.find(" ("));  // without the lane
    for (const auto& [category, count] : track.slices_of)
      missing[category == "kernel" ? "kernel on " + stream : category] -= count;
  }
  std::int64_t after = 0;
  for (const auto& [what, count] : missing) {
    if (what.starts_with("kernel") || what.starts_with("gpu_")) {
      EXPECT_GE(count, 0) << what;
      after += count;
    }
  }
  EXPECT_EQ(after, timeline.totals.after_window);
}

INSTANTIATE_TEST_SUITE_P(H200, EachTimeline, ::testing::ValuesIn(recorded()), [](const auto& each) {
  std::string name = each.param.folder.substr(std::string("workloads/recordings/").size()) + "_" +
                     std::to_string(each.param.process);
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(TwoTimelines, StandSideBySideFromTheirWindowsOn) {
  const Timeline both = timeline_of({load({"workloads/recordings/decode_8b/candidate", 11}),
                                     load({"workloads/recordings/decode_8b/graphs_off", 11})});
  EXPECT_THAT(both.check.problems, IsEmpty());
  int windows = 0;
  for (const testing::CheckedTrack& track : both.check.tracks) {
    EXPECT_TRUE(track.process.starts_with("base: ") || track.process.starts_with("head: "));
    if (track.name != "window") continue;
    ++windows;
    EXPECT_EQ(track.first_ns, both.totals.window_at_ns);
  }
  EXPECT_EQ(windows, 2);
  EXPECT_THAT(both.check.tracks.front().process, StartsWith("base: "));
  EXPECT_THAT(both.check.tracks.back().process, StartsWith("head: "));
}

}  // namespace
}  // namespace perfgate::cli
