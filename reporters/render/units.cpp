#include "reporters/render/units.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace perfgate::render {
namespace {

/// Nothing that is measured is as large; 1e308 would be 309 digits.
constexpr double kMostFixed = 1e15;
constexpr const char* kUnknown = "unknown";

struct Scale {
  double factor;
  const char* prefix;
};
constexpr std::array<Scale, 6> kDecimalScales{
    {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}}};

std::string scaled(double value, const char* unit, int digits = 3) {
  if (!std::isfinite(value)) return kUnknown;
  for (const Scale& scale : kDecimalScales) {
    if (std::abs(value) >= scale.factor) {
      return fmt::format("{} {}{}", format_significant(value / scale.factor, digits), scale.prefix,
                         unit);
    }
  }
  return fmt::format("{} {}", format_significant(value, digits), unit);
}

// Of a value in a table, and what a double holds.
constexpr int kDigits = 4;
constexpr int kMostDigits = 17;
// Beyond it a double is whole anyway, and its digits are none of a count.
constexpr double kMostCounted = 1e15;

bool is_whole(double value) { return std::abs(value) < kMostCounted && value == std::round(value); }

// Counts, shares and sizes have digits of their own, and more where `digits` are more than a
// table's.
std::string value_text(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  if (unit == "ms") return format_milliseconds(value, digits);
  if (unit == "us") return format_milliseconds(value / 1e3, digits);
  if (unit == "ns") return format_milliseconds(value / 1e6, digits);
  if (unit == "s") return format_milliseconds(value * 1e3, digits);
  const int more = digits - kDigits;
  if (unit == "1" || unit.empty()) {
    return more == 0 || is_whole(value) ? format_count(value) : format_fixed(value, 1 + more);
  }
  if (unit == "%") return format_fixed(value, 1 + more) + " %";
  if (unit == "bytes") return scaled(value, "B", 3 + more);
  if (unit == "bytes/s") return scaled(value, "B/s", 3 + more);
  if (unit == "flop") return scaled(value, "FLOP", 3 + more);
  if (unit == "flop/s") return scaled(value, "FLOP/s", 3 + more);
  return fmt::format(
      "{} {}", is_whole(value) ? format_count(value) : format_significant(value, digits), unit);
}

bool is_zero(const std::string& digits) {
  return digits.find_first_of("123456789") == std::string::npos;
}

std::string with_sign(double value, int decimals) {
  std::string digits = format_fixed(value, decimals);
  return value > 0 && !is_zero(digits) ? "+" + digits : digits;
}

int percent_decimals(double percent) {
  const double size = std::abs(percent);
  if (size >= 100.0) return 0;
  return size >= 1.0 ? 1 : 2;
}

// The last digit is at most a third of the width, so that two ends never print alike.
int interval_decimals(double width_percent) {
  if (width_percent >= 10.0) return 0;
  if (width_percent >= 0.3) return 1;
  return width_percent >= 0.03 ? 2 : 3;
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return kUnknown;
  if (std::abs(value) >= kMostFixed) return fmt::format("{:.2e}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.front() == '-' && is_zero(text)) text.erase(0, 1);
  return text;
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  if (value == 0.0) return "0";
  // The exponent after rounding: 9.996 with three digits is 10.0, not 10.00.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  return format_fixed(value, std::max(0, digits - 1 - exponent));
}

std::string format_milliseconds(double ms, int digits) {
  if (!std::isfinite(ms)) return kUnknown;
  const double size = std::abs(ms);
  if (size >= 1000.0) return format_significant(ms / 1000.0, digits) + " s";
  if (size >= 0.1 || size == 0.0) return format_significant(ms, digits) + " ms";
  if (size >= 0.001) return format_significant(ms * 1e3, digits) + " us";
  return format_significant(ms * 1e6, digits) + " ns";
}

std::string format_change_ms(double ms) {
  if (!std::isfinite(ms)) return kUnknown;
  return with_sign(ms, std::abs(ms) >= 100.0 ? 0 : 2) + " ms";
}

std::string format_share(double ratio) {
  if (!std::isfinite(ratio)) return kUnknown;
  return format_fixed(ratio * 100.0, 1) + " %";
}

std::string format_percent(double ratio) {
  if (!std::isfinite(ratio)) return kUnknown;
  const double percent = std::abs(ratio) * 100.0;
  return format_fixed(percent, percent_decimals(percent)) + " %";
}

std::string format_change(double ratio) {
  if (!std::isfinite(ratio)) return kUnknown;
  const double percent = ratio * 100.0;
  return with_sign(percent, percent_decimals(percent)) + " %";
}

std::string format_change_interval(double low_ratio, double high_ratio) {
  if (!std::isfinite(low_ratio) || !std::isfinite(high_ratio)) return kUnknown;
  const int decimals = interval_decimals((high_ratio - low_ratio) * 100.0);
  return fmt::format("{} to {} %", with_sign(low_ratio * 100.0, decimals),
                     with_sign(high_ratio * 100.0, decimals));
}

std::string format_bytes(double bytes) { return scaled(bytes, "B"); }
std::string format_bytes_per_s(double rate) { return scaled(rate, "B/s"); }
std::string format_flops(double flops) { return scaled(flops, "FLOP"); }
std::string format_flops_per_s(double rate) { return scaled(rate, "FLOP/s"); }

std::string format_count(double count) {
  if (!std::isfinite(count)) return kUnknown;
  const bool whole = std::abs(count - std::round(count)) < 1e-9;
  if (std::abs(count) >= kMostFixed) return format_fixed(count, 0);
  std::string text = format_fixed(count, whole ? 0 : 1);
  std::size_t end = text.find('.');
  if (end == std::string::npos) end = text.size();
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = end; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string format_value(double value, std::string_view unit) {
  return value_text(value, unit, kDigits);
}

std::pair<std::string, std::string> format_values(double first, double second,
                                                  std::string_view unit) {
  const auto texts = [&](int digits) {
    return std::pair(value_text(first, unit, digits), value_text(second, unit, digits));
  };
  auto both = texts(kDigits);
  for (int digits = kDigits + 1; digits <= kMostDigits && first != second; ++digits) {
    if (both.first != both.second) break;
    both = texts(digits);
  }
  return both;
}

}  // namespace perfgate::render
