#include "runner/cli/post/post_text.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include "reporters/post/marker.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/reporter_catalog.h"
#include "runner/cli/console.h"

namespace perfgate::cli {
namespace {

/// What is left of a comment's length for one more report; below it only the list names it.
constexpr std::size_t kLeastUseful = 2'000;
constexpr std::size_t kCommentRoom = post::kLongestComment - 1'000;

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

const RunResult* result_of(const JointVerdict& joint, const GateRow& row) {
  for (std::size_t i = 0; i < joint.named.size(); ++i) {
    if (joint.named[i] == row.shown.named) return &joint.results[i];
  }
  return nullptr;
}

std::string title_of(const GateRow& row) {
  return row.workload.empty() ? row.shown.named : row.workload;
}

/// The joint line and a line a result, the worst first.
std::string heading(const JointVerdict& joint) {
  std::string text = "## " + label_of(joint.rows.front()) + ": " +
                     std::to_string(joint.rows.size()) +
                     (joint.rows.size() == 1 ? " result, " : " results, ") +
                     render::joint_counts(shown_rows(joint)) + "\n\n";
  for (const GateRow& row : joint.rows) {
    text += "- **" + label_of(row) + "** " + render::markdown_text(title_of(row)) + ": " +
            render::markdown_text(row.shown.sentence) + "\n";
    for (const std::string& note : row.shown.notes)
      text += "  - " + render::markdown_text(note) + "\n";
  }
  return text;
}

/// One report as it is; several behind their list, folded, as far as they fit.
std::string markdown_of(const JointVerdict& joint, std::size_t room) {
  const render::ReportFormat* format = render::find_report_format("md");
  if (joint.rows.size() == 1 && joint.results.size() == 1 && format != nullptr)
    return format->render(joint.results.front(), {});
  std::string text = heading(joint);
  for (const GateRow& row : joint.rows) {
    const RunResult* result = result_of(joint, row);
    if (result == nullptr || format == nullptr || text.size() + kLeastUseful > room) continue;
    const std::string open = "\n<details><summary>" + label_of(row) + " " +
                             render::markdown_text(title_of(row)) + "</summary>\n\n";
    const std::string close = "\n\n</details>\n";
    const std::size_t left = room - text.size();
    if (left < open.size() + close.size() + kLeastUseful) continue;
    text += open;
    text += post::cut_markdown(format->render(*result, {}), left - open.size() - close.size());
    text += close;
  }
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

post::Report report_of(const JointVerdict& joint, const std::string& key) {
  post::Report report;
  std::vector<std::string> names;
  for (const GateRow& row : joint.rows) {
    if (!row.workload.empty()) names.push_back(row.workload);
    report.results.push_back(row.shown.named);
  }
  if (names.empty()) names.emplace_back("unreadable");
  report.key = key.empty() ? post::key_of(std::move(names)) : key;
  report.text = markdown_of(joint, kCommentRoom);
  report.summary = markdown_of(joint, std::size_t{1} << 20U);
  report.description = description_of(joint);
  report.state = state_of(joint);
  report.verdict = joint.rows.front().shown.verdict;
  return report;
}

}  // namespace perfgate::cli
