#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/device/nvtx_range.h"
#include "workloads/builtin/device/operands.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/device/runtime_steps.h"
#include "workloads/builtin/device/spin_fault.h"

namespace perfgate::builtin {
Result<ProcessResults> run_gemm(const RunRequest& request) {
  const Parameters& with = request.parameters;
  PG_ASSIGN_OR_RETURN(const GemmShape shape, gemm_request_shape(with));
  const CacheState cache = with.word("l2") == "cold" ? CacheState::cold : CacheState::warm;
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto context, GemmContext::create(gpu, request.tuning));
  PG_ASSIGN_OR_RETURN(const GemmPlan plan, GemmPlan::create(*context, shape));
  PG_ASSIGN_OR_RETURN(
      const GemmOperands operands,
      make_operands(gpu, shape, cache, static_cast<std::uint32_t>(with.integer("seed"))));
  std::size_t launched = 0;
  RuntimeSteps device(gpu);
  const StepLoop loop{
      .warmup = request.warmup,
      .steps = request.steps,
      .step = [&]() -> Status {
        const NvtxRange range("gemm");
        const std::size_t set = launched++;
        PG_TRY(plan.run(operands.a_of(set), operands.b_of(set), operands.d_of(set), gpu.stream()));
        return launch_spin_fault(gpu, request.faults, false);
      },
      .before_measured = {},
      .host_delay_us = request.faults[Fault::host_delay_us],
      .now_ns = realtime_ns};
  PG_ASSIGN_OR_RETURN(ProcessResults results, run_steps(device, loop));
  results.work.weights_bytes = product_bytes(shape);
  results.work.kv_bytes = 0.0;
  results.work.flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k);
  return results;
}

}  // namespace perfgate::builtin
