#include "reporters/render/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t kMostRuns = 40;

bool is_finite(double value) { return std::isfinite(value); }

}  // namespace

std::string sparkline(std::span<const double> values) {
  if (values.size() < 2 || !std::ranges::all_of(values, is_finite)) return {};
  const auto [low, high] = std::ranges::minmax(values);
  std::string out;
  for (const double value : values) {
    // Halves, so that the range of finite doubles is no infinite one.
    const double share = high > low ? (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) : 0.4;
    const auto step = static_cast<std::size_t>(std::floor(share * kBlocks.size()));
    out += kBlocks.at(std::min(step, kBlocks.size() - 1));
  }
  return out;
}

std::string history_words(std::span<const double> before, double now, std::string_view unit) {
  before = before.last(std::min(before.size(), kMostRuns));
  if (before.empty()) return {};
  std::vector<double> all(before.begin(), before.end());
  all.push_back(now);
  const std::string blocks = sparkline(all);
  if (blocks.empty()) return {};
  const auto [low, high] = std::ranges::minmax(before);
  const std::string last = format_value(before.back(), unit);
  const std::string then = ", then this one: " + format_value(now, unit);
  if (before.size() == 1) return fmt::format("{}: 1 run of {}{}", blocks, last, then);
  if (!(high > low)) return fmt::format("{}: {} runs of {}{}", blocks, before.size(), last, then);
  const auto [least, most] = format_values(low, high, unit);
  return fmt::format("{}: {} runs from {} to {}, the newest {}{}", blocks, before.size(), least,
                     most, last, then);
}

}  // namespace perfgate::render
