#include "reporters/render/comment_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/after_verdict.h"
#include "reporters/render/breakdown.h"
#include "reporters/render/diagnosis_words.h"
#include "reporters/render/display_text.h"
#include "reporters/render/ledger_markdown.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/markdown_sections.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/sparkline.h"
#include "reporters/render/story.h"
#include "reporters/render/units.h"
#include "reporters/render/who_acts.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kChangedRows = 10;
constexpr std::size_t kFewChangedRows = 3;
constexpr std::size_t kLedgerRows = 5;
constexpr std::size_t kKernelsBehindARow = 3;
constexpr std::size_t kTracedRows = 15;
// What a fold may hold of facts and notes: rows beyond are in the whole report.
constexpr std::size_t kFactRows = 100;
constexpr std::size_t kLeadColumns = 160;
constexpr std::size_t kLeastReadings = 4;
constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kLongestUrl = 1000;
constexpr std::string_view kStepTime = "step_time_p50";

// What the headline has not said of the cause.
std::string rest_of_cause(const RunResult& result, const Story& story) {
  if (!result.diagnosis.empty()) return story.cause.empty() ? "" : named_cause_rest(result);
  if (!story.cause.starts_with(story.lead_cause)) return story.cause;
  const std::string_view rest = std::string_view(story.cause).substr(story.lead_cause.size());
  return std::string(rest.starts_with("; ") ? rest.substr(2) : rest);
}

std::string machine_words(const RunResult& result) {
  const auto& facts = result.measurement.fingerprint.environment;
  const auto gpu = facts.find("gpu");
  if (gpu == facts.end() || gpu->second.empty()) return {};
  if (gpu->second == "none") return "without a GPU";
  const std::size_t devices = break_down(result).devices;
  if (devices > 1) return fmt::format("on {} x {}", devices, gpu->second);
  return fmt::format("on {}{}", devices == 1 ? "one " : "", gpu->second);
}

double mean_log(std::span<const double> readings) {
  double sum = 0.0;
  for (const double reading : readings) sum += std::log(reading);
  return sum / static_cast<double>(readings.size());
}

// How far the second half of a run's readings lies from the first, as the gate looks at them
// (gates/comparability.h), of the control that moved most.
std::string control_words(const RunResult& result) {
  std::optional<double> most;
  for (const ControlReading& control : result.measurement.controls) {
    std::vector<double> usable;
    std::ranges::copy_if(control.readings, std::back_inserter(usable),
                         [](double reading) { return std::isfinite(reading) && reading > 0.0; });
    if (usable.size() < kLeastReadings) continue;
    const std::span<const double> all(usable);
    const std::size_t half = all.size() / 2;
    const double moved = std::expm1(mean_log(all.last(half)) - mean_log(all.first(half)));
    if (!most || std::abs(moved) > std::abs(*most)) most = moved;
  }
  return most ? fmt::format("controls {} over the run", format_change(*most)) : "";
}

const ProposedAccepts* accepts_of(const RunResult& result, const CommentContext& context) {
  const auto it =
      std::ranges::find(context.accepts, result.workload_name, &ProposedAccepts::workload);
  return it == context.accepts.end() || it->lines.empty() ? nullptr : &*it;
}

std::string accept_fold(const ProposedAccepts& accepts) {
  return fmt::format(
      "Nothing needs to be measured again. Fill in reason, issue, owner and the last day, and "
      "commit these lines to {} with the change, so that they are reviewed; the stored result is "
      "then judged again on a runner without a GPU. A new file begins with `perfgate_accepts: 1` "
      "and `accepts:`.\n\n{}",
      markdown_name(accepts.file), markdown_block(accepts.lines, "yaml"));
}

bool is_sha(std::string_view text) {
  return text.size() >= 7 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string reproduce_fold(const RunResult& result, const CommentContext& context) {
  if (result.source == RunSource::imported) return {};
  const std::string& base = context.base_sha.empty() ? result.baseline.commit : context.base_sha;
  std::string lines;
  if (is_sha(base) && !result.workload_path.empty()) {
    lines += fmt::format("git worktree add ../perfgate-base {}   # then build it there\n",
                         base.substr(0, kShortCommit));
    lines +=
        fmt::format("perfgate ab {} --base ../perfgate-base\n", shell_word(result.workload_path));
  }
  lines += run_command(result) + "\n";
  return "Both sides in one session need no baseline; the last line measures this side alone, "
         "against the store.\n\n" +
         markdown_block(lines, "sh");
}

std::string history_line(const RunResult& result, const CommentContext& context) {
  const Comparison* row = headline_row(result);
  std::string metric = row == nullptr ? std::string(kStepTime) : row->metric;
  const auto find = [&] {
    return std::ranges::find_if(context.history, [&](const HistoryPoints& points) {
      return points.workload == result.workload_name && points.metric == metric;
    });
  };
  auto points = find();
  if (points == context.history.end()) {
    metric = kStepTime;
    points = find();
  }
  const MetricValue* now = find_metric(result, metric);
  if (points == context.history.end() || now == nullptr) return {};
  const std::string words = history_words(points->values, now->value, now->unit);
  return words.empty() ? "" : fmt::format("\nHistory of {}: {}.\n", markdown_name(metric), words);
}

// A fold's body begins behind a blank line already.
std::string without_first_break(std::string text) {
  if (text.starts_with('\n')) text.erase(0, 1);
  return text;
}

void add(std::vector<CommentFold>& folds, std::string_view title, std::string body,
         bool whole = false) {
  if (!body.empty()) folds.push_back({title, std::move(body), whole});
}

}  // namespace

std::string comment_title(const RunResult& result) {
  const Story story = tell(result);
  std::string title = markdown_prose(story.sentence);
  if (!story.lead_cause.empty())
    title += ": " + markdown_prose(cut_end(printable(story.lead_cause, true), kLeadColumns, true));
  return story.origin.empty() ? title : title + " (" + markdown_prose(story.origin) + ")";
}

std::string comment_certainty(const RunResult& result, const CommentContext& context) {
  const Story story = tell(result);
  const int attempt = context.attempt > 0 ? context.attempt : result.identity.attempt;
  const bool said = !story.certainty.empty();
  std::string machine = machine_words(result);
  if (machine.empty() && !said) machine = "on an unknown machine";
  std::string text = story.certainty;
  for (const std::string& words :
       {machine, control_words(result), fmt::format("attempt {}", attempt)}) {
    if (!words.empty()) text += (text.empty() ? "" : "; ") + words;
  }
  return (said ? "How sure: " : "Measured ") + markdown_prose(text) + ".\n";
}

std::string comment_item(const RunResult& result) {
  return fmt::format("- **{}** {}\n", label_of(result.verdict.outcome), comment_title(result));
}

std::string comment_why(const RunResult& result) {
  const std::string why = rest_of_cause(result, tell(result));
  return why.empty() ? "" : "- **Why**: " + markdown_prose(why) + "\n";
}

std::string comment_next(const RunResult& result, const CommentContext& context) {
  const Story story = tell(result);
  const std::string who = who_acts(result, headline_row(result));
  const bool lines = accepts_of(result, context) != nullptr;
  std::string out = who.empty() ? "- **Next**: " : "- **Next**, by " + markdown_prose(who) + ": ";
  out += markdown_prose(story.next);
  out += (story.command.empty() ? "." : ": " + markdown_command(story.command)) + "\n";
  for (const ProposedCommand& each : story.more) {
    // That command needs a run folder; the lines that it would write stand below.
    const bool below = lines && each.command == accept_command(result);
    out +=
        fmt::format("  - {}: {}\n", markdown_prose(each.purpose),
                    below ? "have it accepted by the lines below" : markdown_command(each.command));
  }
  return out;
}

std::string comment_open(const RunResult& result, const CommentContext& context, CommentRoom room) {
  if (room == CommentRoom::line) return {};
  const bool whole = room == CommentRoom::whole;
  std::string out;
  if (whole) {
    const std::string said = last_words_block(result);
    if (!said.empty()) out += "\nThe program said last:\n\n" + said;
    if (result.ledger && result.verdict.outcome == Outcome::fail)
      out += markdown_waterfall(*result.ledger, kLedgerRows);
  }
  out += changed_section(result, compared_rows(result, whole ? kChangedRows : kFewChangedRows),
                         ComparedColumns::narrow);
  return out + (whole ? history_line(result, context) : "");
}

std::vector<CommentFold> comment_folds(const RunResult& result, const CommentContext& context) {
  std::vector<CommentFold> folds;
  if (const ProposedAccepts* accepts = accepts_of(result, context))
    add(folds, "If the change is meant: accept it, without measuring again", accept_fold(*accepts),
        true);
  const ComparedRows rows = compared_rows(result, kChangedRows);
  add(folds, "Other gated metrics", compared_table(result, rows.folded, ComparedColumns::narrow));
  if (result.ledger && result.verdict.outcome != Outcome::fail)
    add(folds, "Where the change went",
        without_first_break(markdown_waterfall(*result.ledger, kLedgerRows)), true);
  add(folds, "Causes, with their evidence", markdown_diagnosis(result.diagnosis));
  if (result.ledger)
    add(folds, "What is behind the parts that changed",
        without_first_break(markdown_ledger_details(*result.ledger, kKernelsBehindARow)), true);
  add(folds, "Families: where a step goes", breakdown_table(result));
  add(folds, "Gaps, kernels and ranges of this run",
      without_first_break(traced_details(result, kTracedRows)), true);
  add(folds, "Step time, floor, capture, machine", facts_list(result));
  add(folds, "Environment", environment_tables(result, kFactRows));
  add(folds, "Accepted regressions", accepted_list(result));
  add(folds, "How to reproduce it", reproduce_fold(result, context), true);
  add(folds, "Notes", notes_list(result, kFactRows));
  return folds;
}

std::string comment_link(std::string_view text, std::string_view url) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#@!$&+,;=%";
  const bool is_page = url.starts_with("https://") || url.starts_with("http://");
  if (!is_page || url.size() > kLongestUrl ||
      url.find_first_not_of(kPlain) != std::string_view::npos)
    return std::string(text);
  return fmt::format("[{}](<{}>)", text, url);
}

}  // namespace perfgate::render
