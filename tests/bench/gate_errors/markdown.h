/// Cells and rows of Markdown tables.
#pragma once

#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "tests/bench/gate_errors/experiments.h"

namespace perfgate::bench {

using Cells = std::vector<std::string>;

[[nodiscard]] std::string number(double value, const char* format);
/// A ratio in percent, without the sign: 0.0025 -> "0.25".
[[nodiscard]] std::string percent_text(double ratio);
[[nodiscard]] std::string text(Margins margins);

[[nodiscard]] Cells joined(Cells first, const Cells& more);
/// "noise", "CV %" of a setting.
[[nodiscard]] Cells setting_cells(const Setting& setting);
/// "+1 %", ... and the rates below them.
[[nodiscard]] Cells change_head();
[[nodiscard]] Cells rate_cells(const std::array<Rate, kChanges.size()>& rates);

void write_row(std::ostream& out, const Cells& cells);
void write_head(std::ostream& out, const Cells& cells);

}  // namespace perfgate::bench
