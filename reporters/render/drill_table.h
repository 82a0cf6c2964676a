/// What drills showed of a gate: how often it failed falsely, and how often it found what was
/// planted. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reporters/render/display_text.h"
#include "runner/model/trend.h"

namespace perfgate::render {

/// A row each: what was planted, its size, trials that were judged, of them FAIL, the share, its
/// interval, and what the share means.
[[nodiscard]] std::string drill_table(std::span<const TrendDrill> drills,
                                      const TerminalStyle& style);
[[nodiscard]] std::string drill_markdown(std::span<const TrendDrill> drills);

}  // namespace perfgate::render
