#include "gates/noise.h"

#include <algorithm>
#include <cmath>

#include "gates/rules/two_bound.h"
#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

using Occasions = std::vector<std::vector<double>>;

Occasions on_scale_of(std::span<const std::vector<double>> occasions, Scale scale) {
  Occasions all;
  for (const std::vector<double>& values : occasions) {
    if (values.empty()) continue;
    std::vector<double> scaled;
    scaled.reserve(values.size());
    for (const double value : values) scaled.push_back(on_scale(value, scale));
    all.push_back(std::move(scaled));
  }
  return all;
}

double squares_about(const std::vector<double>& values, double centre) {
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return squares;
}

}  // namespace

RunNoise run_noise(std::span<const std::vector<double>> occasions) {
  const bool positive = std::ranges::all_of(occasions, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return value > 0.0; });
  });
  RunNoise noise{.scale = positive ? Scale::log : Scale::linear};
  const Occasions all = on_scale_of(occasions, noise.scale);
  if (all.empty()) return noise;

  double runs = 0.0;
  double run_squares = 0.0;  // sum of n_i^2
  double sum = 0.0;
  double within = 0.0;
  for (const std::vector<double>& values : all) {
    const auto count = static_cast<double>(values.size());
    runs += count;
    run_squares += count * count;
    sum += count * mean(values);
    within += squares_about(values, mean(values));
  }
  const auto groups = static_cast<double>(all.size());
  const double centre = sum / runs;
  noise.runs = static_cast<int>(runs);
  noise.occasions = static_cast<int>(all.size());
  noise.level = from_scale(centre, noise.scale);
  // One run an occasion: what is within cannot be told apart, and all of it shows between.
  noise.within_variance = runs > groups ? within / (runs - groups) : 0.0;
  if (all.size() > 1) {
    double between = 0.0;
    for (const std::vector<double>& values : all) {
      const double shift = mean(values) - centre;
      between += static_cast<double>(values.size()) * shift * shift;
    }
    const double per_occasion = (runs - run_squares / runs) / (groups - 1.0);
    noise.between_variance =
        std::max(0.0, (between / (groups - 1.0) - noise.within_variance) / per_occasion);
  }
  noise.sd = std::sqrt(noise.within_variance + noise.between_variance);
  return noise;
}

double auto_margin_ratio(const RunNoise& noise) {
  const double ratio = noise.scale == Scale::log ? noise.sd
                       : noise.level > 0.0       ? noise.sd / noise.level
                                                 : 0.0;
  if (noise.scale == Scale::linear && !(noise.level > 0.0)) return 0.0;
  return std::clamp(kAutoMarginSds * ratio, kLeastAutoMargin, kMostAutoMargin);
}

}  // namespace perfgate::gates
