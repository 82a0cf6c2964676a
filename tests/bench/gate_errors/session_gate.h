/// perfgate's own gate in session, on drawn reports, through its public functions: screen_pairs()
/// at each look, next_look() between them, and confirm_pairs() on fresh pairs for what was
/// suspected.
#pragma once

#include <vector>

#include "gates/pairs.h"
#include "tests/bench/gate_errors/draws.h"
#include "tests/bench/gate_errors/store_gate.h"

namespace perfgate::bench {

/// What one report can take: the pairs of the last look and those that confirm.
inline constexpr std::size_t kSessionPairs = kHeadProcesses + gates::kConfirmTimingPairs;

/// Two arms in one session, without a store.
class SessionReport {
 public:
  explicit SessionReport(Margins margins);
  /// From process `first` of `session` on, two by two a pair: base head, head base, ...
  void fill(const Timeline& timeline, std::size_t session, std::size_t first,
            const Setting& setting, testing::Random& random);
  /// Metric 0 is slower by `change` in the head. `processes` counts both arms.
  [[nodiscard]] Judged judge(double change);
  /// The suspects of `screened` on `count` pairs from pair `first` on.
  [[nodiscard]] gates::GateOutput confirm(const gates::GateOutput& screened, std::size_t first,
                                          int count, double change);

 private:
  struct Arm {
    std::vector<std::vector<double>> metrics;   ///< one value a pair
    std::vector<std::vector<double>> controls;  ///< two readings a process
    std::vector<MetricValue> values;            ///< of the pairs that are looked at
    std::vector<ControlReading> readings;
  };
  void take_pairs(std::size_t first, std::size_t count, double change);
  [[nodiscard]] gates::PairsInput input() const;

  WorkloadSpec spec_;
  Arm base_;
  Arm head_;
};

/// `run --base`: the store screens, fresh pairs of the same session confirm.
class StoreThenPairs {
 public:
  StoreThenPairs(std::size_t runs, Margins margins) : store_(runs, margins), pairs_(margins) {}
  /// The head's first `kHeadProcesses` are screened, those behind them are the pairs.
  void fill(const Timeline& timeline, std::size_t head, const Setting& setting,
            testing::Random& random);
  [[nodiscard]] Judged judge(double change);

 private:
  StoreReport store_;
  SessionReport pairs_;
};

}  // namespace perfgate::bench
