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
  /// Processes 2i and 2i + 1 of `session` are pair i, in the order base head, head base, ...
  void fill(const Timeline& timeline, std::size_t session, const Setting& setting,
            testing::Random& random);
  /// Metric 0 is slower by `change` in the head. `processes` counts both arms.
  [[nodiscard]] Judged judge(double change);

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

}  // namespace perfgate::bench
