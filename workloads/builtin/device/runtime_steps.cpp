#include "workloads/builtin/device/runtime_steps.h"

namespace perfgate::builtin {

RuntimeSteps::~RuntimeSteps() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
}

Status RuntimeSteps::reserve(int boundaries) {
  events_.reserve(static_cast<std::size_t>(boundaries));
  for (int i = 0; i < boundaries; ++i) {
    cudaEvent_t event = nullptr;
    PG_TRY(cuda_status(cudaEventCreate(&event), "create an event"));
    events_.push_back(event);
  }
  return {};
}

Status RuntimeSteps::mark(int boundary) {
  return cuda_status(cudaEventRecord(events_[static_cast<std::size_t>(boundary)], gpu_.stream()),
                     "record a step boundary");
}

Status RuntimeSteps::wait(int boundary) {
  return cuda_status(cudaEventSynchronize(events_[static_cast<std::size_t>(boundary)]),
                     "wait for a step boundary");
}

Result<double> RuntimeSteps::period_ms(int boundary) {
  const auto i = static_cast<std::size_t>(boundary);
  float ms = 0.0F;
  PG_TRY(cuda_status(cudaEventElapsedTime(&ms, events_[i], events_[i + 1]), "read a step's time"));
  return static_cast<double>(ms);
}

Status RuntimeSteps::synchronize() { return gpu_.synchronize("wait for the steps to end"); }

Result<StepGraph> StepGraph::capture(const Gpu& gpu, const std::function<Status()>& record) {
  PG_TRY(cuda_status(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal),
                     "begin to capture a step"));
  const Status recorded = record();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(gpu.stream(), &graph);
  if (!recorded.ok() || ended != cudaSuccess) {
    if (graph != nullptr) cudaGraphDestroy(graph);
    PG_TRY(recorded);
    return cuda_status(ended, "end the capture of a step").error();
  }
  StepGraph step;
  const cudaError_t made = cudaGraphInstantiate(&step.executable_, graph, 0);
  cudaGraphDestroy(graph);
  PG_TRY(cuda_status(made, "instantiate the graph of a step"));
  return step;
}

StepGraph::~StepGraph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

Status StepGraph::launch(const Gpu& gpu) const {
  return cuda_status(cudaGraphLaunch(executable_, gpu.stream()), "launch the graph of a step");
}

}  // namespace perfgate::builtin
