/// An explanation put together around a ledger, and its text line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/explanation.h"

namespace perfgate::render {

[[nodiscard]] std::string rendered(const Explanation& explanation, std::string_view format,
                                   const TerminalStyle& style = {});
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);
[[nodiscard]] bool has_line(const std::string& text, std::string_view part);
[[nodiscard]] Explanation of_ledger(Ledger ledger, std::vector<Diagnosis> diagnosis = {});

}  // namespace perfgate::render
