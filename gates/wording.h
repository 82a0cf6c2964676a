/// Numbers as the gate's sentences write them. Pure; the same bytes on every machine.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/reason_text.h"

namespace perfgate::gates {

/// A ratio as percent: 0.0312 -> "3.12 %", 0.0005 -> "0.050 %".
[[nodiscard]] std::string percent(double ratio);
/// With its sign: "+3.12 %", "-0.050 %".
[[nodiscard]] std::string signed_percent(double ratio);
using perfgate::quantity;
/// "1 run", "8 runs".
[[nodiscard]] std::string count_of(int count, std::string_view noun);

}  // namespace perfgate::gates
