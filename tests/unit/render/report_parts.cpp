#include "tests/unit/render/report_parts.h"

#include <cmath>
#include <tuple>
#include <utility>

#include "tests/unit/render/report_cases.h"

namespace perfgate::render {

static constexpr double kBytesPerStep = 15'009'000'000.0 + 2'147'483'648.0;

std::int64_t window_ns(double ms_per_step) { return std::llround(ms_per_step * 1e6) * kSteps; }

FamilyTime family(const std::string& name, double ms_per_step, std::int64_t per_step) {
  return {.family = name,
          .wall_ns = window_ns(ms_per_step),
          .sum_ns = window_ns(ms_per_step),
          .count = per_step * kSteps,
          .detail_wall_ns = {{name, window_ns(ms_per_step)}}};
}

IdleTime idle(IdleCause cause, double ms_per_step, std::int64_t per_step) {
  return {.cause = cause,
          .total_ns = window_ns(ms_per_step),
          .pieces = per_step * kSteps,
          .median_ns = per_step == 0 ? 0 : window_ns(ms_per_step) / (per_step * kSteps)};
}

KernelStat kernel(const std::string& name, const std::string& of, std::int64_t per_step,
                  double ms_per_step) {
  const std::int64_t total = window_ns(ms_per_step);
  const std::int64_t each = total / (per_step * kSteps);
  return {.name = name,
          .family = of,
          .calls = per_step * kSteps,
          .total_ns = total,
          .median_ns = each,
          .min_ns = each - 400,
          .max_ns = each + 900,
          .grid = {132, 1, 1},
          .block = {384, 1, 1},
          .registers_per_thread = 168,
          .shared_bytes = 197'632};
}

// Sets window and busy time so that the parts sum to the whole, as analysis guarantees.
void close_window(DeviceWindow& device) {
  device.busy_ns = 0;
  for (const FamilyTime& part : device.families) device.busy_ns += part.wall_ns;
  device.window_ns = device.busy_ns;
  for (const IdleTime& part : device.idle) device.window_ns += part.total_ns;
  device.step_period_ns.assign(static_cast<std::size_t>(kSteps), device.window_ns / kSteps);
  device.step_busy_ns.assign(static_cast<std::size_t>(kSteps), device.busy_ns / kSteps);
}

DeviceWindow decode_window() {
  DeviceWindow device;
  device.uuid = "GPU-4f1c2a90-5b1e-0d3c-9a77-2f6f0c1d8e42";
  device.name = "NVIDIA H200";
  device.steps = kSteps;
  device.operations = 355 * kSteps;
  device.families = {family("gemm", 3.90, 129), family("attention", 0.50, 64),
                     family("norm", 0.09, 65), family("activation", 0.05, 32),
                     family("elementwise", 0.03, 65)};
  device.idle = {idle(IdleCause::launch_overhead, 0.006, 1),
                 idle(IdleCause::graph_internal, 0.044, 354)};
  device.gap_sites = {{.cause = IdleCause::graph_internal,
                       .before = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT",
                       .after = "void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*, int)",
                       .host_range = "decode",
                       .total_ns = window_ns(0.020),
                       .count = 160 * kSteps}};
  device.kernels = {
      kernel("nvjet_tst_64x8_64x16_4x1_v_bz_TNT", "gemm", 32, 1.92),
      kernel("nvjet_tst_128x8_64x12_2x1_v_bz_TNN", "gemm", 96, 1.61),
      kernel("void perfgate::decode_attention<__nv_bfloat16, 128, 4>(perfgate::AttentionArguments)",
             "attention", 32, 0.47),
      kernel("void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*, int)", "norm", 65,
             0.09)};
  device.ranges = {{.path = "decode",
                    .instances = kSteps,
                    .gpu_wall_ns = window_ns(4.57),
                    .operations = 3550,
                    .by_time = false},
                   {.path = "decode/layer*",
                    .instances = 32 * kSteps,
                    .gpu_wall_ns = window_ns(4.31),
                    .operations = 3520,
                    .by_time = true}};
  close_window(device);
  return device;
}

static TracedProcess traced(int index, DeviceWindow device) {
  TracedProcess process;
  process.process = index;
  process.verdict.validity = Validity::valid;
  process.dropped = 0;
  process.records = device.operations;
  process.records_per_step = static_cast<double>(device.operations) / static_cast<double>(kSteps);
  process.kernel_launches = 355 * kSteps;
  process.api_launches = kSteps;
  process.traced_step_ms =
      static_cast<double>(device.window_ns) / static_cast<double>(kSteps) / 1e6;
  process.traced_over_untraced = 1.0087;
  process.devices = {std::move(device)};
  return process;
}

ProcessRecord process(int index, ProcessRole role, double median_ms) {
  ProcessRecord record;
  record.index = index;
  record.role = role;
  record.wall_s = 6.25;
  record.summary = StepSummary{.median_ms = median_ms, .n = 200};
  ProcessResults results;
  results.block_start_ns = 1'790'000'000'000'000'000 + index;
  results.block_end_ns = results.block_start_ns + 924'000'000;
  results.work = {.tokens = 16.0,
                  .weights_bytes = 15.009e9,
                  .kv_bytes = 2'147'483'648.0,
                  .flops = 2.4e11,
                  .output_hash = "9f86d081884c7d65"};
  results.metrics = {{.name = "ttft_ms", .value = 12.5, .unit = "ms", .better = Better::lower}};
  results.boundary = ProcessResults::Boundary::device;
  record.results = std::move(results);
  record.before.emplace();
  record.before->at_ns = 1'790'000'000'000'000'000;
  record.before->sm_clock_mhz = 1980;
  record.before->temperature_c = 41;
  record.before->power_mw = 118'000;
  record.before->other_processes = 0;
  if (role == ProcessRole::trace) record.capture_files = {"captures/4711-91822.pgcap"};
  return record;
}

static FloorResult floor_for(double step_ms) {
  FloorResult floor;
  floor.bytes_per_step = kBytesPerStep;
  floor.flops_per_step = 2.4e11;
  floor.parts_bytes = {{"kv_cache", 2'147'483'648.0}, {"weights", 15.009e9}};
  floor.bytes_source = "work line";
  for (const auto& [source, bandwidth, rate] :
       {std::tuple{"datasheet H200 SXM", 4.8e12, 989e12},
        std::tuple{"measured by calibrate", 4.596e12, 812e12}}) {
    FloorResult::Against against;
    against.ceiling = {
        .bandwidth_bytes_per_s = bandwidth, .rate_flop_per_s = rate, .source = source};
    against.memory_floor_ms = kBytesPerStep / bandwidth * 1e3;
    against.compute_floor_ms = 2.4e11 / rate * 1e3;
    against.floor_ms = against.memory_floor_ms;
    against.percent_of_floor = 100.0 * against.floor_ms / step_ms;
    against.ridge_flop_per_byte = rate / bandwidth;
    floor.against.push_back(against);
  }
  floor.achieved_bytes_per_s = kBytesPerStep / (step_ms / 1e3);
  floor.achieved_flop_per_s = 2.4e11 / (step_ms / 1e3);
  floor.intensity_flop_per_byte = 2.4e11 / kBytesPerStep;
  return floor;
}

Comparison compared(const std::string& metric, MetricKind kind, const std::string& unit,
                    double base, double head, double half_width) {
  Comparison row;
  row.metric = metric;
  row.kind = kind;
  row.unit = unit;
  row.base = base;
  row.head = head;
  row.delta_ratio = head / base - 1.0;
  if (kind != MetricKind::counted) {
    row.ci_low_ratio = row.delta_ratio - half_width;
    row.ci_high_ratio = row.delta_ratio + half_width;
    row.interval_known = true;
    row.interval_level = 0.95;
    row.margin_ratio = kind == MetricKind::timed ? 0.0015 : 0.05;
    row.tolerance_ratio = 3 * row.margin_ratio;
    row.margin_auto = row.tolerance_auto = kind == MetricKind::timed;
    row.excludes_above_ratio = row.ci_high_ratio;
    row.finds_from_ratio = row.margin_ratio + 2 * half_width;
  }
  row.n_base = 10;
  row.n_head = kind == MetricKind::timed ? 8 : 3;
  row.outcome = Outcome::pass;
  return row;
}

void set_outcome(RunResult& run, const std::string& metric, Outcome outcome,
                 const std::string& reason) {
  for (Comparison& row : run.comparisons) {
    if (row.metric != metric) continue;
    row.outcome = outcome;
    row.reason = reason;
  }
}

// The step takes `ms`: samples, metric, floor and comparison follow.
void set_step(RunResult& run, double ms, double half_width) {
  MetricValue step{.id = "step_time_p50",
                   .kind = MetricKind::timed,
                   .value = ms,
                   .unit = "ms",
                   .better = Better::lower,
                   .samples = {}};
  for (int i = 0; i < 8; ++i) step.samples.push_back(ms * (1.0 + 0.0001 * (i % 5 - 2)));
  run.metrics = {step,
                 {.id = "kernel_launches",
                  .kind = MetricKind::counted,
                  .value = 355,
                  .unit = "1",
                  .better = Better::lower,
                  .samples = {355, 355, 355}}};
  run.analysis.floor = floor_for(ms);
  for (Comparison& row : run.comparisons) {
    if (row.metric == "step_time_p50")
      row = compared(row.metric, row.kind, row.unit, row.base, ms, half_width);
  }
  run.measurement.processes.clear();
  for (int i = 0; i < 8; ++i)
    run.measurement.processes.push_back(
        process(i, ProcessRole::timing, step.samples[static_cast<std::size_t>(i)]));
  for (int i = 8; i < 11; ++i)
    run.measurement.processes.push_back(process(i, ProcessRole::trace, ms * 1.0087));
}

void set_window(RunResult& run, const DeviceWindow& device) {
  run.analysis.traced = {traced(8, device), traced(9, device), traced(10, device)};
}

Comparison* row_of(RunResult& run, const std::string& metric) {
  for (Comparison& row : run.comparisons) {
    if (row.metric == metric) return &row;
  }
  return nullptr;
}

RunResult passing_run() {
  RunResult run;
  run.identity = {.tool_version = "0.1.0",
                  .repo = "example/llm",
                  .branch = "faster-attention",
                  .commit = "9c41e07d2b6a5f3e8c1d",
                  .run_id = "20260412T101500Z-7f3a",
                  .attempt = 1,
                  .started_utc = "2026-04-12T10:15:00Z"};
  run.workload_name = "decode_8b";
  run.workload_description = "One decode step of a Llama-3-8B-shaped model, batch 16, context 1024";
  run.workload_path = "workloads/decode_8b.yaml";
  run.measurement.fingerprint = {
      .environment = {{"gpu", "NVIDIA H200"},
                      {"driver", "580.65.06"},
                      {"power_limit_w", "700"},
                      {"cpu", "Intel Xeon Platinum 8480C"},
                      {"workload", "5d41402abc4b2a76"}},
      .subject = {{"cuda", "13.0"}, {"cublaslt", "13.0.2.14"}},
      .instance = {{"gpu_uuid", "GPU-4f1c2a90-5b1e-0d3c-9a77-2f6f0c1d8e42"}}};
  run.measurement.controls = {
      {.name = "read_stream", .unit = "bytes/s", .readings = {4.596e12, 4.594e12}},
      {.name = "bf16_gemm", .unit = "flop/s", .readings = {8.12e14, 8.11e14}}};
  run.measurement.wall_s = 48.5;
  run.analysis.rules_hash = "b1946ac92492d234";
  run.analysis.capture.validity = Validity::valid;
  set_window(run, decode_window());
  run.baseline = {.commit = "3f2a91c5d8e4b7a6",
                  .how = "store: 10 runs on branch main, newest 3f2a91c (2026-04-11)",
                  .comparability = {},
                  .exists = true};
  run.comparisons = {
      compared("step_time_p50", MetricKind::timed, "ms", 4.585, 4.587, 0.0011),
      compared("gpu_idle_ms", MetricKind::traced, "ms", 0.0502, 0.05, 0.02),
      compared("idle_ms/launch_overhead", MetricKind::traced, "ms", 0.006, 0.006, 0.05),
      compared("family_ms/gemm", MetricKind::traced, "ms", 3.899, 3.90, 0.002),
      compared("family_ms/attention", MetricKind::traced, "ms", 0.501, 0.50, 0.006),
      compared("kernel_launches", MetricKind::counted, "1", 355, 355, 0)};
  set_step(run, 4.587, 0.0011);
  run.verdict = {.outcome = Outcome::pass,
                 .reasons = {{"within", "6 gated metrics are within their margins"}},
                 .policies = {}};
  return run;
}

RunResult with_history(RunResult run) {
  for (Comparison& row : run.comparisons) {
    if (row.kind != MetricKind::timed) continue;
    for (int i = 0; i < 12; ++i) row.history.push_back(row.base * (1.0 + 0.0004 * (i * 5 % 7 - 3)));
  }
  return run;
}

}  // namespace perfgate::render
