#include "gates/wording.h"

#include <array>
#include <charconv>
#include <cmath>

namespace perfgate::gates {
namespace {

/// Half of the last decimal that `percent` shows.
constexpr double kSmallestShown = 5e-6;

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

}  // namespace

std::string percent(double ratio) {
  // What rounds to zero is zero: the sign of a rounding error is not news.
  const double value = std::abs(ratio) < kSmallestShown ? 0.0 : 100.0 * ratio;
  const double size = std::abs(value);
  const int decimals = size < 0.1 ? 3 : size < 10.0 ? 2 : 1;
  return fixed(value, decimals) + " %";
}

std::string signed_percent(double ratio) {
  return (ratio <= -kSmallestShown ? "" : "+") + percent(ratio);
}

std::string count_of(int count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count == 1) return text;
  return text + (noun.ends_with("s") ? "es" : "s");
}

}  // namespace perfgate::gates
