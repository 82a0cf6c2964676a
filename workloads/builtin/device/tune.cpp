#include <bit>
#include <cstdio>

#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/device/operands.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/device/runtime_steps.h"

namespace perfgate::builtin {
namespace {

constexpr int kProposals = 16;
constexpr int kRounds = 5;  // the median of these counts
constexpr int kLaunchesPerRound = 20;

/// Median over the rounds of the mean time of one launch, operands cold in L2 as a model's weights
/// are.
Result<double> time_us(const Gpu& gpu, const GemmPlan& plan, const GemmOperands& operands) {
  std::size_t launched = 0;
  RuntimeSteps device(gpu);
  const StepLoop loop{.warmup = 1,
                      .steps = kRounds,
                      .step = [&]() -> Status {
                        for (int i = 0; i < kLaunchesPerRound; ++i) {
                          const std::size_t set = launched++;
                          PG_TRY(plan.run(operands.a_of(set), operands.b_of(set),
                                          operands.d_of(set), gpu.stream()));
                        }
                        return {};
                      },
                      .before_measured = {},
                      .host_delay_us = 0.0,
                      .now_ns = realtime_ns};
  PG_ASSIGN_OR_RETURN(const ProcessResults results, run_steps(device, loop));
  return median_step_ms(results) * 1e3 / kLaunchesPerRound;
}

Result<TuningEntry> best_of(const Gpu& gpu, GemmPlan& plan, const GemmOperands& operands) {
  PG_ASSIGN_OR_RETURN(const auto proposals, plan.proposals(kProposals));
  TuningEntry best;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    plan.use(proposals[i]);
    PG_ASSIGN_OR_RETURN(const double us, time_us(gpu, plan, operands));
    if (i == 0 || us < best.us) {
      best = {.algorithm = std::bit_cast<AlgorithmBits>(proposals[i]), .us = us};
    }
  }
  const GemmShape& shape = plan.shape();
  std::printf("m=%lld n=%lld k=%lld: %.2f us, %.3f TB/s, %.1f TFLOP/s, best of %zu\n",
              static_cast<long long>(shape.m), static_cast<long long>(shape.n),
              static_cast<long long>(shape.k), best.us, product_bytes(shape) / best.us / 1e6,
              2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                  static_cast<double>(shape.k) / best.us / 1e6,
              proposals.size());
  return best;
}

}  // namespace

Result<TuningTable> tune_kind(const RunRequest& request) {
  if (request.kind->name == "transformer_decode") return tune_decode_step(request);
  PG_ASSIGN_OR_RETURN(const auto shapes, request_shapes(request));
  if (shapes.empty()) {
    return Error{ErrorCode::usage, std::string(request.kind->name) + " has no products to tune",
                 "tune transformer_decode, transformer_prefill, gemm or control", ""};
  }
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto context, GemmContext::create(gpu, TuningTable{}));
  TuningTable table;
  for (const GemmShape& shape : shapes) {
    PG_ASSIGN_OR_RETURN(GemmPlan plan, GemmPlan::create(*context, shape));
    PG_ASSIGN_OR_RETURN(const GemmOperands operands,
                        make_operands(gpu, shape, CacheState::cold, 1));
    PG_ASSIGN_OR_RETURN(const TuningEntry best, best_of(gpu, plan, operands));
    table.set(context->key_of(shape), best);
  }
  return table;
}

}  // namespace perfgate::builtin
