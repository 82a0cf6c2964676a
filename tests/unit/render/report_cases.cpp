#include "tests/unit/render/report_cases.h"

#include <cmath>
#include <utility>

namespace perfgate::render {
namespace {

constexpr std::int64_t kSteps = 10;
constexpr double kBytesPerStep = 15'009'000'000.0 + 2'147'483'648.0;

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

TracedProcess traced(int index, DeviceWindow device) {
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

FloorResult floor_for(double step_ms) {
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
    row.margin_auto = kind == MetricKind::timed;
    row.excludes_above_ratio = row.ci_high_ratio;
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
    row.confirmed = outcome == Outcome::fail;
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

RunResult eager_run() {
  RunResult run = passing_run();
  DeviceWindow device = decode_window();
  device.idle = {idle(IdleCause::launch_overhead, 1.04, 354), idle(IdleCause::host, 0.03, 1)};
  device.gap_sites = {
      {.cause = IdleCause::launch_overhead,
       .before = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT",
       .after = "void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*, int)",
       .host_range = "decode",
       .total_ns = window_ns(0.41),
       .count = 160 * kSteps},
      {.cause = IdleCause::launch_overhead,
       .before =
           "void perfgate::decode_attention<__nv_bfloat16, 128, 4>(perfgate::AttentionArguments)",
       .after = "nvjet_tst_128x8_64x12_2x1_v_bz_TNN",
       .host_range = "decode",
       .total_ns = window_ns(0.21),
       .count = 32 * kSteps},
      {.cause = IdleCause::host,
       .before = "argmax",
       .after = "embedding",
       .host_range = "schedule batch",
       .total_ns = window_ns(0.03),
       .count = kSteps}};
  close_window(device);
  set_window(run, device);
  for (TracedProcess& each : run.analysis.traced) each.api_launches = 355 * kSteps;
  set_step(run, 5.592, 0.002);
  *row_of(run, "gpu_idle_ms") = compared("gpu_idle_ms", MetricKind::traced, "ms", 0.05, 1.07, 0.31);
  *row_of(run, "idle_ms/launch_overhead") =
      compared("idle_ms/launch_overhead", MetricKind::traced, "ms", 0.006, 1.04, 2.1);
  set_outcome(run, "step_time_p50", Outcome::fail,
              "step_time_p50 rose 21.9 % (+21.7 to +22.1 %), beyond the margin of 0.15 %, "
              "confirmed on 16 fresh processes");
  set_outcome(run, "gpu_idle_ms", Outcome::fail, "gpu_idle_ms rose from 0.05 ms to 1.07 ms");
  run.verdict = {
      .outcome = Outcome::fail,
      .reasons = {{"breach",
                   "step_time_p50 rose 21.9 % (+21.7 to +22.1 %), beyond the margin of 0.15 %"},
                  {"breach", "gpu_idle_ms rose from 0.05 ms to 1.07 ms"}},
      .policies = {}};
  return run;
}

RunResult slower_attention_run() {
  RunResult run = passing_run();
  DeviceWindow device = decode_window();
  device.families[1] = family("attention", 0.79, 64);
  close_window(device);
  set_window(run, device);
  set_step(run, 4.875, 0.002);
  *row_of(run, "family_ms/attention") =
      compared("family_ms/attention", MetricKind::traced, "ms", 0.50, 0.79, 0.02);
  *row_of(run, "kernel_launches") =
      compared("kernel_launches", MetricKind::counted, "1", 323, 355, 0);
  set_outcome(run, "step_time_p50", Outcome::fail,
              "step_time_p50 rose 6.3 %, beyond the margin of 0.15 %");
  set_outcome(run, "family_ms/attention", Outcome::fail,
              "family_ms/attention rose 58 %, beyond the margin of 3 %");
  set_outcome(run, "kernel_launches", Outcome::fail,
              "kernel_launches rose from 323 to 355, must be equal");
  run.baseline.comparability.subject = {{"cublaslt", "13.0.0.19", "13.0.2.14"},
                                        {"program", "sha256:51aa0c", "sha256:9be3f7"}};
  run.verdict = {.outcome = Outcome::fail,
                 .reasons = {{"breach", "step_time_p50 rose 6.3 %, beyond the margin of 0.15 %"}},
                 .policies = {}};
  return run;
}

RunResult suspected_run() {
  RunResult run = passing_run();
  set_step(run, 4.652, 0.0035);
  set_outcome(run, "step_time_p50", Outcome::suspected,
              "only 4 comparable runs in the store; 8 are needed to fail");
  run.verdict = {
      .outcome = Outcome::suspected,
      .reasons = {{"unconfirmed", "only 4 comparable runs in the store; 8 are needed to fail"}},
      .policies = {}};
  return run;
}

RunResult inconclusive_run() {
  RunResult run = passing_run();
  set_step(run, 4.64, 0.012);
  set_outcome(run, "step_time_p50", Outcome::inconclusive,
              "the interval reaches beyond the margin on one side and the tolerance on the other");
  row_of(run, "step_time_p50")->processes_to_settle = 9;
  run.verdict = {.outcome = Outcome::inconclusive,
                 .reasons = {{"undecided", "step_time_p50 stayed undecided after 12 processes"}},
                 .policies = {}};
  return run;
}

RunResult not_comparable_run() {
  RunResult run = passing_run();
  run.comparisons.clear();
  run.baseline.comparability.environment = {{"driver", "575.51.03", "580.65.06"},
                                            {"power_limit_w", "600", "700"}};
  run.verdict = {
      .outcome = Outcome::not_comparable,
      .reasons = {{"environment_differs", "driver: 575.51.03 in the baseline, 580.65.06 here"}},
      .policies = {}};
  return run;
}

RunResult no_baseline_run() {
  RunResult run = passing_run();
  run.comparisons.clear();
  run.baseline = {};
  run.verdict = {.outcome = Outcome::no_baseline,
                 .reasons = {{"no_baseline", "the store has no run of decode_8b on branch main"}},
                 .policies = {}};
  return run;
}

RunResult crashed_run() {
  RunResult run = passing_run();
  run.metrics.clear();
  run.comparisons.clear();
  run.analysis = {};
  run.measurement.processes = {process(0, ProcessRole::timing, 4.62)};
  ProcessRecord crashed;
  crashed.index = 1;
  crashed.state = ProcessState::crashed;
  crashed.exit_code = 1;
  crashed.wall_s = 2.5;
  crashed.problem = "ended with exit code 1";
  crashed.last_words =
      "loading weights: 15.0 GB\nTraceback (most recent call last):\n  File \"decode.py\", line "
      "88, in <module>\n    cache = allocate(batch, context)\ntorch.OutOfMemoryError: CUDA out of "
      "memory. Tried to allocate 96.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which "
      "41.22 GiB is free.\n";
  run.measurement.processes.push_back(crashed);
  run.verdict = {.outcome = Outcome::invalid,
                 .reasons = {{"workload_failed", "process 1 (timing) ended with exit code 1"}},
                 .policies = {}};
  return run;
}

RunResult broken_capture_run(bool partial) {
  RunResult run = passing_run();
  const std::string reason =
      partial ? "process 9 was killed inside its window; its capture has no end block"
              : "process 9 does not know how many records it dropped";
  run.analysis.capture = {.validity = partial ? Validity::partial : Validity::invalid,
                          .reasons = {reason}};
  run.analysis.traced[1].verdict = run.analysis.capture;
  run.analysis.traced[1].dropped.reset();
  run.comparisons.clear();
  run.verdict = {
      .outcome = Outcome::invalid, .reasons = {{"capture_invalid", reason}}, .policies = {}};
  return run;
}

RunResult many_families_run() {
  RunResult run = passing_run();
  DeviceWindow device = decode_window();
  device.families = {family("gemm", 2.1, 129),
                     family("attention", 0.5, 64),
                     family("communication", 0.45, 64),
                     family("moe", 0.4, 96),
                     family("quantisation", 0.3, 64),
                     family("norm", 0.2, 65),
                     family("activation", 0.15, 32),
                     family("sampling", 0.12, 3),
                     family("reduce", 0.1, 9),
                     family("copy", 0.08, 40),
                     family("memset", 0.05, 12),
                     family("embedding", 0.03, 1),
                     family("a_family_name_that_nobody_would_choose", 0.02, 1),
                     family("other", 0.02, 7)};
  device.idle = {idle(IdleCause::synchronisation, 0.02, 2),
                 idle(IdleCause::launch_overhead, 0.006, 1),
                 idle(IdleCause::graph_internal, 0.044, 354),
                 idle(IdleCause::device_wait, 0.01, 4),
                 idle(IdleCause::allocation, 0.004, 1),
                 idle(IdleCause::transfer, 0.003, 1),
                 idle(IdleCause::host, 0.013, 1),
                 idle(IdleCause::unknown, 0.001, 3)};
  close_window(device);
  DeviceWindow second = device;
  second.uuid = "GPU-77aa01c3-0000-4d3c-9a77-2f6f0c1d8e43";
  set_window(run, device);
  for (TracedProcess& each : run.analysis.traced) each.devices.push_back(second);
  return run;
}

// Everything a program may name, named to break a report.
RunResult hostile_run() {
  RunResult run = eager_run();
  const std::string name =
      "d|e`c<script>alert(1)</script>@octocat #123 \xE2\x80\xAEgnp.exe\x1b[2J\n| x | y |\xff";
  run.workload_name = name;
  run.workload_path = "w|o`rk.yaml";
  run.baseline.commit = "@org/team";
  run.baseline.how =
      "store: <!-- hidden --> https://example.org/ www.example.org _a_ **b** [x](y) $\\frac{1}{2}$";
  run.measurement.notes = {"# heading\n- list\n```\ncode", "<details><img src=x onerror=alert(1)>"};
  DeviceWindow& device = run.analysis.traced[0].devices[0];
  device.name = "NVIDIA <b>H200</b> @here";
  device.kernels[0].name = "void a::b<1, \"|\">(int) | `rm -rf` @octocat #1 </code><b>";
  device.kernels[1].name =
      "void "
      "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
      "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1>>, "
      "cute::tuple<cute::C<128>, cute::C<176>, cute::C<128>>, 128, cutlass::bfloat16_t, float, "
      "cutlass::arch::Sm90, false, false, false, true>>>>(flash::Params)";
  device.kernels[2].name =
      "triton_poi_fused__to_copy__unsafe_view_add_clone_mean_mm_mul_pow_rsqrt_silu_t_view_"
      "transpose_unsqueeze_1";
  device.kernels[3].name =
      "\xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B\xE5\x86\x85\xE6\xA0\xB8_"
      "\xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B\xE5\x86\x85\xE6\xA0\xB8_"
      "\xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B\xE5\x86\x85\xE6\xA0\xB8_v2";
  device.families[0].family = "gemm|<i>";
  device.gap_sites[0].host_range = "step @octocat | #5";
  run.verdict.reasons.push_back({"breach", "@everyone look at #1 | <script>"});
  return run;
}

RunResult no_trace_run() {
  RunResult run = passing_run();
  run.analysis = {};
  run.analysis.floor_problem =
      "the results file has no work line: declare floor.bytes in the workload file";
  run.measurement.fingerprint.environment = {{"cpu", "AMD EPYC 9654"}};
  run.measurement.fingerprint.instance.clear();
  run.measurement.processes.resize(8);
  run.comparisons.resize(1);
  return run;
}

RunResult no_floor_run() {
  RunResult run = passing_run();
  run.analysis.floor.reset();
  run.baseline.commit.clear();
  run.verdict = {.outcome = Outcome::pass, .reasons = {}, .policies = {"--on-no-baseline pass"}};
  return run;
}

RunResult improved_run() {
  RunResult run = passing_run();
  DeviceWindow device = decode_window();
  device.families[0] = family("gemm", 3.62, 129);
  close_window(device);
  set_window(run, device);
  set_step(run, 4.322, 0.002);
  *row_of(run, "family_ms/gemm") =
      compared("family_ms/gemm", MetricKind::traced, "ms", 3.90, 3.62, 0.004);
  for (const char* metric : {"step_time_p50", "family_ms/gemm"})
    row_of(run, metric)->improved = true;
  return run;
}

RunResult replayed(RunResult run) {
  run.source = RunSource::replayed;
  return run;
}

}  // namespace

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

std::vector<ReportCase> report_cases() {
  return {{"pass", passing_run()},
          {"pass_improved", improved_run()},
          {"pass_no_floor", no_floor_run()},
          {"pass_no_trace", no_trace_run()},
          {"pass_many_families", many_families_run()},
          {"pass_replayed", replayed(passing_run())},
          {"fail_eager", eager_run()},
          {"fail_attention", slower_attention_run()},
          {"fail_replayed", replayed(eager_run())},
          {"fail_hostile_names", hostile_run()},
          {"suspected", suspected_run()},
          {"inconclusive", inconclusive_run()},
          {"not_comparable", not_comparable_run()},
          {"no_baseline", no_baseline_run()},
          {"invalid_crash", crashed_run()},
          {"invalid_capture_partial", broken_capture_run(true)},
          {"invalid_dropped_unknown", broken_capture_run(false)}};
}

}  // namespace perfgate::render
