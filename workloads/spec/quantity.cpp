#include "workloads/spec/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace perfgate::workloads {
namespace {

constexpr std::array kSeconds{UnitFactor{"ns", 1e-9},  UnitFactor{"us", 1e-6},
                              UnitFactor{"ms", 1e-3},  UnitFactor{"s", 1.0},
                              UnitFactor{"min", 60.0}, UnitFactor{"h", 3600.0}};
constexpr double kKi = 1024.0;
constexpr std::array kBytes{UnitFactor{"B", 1.0},
                            UnitFactor{"kB", 1e3},
                            UnitFactor{"MB", 1e6},
                            UnitFactor{"GB", 1e9},
                            UnitFactor{"TB", 1e12},
                            UnitFactor{"KiB", kKi},
                            UnitFactor{"MiB", kKi* kKi},
                            UnitFactor{"GiB", kKi* kKi* kKi},
                            UnitFactor{"TiB", kKi* kKi* kKi* kKi}};
constexpr std::array kFlops{UnitFactor{"FLOP", 1.0}, UnitFactor{"MFLOP", 1e6},
                            UnitFactor{"GFLOP", 1e9}, UnitFactor{"TFLOP", 1e12},
                            UnitFactor{"PFLOP", 1e15}};
constexpr std::array kBandwidths{UnitFactor{"B/s", 1.0},
                                 UnitFactor{"MB/s", 1e6},
                                 UnitFactor{"GB/s", 1e9},
                                 UnitFactor{"TB/s", 1e12},
                                 UnitFactor{"GiB/s", kKi* kKi* kKi},
                                 UnitFactor{"TiB/s", kKi* kKi* kKi* kKi}};
constexpr std::array kRates{UnitFactor{"FLOP/s", 1.0}, UnitFactor{"GFLOP/s", 1e9},
                            UnitFactor{"TFLOP/s", 1e12}, UnitFactor{"PFLOP/s", 1e15}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::span<const UnitFactor> second_units() { return kSeconds; }
std::span<const UnitFactor> byte_units() { return kBytes; }
std::span<const UnitFactor> flop_units() { return kFlops; }
std::span<const UnitFactor> bandwidth_units() { return kBandwidths; }
std::span<const UnitFactor> rate_units() { return kRates; }

bool looks_octal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() >= 2 && text.front() == '0' && std::ranges::all_of(text, is_digit);
}

std::optional<Measure> split_measure(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  std::string_view digits =
      rest.starts_with('-') && rest.size() == text.size() ? rest.substr(1) : rest;
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return std::nullopt;
  Measure measure;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), measure.value);
  if (error != std::errc{} || !std::isfinite(measure.value)) return std::nullopt;
  const auto used = static_cast<std::size_t>(end - rest.data());
  if (looks_octal(rest.substr(0, used))) return std::nullopt;
  measure.unit = rest.substr(used);
  const bool spaced = measure.unit.starts_with(' ');
  if (spaced) measure.unit.remove_prefix(1);
  if (spaced && (measure.unit.empty() || measure.unit.front() == ' ')) return std::nullopt;
  return measure;
}

std::optional<double> parse_number(std::string_view text) {
  const auto measure = split_measure(text);
  if (!measure || !measure->unit.empty()) return std::nullopt;
  return measure->value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (looks_octal(text)) return std::nullopt;
  int base = 10;
  if (text.starts_with("0o") || text.starts_with("0x")) {
    base = text[1] == 'o' ? 8 : 16;
    text.remove_prefix(2);
    if (text.starts_with('-')) return std::nullopt;
  } else if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> factor_of(std::string_view unit, std::span<const UnitFactor> units) {
  const auto found = std::ranges::find(units, unit, &UnitFactor::unit);
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

std::string list_units(std::span<const UnitFactor> units) {
  std::string text;
  for (const UnitFactor& unit : units) {
    if (!text.empty()) text += ", ";
    text += unit.unit;
  }
  return text;
}

std::string number_text(double value) {
  // 1000000 reads better than 1e+06.
  if (std::floor(value) == value && std::abs(value) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::to_string(value);
}

}  // namespace perfgate::workloads
