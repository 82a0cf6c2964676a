#include "tests/bench/gate_errors/markdown.h"

#include <cstdio>

namespace perfgate::bench {

std::string number(double value, const char* format) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string percent_text(double ratio) { return number(100.0 * ratio, "%.3g"); }

std::string text(Margins margins) { return margins == Margins::declared ? "1 % / 3 %" : "auto"; }

Cells joined(Cells first, const Cells& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

Cells setting_cells(const Setting& setting) {
  return {std::string(to_string(setting.shape)), percent_text(setting.process_cv)};
}

Cells change_head() {
  Cells cells;
  for (const double change : kChanges) cells.push_back("+" + percent_text(change) + " %");
  return cells;
}

Cells rate_cells(const std::array<Rate, kChanges.size()>& rates) {
  Cells cells;
  for (const Rate& rate : rates) cells.push_back(text(rate));
  return cells;
}

void write_row(std::ostream& out, const Cells& cells) {
  out << '|';
  for (const std::string& cell : cells) out << ' ' << cell << " |";
  out << '\n';
}

void write_head(std::ostream& out, const Cells& cells) {
  write_row(out, cells);
  write_row(out, Cells(cells.size(), "---"));
}

}  // namespace perfgate::bench
