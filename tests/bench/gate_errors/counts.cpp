#include "tests/bench/gate_errors/counts.h"

#include <array>
#include <cstdio>

#include "gates/wilson.h"

namespace perfgate::bench {

namespace {

gates::Share interval_of(const Rate& rate) {
  return gates::wilson_interval(static_cast<int>(rate.count), static_cast<int>(rate.total));
}

}  // namespace

std::string text(const Rate& rate) {
  if (rate.total == 0) return "-";
  const gates::Share interval = interval_of(rate);
  const double percent = 100.0 * static_cast<double>(rate.count) / static_cast<double>(rate.total);
  std::array<char, 64> buffer{};
  // Near 0 and 100 the digits behind the point are what matters.
  const bool fine = interval.low > 0.9 || interval.high < 0.1;
  std::snprintf(buffer.data(), buffer.size(), fine ? "%.2f [%.2f, %.2f]" : "%.1f [%.1f, %.1f]",
                percent, 100.0 * interval.low, 100.0 * interval.high);
  return buffer.data();
}

std::string answer(const Rate& rate, Bound bound, double limit) {
  const gates::Share interval = interval_of(rate);
  const bool met = bound == Bound::at_least ? interval.low >= limit : interval.high <= limit;
  const bool missed = bound == Bound::at_least ? interval.high < limit : interval.low > limit;
  return met ? "met" : missed ? "**missed**" : "open";
}

}  // namespace perfgate::bench
