#include <cstdio>

#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/device/nvtx_range.h"
#include "workloads/builtin/device/planted_step.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/device/runtime_steps.h"
#include "workloads/builtin/device/spin_fault.h"
#include "workloads/builtin/fault_rules.h"

namespace perfgate::builtin {
namespace {

Result<ProcessResults> run_model(const RunRequest& request, const Gpu& gpu, Transformer& model,
                                 const char* range_name) {
  std::function<Status()> launch = [&request, &gpu, &model]() -> Status {
    PG_TRY(model.launch_step());
    return launch_spin_fault(gpu, request.faults, model.dependent_launch());
  };
  std::optional<StepGraph> captured;
  if (launches_graph(request)) {
    PG_TRY(launch());  // loads every kernel: a module load inside a capture is an error
    PG_TRY(model.reset());
    PG_ASSIGN_OR_RETURN(StepGraph step, StepGraph::capture(gpu, launch));
    captured.emplace(std::move(step));
    launch = [&gpu, &captured] { return captured->launch(gpu); };
  }
  PG_ASSIGN_OR_RETURN(const std::function<Status()> step,
                      with_step_faults(gpu, request.faults, std::move(launch)));
  RuntimeSteps device(gpu);
  const StepLoop loop{.warmup = request.warmup,
                      .steps = request.steps,
                      .step =
                          [&step, range_name] {
                            const NvtxRange range(range_name);
                            return step();
                          },
                      .before_measured = [&model] { return model.reset_hashes(); },
                      .host_delay_us = request.faults[Fault::host_delay_us],
                      .now_ns = realtime_ns};
  PG_ASSIGN_OR_RETURN(ProcessResults results, run_steps(device, loop));
  PG_ASSIGN_OR_RETURN(results.work.output_hash, model.output_hash());
  return results;
}

}  // namespace

Result<ProcessResults> run_transformer_decode(const RunRequest& request) {
  PG_ASSIGN_OR_RETURN(const ModelShape shape, request_shape(request));
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto gemm, GemmContext::create(gpu, request.tuning));
  const TransformerOptions options = decode_options(request, gpu, shape);
  PG_ASSIGN_OR_RETURN(const auto model, Transformer::create(gpu, *gemm, options));
  PG_ASSIGN_OR_RETURN(ProcessResults results, run_model(request, gpu, *model, "decode"));
  // With advance the context grows; the work line then has the mean over the measured steps.
  const std::int64_t batch = options.batch;
  const std::int64_t mean_context =
      options.context + (options.advance ? request.warmup + request.steps / 2 : 0);
  results.work.tokens = static_cast<double>(batch);
  results.work.weights_bytes = weight_bytes(shape, batch);
  results.work.kv_bytes = kv_cache_bytes(shape, batch, mean_context);
  results.work.flops = decode_flops(shape, batch, mean_context);
  return results;
}

Result<ProcessResults> run_transformer_prefill(const RunRequest& request) {
  const Parameters& with = request.parameters;
  PG_ASSIGN_OR_RETURN(const ModelShape shape, request_shape(request));
  const std::int64_t batch = with.integer("batch");
  const std::int64_t tokens = with.integer("tokens");
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto gemm, GemmContext::create(gpu, request.tuning));
  const TransformerOptions options{
      .mode = StepMode::prefill,
      .shape = shape,
      .batch = batch,
      .tokens = tokens,
      .context = 0,
      .capacity = tokens,
      .advance = false,
      .layer_ranges = with.boolean("layer_ranges"),
      .faults = request.faults,
      .dependent_launch = with.boolean("dependent_launch") && gpu.has_dependent_launch(),
      .prefetch_mib = 0,
      .streamed_products = false,
      .seed = static_cast<std::uint32_t>(with.integer("seed"))};
  PG_ASSIGN_OR_RETURN(const auto model, Transformer::create(gpu, *gemm, options));
  PG_ASSIGN_OR_RETURN(ProcessResults results, run_model(request, gpu, *model, "prefill"));
  results.work.tokens = static_cast<double>(batch * tokens);
  results.work.weights_bytes = weight_bytes(shape, batch * tokens);
  results.work.kv_bytes = kv_cache_bytes(shape, batch, tokens);
  results.work.flops = prefill_flops(shape, batch, tokens);
  return results;
}

}  // namespace perfgate::builtin
