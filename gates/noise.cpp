#include "gates/noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

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

/// Sums over the occasions of one GPU, and over those of all.
struct Sums {
  double runs = 0.0;
  double occasions = 0.0;
  double values = 0.0;
  double within = 0.0;        ///< squares about the occasions' means
  double between = 0.0;       ///< of the occasions' means about the GPU's
  double runs_counted = 0.0;  ///< sum over the GPUs of sum n_i^2 / N_g
};

Sums sums_of(const Occasions& all) {
  Sums sums;
  double run_squares = 0.0;
  for (const std::vector<double>& values : all) {
    const auto count = static_cast<double>(values.size());
    sums.runs += count;
    sums.occasions += 1.0;
    run_squares += count * count;
    sums.values += count * mean(values);
    sums.within += squares_about(values, mean(values));
  }
  const double centre = sums.values / sums.runs;
  for (const std::vector<double>& values : all) {
    const double shift = mean(values) - centre;
    sums.between += static_cast<double>(values.size()) * shift * shift;
  }
  sums.runs_counted = run_squares / sums.runs;
  return sums;
}

RunNoise noise_of(const std::map<std::string, Occasions>& gpus, Scale scale) {
  RunNoise noise{.scale = scale};
  Sums all;
  for (const auto& [gpu, occasions] : gpus) {
    if (occasions.empty()) continue;
    const Sums sums = sums_of(occasions);
    ++noise.gpus;
    all.runs += sums.runs;
    all.occasions += sums.occasions;
    all.values += sums.values;
    all.within += sums.within;
    all.between += sums.between;
    all.runs_counted += sums.runs_counted;
  }
  if (noise.gpus == 0) return noise;
  noise.runs = static_cast<int>(all.runs);
  noise.occasions = static_cast<int>(all.occasions);
  noise.level = from_scale(all.values / all.runs, scale);
  // One run an occasion: what is within cannot be told apart, and all of it shows between.
  noise.within_variance = all.runs > all.occasions ? all.within / (all.runs - all.occasions) : 0.0;
  if (const double degrees = all.occasions - noise.gpus; degrees > 0.0) {
    const double per_occasion = (all.runs - all.runs_counted) / degrees;
    noise.between_variance =
        std::max(0.0, (all.between / degrees - noise.within_variance) / per_occasion);
  }
  noise.sd = std::sqrt(noise.within_variance + noise.between_variance);
  return noise;
}

Scale scale_of(std::span<const std::vector<double>> occasions) {
  const bool positive = std::ranges::all_of(occasions, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return value > 0.0; });
  });
  return positive ? Scale::log : Scale::linear;
}

}  // namespace

RunNoise run_noise(std::span<const std::vector<double>> occasions) {
  const Scale scale = scale_of(occasions);
  return noise_of({{"", on_scale_of(occasions, scale)}}, scale);
}

RunNoise run_noise_on_one_gpu(std::span<const AaOccasion> occasions) {
  std::map<std::string, Occasions> gpus;
  Occasions all;
  for (const AaOccasion& occasion : occasions) {
    if (occasion.instance.empty()) continue;
    gpus[occasion.instance].push_back(occasion.values);
    all.push_back(occasion.values);
  }
  const Scale scale = scale_of(all);
  for (auto& [gpu, values] : gpus) values = on_scale_of(values, scale);
  return noise_of(gpus, scale);
}

double auto_margin_ratio(const RunNoise& noise) {
  const double ratio = noise.scale == Scale::log ? noise.sd
                       : noise.level > 0.0       ? noise.sd / noise.level
                                                 : 0.0;
  if (noise.scale == Scale::linear && !(noise.level > 0.0)) return 0.0;
  return std::clamp(kAutoMarginSds * ratio, kLeastAutoMargin, kMostAutoMargin);
}

}  // namespace perfgate::gates
