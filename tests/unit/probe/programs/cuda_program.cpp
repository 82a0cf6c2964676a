// A program that uses "CUDA" through the stand-in libcupti: it loads CUDA_INJECTION64_PATH as the
// driver would.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <unistd.h>

#include "fake_cupti.h"

namespace {

void* g_cupti = nullptr;

template <typename Function>
Function* control(const char* name) {
  return reinterpret_cast<Function*>(dlsym(g_cupti, name));
}

void start_cuda() {
  const char* cupti = std::getenv("PERFGATE_TEST_CUPTI");
  g_cupti = dlopen(cupti, RTLD_NOW | RTLD_LOCAL);
  if (g_cupti == nullptr) std::exit(64);
  const char* injection = std::getenv("CUDA_INJECTION64_PATH");
  if (injection == nullptr) return;
  void* library = dlopen(injection, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::exit(65);
  auto* initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize == nullptr || initialize() != 1) std::exit(66);
}

void pause_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void build_graph() {
  nvtxRangePushA("capture");
  nvtxRangePushA("layer 0");
  control<decltype(fake_create_node)>("fake_create_node")(1);
  nvtxRangePop();
  nvtxRangePushA("layer 1");
  control<decltype(fake_create_node)>("fake_create_node")(2);
  nvtxRangePop();
  nvtxRangePop();
  control<decltype(fake_instantiate)>("fake_instantiate")();
}

// The GPU lags one step behind the host.
void run_steps(int count, bool in_graph) {
  auto* launch = control<decltype(fake_launch)>("fake_launch");
  auto* complete = control<decltype(fake_complete)>("fake_complete");
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("decode");
    for (std::uint64_t k = 0; k < 3; ++k) launch(7, in_graph ? 1001 + k % 2 : 0);
    if (i > 0) complete(3);
    nvtxRangePop();
    pause_ms(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 10;
  start_cuda();
  auto* launch = control<decltype(fake_launch)>("fake_launch");
  auto* complete = control<decltype(fake_complete)>("fake_complete");
  auto* profiler = control<decltype(fake_profiler)>("fake_profiler");
  if (mode == "steps" || mode == "steps_then_killed" || mode == "steps_done") {
    run_steps(count, false);
    if (mode == "steps_done") complete(1000);
    if (mode == "steps_then_killed") {
      std::puts("killed");
      std::fflush(stdout);
      pause_ms(300);
      raise(SIGKILL);
    }
  } else if (mode == "stalled") {
    run_steps(count, false);
    nvtxRangePushA("decode");  // closes the window; then calls, but no steps and no records
    for (int i = 0; i < 230; ++i) {
      control<decltype(fake_launch)>("fake_launch")(7, 0);
      pause_ms(10);
    }
    nvtxRangePop();
  } else if (mode == "graph") {
    build_graph();
    run_steps(count, true);
  } else if (mode == "profiler") {
    run_steps(2, false);
    complete(1000);
    profiler(1);
    run_steps(count, false);
    complete(1000);
    profiler(0);
    run_steps(2, false);
    complete(1000);
    profiler(1);  // a second window is refused
    run_steps(2, false);
    complete(1000);
  } else if (mode == "socket") {
    for (int i = 0; i < count; ++i) {
      launch(7, 0);
      complete(1000);
      pause_ms(1);
    }
  } else {
    return 64;
  }
  std::puts("result 42");
  return 9;
}
