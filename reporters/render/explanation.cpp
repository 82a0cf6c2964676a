#include "reporters/render/explanation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/after_verdict.h"
#include "reporters/render/change_facts.h"
#include "reporters/render/diagnosis_words.h"
#include "reporters/render/json_text.h"
#include "reporters/render/ledger_fields.h"
#include "reporters/render/ledger_markdown.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/ledger_text.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/markdown_sections.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/story.h"
#include "reporters/render/terminal_details.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kDetailRows = 40;
constexpr std::string_view kCompare = "perfgate compare BASE_FOLDER HEAD_FOLDER";

// The first that applies; a result that has all of it was made before ledgers were.
std::string why_no_ledger(const RunResult& result) {
  if (!result.baseline.exists && !result.base_arm)
    return "there is nothing that it was compared with";
  if (result.analysis.traced.empty()) return "nothing was traced in this run";
  if (result.analysis.capture.validity == Validity::invalid) {
    const auto& reasons = result.analysis.capture.reasons;
    return "the capture is invalid" + (reasons.empty() ? std::string() : ": " + reasons.front());
  }
  return "this result was made without one";
}

// Its command without the words that ask for no GPU.
RunResult with_traces(const RunResult& result) {
  RunResult again;
  again.command = result.command;
  again.workload_path = result.workload_path;
  const auto end = std::ranges::find(again.command, "--");
  const auto gpu = std::find(again.command.begin(), end, "--gpu");
  if (gpu != end && gpu + 1 != end && *(gpu + 1) == "none") again.command.erase(gpu, gpu + 2);
  return again;
}

std::string no_cause(const Explanation& explanation) {
  const std::string words = no_cause_words(*explanation.ledger);
  return explanation.moved.empty() ? words : words + "; what moved: " + explanation.moved;
}

void put_next(Screen& screen, const Explanation& explanation) {
  screen.labelled("next", explanation.next + ":");
  screen.whole("         " + printable(explanation.instead, screen.unicode()));
}

std::string in_terminal(const Explanation& explanation, const TerminalStyle& style) {
  Screen screen(style);
  for (const std::string& warning : explanation.warnings) screen.paragraph(warning, Ink::yellow);
  screen.labelled(explanation.label, explanation.sentence);
  if (!explanation.note.empty()) screen.labelled("", explanation.note);
  if (!explanation.ledger) {
    put_diagnosis(screen, explanation.diagnosis);
    screen.labelled("ledger", "none: " + explanation.no_ledger);
    put_next(screen, explanation);
    return std::move(screen).take();
  }
  if (explanation.diagnosis.empty()) screen.labelled("why", no_cause(explanation));
  put_diagnosis(screen, explanation.diagnosis);
  if (!explanation.changed.empty())
    screen.labelled("changed", fmt::format("{}", fmt::join(explanation.changed, ", ")));
  put_waterfall(screen, *explanation.ledger);
  put_ledger_details(screen, *explanation.ledger);
  if (explanation.own) {
    for (const DeviceWindow& device : explanation.own->devices)
      put_traced(screen, *explanation.own, device, true);
  }
  if (!explanation.instead.empty()) {
    screen.blank();
    put_next(screen, explanation);
  }
  return std::move(screen).take();
}

std::string in_text(const Explanation& explanation, const TerminalStyle& /*style*/) {
  return in_terminal(explanation, TerminalStyle{});
}

std::string next_in_markdown(const Explanation& explanation) {
  return fmt::format("- Next: {}: {}\n", markdown_prose(explanation.next),
                     markdown_code(explanation.instead));
}

std::string in_markdown(const Explanation& explanation, const TerminalStyle& /*style*/) {
  std::string out;
  for (const std::string& warning : explanation.warnings)
    out += "> " + markdown_prose(warning) + "\n\n";
  out += "### " + explanation.label + ": " + markdown_prose(explanation.sentence) + "\n\n";
  if (!explanation.note.empty()) out += markdown_item(explanation.note) + "\n\n";
  if (!explanation.ledger) {
    return out + markdown_diagnosis(explanation.diagnosis) +
           fmt::format("- Ledger: none: {}\n", markdown_prose(explanation.no_ledger)) +
           next_in_markdown(explanation);
  }
  if (explanation.diagnosis.empty()) out += "- " + markdown_prose(no_cause(explanation)) + "\n";
  out += markdown_diagnosis(explanation.diagnosis);
  if (!explanation.changed.empty()) {
    out += fmt::format("- changed: {}\n",
                       markdown_prose(fmt::format("{}", fmt::join(explanation.changed, ", "))));
  }
  return out + markdown_waterfall(*explanation.ledger, kDetailRows) +
         markdown_ledger_details(*explanation.ledger, kDetailRows) +
         (explanation.own ? traced_details(*explanation.own, kDetailRows) : "") +
         (explanation.instead.empty() ? "" : "\n" + next_in_markdown(explanation));
}

std::string in_json(const Explanation& explanation, const TerminalStyle& /*style*/) {
  JsonWriter writer;
  writer.field("label", explanation.label);
  writer.field("sentence", explanation.sentence);
  writer.field("note", explanation.note);
  writer.field("warnings", explanation.warnings);
  writer.field("changed", explanation.changed);
  writer.field("moved", explanation.moved);
  writer.field("diagnosis", explanation.diagnosis);
  writer.field("ledger", explanation.ledger);
  writer.field("no_ledger", explanation.no_ledger);
  return json_text(std::move(writer).take());
}

constexpr std::array<ExplanationFormat, 4> kFormats{
    {{"terminal", in_terminal}, {"text", in_text}, {"md", in_markdown}, {"json", in_json}}};

}  // namespace

Explanation explain(const RunResult& result) {
  const Story story = tell(result);
  Explanation out{.warnings = {},
                  .label = story.label,
                  .sentence = story.sentence,
                  .note = {},
                  .ledger = result.ledger,
                  .diagnosis = result.diagnosis,
                  .changed = changed_facts(result)};
  // Of a run without traces the story's cause is that none is known, which the ledger says too.
  if (result.diagnosis.empty() && !story.cause.empty() && !result.analysis.traced.empty()) {
    out.moved = story.cause;
    out.changed.clear();  // said there
  }
  if (!story.origin.empty()) out.warnings.push_back(story.origin);
  const TracedProcess* traced = shown_process(result);
  if (result.ledger && !keeps_no_kernels(*result.ledger)) return out;
  if (result.ledger) {
    if (traced == nullptr) return out;
    out.own = *traced;
    out.next = "with the run folder of the base at hand, its kernels beside these";
    out.instead = "perfgate compare BASE_FOLDER " + folder_word(result);
    return out;
  }
  out.no_ledger = why_no_ledger(result);
  out.instead = kCompare;
  if (result.analysis.traced.empty() && (result.baseline.exists || result.base_arm)) {
    out.next = "measure it with traces, on a GPU (trace in the workload file, no --gpu none)";
    out.instead = run_command(with_traces(result));
  }
  return out;
}

std::span<const ExplanationFormat> explanation_formats() { return kFormats; }

const ExplanationFormat* find_explanation_format(std::string_view name) {
  const auto* it = std::ranges::find(kFormats, name, &ExplanationFormat::name);
  return it == kFormats.end() ? nullptr : it;
}

}  // namespace perfgate::render
