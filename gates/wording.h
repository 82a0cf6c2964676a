/// Numbers as the gate's sentences write them. Pure; the same bytes on every machine.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::gates {

/// A ratio as percent: 0.0312 -> "3.12 %", 0.0005 -> "0.050 %".
[[nodiscard]] std::string percent(double ratio);
/// With its sign: "+3.12 %", "-0.050 %".
[[nodiscard]] std::string signed_percent(double ratio);
/// At most five significant digits and the unit: "4.2699 ms", "385" for the unit "1".
[[nodiscard]] std::string quantity(double value, std::string_view unit);
/// "1 run", "8 runs".
[[nodiscard]] std::string count_of(int count, std::string_view noun);

}  // namespace perfgate::gates
