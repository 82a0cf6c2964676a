/// The fixture of tests about which processes run, and when.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/results/results_file.h"
#include "tests/unit/measure/workbench.h"

namespace perfgate::measure {

/// Results of `steps` steps of `ms`, whose block ended at `end_ns`.
inline std::string results_text(int steps, double ms, std::int64_t end_ns) {
  ProcessResults results;
  results.block_start_ns = end_ns - static_cast<std::int64_t>(steps * ms * 1e6);
  results.block_end_ns = end_ns;
  for (int i = 0; i < steps; ++i) results.steps.push_back({.step = i, .ms = ms});
  results.metrics.push_back(
      {.name = "read_stream", .value = 4.5e12, .unit = "bytes/s", .better = Better::higher});
  return results::write_results(results);
}

/// A command on a GPU whose children are played: no time passes but what a test says.
class PlayedChildren : public ::testing::Test {
 protected:
  void SetUp() override {
    files.programs = {"/usr/bin/python3", "/opt/perfgate-workload"};
    device.list = {device::GpuInfo{}};
    device.list[0].uuid = "GPU-1";
    device.list[0].name = "NVIDIA H200";
    device.samples = {DeviceSample{}};
    device.samples[0].thermal_slowdown_us = 0;
    device.samples[0].power_brake_us = 0;
    options.fingerprint.environment = {{"gpu", "NVIDIA H200"}};
    options.run_folder = "/run";
    options.workload_program = "/opt/perfgate-workload";
    options.probe_library = "/opt/libperfgate_probe.so";
    options.gpu_uuid = "GPU-1";
    options.environment = {{"PATH", "/usr/bin"}};
  }
  /// Each child takes `child_s`, writes good results, and where it is traced, `trace`.
  Result<platform::ProcessOutcome> play(const platform::ProcessRequest& request) {
    clock.advance_ns(static_cast<std::int64_t>(child_s * 1e9));
    const auto& variables = request.environment;
    if (write_results_file) {
      EXPECT_TRUE(files
                      .write(variables.at("PERFGATE_RESULTS"),
                             results_text(std::stoi(variables.at("PERFGATE_STEPS")), 4.0,
                                          clock.realtime_ns()))
                      .ok());
    }
    if (variables.contains("PERFGATE_CAPTURE_DIR") && write_capture) {
      EXPECT_TRUE(
          files.write(variables.at("PERFGATE_CAPTURE_DIR") + "/1-2.pgcap", encode_capture(capture))
              .ok());
    }
    return end_of(request);
  }
  Measurement run(const NeedMore& need_more = {}) {
    return run_session({.head = {spec, options}, .base = {}},
                       {.need_more = need_more, .confirm = {}});
  }
  Measurement run_session(const SessionPlan& plan, const Questions& questions) {
    auto measurement = measure(plan, {runner, clock, files, device}, progress, questions);
    EXPECT_TRUE(measurement.ok()) << (measurement.ok() ? "" : measurement.error().message);
    return measurement.ok() ? std::move(measurement).value() : Measurement{};
  }
  std::vector<std::string> roles() const {
    std::vector<std::string> list;
    for (const auto& request : runner.requests)
      list.push_back(request.environment.at("PERFGATE_ROLE"));
    return list;
  }

  WorkloadSpec spec = command_spec({"python3", "serve.py"});
  MeasureOptions options;
  platform::FakeFileSystem files;
  platform::FakeClock clock;
  device::FakeDevice device;
  platform::FakeProcessRunner runner{
      [this](const platform::ProcessRequest& request) { return play(request); }};
  RememberingProgress progress;
  std::function<platform::ProcessOutcome(const platform::ProcessRequest&)> end_of =
      [](const platform::ProcessRequest&) { return platform::ProcessOutcome{}; };
  double child_s = 1.0;
  bool write_results_file = true;
  bool write_capture = true;
  MadeCapture capture{.names = repeated("decode", 13), .window = true, .reasons = {}};
};

}  // namespace perfgate::measure
