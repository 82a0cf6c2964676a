#include "runner/cli/post/post_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/reporter_catalog.h"
#include "runner/cli/accepts/accept_lines.h"

namespace perfgate::cli {
namespace {

bool is_undecided(const GateRow& row) {
  if (!row.outcome) return false;
  switch (*row.outcome) {
    case Outcome::suspected:
    case Outcome::inconclusive:
    case Outcome::not_comparable:
    case Outcome::no_baseline: return true;
    case Outcome::pass:
    case Outcome::fail:
    case Outcome::invalid: break;
  }
  return false;
}

/// A policy that was asked for decides a new workload, too.
int status_code(const GateRow& row) {
  return row.is_new && row.code == kExitNotJudged ? kExitPass : row.code;
}

std::string label_of(const GateRow& row) {
  std::string policies;
  for (const std::string& policy : row.policies) {
    if (policy.starts_with("--on-")) policies += ", " + policy;
  }
  if (row.is_new) return "NEW" + (policies.empty() ? "" : " (" + policies.substr(2) + ")");
  if (!is_undecided(row)) return render::verdict_label(row.shown);
  return "NOT JUDGED (" + render::verdict_words(row.shown) + policies + ")";
}

/// The rows as the checks weigh them: by what each does to the status.
std::vector<const GateRow*> by_status(const JointVerdict& joint) {
  std::vector<const GateRow*> rows;
  for (const GateRow& row : joint.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const GateRow* a, const GateRow* b) {
    const std::array codes{status_code(*a), status_code(*b)};
    return codes[0] != codes[1] && worst_exit_code(codes) == codes[0];
  });
  return rows;
}

std::vector<render::JointRow> shown_rows(std::span<const GateRow* const> rows) {
  std::vector<render::JointRow> shown;
  for (const GateRow* row : rows) shown.push_back(row->shown);
  return shown;
}

/// The results in the order of their rows.
std::vector<RunResult> results_of(const JointVerdict& joint, std::span<const GateRow* const> rows) {
  std::vector<RunResult> results;
  for (const GateRow* row : rows) {
    const auto named = std::ranges::find(joint.named, row->shown.named);
    if (row->outcome && named != joint.named.end())
      results.push_back(joint.results[static_cast<std::size_t>(named - joint.named.begin())]);
  }
  return results;
}

std::string title_of(const GateRow& row) {
  return row.workload.empty() ? row.shown.named : row.workload;
}

/// `context` with what the verdict knows: what joining and policies changed, and what is missing.
render::CommentContext with_verdict(std::span<const GateRow* const> rows,
                                    std::span<const RunResult> results,
                                    render::CommentContext context) {
  for (const GateRow* row : rows) {
    if (!row->outcome) context.unreadable.push_back(row->shown);
    for (const std::string& note : row->shown.notes)
      context.settings.push_back(title_of(*row) + ": " + note);
  }
  context.worst = rows.front()->outcome ? render::WorstOf::results : render::WorstOf::unreadable;
  for (const RunResult& result : results) context.accepts.push_back(proposed_accepts(result));
  return context;
}

/// The comment, then the whole report of each result.
std::string summary_of(std::span<const RunResult> results, const std::string& comment) {
  const render::ReportFormat* format = render::find_report_format("md");
  std::string text = comment;
  for (const RunResult& result : results) text += "\n" + format->render(result, {}, {});
  return text;
}

}  // namespace

post::State state_of(const JointVerdict& joint) {
  std::vector<int> codes;
  for (const GateRow& row : joint.rows) codes.push_back(status_code(row));
  switch (worst_exit_code(codes)) {
    case kExitPass: return post::State::success;
    case kExitFail:
    case kExitNotJudged: return post::State::failure;
    default: return post::State::error;
  }
}

std::string description_of(const JointVerdict& joint) {
  const auto rows = by_status(joint);
  const GateRow& worst = *rows.front();
  std::string text = label_of(worst);
  if (rows.size() > 1) text += ", " + render::joint_counts(shown_rows(rows));
  return text + ": " + worst.shown.sentence;
}

post::Report report_of(const JointVerdict& joint, const std::string& key,
                       const render::CommentContext& context) {
  post::Report report;
  std::vector<std::string> names;
  for (const GateRow& row : joint.rows) {
    if (!row.workload.empty()) names.push_back(row.workload);
    report.results.push_back(row.shown.named);
  }
  if (names.empty()) names.emplace_back("unreadable");
  report.key = key.empty() ? post::key_of(std::move(names)) : key;
  const auto rows = by_status(joint);
  const std::vector<RunResult> results = results_of(joint, rows);
  report.text = render::render_comment(results, with_verdict(rows, results, context));
  report.summary = summary_of(results, report.text);
  report.description = description_of(joint);
  report.state = state_of(joint);
  report.verdict = render::verdict_word(rows.front()->shown);
  return report;
}

std::string posting_words(const post::PostOutcome& outcome, double seconds) {
  const std::string taken = fmt::format("{:.2f} s", seconds);
  if (outcome.problems.empty()) return "posted in " + taken + "\n";
  if (outcome.said.empty()) {
    return "nothing was posted (tried for " + taken + "), see the warnings\n";
  }
  return "posted in part, in " + taken + ", see the warnings\n";
}

}  // namespace perfgate::cli
