#include "gates/change_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

constexpr std::size_t kWindow = 50;
constexpr std::size_t kWindowStep = 25;
/// Weak points are kept until all are known: a neighbour may strengthen them.
constexpr double kWeakFactor = 10.0;
/// Means of equal values differ by less.
constexpr double kRounding = 1e-12;

/// Sums of |z_i - z_j| over blocks of a window, each in constant time.
class Distances {
 public:
  explicit Distances(std::span<const double> window)
      : width_(window.size() + 1), sums_(width_ * width_, 0.0) {
    for (std::size_t i = 1; i < width_; ++i) {
      for (std::size_t j = 1; j < width_; ++j) {
        sums_[i * width_ + j] = std::abs(window[i - 1] - window[j - 1]) + at(i - 1, j) +
                                at(i, j - 1) - at(i - 1, j - 1);
      }
    }
  }

  /// Q of the header for [begin, split) against [split, end).
  [[nodiscard]] double q(std::size_t begin, std::size_t split, std::size_t end) const {
    const auto n = static_cast<double>(split - begin);
    const auto m = static_cast<double>(end - split);
    const double across = block(begin, split, split, end);
    const double left = block(begin, split, begin, split) / 2.0;
    const double right = block(split, end, split, end) / 2.0;
    return 2.0 / (m + n) * (across - m / (n - 1.0) * left - n / (m - 1.0) * right);
  }

 private:
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return sums_[i * width_ + j]; }
  [[nodiscard]] double block(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const {
    return at(i1, j1) - at(i0, j1) - at(i1, j0) + at(i0, j0);
  }

  std::size_t width_;
  std::vector<double> sums_;
};

struct Split {
  std::size_t at = 0;
  double q = -std::numeric_limits<double>::infinity();
};

std::optional<Split> best_split(const Distances& distances, std::size_t begin, std::size_t end) {
  std::optional<Split> best;
  for (std::size_t stop = begin + 2 * kLeastSegment; stop <= end; ++stop) {
    for (std::size_t at = begin + kLeastSegment; at + kLeastSegment <= stop; ++at) {
      const double q = distances.q(begin, at, stop);
      if (!best || q > best->q) best = Split{.at = at, .q = q};
    }
  }
  return best;
}

double pooled_sd(std::span<const double> before, std::span<const double> after) {
  const double left = sample_sd(before);
  const double right = sample_sd(after);
  const auto n = static_cast<double>(before.size() - 1);
  const auto m = static_cast<double>(after.size() - 1);
  return std::sqrt((n * left * left + m * right * right) / (n + m));
}

double two_sided_p(double estimate, double standard_error, double degrees) {
  if (standard_error <= 0.0) return 0.0;
  return 2.0 * student_t_upper_tail(std::abs(estimate) / standard_error, degrees);
}

ChangePoint tested(std::span<const double> series, std::size_t begin, std::size_t at,
                   std::size_t end, double deflation) {
  const auto before = series.subspan(begin, at - begin);
  const auto after = series.subspan(at, end - at);
  ChangePoint point{.at = at, .before = mean(before), .after = mean(after), .p_value = 1.0};
  constexpr double kAnyLevel = 0.05;  // the intervals' widths are not used
  const Interval welch = welch_interval(before, after, kAnyLevel);
  const double size = std::max(std::abs(point.before), std::abs(point.after));
  if (std::abs(welch.estimate) <= kRounding * size) return point;
  const double pooled_error =
      pooled_sd(before, after) *
      std::sqrt(1.0 / static_cast<double>(before.size()) + 1.0 / static_cast<double>(after.size()));
  const double pooled_degrees = static_cast<double>(end - begin) - 2.0;
  point.p_value =
      std::max(two_sided_p(welch.estimate, welch.standard_error / deflation, welch.degrees),
               two_sided_p(welch.estimate, pooled_error / deflation, pooled_degrees));
  return point;
}

/// The points of one window, in its own places: segments are split in the order of Q.
std::vector<std::size_t> points_in(std::span<const double> window, double p_max, double deflation) {
  const Distances distances(window);
  std::vector<std::size_t> ends{0, window.size()};
  for (;;) {
    std::optional<Split> best;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto split = best_split(distances, ends[i], ends[i + 1]);
      if (split && (!best || split->q > best->q)) {
        best = split;
        place = i;
      }
    }
    if (!best) break;
    const ChangePoint point = tested(window, ends[place], best->at, ends[place + 1], deflation);
    if (!(point.p_value < p_max)) break;
    ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(place) + 1, best->at);
  }
  return {ends.begin() + 1, ends.end() - 1};
}

/// The points over the whole series with what is beside them.
class Candidates {
 public:
  Candidates(std::span<const double> series, const std::vector<std::size_t>& places,
             double deflation)
      : series_(series), deflation_(deflation) {
    for (const std::size_t place : places) points_.push_back({.at = place});
    for (std::size_t i = 0; i < points_.size(); ++i) test(i);
  }

  void drop_weak(const ChangePointOptions& options) {
    for (;;) {
      std::optional<std::size_t> weakest;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (holds(i, options)) continue;
        if (!weakest || weaker(points_[i], points_[*weakest])) weakest = i;
      }
      if (!weakest) return;
      points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(*weakest));
      if (*weakest > 0) test(*weakest - 1);
      if (*weakest < points_.size()) test(*weakest);
    }
  }

  [[nodiscard]] std::vector<ChangePoint> points() && { return std::move(points_); }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t i) const { return i == 0 ? 0 : points_[i - 1].at; }
  [[nodiscard]] std::size_t end_of(std::size_t i) const {
    return i + 1 < points_.size() ? points_[i + 1].at : series_.size();
  }
  void test(std::size_t i) {
    points_[i] = tested(series_, begin_of(i), points_[i].at, end_of(i), deflation_);
  }
  static double step(const ChangePoint& point) { return std::abs(point.after - point.before); }
  static bool weaker(const ChangePoint& a, const ChangePoint& b) {
    return a.p_value != b.p_value ? a.p_value > b.p_value : step(a) < step(b);
  }
  [[nodiscard]] bool holds(std::size_t i, const ChangePointOptions& options) const {
    const ChangePoint& point = points_[i];
    if (!(point.p_value < options.p_max) || step(point) < options.least_step) return false;
    if (options.least_sds <= 0.0) return true;
    const std::size_t begin = begin_of(i);
    const double sd = pooled_sd(series_.subspan(begin, point.at - begin),
                                series_.subspan(point.at, end_of(i) - point.at));
    return step(point) >= options.least_sds * sd;
  }

  std::span<const double> series_;
  double deflation_;
  std::vector<ChangePoint> points_;
};

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> series,
                                       const ChangePointOptions& options) {
  const double rho = lag_correlation(series);
  const double deflation = std::sqrt((1.0 - rho) / (1.0 + rho));
  std::vector<std::size_t> places;
  std::size_t start = 0;
  while (start + 2 * kLeastSegment <= series.size()) {
    const auto window = series.subspan(start, std::min(kWindow, series.size() - start));
    const auto found = points_in(window, kWeakFactor * options.p_max, deflation);
    for (const std::size_t at : found) places.push_back(start + at);
    start = std::max(start + kWindowStep, found.empty() ? 0 : places.back());
  }
  Candidates candidates(series, places, deflation);
  candidates.drop_weak(options);
  return std::move(candidates).points();
}

}  // namespace perfgate::gates
