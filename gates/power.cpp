#include "gates/power.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perfgate::gates {
namespace {

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double rejects(const TestStage& stage, double beyond) {
  if (!(stage.standard_error > 0.0)) return 1.0;
  const double c = stage.critical;
  const double centre = beyond / stage.standard_error - c * (1.0 - 0.25 / stage.degrees);
  return normal_probability(centre / std::sqrt(1.0 + 0.5 * c * c / stage.degrees));
}

bool is_found(std::span<const TestStage> stages, double beyond) {
  double all = 1.0;
  for (const TestStage& stage : stages) all *= rejects(stage, beyond);
  return all >= kFoundProbability;
}

}  // namespace

double found_beyond_margin(std::span<const TestStage> stages) {
  double high = 0.0;
  for (const TestStage& stage : stages) {
    high = std::max(high, stage.standard_error * (stage.critical + 1.0));
  }
  if (!(high > 0.0) || !std::isfinite(high)) return 0.0;
  while (!is_found(stages, high)) high *= 2.0;
  double low = 0.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (is_found(stages, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace perfgate::gates
