#include "reporters/render/html/opening.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/diagnosis_words.h"
#include "reporters/render/display_text.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/story.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"
#include "runner/model/outcome.h"

namespace perfgate::render::html {
namespace {

constexpr std::size_t kLastWordLines = 40;
constexpr std::size_t kCommitDigits = 10;

std::string answer(std::string_view label, const std::string& markup) {
  return markup.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, markup);
}

// Which run this page is of: project, branch, commit, start.
std::string identity_markup(const RunResult& result) {
  const RunIdentity& identity = result.identity;
  std::string commit = identity.commit.substr(0, kCommitDigits);
  if (identity.dirty) commit += " (with uncommitted changes)";
  std::string out = "<span>perfgate <b>" + escaped(result.workload_name) + "</b></span>";
  const std::array parts{std::string_view(identity.repo), std::string_view(identity.branch),
                         std::string_view(commit), std::string_view(identity.started_utc)};
  for (const std::string_view part : parts) {
    if (!part.empty()) out += "<span>" + escaped(part) + "</span>";
  }
  return out;
}

std::string last_words_markup(const RunResult& result) {
  std::string lines;
  for (const std::string& line : last_words(result, kLastWordLines)) lines += escaped(line) + "\n";
  if (lines.empty()) return {};
  return answer("The program said last", "<pre tabindex=\"0\">" + lines + "</pre>");
}

std::string cause_markup(const Diagnosis& diagnosis) {
  const std::string_view confidence = to_string(diagnosis.confidence);
  std::string out = fmt::format(
      "<li><h3>{} <span class=\"chip {}\">{}</span> <span class=\"chip\">{}</span></h3>\n<ul>",
      escaped(diagnosis.cause), confidence, confidence,
      escaped(format_change_ms(diagnosis.explains_ms)) + " a step");
  for (const std::string& evidence : listed_evidence(diagnosis)) {
    out += "<li>" + prose(evidence) + "</li>";
  }
  out += "</ul>\n";
  if (!diagnosis.lever.empty()) {
    out += "<p><b>Next:</b> " + escaped(diagnosis.lever) + "</p>\n";
  }
  return out + "</li>\n";
}

}  // namespace

std::string opening_markup(const RunResult& result, const std::string& navigation) {
  const Story story = tell(result);
  std::string next = prose(story.next);
  if (!story.command.empty()) {
    next += ":<pre tabindex=\"0\"><code>" + escaped(story.command) + "</code></pre>";
  } else if (!next.empty()) {
    next += ".";
  }
  for (const ProposedCommand& each : story.more) {
    next += fmt::format("<p>{}:</p><pre tabindex=\"0\"><code>{}</code></pre>", prose(each.purpose),
                        escaped(each.command));
  }
  std::string out = "<header>\n<div class=\"bar\">" + identity_markup(result) +
                    "<button type=\"button\" class=\"theme\" hidden></button></div>\n";
  out += fmt::format(
      "<div class=\"verdict {}\">\n<h1><span class=\"badge\">{}</span> <span>{}</span></h1>\n",
      to_string(result.verdict.outcome), story.label, prose(story.sentence));
  out += paragraph(story.origin, "quiet");
  out += "<dl class=\"answers\">\n";
  out += answer("Why", prose(story.cause));
  out += answer("How sure", prose(story.certainty));
  out += answer("Next", next);
  out += last_words_markup(result);
  return out + "</dl>\n</div>\n" + navigation + "</header>\n";
}

std::string causes_markup(const RunResult& result) {
  if (result.diagnosis.empty()) return {};
  std::string out = "<ul class=\"causes\">\n";
  const std::size_t listed = std::min(result.diagnosis.size(), kCausesShown);
  for (const Diagnosis& diagnosis : std::span(result.diagnosis).first(listed))
    out += cause_markup(diagnosis);
  return section("causes", "Causes",
                 out + "</ul>\n" + paragraph(more_words(result.diagnosis.size(), listed, "cause")));
}

std::string facts_markup(const RunResult& result) {
  const std::array facts{
      std::pair{"Step time", step_line(result)}, std::pair{"Floor", floor_line(result)},
      std::pair{"Capture", capture_line(result)}, std::pair{"Machine", machine_line(result)}};
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [label, text] : facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, prose(text));
  }
  return section("facts", "The run at a glance", out + "</dl>\n");
}

}  // namespace perfgate::render::html
