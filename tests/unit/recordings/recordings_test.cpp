// The recorded H200 runs through everything after the measuring: what held on the GPU holds in
// every build.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "reporters/render/breakdown.h"
#include "reporters/render/result_json.h"
#include "reporters/render/story.h"
#include "runner/analysis/analyze.h"
#include "runner/capture/decoder.h"
#include "runner/cli/run/run_request.h"
#include "runner/cli/workload_input.h"
#include "runner/model/run_result.h"

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;

/// Run folders under workloads/recordings/NAME/.
std::vector<std::string> recordings() {
  std::vector<std::string> folders;
  for (const auto& entry : fs::recursive_directory_iterator("workloads/recordings")) {
    if (entry.path().filename() == "result.json") {
      folders.push_back(entry.path().parent_path().generic_string());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

/// Replays into a folder of its own that goes with this object.
class Replay {
 public:
  explicit Replay(const std::string& recording)
      : folder_(fs::temp_directory_path() / ("perfgate-replay-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto spec = read_workload(files_, recording + "/workload.yaml");
    EXPECT_TRUE(spec.ok());
    RunRequest request;
    request.spec = std::move(spec).value();
    request.run_folder = folder_.string();
    request.store = (folder_ / "none.db").string();
    request.branch = "main";
    auto assessed = run_replayed(request, files_.absolute(recording),
                                 {clock_, files_, environment_, cancellation_});
    EXPECT_TRUE(assessed.ok()) << (assessed.ok() ? "" : assessed.error().message);
    if (assessed.ok()) result_ = std::move(assessed).value().result;
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() {
    std::error_code left_behind;
    fs::remove_all(folder_, left_behind);
  }
  [[nodiscard]] const RunResult& result() const { return result_; }

 private:
  platform::FakeClock clock_;
  platform::DiskFileSystem files_;
  platform::Environment environment_;
  platform::Cancellation cancellation_;
  fs::path folder_;
  RunResult result_;
};

std::int64_t accounted_ns(const DeviceWindow& device) {
  std::int64_t sum = 0;
  for (const FamilyTime& family : device.families) sum += family.wall_ns;
  for (const IdleTime& idle : device.idle) sum += idle.total_ns;
  return sum;
}

double share_of(const DeviceWindow& device, const std::string& family) {
  std::int64_t wall_ns = 0;
  for (const FamilyTime& entry : device.families) {
    if (entry.family == family) wall_ns += entry.wall_ns;
  }
  return static_cast<double>(wall_ns) / static_cast<double>(device.busy_ns);
}

class EachRecording : public testing::TestWithParam<std::string> {};

TEST_P(EachRecording, AccountsForEveryNanosecondOfItsWindows) {
  const Replay replay(GetParam());
  int windows = 0;
  for (const TracedProcess& traced : replay.result().analysis.traced) {
    for (const DeviceWindow& device : traced.devices) {
      ++windows;
      EXPECT_GT(device.window_ns, 0);
      EXPECT_EQ(accounted_ns(device), device.window_ns);
    }
  }
  EXPECT_GE(windows, 3);
}

TEST_P(EachRecording, HasValidCapturesWithNothingDropped) {
  const Replay replay(GetParam());
  EXPECT_EQ(replay.result().analysis.capture.validity, Validity::valid)
      << testing::PrintToString(replay.result().analysis.capture.reasons);
  for (const TracedProcess& traced : replay.result().analysis.traced) {
    EXPECT_EQ(traced.dropped, 0U);
  }
}

TEST_P(EachRecording, IsAnalysedToTheSameBytesTwice) {
  EXPECT_EQ(render::to_result_json(Replay(GetParam()).result()),
            render::to_result_json(Replay(GetParam()).result()));
}

TEST_P(EachRecording, LeavesNoKernelTimeUnclassified) {
  const Replay replay(GetParam());
  for (const TracedProcess& traced : replay.result().analysis.traced) {
    for (const DeviceWindow& device : traced.devices) {
      EXPECT_LT(share_of(device, "unclassified"), 0.001);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(H200, EachRecording, testing::ValuesIn(recordings()),
                         [](const auto& each) {
                           std::string name =
                               each.param.substr(std::string("workloads/recordings/").size());
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(Decode8bEager, AnyOneRecordLessIsFound) {
  const platform::DiskFileSystem files;
  const std::string folder = "workloads/recordings/decode_8b_eager/candidate";
  auto spec = read_workload(files, folder + "/workload.yaml");
  ASSERT_TRUE(spec.ok());
  const auto bytes =
      files.read(fs::directory_iterator(folder + "/captures/11")->path().generic_string());
  ASSERT_TRUE(bytes.ok());
  const auto whole = capture::decode(std::as_bytes(std::span(bytes.value())));
  ASSERT_TRUE(whole.ok());
  const auto verdict_without = [&](std::size_t kernel) {
    Capture capture = whole.value();
    capture.kernels.erase(capture.kernels.begin() + static_cast<std::ptrdiff_t>(kernel));
    const std::vector<analysis::TracedInput> traced{
        {.process = 11, .captures = {&capture}, .traced_step_ms = {}, .first_captured_step = 0}};
    const TimingSamples timing;
    const auto result = analysis::analyze(
        {.spec = spec.value(), .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
    return result.ok() ? result.value().capture : CaptureVerdict{};
  };
  for (const std::size_t kernel : {400U, 1000U, 1700U, 2400U}) {
    const CaptureVerdict verdict = verdict_without(kernel);
    EXPECT_EQ(verdict.validity, Validity::partial);
    EXPECT_THAT(verdict.reasons,
                testing::Contains(testing::HasSubstr("1 of 2270 launch calls in the window")));
  }
}

TEST(Decode8b, PassesAgainstItsTenRecordedRuns) {
  const Replay replay("workloads/recordings/decode_8b/candidate");
  EXPECT_EQ(replay.result().verdict.outcome, Outcome::pass);
  ASSERT_FALSE(replay.result().comparisons.empty());
  EXPECT_EQ(replay.result().comparisons.front().n_base, 10);
}

TEST(Decode8b, FailsWithTheGraphsSwitchedOff) {
  const Replay replay("workloads/recordings/decode_8b/graphs_off");
  EXPECT_EQ(replay.result().verdict.outcome, Outcome::fail);
}

TEST(Decode8b, NamesTheLaunchesThatNoGateAsksFor) {
  const Replay replay("workloads/recordings/decode_8b/graphs_off");
  const render::Story story = render::tell(replay.result());
  EXPECT_THAT(story.cause,
              testing::StartsWith("CUDA graphs are off (certain): launch calls 1 -> 227 a step"));
  const render::Breakdown breakdown = render::break_down(replay.result());
  for (const render::FamilyRow& row : breakdown.families) EXPECT_TRUE(row.base_ms) << row.family;
  for (const render::IdleRow& row : breakdown.idle) {
    EXPECT_TRUE(row.base_ms) << to_string(row.cause);
  }
}

TEST(Decode8b, HasProcessesWithinAFifthOfAPercentOfOneAnother) {
  const Replay replay("workloads/recordings/decode_8b/candidate");
  const auto& metrics = replay.result().metrics;
  const auto step = std::ranges::find(metrics, "step_time_p50", &MetricValue::id);
  ASSERT_NE(step, metrics.end());
  ASSERT_GE(step->samples.size(), 5U);
  const auto [low, high] = std::ranges::minmax(step->samples);
  EXPECT_LT(high / low - 1.0, 0.002);
}

}  // namespace
}  // namespace perfgate::cli
