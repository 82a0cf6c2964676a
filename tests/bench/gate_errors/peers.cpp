#include "tests/bench/gate_errors/peers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gates/statistics.h"

namespace perfgate::bench {
namespace {

using gates::mean;
using gates::sample_sd;

constexpr double kLeastPerfherderRatio = 0.02;
constexpr double kPerfherderT = 7.0;
constexpr double kClickHouseLimit = 0.05;
constexpr double kClickHouseQuantile = 0.99;

/// numpy's default: linear between the order statistics.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

Flag direction(double base, double head) { return head > base ? Flag::slower : Flag::faster; }

std::vector<double> trailing_means_of_three(std::span<const double> history) {
  std::vector<double> means;
  for (std::size_t i = 2; i < history.size(); ++i) means.push_back(mean(history.subspan(i - 2, 3)));
  return means;
}

struct Weighted {
  double average = 0.0;
  double variance = 0.0;
};

/// Weights fall linearly from 1 at the split; the variance about the weighted mean has none.
Weighted weighted(std::span<const double> values, bool nearest_last) {
  const auto count = static_cast<double>(values.size());
  double weights = 0.0;
  Weighted found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t distance = nearest_last ? values.size() - 1 - i : i;
    const double weight = (count - static_cast<double>(distance)) / count;
    found.average += weight * values[i];
    weights += weight;
  }
  found.average /= weights;
  for (const double value : values) {
    found.variance += (value - found.average) * (value - found.average);
  }
  found.variance /= count - 1.0;
  return found;
}

double perfherder_t(std::span<const double> back, std::span<const double> fore) {
  const Weighted before = weighted(back, true);
  const Weighted after = weighted(fore, false);
  const double error = std::sqrt(before.variance / static_cast<double>(back.size()) +
                                 after.variance / static_cast<double>(fore.size()));
  return error > 0.0 ? (after.average - before.average) / error : 0.0;
}

}  // namespace

MannWhitney::MannWhitney(std::size_t base_count, std::size_t head_count) {
  // ways[n][u] for m = head_count: orders of n base values among m head values with U = u. Each
  // step adds one base value: a count of partitions, Mann and Whitney 1947.
  const std::size_t most = base_count * head_count;
  std::vector<double> ways(most + 1, 0.0);
  ways[0] = 1.0;
  for (std::size_t i = 1; i <= base_count; ++i) {
    for (std::size_t u = most + 1; u-- > head_count + i;) ways[u] -= ways[u - head_count - i];
    for (std::size_t u = i; u <= most; ++u) ways[u] += ways[u - i];
  }
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  double sum = 0.0;
  for (const double count : ways) at_most_.push_back((sum += count) / all);
}

double MannWhitney::p_value(std::span<const double> base, std::span<const double> head) const {
  std::size_t greater = 0;
  for (const double one : head) {
    for (const double other : base) greater += one > other ? 1 : 0;
  }
  const std::size_t smaller_tail = std::min(greater, at_most_.size() - 1 - greater);
  return std::min(1.0, 2.0 * at_most_[smaller_tail]);
}

Flag MannWhitney::flags(std::span<const double> base, std::span<const double> head, double alpha,
                        double least_ratio) const {
  if (p_value(base, head) >= alpha) return Flag::none;
  const double before = median(base);
  const double after = median(head);
  if (std::abs(after / before - 1.0) < least_ratio) return Flag::none;
  return direction(before, after);
}

Flag nvbench_min_noise(std::span<const double> base, std::span<const double> head) {
  const double before = mean(base);
  const double after = mean(head);
  const double noise = std::min(sample_sd(base) / before, sample_sd(head) / after);
  if (std::abs(after - before) / before <= noise) return Flag::none;
  return direction(before, after);
}

Flag bencher_t(std::span<const double> history, double head, double boundary) {
  const double sd = sample_sd(history);
  if (sd <= 0.0) return Flag::none;
  const auto count = static_cast<double>(history.size());
  const double reach =
      gates::student_t_quantile(boundary, count - 1.0) * sd * std::sqrt(1.0 + 1.0 / count);
  return head > mean(history) + reach ? Flag::slower : Flag::none;
}

Flag rustc_fence(std::span<const double> history, double head) {
  std::vector<double> changes;
  for (std::size_t i = 1; i < history.size(); ++i) {
    changes.push_back(std::abs(history[i] / history[i - 1] - 1.0));
  }
  const double third = quantile(changes, 0.75);
  const double fence = third + 3.0 * (third - quantile(changes, 0.25));
  if (std::abs(head / history.back() - 1.0) <= fence) return Flag::none;
  return direction(history.back(), head);
}

Flag tensorrt_p5(std::span<const double> history, double head, double limit) {
  const double base = quantile(trailing_means_of_three(history), 0.05);
  return head > base * (1.0 + limit) ? Flag::slower : Flag::none;
}

bool tensorrt_p95_drops(std::span<const double> history, double head, double limit) {
  return head < quantile(trailing_means_of_three(history), 0.95) * (1.0 - limit);
}

bool perfherder_alerts(std::span<const double> series, std::size_t first) {
  const std::size_t start = std::max(first, kPerfherderLeastBack);
  if (series.size() < start + kPerfherderFore) return false;
  const std::size_t last = series.size() - kPerfherderFore;
  const auto back_of = [&](std::size_t i) {
    const std::size_t length = std::min(i, kPerfherderMostBack);
    return series.subspan(i - length, length);
  };
  const auto fore_of = [&](std::size_t i) { return series.subspan(i, kPerfherderFore); };
  std::vector<double> t(series.size() + 1, 0.0);
  for (std::size_t i = std::max(start - 1, kPerfherderLeastBack); i <= last; ++i) {
    t[i] = perfherder_t(back_of(i), fore_of(i));
  }
  for (std::size_t i = start; i <= last; ++i) {
    const bool highest = t[i] >= t[i - 1] && t[i] >= t[i + 1];
    if (t[i] > kPerfherderT && highest &&
        mean(fore_of(i)) / mean(back_of(i)) - 1.0 >= kLeastPerfherderRatio) {
      return true;
    }
  }
  return false;
}

Flag fixed_threshold(double base, double head, double limit) {
  if (head > base * (1.0 + limit)) return Flag::slower;
  return Flag::none;
}

Flag clickhouse(std::span<const double> base, std::span<const double> head, testing::Random& random,
                int relabelings) {
  const double before = median(base);
  const auto distance = [](double one, double other) { return std::abs(other / one - 1.0); };
  const double seen = distance(before, median(head));
  if (seen <= kClickHouseLimit) return Flag::none;
  std::vector<double> pool(base.begin(), base.end());
  pool.insert(pool.end(), head.begin(), head.end());
  int as_far = 0;
  const std::span<const double> all(pool);
  for (int i = 0; i < relabelings; ++i) {
    for (std::size_t k = pool.size(); k > 1; --k) std::swap(pool[k - 1], pool[random.below(k)]);
    as_far += distance(median(all.first(base.size())), median(all.subspan(base.size()))) >= seen;
  }
  if (as_far > (1.0 - kClickHouseQuantile) * relabelings) return Flag::none;
  return direction(before, median(head));
}

}  // namespace perfgate::bench
