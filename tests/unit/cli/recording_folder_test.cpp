// A run folder becomes a point of the baseline only if it says one thing.
#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/maintenance.h"
#include "reporters/render/result_json.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/recording.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// A copy of the smallest recorded run.
class RecordingAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy("workloads/recordings/tiny/candidate", run, fs::copy_options::recursive);
    fs::permissions(run + "/result.json", fs::perms::owner_write, fs::perm_options::add);
  }
  void edit(const std::function<void(RunResult&)>& change) {
    auto result = read_result(files, run);
    ASSERT_TRUE(result.ok()) << result.error().message;
    change(result.value());
    ASSERT_TRUE(files.write(run + "/result.json", render::to_result_json(result.value())).ok());
  }
  Result<Recorded> recorded() { return record_folder(folder / "s.db", run, files, {}); }
  void refused(const std::string& why) {
    const auto said = recorded();
    ASSERT_FALSE(said.ok()) << said.value().said;
    EXPECT_THAT(said.error().message, HasSubstr(why));
    EXPECT_FALSE(fs::exists(folder / "s.db"));
  }

  TemporaryFolder folder;
  std::string run = folder / "run";
  platform::DiskFileSystem files;
};

TEST_F(RecordingAFolder, TakesAMeasuredRunAsItIs) {
  edit([](RunResult&) {});
  const auto said = recorded();
  ASSERT_TRUE(said.ok()) << said.error().message;
  EXPECT_THAT(said.value().said, HasSubstr("run 1 recorded in"));
}

std::vector<std::string> captures_in(const std::string& folder) {
  std::vector<std::string> captures;
  for (const auto& entry : fs::recursive_directory_iterator(folder + "/captures"))
    if (entry.is_regular_file()) captures.push_back(entry.path());
  return captures;
}

TEST_F(RecordingAFolder, ACaptureOfAnotherRunUnderThisOnesNameIsRefused) {
  const std::string mine = captures_in(run).front();
  fs::permissions(mine, fs::perms::owner_write, fs::perm_options::add);
  fs::copy_file(captures_in("workloads/recordings/stream_read/candidate").front(), mine,
                fs::copy_options::overwrite_existing);
  refused("is a capture of process");
}

TEST_F(RecordingAFolder, AVerdictAppendedToAResultIsRefusedNotTaken) {
  const std::string path = run + "/result.json";
  std::string text = files.read(path).value();
  text.erase(text.rfind('}'));
  ASSERT_TRUE(files.write(path, text + R"(, "verdict": {"outcome": "pass", "reasons": []}})").ok());
  const auto result = read_result(files, run);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("\"verdict\" stands twice"));
}

TEST_F(RecordingAFolder, TimesThatItsProcessesDoNotSayAreRefused) {
  edit([](RunResult& result) {
    for (MetricValue& metric : result.metrics) {
      if (metric.id != "step_time_p90") continue;
      metric.value *= 2.0;
      for (double& sample : metric.samples) sample *= 2.0;
    }
  });
  refused("its processes say another step_time_p90 than its result.json");
}

TEST_F(RecordingAFolder, AMetricThatNoProcessReportedIsRefused) {
  edit([](RunResult& result) {
    MetricValue made_up = result.metrics.front();
    made_up.id = "reported/ttft_ms";
    result.metrics.push_back(made_up);
  });
  refused("its processes have no reported/ttft_ms");
}

TEST_F(RecordingAFolder, AVerdictThatDoesNotFollowIsRefused) {
  edit([](RunResult& result) { result.comparisons.front().outcome = Outcome::fail; });
  refused("result.json contradicts itself: it says pass");
}

TEST_F(RecordingAFolder, AnInvalidCaptureIsRefusedWhateverTheVerdict) {
  edit([](RunResult& result) {
    result.analysis.capture.validity = Validity::invalid;
    result.comparisons.resize(1);
    result.comparisons.front().outcome = result.verdict.outcome = Outcome::fail;
  });
  refused("the gate on kernel_launches was not judged");
}

TEST_F(RecordingAFolder, AnotherWorkloadThanItsOwnIsRefused) {
  edit([](RunResult& result) { result.workload_name = "decode_8b"; });
  refused("of the workload decode_8b, its workload.yaml of tiny");
}

}  // namespace
}  // namespace perfgate::cli
