#include "gates/power.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

/// No slowdown on any scale is as large.
constexpr double kFarthest = 1e12;

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double rejects(const TestStage& stage, double beyond) {
  if (!(stage.standard_error > 0.0)) return beyond > 0.0 ? 1.0 : 0.0;
  const double c = stage.critical;
  const double k = beyond / stage.standard_error;
  const double centre = k - c * (1.0 - 0.25 / stage.degrees);
  const double doubt = stage.known_degrees > 0.0 ? 0.5 * k * k / stage.known_degrees : 0.0;
  return normal_probability(centre / std::sqrt(1.0 + 0.5 * c * c / stage.degrees + doubt));
}

bool is_found(std::span<const TestStage> stages, double beyond) {
  return found_probability(stages, beyond) >= kFoundProbability;
}

}  // namespace

double found_probability(std::span<const TestStage> stages, double beyond) {
  double all = 1.0;
  for (const TestStage& stage : stages) all *= rejects(stage, beyond);
  return all;
}

TestStage stage_of_mean(double sd, int count, double level) {
  const double degrees = count - 1.0;
  return {.standard_error = sd / std::sqrt(static_cast<double>(count)),
          .degrees = degrees,
          .critical = student_t_quantile(1.0 - level, degrees)};
}

double found_beyond_margin(std::span<const TestStage> stages) {
  double high = 0.0;
  for (const TestStage& stage : stages) {
    high = std::max(high, stage.standard_error * (stage.critical + 1.0));
  }
  if (!(high > 0.0) || !std::isfinite(high)) return 0.0;
  while (!is_found(stages, high)) {
    high *= 2.0;
    if (!(high < kFarthest)) return std::numeric_limits<double>::infinity();
  }
  double low = 0.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (is_found(stages, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace perfgate::gates
