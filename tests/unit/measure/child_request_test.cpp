// What a child gets is an interface: any program in any language reads it.
#include "runner/measure/child_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/measure/workbench.h"

namespace perfgate::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RequestOfChild : public ::testing::Test {
 protected:
  platform::ProcessRequest request(ProcessRole role) {
    auto made = child_request(spec, options, role, paths);
    EXPECT_TRUE(made.ok());
    return made.ok() ? made.value() : platform::ProcessRequest{};
  }
  WorkloadSpec spec = command_spec({"python3", "serve.py"}, 200);
  MeasureOptions options;
  ProcessPaths paths{.folder = "/run/processes/00-timing",
                     .results = "/run/r.jsonl",
                     .standard_out = "/run/out",
                     .standard_error = "/run/err",
                     .captures = "/run/captures/00"};
  void SetUp() override {
    options.gpu_uuid = "GPU-1";
    options.workload_program = "/opt/perfgate-workload";
    options.probe_library = "/opt/libperfgate_probe.so";
    options.environment = {{"HOME", "/home/u"},
                           {"PERFGATE_CONTROL", "stale"},
                           {"PERFGATE_INJECT", "graphs_off=1"},
                           {"CUDA_INJECTION64_PATH", ""}};
    spec.steps.warmup = 20;
  }
};

TEST_F(RequestOfChild, ATimingProcessLoadsNothingOfOurs) {
  EXPECT_EQ(request(ProcessRole::timing).environment,
            (platform::Variables{{"HOME", "/home/u"},
                                 {"PERFGATE", "1"},
                                 {"PERFGATE_INJECT", "graphs_off=1"},
                                 {"PERFGATE_ROLE", "timing"},
                                 {"PERFGATE_RESULTS", "/run/r.jsonl"},
                                 {"PERFGATE_WARMUP", "20"},
                                 {"PERFGATE_STEPS", "200"},
                                 {"CUDA_VISIBLE_DEVICES", "GPU-1"}}));
}

TEST_F(RequestOfChild, ATracedProcessGetsTheProbeAndItsWindow) {
  const auto made = request(ProcessRole::trace);
  EXPECT_EQ(made.environment.at("CUDA_INJECTION64_PATH"), "/opt/libperfgate_probe.so");
  EXPECT_EQ(made.environment.at("NVTX_INJECTION64_PATH"), "/opt/libperfgate_probe.so");
  EXPECT_EQ(made.environment.at("PERFGATE_CAPTURE_DIR"), "/run/captures/00");
  EXPECT_EQ(made.environment.at("PERFGATE_WINDOW"), "nvtx:decode*:skip=20,count=12");
  EXPECT_EQ(made.environment.at("PERFGATE_STEPS"), "20") << "the window's 12 and 8 more";
}

TEST_F(RequestOfChild, TheFilesOwnWindowWinsAndWithoutARangeItIsTheProfilers) {
  spec.trace.window = "nvtx:step:skip=1,count=3";
  EXPECT_EQ(request(ProcessRole::trace).environment.at("PERFGATE_WINDOW"),
            "nvtx:step:skip=1,count=3");
  spec.trace.window.clear();
  spec.steps.range.clear();
  EXPECT_EQ(request(ProcessRole::trace).environment.at("PERFGATE_WINDOW"), "profiler");
  EXPECT_EQ(request(ProcessRole::trace).environment.at("PERFGATE_STEPS"), "200");
}

TEST_F(RequestOfChild, ADelayedStepNeedsTheNvtxHalfWhateverTheResultsAre) {
  options.step_delay_us = 0.0;
  const auto quiet = request(ProcessRole::timing);
  EXPECT_FALSE(quiet.environment.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(quiet.environment.at("NVTX_INJECTION64_PATH"), "/opt/libperfgate_probe.so");
  EXPECT_EQ(quiet.environment.at("PERFGATE_DELAY_US"), "0");
  options.step_delay_us = 42.5;
  const auto slower = request(ProcessRole::timing);
  EXPECT_EQ(slower.environment.at("PERFGATE_DELAY_US"), "42.5");
  EXPECT_EQ(slower.environment.at("PERFGATE_DELAY_RANGE"), "decode*");
  EXPECT_EQ(slower.environment.at("PERFGATE_STEPS"), "200") << "the program still times itself";
  EXPECT_EQ(request(ProcessRole::trace).environment.at("PERFGATE_DELAY_US"), "42.5");
  EXPECT_FALSE(request(ProcessRole::control).environment.contains("PERFGATE_DELAY_US"));
}

TEST_F(RequestOfChild, NvtxTimingLoadsTheNvtxHalfAlone) {
  std::get<CommandRun>(spec.run).results = ResultsSource::nvtx;
  const auto made = request(ProcessRole::timing);
  EXPECT_FALSE(made.environment.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(made.environment.at("NVTX_INJECTION64_PATH"), "/opt/libperfgate_probe.so");
  EXPECT_EQ(made.environment.at("PERFGATE_WINDOW"), "ranges");
  EXPECT_EQ(made.environment.at("PERFGATE_STEPS"), "201")
      << "the last step lasts until one more starts";
}

TEST_F(RequestOfChild, TheFilesEnvironmentIsAddedAndOursWins) {
  std::get<CommandRun>(spec.run).env = {{"HOME", "/other"}, {"CUDA_VISIBLE_DEVICES", "3"}};
  const auto made = request(ProcessRole::timing);
  EXPECT_EQ(made.environment.at("HOME"), "/other");
  EXPECT_EQ(made.environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1");
  EXPECT_EQ(request(ProcessRole::control).environment.at("HOME"), "/home/u");
}

TEST_F(RequestOfChild, ATokenIsNotInheritedAndOneThatTheFileNamesIsGiven) {
  const std::vector<std::string> names{"PERFGATE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
                                       "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"};
  for (const std::string& name : names) options.environment[name] = "secret";
  for (const auto role : {ProcessRole::timing, ProcessRole::trace, ProcessRole::control}) {
    for (const std::string& name : names)
      EXPECT_FALSE(request(role).environment.contains(name)) << name;
  }
  for (const std::string& name : names)
    std::get<CommandRun>(spec.run).env[name] = "of the program's own service";
  for (const std::string& name : names) {
    EXPECT_EQ(request(ProcessRole::timing).environment.at(name), "of the program's own service");
    EXPECT_FALSE(request(ProcessRole::control).environment.contains(name)) << name;
  }
}

TEST_F(RequestOfChild, CwdIsRelativeToTheWorkloadFile) {
  spec.path = "/repo/perf/decode.yaml";
  EXPECT_EQ(request(ProcessRole::timing).cwd, "/repo/perf");
  std::get<CommandRun>(spec.run).cwd = "../src";
  EXPECT_EQ(request(ProcessRole::timing).cwd, "/repo/perf/../src");
  std::get<CommandRun>(spec.run).cwd = "/abs";
  EXPECT_EQ(request(ProcessRole::timing).cwd, "/abs");
}

TEST_F(RequestOfChild, ABuiltinIsAKindWithItsParametersAndFaults) {
  BuiltinRun run;
  run.kind = "transformer_decode";
  run.with = {{"batch", std::int64_t{16}}, {"cuda_graph", true}, {"preset", std::string("tiny")}};
  run.inject = {{.fault = "graphs_off", .size = 1.0}, {.fault = "slow_gemm", .size = 1.03}};
  spec.run = run;
  EXPECT_THAT(
      request(ProcessRole::timing).argv,
      ElementsAre("/opt/perfgate-workload", "transformer_decode", "batch=16", "cuda_graph=true",
                  "preset=tiny", "--inject", "graphs_off=1", "--inject", "slow_gemm=1.03"));
  EXPECT_THAT(request(ProcessRole::control).argv, ElementsAre("/opt/perfgate-workload", "control"));
  options.workload_program.clear();
  EXPECT_EQ(child_request(spec, options, ProcessRole::timing, paths).error().code,
            ErrorCode::not_found);
}

TEST_F(RequestOfChild, AnotherInjectorIsRefusedWhereverItIsSet) {
  options.environment["CUDA_INJECTION64_PATH"] = "/nsys.so";
  const auto ours = child_request(spec, options, ProcessRole::timing, paths);
  ASSERT_FALSE(ours.ok());
  EXPECT_THAT(ours.error().message,
              HasSubstr("another injector is configured: CUDA_INJECTION64_PATH=/nsys.so"));
  options.environment.clear();
  std::get<CommandRun>(spec.run).env = {{"NVTX_INJECTION64_PATH", "/x.so"}};
  EXPECT_FALSE(child_request(spec, options, ProcessRole::timing, paths).ok());
}

}  // namespace
}  // namespace perfgate::measure
