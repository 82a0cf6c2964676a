// The CUPTI half in real processes, with a stand-in for libcupti.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/probe/cupti_library.h"
#include "tests/unit/probe/child_process.h"

namespace perfgate::probe {
namespace {

using Environment = std::map<std::string, std::string>;

struct Traced {
  ChildResult result;
  Capture capture;
};

Environment environment_for(const std::string& folder, const std::string& window,
                            const std::string& fake) {
  return {{"NVTX_INJECTION64_PATH", PERFGATE_TEST_PROBE},
          {"CUDA_INJECTION64_PATH", PERFGATE_TEST_PROBE},
          {"PERFGATE_CAPTURE_DIR", folder},
          {"PERFGATE_WINDOW", window},
          {"PERFGATE_CUPTI", PERFGATE_TEST_FAKE_CUPTI},
          {"PERFGATE_TEST_CUPTI", PERFGATE_TEST_FAKE_CUPTI},
          {"FAKE_CUPTI", fake}};
}

Traced trace(const std::vector<std::string>& arguments, const std::string& window,
             const std::string& fake = "") {
  const TemporaryFolder folder;
  Traced traced;
  traced.result = run_child(PERFGATE_TEST_CUDA_PROGRAM, arguments,
                            environment_for(folder.path(), window, fake));
  traced.capture = only_capture(folder.path());
  return traced;
}

const char* const kWindow = "nvtx:decode:skip=3,count=4";

/// Correlation ids of the kernel launches called inside the window.
std::set<std::uint32_t> launches_in_window(const Capture& capture) {
  std::set<std::uint32_t> ids;
  for (const ApiRecord& call : capture.api_calls) {
    if (call.start_ns < capture.windows.at(0).closed_ns) ids.insert(call.correlation);
  }
  return ids;
}

std::set<std::uint32_t> kernel_correlations(const Capture& capture) {
  std::set<std::uint32_t> ids;
  for (const KernelRecord& kernel : capture.kernels) ids.insert(kernel.correlation);
  return ids;
}

void expect_all_launches_have_kernels(const Capture& capture) {
  const std::set<std::uint32_t> launches = launches_in_window(capture);
  const std::set<std::uint32_t> kernels = kernel_correlations(capture);
  EXPECT_TRUE(std::includes(kernels.begin(), kernels.end(), launches.begin(), launches.end()));
}

TEST(CuptiWindow, HoldsEveryKernelOfTheWindowThoughTheGpuLagsBehind) {
  const Traced traced = trace({"steps", "40"}, kWindow);
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_EQ(traced.result.output, "result 42\n");
  const Capture& capture = traced.capture;
  EXPECT_TRUE(capture.complete);
  EXPECT_TRUE(capture.reasons.empty()) << capture.reasons[0];
  EXPECT_EQ(capture.cupti_version, "130001");
  EXPECT_EQ(capture.cupti_path_kind, "configured");
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(launches_in_window(capture).size(), 12U);
  expect_all_launches_have_kernels(capture);
  EXPECT_EQ(capture.dropped, 0U);
  EXPECT_EQ(text_of(capture, capture.kernels.at(0).name), "plain_kernel");
  EXPECT_EQ(capture.kernels.at(0).stream, 7U);
}

TEST(CuptiWindow, IsSwitchedOffSoonAfterItsRecordsArrived) {
  const Traced traced = trace({"steps", "200"}, kWindow);
  // 12 launches inside, and at most those of the few steps in which the last records arrived.
  EXPECT_LE(traced.capture.kernels.size(), 12U + 3U * 6U);
  EXPECT_LE(traced.capture.api_calls.size(), 12U + 3U * 6U);
}

TEST(CuptiWindow, IsCompleteInTheFileBeforeTheProgramIsKilled) {
  const Traced traced = trace({"steps_then_killed", "40"}, kWindow);
  EXPECT_EQ(traced.result.signal, SIGKILL);
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_EQ(traced.capture.dropped, 0U);
  expect_all_launches_have_kernels(traced.capture);
}

TEST(CuptiWindow, KernelsThatNeverFinishCountAsDropped) {
  // The program ends inside the window, one step's kernels unfinished.
  const Traced traced = trace({"steps", "6"}, "nvtx:decode:skip=3,count=40");
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_EQ(traced.capture.dropped, 3U);
  EXPECT_EQ(traced.capture.kernels.size(), 6U);
}

TEST(CuptiWindow, LaunchesWhoseRecordsNeverCameAreAReason) {
  // The GPU stalls in the last step of the window, and no further step begins.
  const Traced traced = trace({"stalled", "7"}, kWindow);
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_TRUE(has_reason(traced.capture, "3 launches of the window had no GPU record"));
}

TEST(CuptiWindow, BuffersThatCuptiKeepsAreAReason) {
  const Traced traced = trace({"steps", "1300"}, kWindow, "keeps_buffers");
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_TRUE(has_reason(traced.capture,
                         "GPU records of the window lie in buffers that CUPTI did not return"));
}

TEST(CuptiWindow, AnEmptyBufferThatCuptiKeepsIsNoReason) {
  const Traced traced = trace({"steps", "40"}, kWindow, "keeps_empty_buffer");
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_TRUE(traced.capture.reasons.empty());
  expect_all_launches_have_kernels(traced.capture);
}

TEST(CuptiWindow, ARecordOfTheFlushItselfInABufferThatCuptiKeepsIsNoReason) {
  // The program ends while the records of the window are waited for.
  for (const char* steps : {"11", "40"}) {
    const Traced traced = trace({"steps", steps}, kWindow, "flush_record");
    EXPECT_EQ(traced.result.exit_code, 9);
    EXPECT_TRUE(traced.capture.complete);
    EXPECT_THAT(traced.capture.reasons, testing::IsEmpty()) << steps << " steps";
  }
}

TEST(CuptiWindow, WhatIsDroppedAfterTheWindowIsNotOfTheWindow) {
  const Traced traced = trace({"steps", "40"}, kWindow, "drops_late");
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_EQ(traced.capture.dropped, 0U);
  EXPECT_THAT(traced.capture.reasons, testing::IsEmpty());
}

TEST(CuptiWindow, UnknownDropsAreUnknownAndCountedDropsAreKept) {
  const Traced unknown = trace({"steps", "40"}, kWindow, "drops_unknown");
  EXPECT_TRUE(unknown.capture.complete);
  EXPECT_FALSE(unknown.capture.dropped.has_value());
  EXPECT_TRUE(has_reason(unknown.capture, "cuptiActivityGetNumDroppedRecords failed"));
  const Traced counted = trace({"steps", "40"}, kWindow, "dropped3");
  EXPECT_EQ(counted.capture.dropped, 3U);
  EXPECT_TRUE(has_reason(counted.capture, "3 records were dropped by CUPTI"));
}

TEST(CuptiWindow, NamesTheOtherClientAndKeepsTheRanges) {
  const Traced traced = trace({"steps", "40"}, kWindow, "busy");
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_EQ(traced.result.output, "result 42\n");
  EXPECT_TRUE(has_reason(traced.capture, "another CUPTI client (Other Profiler) is active"));
  EXPECT_TRUE(traced.capture.kernels.empty());
  EXPECT_FALSE(traced.capture.ranges.empty());
  EXPECT_FALSE(traced.capture.dropped.has_value());
}

TEST(CuptiWindow, ALibraryThatIsTooOldIsAReason) {
  const Traced traced = trace({"steps", "10"}, kWindow, "old");
  EXPECT_EQ(traced.result.exit_code, 9);
  EXPECT_TRUE(has_reason(traced.capture, "is version 19, older than CUDA 12.2"));
}

TEST(CuptiWindow, OpensAndClosesWithTheProfilerCallsOnce) {
  const Traced traced = trace({"profiler", "5"}, "profiler");
  const Capture& capture = traced.capture;
  EXPECT_EQ(traced.result.output, "result 42\n");
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(text_of(capture, capture.windows[0].opened_by), "profiler");
  EXPECT_EQ(launches_in_window(capture).size(), 15U);
  expect_all_launches_have_kernels(capture);
  EXPECT_EQ(capture.dropped, 0U);
}

TEST(CuptiWindow, NodesOfAGraphKnowTheLayerInWhichTheyWereCaptured) {
  const Traced traced = trace({"graph", "40"}, kWindow);
  const Capture& capture = traced.capture;
  ASSERT_EQ(capture.graph_nodes.size(), 2U);
  std::map<std::uint64_t, std::string> paths;
  for (const GraphNodeRecord& node : capture.graph_nodes) {
    EXPECT_EQ(node.graph, 77U);
    EXPECT_EQ(node.kind, GraphNodeKind::kernel);
    EXPECT_EQ(node.original_node, node.node - 1000);
    paths[node.node] = text_of(capture, node.nvtx_path);
  }
  EXPECT_EQ(paths[1001], "capture/layer 0");
  EXPECT_EQ(paths[1002], "capture/layer 1");
  EXPECT_EQ(capture.kernels.at(0).graph, 77U);
  EXPECT_EQ(capture.api_calls.at(0).api_class, ApiClass::graph_launch);
}

TEST(CuptiWindow, WithoutAWindowOnlyRangesAreTaken) {
  const Traced traced = trace({"steps", "10"}, "ranges", "busy");
  EXPECT_TRUE(traced.capture.complete);
  EXPECT_TRUE(traced.capture.reasons.empty());
  EXPECT_EQ(traced.capture.ranges.size(), 10U);
  EXPECT_TRUE(traced.capture.cupti_version.empty());
}

/// The parent's end of the control socket: opens the window, then closes it, and keeps what the
/// probe said.
class Controller {
 public:
  explicit Controller(const std::string& path) {
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~Controller() {
    if (thread_.joinable()) thread_.join();
    close(listener_);
  }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  std::string finish() {
    thread_.join();
    return said_;
  }

 private:
  void serve() {
    const int peer = accept(listener_, nullptr, nullptr);
    await(peer, "\"waiting\"");
    say(peer, "{\"window\":\"open\"}\n");
    await(peer, "\"open\"");
    usleep(20'000);
    say(peer, "{\"window\":\"close\"}\n");
    await(peer, "\"done\"");
    close(peer);
  }
  static void say(int peer, const std::string& line) {
    (void)!write(peer, line.data(), line.size());
  }
  void await(int peer, const char* what) {
    std::array<char, 256> chunk{};
    while (said_.find(what) == std::string::npos) {
      const ssize_t length = read(peer, chunk.data(), chunk.size());
      if (length <= 0) return;
      said_.append(chunk.data(), static_cast<std::size_t>(length));
    }
  }
  int listener_ = -1;
  std::string said_;
  std::thread thread_;
};

TEST(CuptiWindow, OpensAndClosesOnRequestOfTheParent) {
  const TemporaryFolder folder;
  const TemporaryFolder sockets;
  const std::string path = sockets.path() + "/control";
  Controller controller(path);
  Environment environment = environment_for(folder.path(), "socket", "");
  environment["PERFGATE_CONTROL"] = path;
  const ChildResult result = run_child(PERFGATE_TEST_CUDA_PROGRAM, {"socket", "400"}, environment);
  EXPECT_EQ(result.output, "result 42\n");
  const std::string said = controller.finish();
  EXPECT_EQ(said.find("{\"hello\":1,\"pid\":"), 0U) << said;
  EXPECT_NE(said.find("{\"state\":\"done\"}"), std::string::npos) << said;
  const Capture capture = only_capture(folder.path());
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(text_of(capture, capture.windows[0].opened_by), "socket");
  EXPECT_FALSE(capture.kernels.empty());
  expect_all_launches_have_kernels(capture);
}

TEST(CuptiWindow, AControlSocketThatIsNotThereIsAReason) {
  const TemporaryFolder folder;
  Environment environment = environment_for(folder.path(), "socket", "");
  environment["PERFGATE_CONTROL"] = folder.path() + "/nobody";
  EXPECT_EQ(run_child(PERFGATE_TEST_CUDA_PROGRAM, {"socket", "5"}, environment).exit_code, 9);
  EXPECT_TRUE(has_reason(only_capture(folder.path()), "cannot reach the control socket"));
}

std::vector<std::string> paths_of(const SearchInput& input) {
  std::vector<std::string> paths;
  for (const CuptiCandidate& candidate : cupti_candidates(input)) paths.push_back(candidate.path);
  return paths;
}

TEST(CuptiSearch, PrefersTheConfiguredThenTheMappedCopy) {
  SearchInput input;
  input.configured = "/opt/mine/libcupti.so.13";
  input.mapped_files = {"/usr/lib/libc.so.6",
                        "/venv/lib/python3/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12",
                        "/venv/lib/python3/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"};
  const auto candidates = cupti_candidates(input);
  ASSERT_GE(candidates.size(), 2U);
  EXPECT_EQ(candidates[0].kind, "configured");
  EXPECT_EQ(candidates[1].path, input.mapped_files[1]);
  EXPECT_EQ(candidates[1].kind, "mapped");
}

TEST(CuptiSearch, TakesTheFoldersOfTheMappedRuntimeBeforeOtherToolkits) {
  SearchInput input;
  input.mapped_files = {"/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudart.so.13.0.96"};
  input.toolkit_folders = {"/usr/local/cuda"};
  const std::vector<std::string> paths = paths_of(input);
  EXPECT_EQ(paths.at(0), "/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcupti.so.13");
  EXPECT_NE(
      std::find(paths.begin(), paths.end(), "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"),
      paths.end());
  EXPECT_EQ(paths.back(), "libcupti.so.12");
}

TEST(CuptiSearch, FindsTheWheelsBesideMappedPythonLibraries) {
  SearchInput input;
  input.mapped_files = {"/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so"};
  const std::vector<std::string> paths = paths_of(input);
  EXPECT_NE(std::find(paths.begin(), paths.end(),
                      "/venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"),
            paths.end());
  EXPECT_NE(std::find(paths.begin(), paths.end(),
                      "/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13"),
            paths.end());
}

TEST(CuptiSearch, ADriverFor12IsNotGivenALibraryOf13) {
  EXPECT_EQ(cuda_major({"/usr/lib/libcuda.so.550.54.15"}), 12);
  EXPECT_EQ(cuda_major({"/usr/lib/libcuda.so.580.159.04"}), 13);
  EXPECT_EQ(cuda_major({"/usr/lib/libc.so.6"}), std::nullopt);
  SearchInput input;
  input.mapped_files = {"/usr/lib/libcuda.so.550.54.15"};
  for (const std::string& path : paths_of(input))
    EXPECT_EQ(path.find(".so.13"), std::string::npos) << path;
}

}  // namespace
}  // namespace perfgate::probe
