/// Whole reports drawn out of a noise shape: a past of runs, a head, and what comes after it. Pure.
///
/// A report has `kMetrics` gated metrics. Every metric has a process-level chain and a run-level
/// one of the same shape (drift wanders within a session only; its runs are independent). Values
/// are offsets on the log scale from a level of 1.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/noise_shapes.h"

namespace perfgate::bench {

inline constexpr std::size_t kMetrics = 72;
inline constexpr std::size_t kRunProcesses = 5;    ///< of a recorded run
inline constexpr std::size_t kHeadProcesses = 12;  ///< as many as the last look has
/// Iterations within one process, for the rules that are fed with them.
inline constexpr double kWithinCv = 0.005;

struct Setting {
  testing::NoiseShape shape = testing::NoiseShape::normal;
  double process_cv = 0.01;
  double run_ratio = 0.3;  ///< run-to-run SD over process_cv
  /// All metrics share half of the variance between processes, as families of one step do.
  bool correlated = false;
};

/// Values of `sessions` one after another, each of as many processes as it says.
class Timeline {
 public:
  Timeline(const Setting& setting, std::vector<std::size_t> sessions, testing::Random& random);

  [[nodiscard]] std::size_t sessions() const { return counts_.size(); }
  [[nodiscard]] std::size_t processes(std::size_t session) const { return counts_[session]; }
  /// Offset on the log scale.
  [[nodiscard]] double at(std::size_t metric, std::size_t session, std::size_t process) const {
    return offsets_[metric * total_ + starts_[session] + process];
  }

 private:
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> starts_;
  std::size_t total_ = 0;
  std::vector<double> offsets_;  ///< metric-major
};

/// `past` recorded runs, the head, and `later` runs after it.
[[nodiscard]] std::vector<std::size_t> sessions_of(std::size_t past, std::size_t later = 0);

}  // namespace perfgate::bench
