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

template <Platform kPlatform>
std::string comment(const RunResult& result, const TerminalStyle&, const CommentContext& context) {
  CommentContext own = context;
  own.budget = comment_limit(kPlatform);
  return render_comment({&result, 1}, own);
}

constexpr std::array<ReportFormat, 8> kFormats{{
    {"terminal", "txt", "for a person at a terminal, 80 columns",
     [](const RunResult& result, const TerminalStyle& style, const CommentContext&) {
       return render_terminal(result, style);
     }},
    {"md", "md", "Markdown as GitHub renders it",
     [](const RunResult& result, const TerminalStyle&, const CommentContext&) {
       return render_markdown(result);
     }},
    {"json", "json", "result.json, for programs",
     [](const RunResult& result, const TerminalStyle&, const CommentContext&) {
       return to_result_json(result);
     }},
    {"junit", "xml", "JUnit XML, for CI systems that show test results",
     [](const RunResult& result, const TerminalStyle&, const CommentContext&) {
       return render_junit(result);
     }},
    {"html", "html", "one page with charts, for a browser; loads nothing",
     [](const RunResult& result, const TerminalStyle&, const CommentContext&) {
       return html::render_html(result, html::built_assets());
     }},
    {"comment", "comment.md", "the comment below a pull request, as GitHub renders it",
     comment<Platform::github>},
    {"gitlab", "comment.md", "the same as a note of GitLab", comment<Platform::gitlab>},
    {"buildkite", "comment.md", "the same for buildkite-agent annotate",
     comment<Platform::buildkite>},
}};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat* find_report_format(std::string_view name) {
  const auto* it = std::ranges::find(kFormats, name, &ReportFormat::name);
  return it == kFormats.end() ? nullptr : it;
}

}  // namespace perfgate::render
