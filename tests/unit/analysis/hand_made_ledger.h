/// Small hand-made ledgers for the tests of the diagnosis. Synthetic: a decode step like that of
/// workloads/recordings/decode_8b in round numbers, not measured.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/model/ledger.h"

namespace perfgate::analysis {

inline const std::string kGemm =
    "perfgate::builtin::(anonymous namespace)::streamed_gemm_kernel<2>";
inline const std::string kNorm = "perfgate::builtin::(anonymous namespace)::add_norm_kernel";
inline const std::string kAttention =
    "perfgate::builtin::(anonymous namespace)::attention_decode_kernel<128, 4>";
inline const std::string kArgmax = "perfgate::builtin::(anonymous namespace)::argmax_kernel";
inline const std::string kEmbed = "perfgate::builtin::(anonymous namespace)::embed_norm_kernel";

/// A side of a kernel: calls a step and what one takes.
[[nodiscard]] inline KernelSide side(std::string name, double calls, double us,
                                     std::uint32_t blocks = 128, std::uint32_t threads = 256) {
  KernelSide out;
  out.name = std::move(name);
  out.calls_per_step = calls;
  out.ms_per_step = calls * us / 1000.0;
  out.median_us = us;
  out.grid = {blocks, 1, 1};
  out.block = {threads, 1, 1};
  return out;
}

/// Base and head are alike; each call changes the head.
class HandMadeLedger {
 public:
  static constexpr double kNoiseMs = 0.002;

  HandMadeLedger() {
    for (const auto& [name, ms] : {std::pair{"gemm", 3.46},
                                   {"attention", 0.655},
                                   {"norm", 0.366},
                                   {"sampling", 0.010},
                                   {"embedding", 0.002},
                                   {"memset", 0.001}}) {
      add_row(LedgerPart::family, name, ms);
    }
    add_row(LedgerPart::idle, "graph_internal", 0.005);
    add_row(LedgerPart::idle, "device_wait", 0.003);
    for (const auto& [name, count] : {std::pair{"kernel_launches", 227.0},
                                      {"launch_calls", 1.0},
                                      {"graph_launches", 1.0},
                                      {"copies", 0.0},
                                      {"calls/synchronise", 1.0},
                                      {"calls/allocation", 0.0},
                                      {"calls/module_load", 0.0}}) {
      counts(name, count, count);
    }
    ledger.work = WorkIdentity::same_code;
    ledger.established = true;
    ledger.base.traced_step_ms = 4.502;
    ledger.step.base = 4.490;
    ledger.step.half_width = 0.004;
  }

  LedgerRow& row(LedgerPart part, std::string_view name) {
    for (LedgerRow& row : ledger.rows) {
      if (row.part == part && row.name == name) return row;
    }
    return add_row(part, std::string(name), 0.0);
  }
  LedgerRow& family(std::string_view name) { return row(LedgerPart::family, name); }
  LedgerRow& idle(std::string_view name) { return row(LedgerPart::idle, name); }

  /// The head's time of a row changes.
  HandMadeLedger& more(LedgerRow& of, double ms) {
    of.ms.head += ms;
    return *this;
  }
  HandMadeLedger& more_idle(std::string_view cause, double ms) { return more(idle(cause), ms); }
  HandMadeLedger& more_in(std::string_view name, double ms) { return more(family(name), ms); }

  HandMadeLedger& counts(const std::string& name, double base, double head) {
    ledger.base.counts[name] = base;
    ledger.head.counts[name] = head;
    return *this;
  }

  /// A kernel of a family, and what it changes of the family's time.
  KernelChange& kernel(std::string_view of, KernelFate fate, KernelSide base, KernelSide head,
                       std::string place = {}) {
    KernelChange change;
    change.fate = fate;
    change.family = std::string(of);
    change.place = std::move(place);
    change.base = std::move(base);
    change.head = std::move(head);
    change.code = fate == KernelFate::slower ? CodeChange::same : CodeChange::unknown;
    change.launch_differs =
        change.base.grid != change.head.grid || change.base.block != change.head.block;
    LedgerRow& row = family(of);
    row.ms.head += change.change_ms();
    row.kernels.push_back(std::move(change));
    if (fate != KernelFate::slower) ledger.work = WorkIdentity::differs;
    return row.kernels.back();
  }
  KernelChange& added(std::string_view of, KernelSide head, std::string place = {}) {
    return kernel(of, KernelFate::added, {}, std::move(head), std::move(place));
  }
  KernelChange& gone(std::string_view of, KernelSide base, std::string place = {}) {
    return kernel(of, KernelFate::gone, std::move(base), {}, std::move(place));
  }

  /// A gap of the head (and of the base) under a cause; rows change by more_idle.
  HandMadeLedger& gap(std::string_view cause, std::string before, std::string after, double base_ms,
                      double head_ms, double count = 1.0, std::string host_range = {}) {
    idle(cause).gaps.push_back({.before = std::move(before),
                                .after = std::move(after),
                                .host_range = std::move(host_range),
                                .base_ms = base_ms,
                                .head_ms = head_ms,
                                .base_count = base_ms > 0.0 ? count : 0.0,
                                .head_count = head_ms > 0.0 ? count : 0.0});
    return *this;
  }

  /// The untraced step changes by what its rows do.
  [[nodiscard]] Ledger made() const {
    Ledger out = ledger;
    double change = 0.0;
    for (const LedgerRow& row : out.rows) change += row.ms.change();
    out.step.head = out.step.base + change;
    out.base.step_ms = out.step.base;
    out.head.step_ms = out.step.head;
    return out;
  }
  [[nodiscard]] std::vector<Diagnosis> diagnosed(const Analysis* head = nullptr) const {
    const Ledger out = made();
    return diagnose({.ledger = out, .head = head, .base_work = base_work, .head_work = head_work});
  }

  Ledger ledger;
  std::optional<WorkDone> base_work;
  std::optional<WorkDone> head_work;

 private:
  LedgerRow& add_row(LedgerPart part, std::string name, double ms) {
    ledger.rows.push_back({.part = part,
                           .name = std::move(name),
                           .ms = {.base = ms, .head = ms, .half_width = kNoiseMs}});
    return ledger.rows.back();
  }
};

[[nodiscard]] inline std::vector<std::string> rules_of(const std::vector<Diagnosis>& causes) {
  std::vector<std::string> names;
  for (const Diagnosis& cause : causes) names.push_back(cause.rule);
  return names;
}

}  // namespace perfgate::analysis
