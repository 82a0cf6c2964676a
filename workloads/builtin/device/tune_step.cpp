// Tuning of the decode step: every proposal is timed where it will run, as part of the whole step.
// Alone and back to back an algorithm's time does not tell what it costs between the small kernels
// and after their prefetches.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <limits>
#include <optional>

#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/device/runtime_steps.h"

namespace perfgate::builtin {
namespace {

constexpr int kProposals = 32;
constexpr std::size_t kFinalists = 4;
constexpr int kWarmup = 2;
constexpr int kScreenSteps = 6;
constexpr int kFinalSteps = 16;
constexpr int kFinalRounds = 2;
/// A smaller gain than this share of a step may be noise: the first proposal stays.
constexpr double kGainMin = 0.0005;
/// Largest weights first: their choice moves the step most.
constexpr std::array kOrder{kGateUp, kDown, kQkv, kOutput, kHead};

struct Candidate {
  cublasLtMatmulAlgo_t algorithm{};
  double ms = std::numeric_limits<double>::infinity();
};

/// Median time of a step. The first launch is outside of the graph: it loads the kernels.
Result<double> step_ms(const Gpu& gpu, Transformer& model, bool graph, int steps) {
  std::function<Status()> launch = [&model] { return model.launch_step(); };
  PG_TRY(launch());
  PG_TRY(gpu.synchronize("try an algorithm"));
  std::optional<StepGraph> captured;
  if (graph) {
    PG_ASSIGN_OR_RETURN(StepGraph step, StepGraph::capture(gpu, launch));
    captured.emplace(std::move(step));
    launch = [&gpu, &captured] { return captured->launch(gpu); };
  }
  RuntimeSteps device(gpu);
  const StepLoop loop{.warmup = kWarmup,
                      .steps = steps,
                      .step = launch,
                      .before_measured = {},
                      .host_delay_us = 0.0,
                      .now_ns = realtime_ns};
  PG_ASSIGN_OR_RETURN(const ProcessResults results, run_steps(device, loop));
  return median_step_ms(results);
}

class StepTuner {
 public:
  StepTuner(const Gpu& gpu, Transformer& model, bool graph)
      : gpu_(gpu), model_(model), graph_(graph) {}

  /// Leaves the best algorithm of `which` in the model.
  Result<TuningEntry> tune(Product which) {
    PG_ASSIGN_OR_RETURN(auto candidates, screened(which));
    Candidate first = candidates.front();
    std::ranges::sort(candidates, {}, &Candidate::ms);
    candidates.resize(std::min(candidates.size(), kFinalists));
    candidates.push_back(first);
    for (Candidate& candidate : candidates) candidate.ms = 0.0;
    for (int round = 0; round < kFinalRounds; ++round) {
      for (Candidate& candidate : candidates) {
        model_.plan_of(which).use(candidate.algorithm);
        PG_ASSIGN_OR_RETURN(const double ms, step_ms(gpu_, model_, graph_, kFinalSteps));
        candidate.ms += ms / kFinalRounds;
      }
    }
    first = candidates.back();
    const Candidate best = *std::ranges::min_element(candidates, {}, &Candidate::ms);
    const Candidate& chosen = best.ms < first.ms * (1.0 - kGainMin) ? best : first;
    model_.plan_of(which).use(chosen.algorithm);
    print(which, first.ms, chosen.ms);
    return TuningEntry{.algorithm = std::bit_cast<AlgorithmBits>(chosen.algorithm),
                       .us = chosen.ms * 1e3};
  }

 private:
  /// In the library's order. A proposal that does not run is left out.
  Result<std::vector<Candidate>> screened(Product which) {
    GemmPlan& plan = model_.plan_of(which);
    PG_ASSIGN_OR_RETURN(const auto proposals, plan.proposals(kProposals));
    proposed_ = proposals.size();
    std::vector<Candidate> candidates;
    for (const cublasLtMatmulAlgo_t& algorithm : proposals) {
      plan.use(algorithm);
      const auto ms = step_ms(gpu_, model_, graph_, kScreenSteps);
      if (ms.ok()) candidates.push_back({.algorithm = algorithm, .ms = ms.value()});
    }
    if (!candidates.empty()) return candidates;
    return Error{ErrorCode::internal, "no algorithm that cuBLASLt proposes runs",
                 "run `perfgate-workload check gemm` to see why", ""};
  }

  void print(Product which, double first_ms, double chosen_ms) const {
    const GemmShape& shape = model_.plan_of(which).shape();
    std::printf("m=%lld n=%lld k=%lld: step %.4f ms, %.4f by the first of %zu proposals\n",
                static_cast<long long>(shape.m), static_cast<long long>(shape.n),
                static_cast<long long>(shape.k), chosen_ms, first_ms, proposed_);
  }

  const Gpu& gpu_;
  Transformer& model_;
  bool graph_;
  std::size_t proposed_ = 0;
};

}  // namespace

Result<TuningTable> tune_decode_step(const RunRequest& request) {
  PG_ASSIGN_OR_RETURN(const ModelShape shape, preset_shape(request.parameters.word("preset")));
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto context, GemmContext::create(gpu, TuningTable{}));
  TransformerOptions options = decode_options(request, gpu, shape);
  options.advance = false;  // every step that is timed sees the same context
  PG_ASSIGN_OR_RETURN(const auto model, Transformer::create(gpu, *context, options));
  StepTuner tuner(gpu, *model, request.parameters.boolean("cuda_graph"));
  TuningTable table;
  for (const Product which : kOrder) {
    if (model->is_streamed(which)) continue;
    PG_ASSIGN_OR_RETURN(const TuningEntry best, tuner.tune(which));
    table.set(context->key_of(model->plan_of(which).shape()), best);
  }
  return table;
}

}  // namespace perfgate::builtin
