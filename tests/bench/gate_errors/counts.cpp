#include "tests/bench/gate_errors/counts.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace perfgate::bench {

WilsonInterval wilson(const Rate& rate) {
  if (rate.total == 0) return {};
  constexpr double kZ = 1.959964;
  const auto n = static_cast<double>(rate.total);
  const double share = static_cast<double>(rate.count) / n;
  const double scale = 1.0 + kZ * kZ / n;
  const double centre = (share + kZ * kZ / (2.0 * n)) / scale;
  const double reach = kZ / scale * std::sqrt(share * (1.0 - share) / n + kZ * kZ / (4.0 * n * n));
  return {.low = std::max(0.0, centre - reach), .high = std::min(1.0, centre + reach)};
}

std::string text(const Rate& rate) {
  if (rate.total == 0) return "-";
  const WilsonInterval interval = wilson(rate);
  const double percent = 100.0 * static_cast<double>(rate.count) / static_cast<double>(rate.total);
  std::array<char, 64> buffer{};
  // Near 0 and 100 the digits behind the point are what matters.
  const bool fine = interval.low > 0.9 || interval.high < 0.1;
  std::snprintf(buffer.data(), buffer.size(), fine ? "%.2f [%.2f, %.2f]" : "%.1f [%.1f, %.1f]",
                percent, 100.0 * interval.low, 100.0 * interval.high);
  return buffer.data();
}

std::string answer(const Rate& rate, Bound bound, double limit) {
  const WilsonInterval interval = wilson(rate);
  const bool met = bound == Bound::at_least ? interval.low >= limit : interval.high <= limit;
  const bool missed = bound == Bound::at_least ? interval.high < limit : interval.low > limit;
  return met ? "met" : missed ? "**missed**" : "open";
}

}  // namespace perfgate::bench
