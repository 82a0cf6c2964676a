#include "tests/unit/render/report_cases.h"

#include <utility>

#include "tests/unit/render/ledger_parts.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render {
namespace {

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
  run.metrics.push_back({.id = "graph_launches",
                         .kind = MetricKind::counted,
                         .value = 0,
                         .unit = "1",
                         .better = Better::lower,
                         .samples = {0, 0, 0}});
  run.observed = {
      {.metric = "launch_calls", .unit = "1", .base = 1, .head = 355, .noise = 0, .n_base = 10},
      {.metric = "idle_ms/graph_internal",
       .unit = "ms",
       .base = 0.044,
       .head = 0,
       .noise = 0.001,
       .n_base = 10}};
  *row_of(run, "gpu_idle_ms") = compared("gpu_idle_ms", MetricKind::traced, "ms", 0.05, 1.07, 0.31);
  *row_of(run, "idle_ms/launch_overhead") =
      compared("idle_ms/launch_overhead", MetricKind::traced, "ms", 0.006, 1.04, 2.1);
  set_outcome(run, "step_time_p50", Outcome::fail,
              "step_time_p50 rose 21.9 % (+21.7 to +22.1 %), beyond the margin of 0.15 %");
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
  Comparison& step = *row_of(run, "step_time_p50");
  step.n_base = 4;
  step.unsettled = Unsettled::few_runs;
  step.runs_to_settle = 4;
  run.command = {"perfgate", "run", "workloads/decode_8b.yaml", "--store",
                 "/srv/perfgate stores/main.db"};
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
  Comparison& step = *row_of(run, "step_time_p50");
  step.unsettled = Unsettled::wide_interval;
  step.processes_to_settle = 9;
  step.passing_tolerance_ratio = 0.0242;
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

RunResult changed_file_run() {
  RunResult run = not_comparable_run();
  run.baseline.comparability.environment = {{"workload", "41f2e924df51125d", "5d41402abc4b2a76"},
                                            {"workload_digest", "41f2e924df51", "5d41402abc4b"}};
  const std::string reason =
      "step_time_p50: the store has runs of another version of the file only";
  Comparison step = compared("step_time_p50", MetricKind::timed, "ms", 4.585, 4.587, 0.0011);
  step.base = step.delta_ratio = 0.0;
  step.n_base = 0;
  step.interval_known = false;
  step.outcome = Outcome::not_comparable;
  step.reason = reason;
  run.comparisons = {step};
  run.verdict.reasons = {{"not_comparable", reason}};
  return run;
}

// The first run of a workload, stored by --record.
RunResult recorded_run() {
  RunResult run = changed_file_run();
  run.baseline = {};
  run.comparisons[0].outcome = Outcome::no_baseline;
  run.comparisons[0].reason = "step_time_p50: the store has no run of this workload";
  run.comparisons[0].unsettled = Unsettled::few_runs;
  run.comparisons[0].runs_to_settle = 8;
  run.recorded = "run 1 recorded in .perfgate/perfgate.db";
  run.command = {"perfgate", "run", "--gpu", "none", "--", "python", "decode.py", "--batch", "16"};
  run.verdict = {.outcome = Outcome::no_baseline,
                 .reasons = {{"no_baseline", run.comparisons[0].reason}},
                 .policies = {"--record: the first run of this workload becomes its baseline"}};
  return run;
}

// What no gate asks for grew.
RunResult ungated_idle_run() {
  RunResult run = eager_run();
  std::erase_if(run.comparisons, [](const Comparison& row) {
    return row.metric.starts_with("idle_ms/") || row.metric == "family_ms/gemm";
  });
  const auto part = [](const char* metric, double base, double head, double noise) {
    return Observation{
        .metric = metric, .unit = "ms", .base = base, .head = head, .noise = noise, .n_base = 10};
  };
  run.observed = {
      part("family_ms/gemm", 3.899, 3.90, 0.004), part("family_ms/norm", 0.05, 0.09, 0.2),
      part("idle_ms/launch_overhead", 0.006, 1.04, 0.01), part("idle_ms/host", 0.0, 0.03, 0.001)};
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
  run.ledger = hostile_ledger(name);
  run.diagnosis = hostile_diagnosis(name);
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

AcceptUse accept_use(const std::string& metric, double ceiling, AcceptState state, int line) {
  return {.accept = {.workload = "decode_8b",
                     .metric = metric,
                     .ceiling = ceiling,
                     .unit = metric == "kernel_launches" || metric == "copies" ? "1" : "ms",
                     .reason = "longer context for the new tokenizer",
                     .issue = "https://github.com/org/repo/issues/12",
                     .owner = "@inference-team",
                     .expires = state == AcceptState::expired ? "2026-10-31" : "2027-03-31",
                     .line = line},
          .state = state};
}

RunResult accepted_run() {
  RunResult run = slower_attention_run();
  for (const char* metric : {"step_time_p50", "family_ms/attention", "kernel_launches"}) {
    set_outcome(run, metric, Outcome::pass,
                "accepted until 2027-03-31: longer context for the new tokenizer "
                "(https://github.com/org/repo/issues/12, @inference-team); the value would have "
                "failed: " +
                    std::string(metric) + " rose");
  }
  run.accepted = {accept_use("step_time_p50", 4.89, AcceptState::used, 3),
                  accept_use("family_ms/attention", 0.8, AcceptState::used, 10),
                  accept_use("kernel_launches", 355, AcceptState::used, 17),
                  accept_use("gpu_idle_ms", 0.1, AcceptState::unused, 24),
                  accept_use("copies", 2, AcceptState::unused, 31)};
  run.verdict = {.outcome = Outcome::pass,
                 .reasons = {{"accepted", row_of(run, "step_time_p50")->reason}},
                 .policies = {}};
  return run;
}

RunResult exceeded_run() {
  RunResult run = slower_attention_run();
  row_of(run, "step_time_p50")->reason += "; worse than the accepted 4.62 ms";
  run.accepted = {accept_use("step_time_p50", 4.62, AcceptState::exceeded, 3),
                  accept_use("family_ms/attention", 0.8, AcceptState::expired, 10),
                  accept_use("kernel_launches", 355, AcceptState::used, 17)};
  run.accepted.front().accept.reason = "@octocat #1 | <script>alert(1)</script>";
  run.accepted.front().accept.owner = "o|wner`\x1b[2J";
  run.accepted.back().accept.reason = "@octocat #1 | <script>alert(1)</script>";
  set_outcome(run, "kernel_launches", Outcome::pass, "accepted until 2027-03-31: & <b>");
  return run;
}

RunResult replayed(RunResult run) {
  run.source = RunSource::replayed;
  return run;
}

}  // namespace

std::vector<ReportCase> report_cases() {
  return {{"pass", passing_run()},
          {"pass_improved", with_history(improved_run())},
          {"pass_no_floor", no_floor_run()},
          {"pass_no_trace", no_trace_run()},
          {"pass_many_families", many_families_run()},
          {"pass_replayed", replayed(passing_run())},
          {"pass_accepted", accepted_run()},
          {"fail_eager", eager_run()},
          {"fail_attention", with_history(slower_attention_run())},
          {"fail_ungated_parts", ungated_idle_run()},
          {"fail_accept_exceeded", exceeded_run()},
          {"fail_replayed", replayed(eager_run())},
          {"fail_diagnosed", with_ledger(eager_run(), eager_ledger(), eager_diagnosis())},
          {"fail_no_cause", with_ledger(slower_attention_run(), attention_ledger())},
          {"pass_same_work", with_ledger(passing_run(), quiet_ledger())},
          {"fail_hostile_names", hostile_run()},
          {"suspected", suspected_run()},
          {"inconclusive", inconclusive_run()},
          {"not_comparable", not_comparable_run()},
          {"not_comparable_file", changed_file_run()},
          {"no_baseline", no_baseline_run()},
          {"no_baseline_recorded", recorded_run()},
          {"invalid_crash", crashed_run()},
          {"invalid_capture_partial", broken_capture_run(true)},
          {"invalid_dropped_unknown", broken_capture_run(false)}};
}

}  // namespace perfgate::render
