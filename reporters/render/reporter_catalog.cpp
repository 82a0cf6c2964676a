#include "reporters/render/reporter_catalog.h"

#include <algorithm>
#include <array>

#include "reporters/render/html/page.h"
#include "reporters/render/junit.h"
#include "reporters/render/markdown.h"
#include "reporters/render/result_json.h"
#include "reporters/render/terminal.h"

namespace perfgate::render {
namespace {

constexpr std::array<ReportFormat, 5> kFormats{{
    {"terminal", "txt", "for a person at a terminal, 80 columns", render_terminal},
    {"md", "md", "Markdown as GitHub renders it",
     [](const RunResult& result, const TerminalStyle&) { return render_markdown(result); }},
    {"json", "json", "result.json, for programs",
     [](const RunResult& result, const TerminalStyle&) { return to_result_json(result); }},
    {"junit", "xml", "JUnit XML, for CI systems that show test results",
     [](const RunResult& result, const TerminalStyle&) { return render_junit(result); }},
    {"html", "html", "one page with charts, for a browser; loads nothing",
     [](const RunResult& result, const TerminalStyle&) {
       return html::render_html(result, html::built_assets());
     }},
}};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat* find_report_format(std::string_view name) {
  const auto* it = std::ranges::find(kFormats, name, &ReportFormat::name);
  return it == kFormats.end() ? nullptr : it;
}

}  // namespace perfgate::render
