#include "workloads/builtin/device/driver_stream.h"
#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/device/nvtx_range.h"
#include "workloads/builtin/device/operands.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/device/runtime_steps.h"

namespace perfgate::builtin {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kControlBytes = 4096 * kMiB;
constexpr std::int64_t kControlBytesMin = 256 * kMiB;  // far beyond any L2
constexpr int kControlWarmup = 3;
constexpr int kControlSteps =
    20;  // 4 GiB at 4.6 TB/s and 1.1 TFLOP at 700 TFLOP/s: about 50 ms in all

StreamMode stream_mode(const std::string& word) {
  if (word == "write") return StreamMode::write;
  return word == "copy" ? StreamMode::copy : StreamMode::read;
}

Result<ProcessResults> stream_steps(DriverStream& stream, int warmup, int steps,
                                    const Faults& faults) {
  const StepLoop loop{.warmup = warmup,
                      .steps = steps,
                      .step = [&stream, &faults]() -> Status {
                        const NvtxRange range("stream");
                        PG_TRY(stream.launch());
                        return stream.spin(faults[Fault::spin_us]);
                      },
                      .before_measured = {},
                      .host_delay_us = faults[Fault::host_delay_us],
                      .now_ns = realtime_ns};
  return run_steps(stream, loop);
}

/// As the calibration reads them (runner/device/calibration.h).
std::string metric_name(StreamMode mode) {
  switch (mode) {
    case StreamMode::read: return "read_stream";
    case StreamMode::write: return "write_stream";
    case StreamMode::copy: break;
  }
  return "copy_stream";
}

ReportedMetric bandwidth_metric(const DriverStream& stream, StreamMode mode,
                                const ProcessResults& steps) {
  return {.name = metric_name(mode),
          .value = stream.bytes_moved() / (median_step_ms(steps) * 1e-3),
          .unit = "bytes/s",
          .better = Better::higher};
}

/// A stream over 4 GiB, or over half as much until it fits.
Result<std::unique_ptr<DriverStream>> open_control_stream(StreamMode mode) {
  std::int64_t bytes = kControlBytes;
  while (true) {
    auto stream = DriverStream::open(mode, bytes);
    const bool short_of_memory = !stream.ok() && stream.error().code == ErrorCode::unsupported;
    if (!short_of_memory || bytes <= kControlBytesMin) return stream;
    bytes /= 2;
  }
}

Result<double> control_gemm_flop_per_s(const TuningTable& tuning) {
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto context, GemmContext::create(gpu, tuning));
  const GemmShape shape = control_shape();
  PG_ASSIGN_OR_RETURN(const GemmPlan plan, GemmPlan::create(*context, shape));
  PG_ASSIGN_OR_RETURN(const GemmOperands operands, make_operands(gpu, shape, CacheState::warm, 1));
  RuntimeSteps device(gpu);
  const StepLoop loop{.warmup = kControlWarmup,
                      .steps = kControlSteps,
                      .step =
                          [&] {
                            const NvtxRange range("gemm");
                            return plan.run(operands.a_of(0), operands.b_of(0), operands.d_of(0),
                                            gpu.stream());
                          },
                      .before_measured = {},
                      .host_delay_us = 0.0,
                      .now_ns = realtime_ns};
  PG_ASSIGN_OR_RETURN(const ProcessResults results, run_steps(device, loop));
  const auto side = static_cast<double>(kControlSide);
  return 2.0 * side * side * side / (median_step_ms(results) * 1e-3);
}

}  // namespace

Result<ProcessResults> run_stream(const RunRequest& request) {
  const StreamMode mode = stream_mode(request.parameters.word("mode"));
  PG_ASSIGN_OR_RETURN(const auto stream,
                      DriverStream::open(mode, request.parameters.integer("mib") * kMiB));
  PG_ASSIGN_OR_RETURN(ProcessResults results,
                      stream_steps(*stream, request.warmup, request.steps, request.faults));
  results.work.weights_bytes = stream->bytes_moved();
  results.work.kv_bytes = 0.0;
  results.work.flops = 0.0;
  results.metrics.push_back(bandwidth_metric(*stream, mode, results));
  return results;
}

/// Its steps are the read stream's; the copy stream and the product are reported as metrics alone.
Result<ProcessResults> run_control(const RunRequest& request) {
  ProcessResults results;
  {
    PG_ASSIGN_OR_RETURN(const auto stream, open_control_stream(StreamMode::read));
    PG_ASSIGN_OR_RETURN(results, stream_steps(*stream, kControlWarmup, kControlSteps, Faults{}));
    results.work.weights_bytes = stream->bytes_moved();
    results.metrics.push_back(bandwidth_metric(*stream, StreamMode::read, results));
  }
  {
    PG_ASSIGN_OR_RETURN(const auto stream, open_control_stream(StreamMode::copy));
    PG_ASSIGN_OR_RETURN(const ProcessResults copies,
                        stream_steps(*stream, kControlWarmup, kControlSteps, Faults{}));
    results.metrics.push_back(bandwidth_metric(*stream, StreamMode::copy, copies));
  }
  PG_ASSIGN_OR_RETURN(const double flop_per_s, control_gemm_flop_per_s(request.tuning));
  results.metrics.push_back(
      {.name = "bf16_gemm", .value = flop_per_s, .unit = "flop/s", .better = Better::higher});
  return results;
}

}  // namespace perfgate::builtin
