/// The step loop's device over the CUDA runtime, and a step captured once as a graph.
#pragma once

#include <functional>
#include <vector>

#include <cuda_runtime_api.h>

#include "workloads/builtin/device/cuda_status.h"
#include "workloads/builtin/step_loop.h"

namespace perfgate::builtin {

/// Events on the stream of `gpu`, which must outlive it.
class RuntimeSteps final : public StepDevice {
 public:
  explicit RuntimeSteps(const Gpu& gpu) : gpu_(gpu) {}
  ~RuntimeSteps() override;

  [[nodiscard]] Status reserve(int boundaries) override;
  [[nodiscard]] Status mark(int boundary) override;
  [[nodiscard]] Status wait(int boundary) override;
  [[nodiscard]] Result<double> period_ms(int boundary) override;
  [[nodiscard]] Status synchronize() override;

 private:
  const Gpu& gpu_;
  std::vector<cudaEvent_t> events_;
};

/// What `record` launches on the GPU's stream, as one executable graph.
class StepGraph {
 public:
  [[nodiscard]] static Result<StepGraph> capture(const Gpu& gpu,
                                                 const std::function<Status()>& record);
  StepGraph(StepGraph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  StepGraph& operator=(StepGraph&&) = delete;
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;
  ~StepGraph();

  [[nodiscard]] Status launch(const Gpu& gpu) const;

 private:
  StepGraph() = default;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace perfgate::builtin
