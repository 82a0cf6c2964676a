#include "tests/unit/render/html_cases.h"

#include <algorithm>
#include <utility>

#include "tests/unit/render/report_cases.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render::html {
namespace {

constexpr int kLayers = 32;
constexpr const char* kProduct = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT";
constexpr const char* kNorm = "void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*, int)";
constexpr const char* kPlace = "decode/layer */attention";

LedgerSide made_up_side(double step_ms, double launches) {
  return {.step_ms = step_ms,
          .processes = 8,
          .traced_step_ms = step_ms * 1.0087,
          .traced = 3,
          .records = 356.0,
          .counts = {{"graph_launches", launches > 1.0 ? 0.0 : 1.0},
                     {"kernel_launches", 355.0},
                     {"launch_calls", launches}},
          .sm_clock_mhz = 1980.0,
          .memory_clock_mhz = 3201.0,
          .power_w = 612.0};
}

KernelSide made_up_kernel(const std::string& name, double us) {
  return {.name = name,
          .calls_per_step = kLayers,
          .ms_per_step = kLayers * us * 1e-3,
          .median_us = us,
          .grid = {132, 1, 1},
          .block = {384, 1, 1},
          .registers_per_thread = 168,
          .shared_bytes = 197'632,
          .bytes_per_step = 0.0};
}

LedgerRow made_up_row(LedgerPart part, const std::string& name, double base, double head,
                      double half_width) {
  return {.part = part, .name = name, .ms = {.base = base, .head = head, .half_width = half_width}};
}

LedgerRow attention_row() {
  LedgerRow row = made_up_row(LedgerPart::family, "attention", 0.486, 0.714, 0.003);
  KernelChange replaced{.fate = KernelFate::replaced,
                        .family = "attention",
                        .place = kPlace,
                        .places = kLayers,
                        .base = made_up_kernel("void perfgate::decode_attention<__nv_bfloat16, 128,"
                                               " 4>(perfgate::AttentionArguments)",
                                               15.2),
                        .head = made_up_kernel("void perfgate::decode_attention<__nv_bfloat16, 128,"
                                               " 1>(perfgate::AttentionArguments)",
                                               22.3),
                        .code = CodeChange::differs,
                        .launch_differs = true};
  replaced.head.grid = {64, 1, 1};
  replaced.head.registers_per_thread = 255;
  row.kernels = {replaced};
  row.places = {{kPlace, 0.486, 0.714}};
  return row;
}

LedgerRow launch_row() {
  LedgerRow row = made_up_row(LedgerPart::idle, "launch_overhead", 0.006, 1.040, 0.004);
  row.gaps = {{kProduct, kNorm, "decode", 0.0, 0.410, 0.0, 160.0},
              {kNorm, "nvjet_tst_128x8_64x12_2x1_v_bz_TNN", "decode", 0.0, 0.310, 0.0, 97.0}};
  return row;
}

Ledger made_up_ledger() {
  using enum LedgerPart;
  return {.base = made_up_side(4.585, 1.0),
          .head = made_up_side(5.806, 355.0),
          .step = {.base = 4.585, .head = 5.806, .half_width = 0.004},
          .rows = {launch_row(), attention_row(),
                   made_up_row(idle, "graph_internal", 0.044, 0.0, 0.001),
                   made_up_row(family, "gemm", 3.860, 3.840, 0.030),
                   made_up_row(idle, "host", 0.0, 0.030, 0.002),
                   made_up_row(family, "norm", 0.090, 0.090, 0.001),
                   made_up_row(tracing, "tracing", 0.0, 0.003, 0.001),
                   made_up_row(unattributed, "unattributed", 0.0, -0.010, 0.006)},
          .established = true,
          .problem = {},
          .work = WorkIdentity::differs};
}

std::vector<Diagnosis> made_up_causes() {
  return {{.rule = "graphs_off",
           .cause = "CUDA graphs are off",
           .confidence = Confidence::certain,
           .evidence = {"graph_launches 1 -> 0 and launch_calls 1 -> 355 a step",
                        "idle launch_overhead grew by 1.034 ms in 354 gaps"},
           .lever = "Find out why the step is no longer captured.",
           .explains_ms = 0.990},
          {.rule = "kernel_replaced",
           .cause = "another attention kernel runs in each of 32 layers",
           .confidence = Confidence::likely,
           .evidence = {"decode_attention<..., 4> 15.2 us -> decode_attention<..., 1> 22.3 us"},
           .lever = "Look at what chooses the number of splits.",
           .explains_ms = 0.228}};
}

RunResult case_named(const std::string& name) {
  std::vector<ReportCase> cases = report_cases();
  return std::ranges::find(cases, name, &ReportCase::name)->result;
}

}  // namespace

RunResult ledger_run() {
  RunResult run = case_named("fail_eager");
  set_step(run, 5.806, 0.002);
  run.ledger = made_up_ledger();
  run.diagnosis = made_up_causes();
  set_outcome(run, "step_time_p50", Outcome::fail,
              "step_time_p50 rose 26.6 %, beyond the margin of 0.15 %");
  return run;
}

RunResult hostile_ledger_run(const std::string& name) {
  RunResult run = ledger_run();
  run.identity.repo = run.identity.branch = run.identity.started_utc = name;
  run.ledger->established = false;
  run.ledger->problem = name;
  run.ledger->base.counts[name] = 1.0;
  run.ledger->head.counts[name] = 2.0;
  for (LedgerRow& row : run.ledger->rows) {
    row.name += name;
    for (KernelChange& kernel : row.kernels) {
      kernel.place = kernel.base.name = name;
      kernel.head.name += name;
    }
    for (PlaceChange& place : row.places) place.place = name;
    for (GapChange& gap : row.gaps) gap.before = gap.after = gap.host_range = name;
  }
  for (Diagnosis& cause : run.diagnosis) {
    cause.cause = cause.lever = name;
    cause.evidence = {name};
  }
  for (Comparison& row : run.comparisons) row.reason = row.metric = name;
  for (ProcessRecord& process : run.measurement.processes) process.problem = name;
  for (FloorResult::Against& against : run.analysis.floor->against) against.ceiling.source = name;
  run.analysis.floor->parts_bytes[name] = 1.0;
  for (TracedProcess& process : run.analysis.traced) {
    DeviceWindow& device = process.devices.front();
    for (FamilyTime& each : device.families) each.family += name;
    for (KernelStat& kernel : device.kernels) kernel.name = kernel.family = name;
    for (GapSite& site : device.gap_sites) site.before = site.after = site.host_range = name;
    for (RangeStat& range : device.ranges) range.path = name;
  }
  run.measurement.fingerprint.subject[name] = name;
  run.measurement.notes = {name, std::string(200, 'n')};
  run.verdict.policies = {name};
  run.recorded = run.workload_owner = run.workload_name = name;
  return run;
}

RunResult session_run() {
  RunResult run = ledger_run();
  run.base_arm = BaseArm{.how = "--base ../main", .subject = {}, .metrics = {}};
  run.measurement.processes.clear();
  for (int pair = 0; pair < 8; ++pair) {
    ProcessRecord base = process(2 * pair, ProcessRole::timing, 4.585 + 0.0011 * (pair % 3));
    base.arm = Arm::base;
    run.measurement.processes.push_back(std::move(base));
    run.measurement.processes.push_back(
        process(2 * pair + 1, ProcessRole::timing, 4.601 + 0.0014 * (pair % 4)));
  }
  run.measurement.processes[5].repeated = true;
  for (Comparison& row : run.comparisons) row.against = Against::session;
  *row_of(run, "step_time_p50") =
      compared("step_time_p50", MetricKind::timed, "ms", 4.585, 4.603, 0.0006);
  set_outcome(run, "step_time_p50", Outcome::fail, "step_time_p50 rose 0.39 %");
  return run;
}

RunResult empty_run() {
  RunResult run;
  run.workload_name = "nothing";
  run.verdict = {.outcome = Outcome::invalid,
                 .reasons = {{"measurement_invalid", "no process ran"}},
                 .policies = {}};
  return run;
}

}  // namespace perfgate::render::html
