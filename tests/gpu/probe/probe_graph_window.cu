// A window opens and closes while another thread captures a CUDA graph; the graph's result must be
// right.
//
// probe_graph_window            steps in NVTX ranges "step"; prints "graph 64 of 64 right", exit 0
// probe_graph_window profiler   the same, and cudaProfilerStart and Stop around 100 of them
// Exit 3 where there is no GPU. ctest runs both with and without the probe (same_output.sh).
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

constexpr int kCaptures = 64;
constexpr int kNodes = 200;
constexpr int kCount = 4096;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

__global__ void add(float* data, float value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) data[i] += value;
}

// Captures slowly, so that the window opens and closes inside a capture. "global" is the strictest
// mode; beside it cudaProfilerStart in another thread spoils the capture by itself (seen on an H200
// without the probe), so that the profiler form captures in "thread local" mode.
bool capture_and_run(cudaStream_t stream, float* data, cudaStreamCaptureMode mode) {
  check(cudaMemsetAsync(data, 0, kCount * sizeof(float), stream), "memset");
  check(cudaStreamSynchronize(stream), "synchronise");
  check(cudaStreamBeginCapture(stream, mode), "begin capture");
  for (int i = 0; i < kNodes; ++i) {
    add<<<kCount / 256, 256, 0, stream>>>(data, static_cast<float>(i));
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "end capture");
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  check(cudaGraphLaunch(executable, stream), "launch graph");
  std::vector<float> host(kCount);
  check(cudaMemcpyAsync(host.data(), data, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream),
        "copy");
  check(cudaStreamSynchronize(stream), "synchronise");
  check(cudaGraphExecDestroy(executable), "destroy");
  check(cudaGraphDestroy(graph), "destroy");
  constexpr float kExpected = kNodes * (kNodes - 1) / 2.0F;
  for (const float value : host) {
    if (value != kExpected) return false;
  }
  return true;
}

// Steps that the window counts. Only launches: a synchronising call would be illegal beside a
// global capture.
void steps(const std::atomic<bool>& stop, bool profiler) {
  cudaStream_t stream = nullptr;
  float* data = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  check(cudaMalloc(&data, kCount * sizeof(float)), "malloc");
  for (int step = 0; !stop; ++step) {
    if (profiler && step == 100) (void)cudaProfilerStart();
    if (profiler && step == 200) (void)cudaProfilerStop();
    nvtxRangePushA("step");
    for (int i = 0; i < 10; ++i) add<<<kCount / 256, 256, 0, stream>>>(data, 1.0F);
    nvtxRangePop();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess) {
    std::printf("no GPU: %s\n", cudaGetErrorString(status));
    return 3;
  }
  const bool profiler = argc > 1 && std::strcmp(argv[1], "profiler") == 0;
  cudaStream_t stream = nullptr;
  float* data = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  check(cudaMalloc(&data, kCount * sizeof(float)), "malloc");
  add<<<1, 1, 0, stream>>>(data, 0.0F);  // loads the module before any capture
  check(cudaStreamSynchronize(stream), "synchronise");
  std::atomic<bool> stop{false};
  std::thread other(steps, std::cref(stop), profiler);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(5));  // its allocation comes before the captures
  int right = 0;
  const auto mode = profiler ? cudaStreamCaptureModeThreadLocal : cudaStreamCaptureModeGlobal;
  for (int i = 0; i < kCaptures; ++i) right += capture_and_run(stream, data, mode) ? 1 : 0;
  stop = true;
  other.join();
  std::printf("graph %d of %d right\n", right, kCaptures);
  return right == kCaptures ? 0 : 1;
}
