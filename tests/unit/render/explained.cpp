#include "tests/unit/render/explained.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace perfgate::render {

std::string rendered(const Explanation& explanation, std::string_view format,
                     const TerminalStyle& style) {
  return find_explanation_format(format)->render(explanation, style);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has_line(const std::string& text, std::string_view part) {
  return std::ranges::any_of(lines_of(text), [&](const std::string& line) {
    return line.find(part) != std::string::npos;
  });
}

Explanation of_ledger(Ledger ledger, std::vector<Diagnosis> diagnosis) {
  return {.warnings = {},
          .label = "COMPARED",
          .sentence = "head is slower than base",
          .note = "not a verdict",
          .ledger = std::move(ledger),
          .diagnosis = std::move(diagnosis)};
}

}  // namespace perfgate::render
