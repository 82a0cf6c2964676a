#include "tests/bench/gate_errors/otava.h"

#include <algorithm>
#include <cmath>

#include "gates/statistics.h"

namespace perfgate::bench {
namespace {

constexpr std::size_t kWindow = 50;
constexpr double kFirstPass = 10.0;

/// Sum of |x_i - x_k| over the pairs of each range [first, last).
class PairSums {
 public:
  explicit PairSums(std::span<const double> values)
      : stride_(values.size() + 1), sums_(stride_ * stride_, 0.0) {
    for (std::size_t last = 2; last <= values.size(); ++last) {
      double of_last = 0.0;
      for (std::size_t first = last - 1; first-- > 0;) {
        of_last += std::abs(values[first] - values[last - 1]);
        sums_[first * stride_ + last] = sums_[first * stride_ + last - 1] + of_last;
      }
    }
  }
  [[nodiscard]] double of(std::size_t first, std::size_t last) const {
    return sums_[first * stride_ + last];
  }

 private:
  std::size_t stride_;
  std::vector<double> sums_;
};

/// The energy statistic of [first, split) against [split, last) (Matteson and James 2014).
double energy(const PairSums& sums, std::size_t first, std::size_t split, std::size_t last) {
  const auto n = static_cast<double>(split - first);
  const auto m = static_cast<double>(last - split);
  const double left = sums.of(first, split);
  const double right = sums.of(split, last);
  const double across = sums.of(first, last) - left - right;
  double q = 2.0 / (m + n) * across;
  if (n > 1.0) q -= 2.0 * m / ((m + n) * (n - 1.0)) * left;
  if (m > 1.0) q -= 2.0 * n / ((m + n) * (m - 1.0)) * right;
  return q;
}

double sd_by_n(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  return values.size() < 2 ? 0.0 : gates::sample_sd(values) * std::sqrt((count - 1.0) / count);
}

OtavaPoint tested(std::span<const double> series, std::size_t first, std::size_t split,
                  std::size_t last) {
  const auto left = series.subspan(first, split - first);
  const auto right = series.subspan(split, last - split);
  OtavaPoint point{.index = split, .before = gates::mean(left), .after = gates::mean(right)};
  const auto n = static_cast<double>(left.size());
  const auto m = static_cast<double>(right.size());
  if (n + m <= 2.0) return point;
  const double pooled =
      ((n - 1.0) * std::pow(sd_by_n(left), 2) + (m - 1.0) * std::pow(sd_by_n(right), 2)) /
      (n + m - 2.0);
  const double error = std::sqrt(pooled * (1.0 / n + 1.0 / m));
  const double distance = std::abs(point.after - point.before);
  if (error > 0.0) {
    point.p_value = 2.0 * gates::student_t_upper_tail(distance / error, n + m - 2.0);
  } else {
    point.p_value = distance > 0.0 ? 0.0 : 1.0;
  }
  return point;
}

/// Change points of one window, by halving: the best candidate of all segments until it is weak.
std::vector<std::size_t> points_of(std::span<const double> window, double max_p) {
  const PairSums sums(window);
  std::vector<std::size_t> ends{0, window.size()};
  while (true) {
    double best = -1.0;
    std::size_t at = 0;
    std::size_t segment = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      for (std::size_t split = ends[i] + 1; split < ends[i + 1]; ++split) {
        for (std::size_t last = split + 1; last <= ends[i + 1]; ++last) {
          const double q = energy(sums, ends[i], split, last);
          if (q <= best) continue;
          best = q;
          at = split;
          segment = i;
        }
      }
    }
    if (best < 0.0 || tested(window, ends[segment], at, ends[segment + 1]).p_value > max_p) break;
    ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(segment) + 1, at);
  }
  return {ends.begin() + 1, ends.end() - 1};
}

std::vector<std::size_t> weak_points(std::span<const double> series, double max_p) {
  std::vector<std::size_t> indexes;
  for (std::size_t start = 0; start < series.size();) {
    const std::size_t end = std::min(start + kWindow, series.size());
    std::size_t newest = 0;
    for (const std::size_t point : points_of(series.subspan(start, end - start), max_p)) {
      indexes.push_back(newest = start + point);
    }
    start = std::max(newest, start + kWindow / 2);
  }
  return indexes;
}

}  // namespace

std::vector<OtavaPoint> otava_change_points(std::span<const double> series, double max_p) {
  std::vector<OtavaPoint> points;
  for (const std::size_t index : weak_points(series, kFirstPass * max_p)) {
    points.push_back({.index = index});
  }
  const auto recompute = [&](std::size_t i) {
    if (i >= points.size()) return;
    const std::size_t first = i > 0 ? points[i - 1].index : 0;
    const std::size_t last = i + 1 < points.size() ? points[i + 1].index : series.size();
    points[i] = tested(series, first, points[i].index, last);
  };
  for (std::size_t i = 0; i < points.size(); ++i) recompute(i);
  while (!points.empty()) {
    const auto weakest = std::ranges::max_element(points, {}, &OtavaPoint::p_value);
    if (weakest->p_value < max_p) break;
    const auto at = static_cast<std::size_t>(weakest - points.begin());
    points.erase(weakest);
    recompute(at);
    recompute(at + 1);
  }
  return points;
}

}  // namespace perfgate::bench
