#include "gates/outlying.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

constexpr double kLevel = 0.01;
constexpr std::size_t kLeastOthers = 3;
/// Equal values differ by less.
constexpr double kRounding = 1e-9;

std::vector<double> values_at(std::span<const double> series,
                              const std::vector<std::size_t>& places) {
  std::vector<double> values;
  values.reserve(places.size());
  for (const std::size_t place : places) values.push_back(series[place]);
  return values;
}

bool lies_apart(double value, const std::vector<double>& others, const OutlyingOptions& options) {
  const double centre = mean(others);
  const double distance = std::abs(value - centre);
  const double sd = std::max(sample_sd(others), options.least_sd);
  if (distance <= kRounding * std::max(std::abs(value), std::abs(centre))) return false;
  if (distance < std::max(options.least_distance, options.least_sds * sd)) return false;
  const auto count = static_cast<double>(others.size());
  const double t = student_t_quantile(1.0 - kLevel / (2.0 * (count + 1.0)), count - 1.0);
  return distance > t * sd * std::sqrt(1.0 + 1.0 / count);
}

}  // namespace

std::vector<std::size_t> outlying(std::span<const double> series, const OutlyingOptions& options) {
  std::vector<std::size_t> rest(series.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  std::vector<std::size_t> taken;
  std::size_t apart = 0;
  while (taken.size() < kMostOutlying && rest.size() > kLeastOthers &&
         rest.size() - 1 > taken.size() + 1) {
    const double centre = mean(values_at(series, rest));
    const auto farthest = std::ranges::max_element(
        rest, {}, [&](std::size_t place) { return std::abs(series[place] - centre); });
    taken.push_back(*farthest);
    rest.erase(farthest);
    if (lies_apart(series[taken.back()], values_at(series, rest), options)) apart = taken.size();
  }
  taken.resize(apart);
  std::ranges::sort(taken);
  return taken;
}

}  // namespace perfgate::gates
