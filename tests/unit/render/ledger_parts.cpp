#include "tests/unit/render/ledger_parts.h"

#include <utility>

namespace perfgate::render {
namespace {

constexpr int kLayers = 32;
constexpr const char* kProduct = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT";
constexpr const char* kNorm = "void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*, int)";

LedgerSide side(double step_ms, double traced_step_ms, double records) {
  return {.step_ms = step_ms,
          .processes = 8,
          .traced_step_ms = traced_step_ms,
          .traced = 3,
          .records = records,
          .counts = {{"calls/synchronise", 1.0},
                     {"graph_launches", 1.0},
                     {"kernel_launches", 355.0},
                     {"launch_calls", 1.0}},
          .sm_clock_mhz = 1980.0,
          .memory_clock_mhz = 3201.0,
          .power_w = 612.0};
}

KernelSide kernel(const std::string& name, int calls, double us) {
  return {.name = name,
          .calls_per_step = static_cast<double>(calls),
          .ms_per_step = calls * us * 1e-3,
          .median_us = us,
          .grid = {132, 1, 1},
          .block = {384, 1, 1},
          .registers_per_thread = 168,
          .shared_bytes = 197'632,
          .bytes_per_step = 0.0};
}

LedgerRow attention_row() {
  LedgerRow row = ledger_row(LedgerPart::family, "attention", 0.500, 0.790, 0.003);
  KernelChange replaced{.fate = KernelFate::replaced,
                        .family = "attention",
                        .place = "decode/layer */attention",
                        .places = kLayers,
                        .base = kernel("void perfgate::decode_attention<__nv_bfloat16, 128, 4>("
                                       "perfgate::AttentionArguments)",
                                       kLayers, 15.2),
                        .head = kernel("void perfgate::decode_attention<__nv_bfloat16, 128, 1>("
                                       "perfgate::AttentionArguments)",
                                       kLayers, 22.3),
                        .code = CodeChange::differs,
                        .launch_differs = true};
  replaced.head.grid = {64, 1, 1};
  replaced.head.registers_per_thread = 255;
  row.kernels.push_back(std::move(replaced));
  row.kernels.push_back(
      {.fate = KernelFate::added,
       .family = "attention",
       .place = "decode/layer */attention",
       .places = kLayers,
       .base = {},
       .head = kernel("void perfgate::combine_splits<__nv_bfloat16>()", kLayers, 1.9)});
  row.places = {{"decode/layer */attention", 0.500, 0.790}};
  return row;
}

LedgerRow product_row() {
  LedgerRow row = ledger_row(LedgerPart::family, "gemm", 3.900, 3.906, 0.002);
  row.kernels.push_back({.fate = KernelFate::slower,
                         .family = "gemm",
                         .place = "decode/lm_head",
                         .base = kernel(kProduct, 1, 242.0),
                         .head = kernel(kProduct, 1, 248.0),
                         .code = CodeChange::same});
  return row;
}

LedgerRow copy_row() {
  LedgerRow row = ledger_row(LedgerPart::family, "copy", 0.0, 0.002, 0.0005);
  row.kernels.push_back({.fate = KernelFate::added,
                         .family = "copy",
                         .place = {},
                         .base = {},
                         .head = {.name = "memcpy device to host",
                                  .calls_per_step = 1.0,
                                  .ms_per_step = 0.002,
                                  .median_us = 2.0,
                                  .bytes_per_step = 65'536.0}});
  return row;
}

}  // namespace

LedgerRow ledger_row(LedgerPart part, const std::string& name, double base, double head,
                     double half_width) {
  return {.part = part, .name = name, .ms = {.base = base, .head = head, .half_width = half_width}};
}

RunResult with_ledger(RunResult run, Ledger ledger, std::vector<Diagnosis> diagnosis) {
  run.ledger = std::move(ledger);
  run.diagnosis = std::move(diagnosis);
  return run;
}

Ledger eager_ledger() {
  using enum LedgerPart;
  Ledger ledger{.base = side(4.585, 4.625, 356.0),
                .head = side(5.592, 5.641, 356.0),
                .step = {.base = 4.585, .head = 5.592, .half_width = 0.004},
                .rows = {ledger_row(idle, "launch_overhead", 0.006, 1.040, 0.004),
                         ledger_row(idle, "graph_internal", 0.044, 0.0, 0.001),
                         ledger_row(idle, "host", 0.0, 0.030, 0.002),
                         ledger_row(family, "attention", 0.501, 0.500, 0.003),
                         ledger_row(family, "gemm", 3.899, 3.900, 0.006),
                         ledger_row(family, "norm", 0.090, 0.090, 0.001),
                         ledger_row(tracing, "tracing", 0.0, 0.0, 0.001),
                         ledger_row(unattributed, "unattributed", 0.0, -0.013, 0.006)},
                .established = true,
                .problem = {},
                .work = WorkIdentity::same_launches};
  ledger.head.counts = {{"calls/synchronise", 1.0},
                        {"graph_launches", 0.0},
                        {"kernel_launches", 355.0},
                        {"launch_calls", 355.0}};
  ledger.rows[0].gaps = {
      {kProduct, kNorm, "decode", 0.0, 0.410, 0.0, 160.0},
      {kNorm, "nvjet_tst_128x8_64x12_2x1_v_bz_TNN", "decode", 0.0, 0.310, 0.0, 97.0},
      {"start of window", kNorm, "", 0.006, 0.007, 1.0, 1.0}};
  ledger.rows[1].gaps = {{kProduct, kNorm, "decode", 0.020, 0.0, 160.0, 0.0}};
  ledger.rows[2].gaps = {{"argmax", "embedding", "schedule batch", 0.0, 0.030, 0.0, 1.0}};
  return ledger;
}

std::vector<Diagnosis> eager_diagnosis() {
  return {{.rule = "graphs_off",
           .cause = "CUDA graphs are off",
           .confidence = Confidence::certain,
           .evidence = {"graph_launches 1 -> 0 and launch_calls 1 -> 355 a step",
                        "the kernels are the same on both sides",
                        "idle launch_overhead grew by 1.034 ms in 354 gaps."},
           .lever = "Find out why the step is no longer captured.",
           .explains_ms = 0.990},
          {.rule = "host_between_steps",
           .cause = "the host does more between two steps",
           .confidence = Confidence::possible,
           .evidence = {"idle host 0.000 -> 0.030 ms, in range 'schedule batch'"},
           .lever = "Look at what 'schedule batch' does now",
           .explains_ms = 0.030}};
}

Ledger attention_ledger() {
  using enum LedgerPart;
  Ledger ledger{.base = side(4.585, 4.625, 324.0),
                .head = side(4.875, 4.923, 357.0),
                .step = {.base = 4.585, .head = 4.875, .half_width = 0.004},
                .rows = {attention_row(), product_row(), copy_row(),
                         ledger_row(idle, "graph_internal", 0.044, 0.043, 0.002),
                         ledger_row(family, "norm", 0.090, 0.090, 0.001),
                         ledger_row(tracing, "tracing", 0.0, -0.002, 0.001),
                         ledger_row(unattributed, "unattributed", 0.0, -0.005, 0.006)},
                .established = true,
                .problem = {},
                .work = WorkIdentity::differs};
  ledger.base.counts["kernel_launches"] = 323.0;
  ledger.head.sm_clock_mhz = 1965.0;
  return ledger;
}

Ledger store_ledger() {
  Ledger ledger = eager_ledger();
  for (LedgerRow& row : ledger.rows) {
    row.gaps.clear();
    row.kernels.clear();
    row.places.clear();
  }
  std::erase_if(ledger.rows, [](const LedgerRow& row) { return row.part == LedgerPart::tracing; });
  for (LedgerSide* one : {&ledger.base, &ledger.head}) {
    one->processes = 0;
    one->traced_step_ms = 0.0;
    one->records = 0.0;
    one->sm_clock_mhz.reset();
    one->memory_clock_mhz.reset();
    one->power_w.reset();
  }
  ledger.base.traced = 10;
  ledger.work = WorkIdentity::unknown;
  return ledger;
}

Ledger hostile_ledger(const std::string& name) {
  Ledger ledger = attention_ledger();
  for (LedgerRow& row : ledger.rows) {
    if (row.part == LedgerPart::family) row.name += name;
    for (KernelChange& kernel : row.kernels) {
      kernel.family = name;
      kernel.place = name;
      kernel.base.name += name;
      kernel.head.name += name;
    }
    for (PlaceChange& place : row.places) place.place = name;
  }
  ledger.rows[0].kernels.resize(1);
  ledger.rows[0].gaps = {{name, name, name, 0.0, 0.3, 0.0, 1.0}};
  ledger.base.counts[name] = 1.0;
  ledger.head.counts[name] = 2.0;
  ledger.established = false;
  ledger.problem = "0.1 ms are unattributed " + name;
  return ledger;
}

std::vector<Diagnosis> hostile_diagnosis(const std::string& name) {
  return {{.rule = "kernel_replaced",
           .cause = "another kernel runs: " + name,
           .confidence = Confidence::likely,
           .evidence = {name, "- " + name},
           .lever = "Look at " + name,
           .explains_ms = 0.29}};
}

Ledger quiet_ledger() {
  using enum LedgerPart;
  return {.base = side(4.585, 4.625, 356.0),
          .head = side(4.586, 4.626, 356.0),
          .step = {.base = 4.585, .head = 4.586, .half_width = 0.004},
          .rows = {ledger_row(family, "gemm", 3.899, 3.8991, 0.006),
                   ledger_row(family, "attention", 0.501, 0.501, 0.003),
                   ledger_row(tracing, "tracing", 0.0, 0.0, 0.001),
                   ledger_row(unattributed, "unattributed", 0.0, 0.0009, 0.006)},
          .established = true,
          .problem = {},
          .work = WorkIdentity::same_code};
}

}  // namespace perfgate::render
