#include "runner/cli/post/post_text.h"

#include <algorithm>
#include <cctype>
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

std::string words(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string label_of(const GateRow& row) {
  const std::string verdict = words(row.shown.verdict);
  std::string policies;
  for (const std::string& policy : row.policies) {
    if (policy.starts_with("--on-")) policies += ", " + policy;
  }
  if (row.is_new) return "NEW" + (policies.empty() ? "" : " (" + policies.substr(2) + ")");
  if (!is_undecided(row)) return upper(verdict);
  return "NOT JUDGED (" + verdict + policies + ")";
}

std::vector<render::JointRow> shown_rows(const JointVerdict& joint) {
  std::vector<render::JointRow> shown;
  for (const GateRow& row : joint.rows) shown.push_back(row.shown);
  return shown;
}

std::string title_of(const GateRow& row) {
  return row.workload.empty() ? row.shown.named : row.workload;
}

/// `context` with what the verdict knows: what joining and policies changed, and what is missing.
render::CommentContext with_verdict(const JointVerdict& joint, render::CommentContext context) {
  for (const GateRow& row : joint.rows) {
    if (!row.outcome) context.unreadable.push_back(row.shown);
    for (const std::string& note : row.shown.notes)
      context.settings.push_back(title_of(row) + ": " + note);
  }
  for (const RunResult& result : joint.results) context.accepts.push_back(proposed_accepts(result));
  return context;
}

/// The comment, then the whole report of each result.
std::string summary_of(const JointVerdict& joint, const std::string& comment) {
  const render::ReportFormat* format = render::find_report_format("md");
  std::string text = comment;
  for (const RunResult& result : joint.results) text += "\n" + format->render(result, {}, {});
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
  const GateRow& worst = joint.rows.front();
  std::string text = label_of(worst);
  if (joint.rows.size() > 1) text += ", " + render::joint_counts(shown_rows(joint));
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
  report.text = render::render_comment(joint.results, with_verdict(joint, context));
  report.summary = summary_of(joint, report.text);
  report.description = description_of(joint);
  report.state = state_of(joint);
  report.verdict = joint.rows.front().shown.verdict;
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
