/// perfgate's own gate against the store, on drawn reports, through its public functions: judge()
/// at each look, next_look() between them, as `perfgate run` does it.
#pragma once

#include <cstddef>
#include <vector>

#include "gates/judge.h"
#include "tests/bench/gate_errors/draws.h"
#include "tests/bench/gate_errors/looking.h"

namespace perfgate::bench {

enum class Margins {
  declared,  ///< margin 1 %, tolerance 3 %
  automatic
};

/// `kMetrics` gates named m0, m1, ... and the looks 5, 8, 12.
[[nodiscard]] WorkloadSpec spec_of(Margins margins);

/// One report with its baseline. Fill once, judge for as many changes as are wanted.
class StoreReport {
 public:
  StoreReport(std::size_t runs, Margins margins);
  /// The newest `runs` sessions before `head` are the store, `head` is judged. Controls are quiet
  /// (kControlCv, as on an H200) and of the same shape, without drift.
  void fill(const Timeline& timeline, std::size_t head, const Setting& setting,
            testing::Random& random);
  /// Metric 0 is slower by `change` in the head.
  [[nodiscard]] Judged judge(double change);
  [[nodiscard]] const WorkloadSpec& spec() const { return spec_; }

 private:
  void take_processes(int count, double change);

  std::size_t runs_;
  WorkloadSpec spec_;
  std::vector<MetricValue> metrics_;
  std::vector<BaselineSeries> baseline_;  ///< controls included
  std::vector<ControlReading> controls_;
  std::vector<std::vector<double>> head_;           ///< all processes of the head, by metric
  std::vector<std::vector<double>> head_controls_;  ///< two readings a process
};

inline constexpr double kControlCv = 0.001;

}  // namespace perfgate::bench
