/// Runs of a small made-up step, for the tests of the ledger. Synthetic.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runner/analysis/ledger.h"
#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {

inline constexpr int kSteps = 12;

struct StepShape {
  std::int64_t norm_ns = 100;
  std::int64_t gemm_ns = 500;
  std::int64_t period_ns = 1000;
  std::string gemm = "ampere_sgemm_128x128_tn";
  int gemms = 1;
  bool copy = false;
};

/// Per step and layer ("layer 0", "layer 1"): a norm, then `gemms` GEMMs, each in half the time.
inline Capture two_layers(const StepShape& shape) {
  HandMade made;
  std::uint32_t correlation = 100;
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t at = step * shape.period_ns * 2;
    made.range(at, at + shape.period_ns * 2 - 10, "decode#" + std::to_string(step));
    for (int layer = 0; layer < 2; ++layer) {
      std::int64_t now = at + layer * shape.period_ns;
      made.range(now + 1, now + shape.period_ns - 20, "layer " + std::to_string(layer));
      const auto launch = [&](std::int64_t length, std::string_view name) {
        made.call(now + 2, now + 3, ApiClass::kernel_launch, ++correlation);
        made.kernel(now + 5, now + 5 + length, correlation, name).grid = {8, 1, 1};
        now += length + 5;
      };
      launch(shape.norm_ns, "rms_norm_kernel");
      for (int i = 0; i < shape.gemms; ++i) launch(shape.gemm_ns / shape.gemms, shape.gemm);
      if (shape.copy) {
        made.call(now + 2, now + 3, ApiClass::copy, ++correlation);
        made.copy(now + 5, now + 45, correlation);
      }
    }
  }
  return made.capture;
}

/// Three processes, whose GEMMs differ by a nanosecond.
inline std::vector<Capture> three_of(const StepShape& shape) {
  std::vector<Capture> captures;
  for (int i = 0; i < 3; ++i) {
    StepShape one = shape;
    one.gemm_ns += std::int64_t{i} * shape.gemms;
    captures.push_back(two_layers(one));
  }
  return captures;
}

/// A run of three traced processes, and of as many untraced ones.
struct Traced {
  /// The untraced steps take as long as the traced ones.
  explicit Traced(const StepShape& shape)
      : Traced(three_of(shape), 2e-6 * static_cast<double>(shape.period_ns)) {}

  Traced(std::vector<Capture> of, double untraced_ms) : captures(std::move(of)) {
    TimingSamples timing;
    for (int i = 0; i < 3; ++i)
      timing.processes.push_back({.process = i, .step_ms = std::vector<double>(40, untraced_ms)});
    std::vector<TracedInput> traced;
    for (const Capture& capture : captures) {
      traced.push_back({.process = static_cast<int>(traced.size()),
                        .captures = {&capture},
                        .traced_step_ms = {},
                        .first_captured_step = 0});
    }
    auto made = analyze(
        {.spec = step_spec(), .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
    EXPECT_TRUE(made.ok());
    analysis = std::move(made).value();
    for (const ProcessTiming& process : timing.processes) step_ms.push_back(process.step_ms[0]);
  }

  [[nodiscard]] LedgerInput input() const { return {.analysis = &analysis, .step_ms = step_ms}; }

  std::vector<Capture> captures;
  Analysis analysis;
  std::vector<double> step_ms;
};

inline const LedgerRow* row_of(const Ledger& ledger, std::string_view name) {
  const auto found = std::ranges::find(ledger.rows, name, &LedgerRow::name);
  return found == ledger.rows.end() ? nullptr : &*found;
}

inline double sum_of_changes(const Ledger& ledger) {
  double sum = 0.0;
  for (const LedgerRow& row : ledger.rows) sum += row.ms.change();
  return sum;
}

}  // namespace perfgate::analysis
