/// The decision rules of other tools with their defaults, re-implemented from reading their sources
/// in order to be measured beside perfgate's gate. Pure. Values are times: larger is slower.
///
/// "One process per side" is how those tools are commonly fed: the values are iterations of one
/// process. Rules on a history get one value a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tests/support/noise_shapes.h"

namespace perfgate::bench {

enum class Flag { none, slower, faster };

/// benchstat (golang.org/x/perf, benchmath/anone.go) and Google Benchmark (tools/gbench/report.py):
/// exact two-sided Mann-Whitney U test. The table of the exact distribution is made once.
class MannWhitney {
 public:
  MannWhitney(std::size_t base_count, std::size_t head_count);
  /// Two-sided p value. Precondition: the counts given at construction, no ties.
  [[nodiscard]] double p_value(std::span<const double> base, std::span<const double> head) const;
  /// Significant at `alpha` (both tools: 0.05), and the medians differ by `least_ratio` or more.
  [[nodiscard]] Flag flags(std::span<const double> base, std::span<const double> head,
                           double alpha = 0.05, double least_ratio = 0.0) const;

 private:
  std::vector<double> at_most_;  ///< P(U <= u)
};

/// nvbench (python/scripts/nvbench_compare.py): SAME if |difference of the means| / base is at most
/// the smaller of the two relative standard deviations.
[[nodiscard]] Flag nvbench_min_noise(std::span<const double> base, std::span<const double> head);

/// Bencher (lib/bencher_boundary/src/limits/mod.rs), test t with an upper boundary of 0.99 (its
/// documentation's example): head > mean + t(0.99, n - 1) s sqrt(1 + 1/n).
[[nodiscard]] Flag bencher_t(std::span<const double> history, double head, double boundary = 0.99);

/// rustc-perf (site/src/comparison.rs): |relative change to the parent| > Q3 + 3 (Q3 - Q1) of the
/// |relative changes| between the neighbours of the history (31 runs: 30 changes).
[[nodiscard]] Flag rustc_fence(std::span<const double> history, double head);

/// TensorRT-LLM (tests/integration/defs/perf, README_perf_regression_system.md): 90 daily values,
/// trailing means of three, the best 5 % of them (P5 of a latency, P95 of a throughput) as the
/// baseline; before a merge 10 % worse fails, after it 5 % warns.
[[nodiscard]] Flag tensorrt_p5(std::span<const double> history, double head, double limit = 0.10);
/// The same for a throughput, as the project uses it first.
[[nodiscard]] bool tensorrt_p95_drops(std::span<const double> history, double head, double limit);

/// Mozilla Perfherder (treeherder/perfalert/perfalert/__init__.py): weighted t > 7 between 12 to 24
/// values before a point and the 12 from it on, at a local maximum of t, and a change of 2 % or
/// more. True if any point of the series from `first` on alerts as slower.
inline constexpr std::size_t kPerfherderLeastBack = 12;
inline constexpr std::size_t kPerfherderMostBack = 24;
inline constexpr std::size_t kPerfherderFore = 12;
[[nodiscard]] bool perfherder_alerts(std::span<const double> series, std::size_t first);

/// github-action-benchmark (src/write.ts), CodSpeed and many a script: head / base beyond 1 +
/// limit.
[[nodiscard]] Flag fixed_threshold(double base, double head, double limit);

/// ClickHouse (tests/performance/scripts): difference of the medians beyond the 0.99 quantile of
/// the differences after 10,000 relabelings, and beyond 5 %.
[[nodiscard]] Flag clickhouse(std::span<const double> base, std::span<const double> head,
                              testing::Random& random, int relabelings = 10'000);

}  // namespace perfgate::bench
