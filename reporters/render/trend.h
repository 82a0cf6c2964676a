/// The nightly report (`perfgate trend`) for a terminal, as Markdown, and as JSON. Pure.
#pragma once

#include <string>

#include "reporters/render/display_text.h"
#include "runner/model/trend.h"

namespace perfgate::render {

/// Alerts first, each a sentence with what to do next; then each workload.
[[nodiscard]] std::string render_trend(const TrendReport& report, const TerminalStyle& style);
/// The same in GitHub's Markdown, for the summary of a step.
[[nodiscard]] std::string render_trend_markdown(const TrendReport& report);
/// `"schema": "perfgate.trend/1"`: the alerts with their sentences, and every figure.
[[nodiscard]] std::string render_trend_json(const TrendReport& report, int exit_code);

}  // namespace perfgate::render
