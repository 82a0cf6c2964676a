#include "reporters/render/markdown.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/ledger_markdown.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/markdown_sections.h"
#include "reporters/render/story.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kChangedRows = 10;
// Rows of each detail table, tried in turn until the report fits.
constexpr std::array<std::size_t, 4> kDetailRows{40, 15, 5, 0};

std::string prose(std::string_view text) { return markdown_prose(text); }

std::string folded(std::string_view title, const std::string& body) {
  return markdown_folded(title, body);
}

std::string opening(const Story& story) {
  std::string out = "### " + story.label + ": " + prose(story.sentence);
  if (!story.origin.empty()) out += " (" + prose(story.origin) + ")";
  out += "\n\n";
  if (!story.cause.empty()) out += "- **Why**: " + prose(story.cause) + "\n";
  if (!story.certainty.empty()) out += "- **How sure**: " + prose(story.certainty) + "\n";
  out += "- **Next**: " + prose(story.next);
  out += (story.command.empty() ? "." : ": " + markdown_command(story.command)) + "\n";
  for (const ProposedCommand& each : story.more)
    out += fmt::format("  - {}: {}\n", prose(each.purpose), markdown_command(each.command));
  return out;
}

std::string accepted(const RunResult& result) {
  const std::string list = accepted_list(result);
  return list.empty() ? "" : "\nAccepted regressions (`perfgate-accepts.yaml`):\n\n" + list;
}

std::string said(const RunResult& result) {
  const std::string block = last_words_block(result);
  return block.empty() ? "" : "\nThe program said last:\n\n" + block;
}

std::string other_metrics(const RunResult& result, const ComparedRows& rows, std::size_t most) {
  const std::span all(rows.folded);
  return folded("Other gated metrics", compared_table(result, all.first(std::min(most, all.size())),
                                                      ComparedColumns::all));
}

// In the open where it failed; a reader of a green report may unfold it.
std::string change_went(const RunResult& result) {
  if (!result.ledger) return {};
  std::string table = markdown_waterfall(*result.ledger, kWaterfallRows);
  if (result.verdict.outcome == Outcome::fail) return table;
  return folded(nothing_moved(*result.ledger)
                    ? "Where the change went: no part of the step moved beyond its noise"
                    : "Where the change went",
                table);
}

std::string ledger_details(const RunResult& result, std::size_t most) {
  if (most == 0) return {};
  const std::string causes =
      folded("Causes, with their evidence", markdown_diagnosis(result.diagnosis));
  return result.ledger ? causes + markdown_ledger_details(*result.ledger, most) : causes;
}

}  // namespace

std::string render_markdown(const RunResult& result) {
  const Story story = tell(result);
  const ComparedRows rows = compared_rows(result, kChangedRows);
  const std::string head =
      opening(story) + said(result) + changed_section(result, rows, ComparedColumns::all) +
      history_section(result) + accepted(result) + change_went(result) + "\n" + facts_list(result);
  std::string out;
  for (const std::size_t most : kDetailRows) {
    out = head;
    out += ledger_details(result, most);
    if (most > 0) out += folded("Where a step goes", breakdown_table(result));
    out += other_metrics(result, rows, most) + traced_details(result, most) +
           folded("Environment", environment_tables(result, most)) +
           folded("Notes", notes_list(result, most));
    if (out.size() <= kMarkdownLimit) break;
  }
  return out;
}

}  // namespace perfgate::render
