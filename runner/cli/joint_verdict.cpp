#include "runner/cli/joint_verdict.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gates/judge.h"
#include "reporters/render/story.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/result_input.h"

namespace perfgate::cli {
namespace {

/// What failed in its own report does not become green by a policy, asked for or recorded.
PolicyOptions without_green(PolicyOptions options) {
  for (std::string* choice :
       {&options.on_suspected, &options.on_inconclusive, &options.on_no_baseline}) {
    if (*choice == "pass") choice->clear();
  }
  return options;
}

/// As assess says it. Of a store that is missing or empty, or of a branch whose runs are of no
/// ancestor, nobody knows that the workload is new.
bool is_new(const Verdict& verdict) {
  return verdict.outcome == Outcome::no_baseline &&
         std::ranges::find(verdict.reasons, "new_workload", &Reason::code) != verdict.reasons.end();
}

/// The policies that decide of what was asked for and what the result has recorded; its verdict
/// says so from here on. `is_changed`: joining changed it.
PolicyOptions settle_policies(Verdict& verdict, const PolicyOptions& asked, bool is_changed) {
  const PolicyOptions options = is_changed ? without_green(asked) : asked;
  if (is_changed) {
    std::erase_if(verdict.policies,
                  [](const std::string& policy) { return !policy.ends_with(" fail"); });
  }
  PolicyOptions effective = with_recorded(options, verdict);
  if (!can_never_pass(verdict)) describe_policy(options, verdict);
  return effective;
}

/// `notes`: what joining changed in this result.
GateRow judged_row(const std::string& named, const RunResult& result, const PolicyOptions& policy,
                   std::vector<std::string> notes) {
  const Verdict& verdict = result.verdict;
  return {.shown = {.named = named,
                    .verdict = verdict.outcome,
                    .sentence = render::joint_sentence(result),
                    .notes = std::move(notes),
                    .decided = deciding_words(verdict),
                    .next = can_never_pass(verdict) ? render::tell(result).next : ""},
          .workload = result.workload_name,
          .reason = verdict.reasons.empty() ? std::string() : verdict.reasons.front().text,
          .policies = verdict.policies,
          .outcome = verdict.outcome,
          .unreadable = {},
          .is_new = is_new(verdict),
          .code = can_never_pass(verdict) ? exit_code(ErrorCode::invalid_config)
                                          : exit_code(verdict.outcome, exit_policy(policy))};
}

GateRow unreadable_row(const std::string& named, const Error& error) {
  GateRow row;
  row.code = exit_code(error.code);
  row.shown = {.named = named, .verdict = render::NoResult::unreadable, .sentence = error.message};
  row.reason = error.message;
  row.unreadable = error;
  return row;
}

std::vector<GateRow> judged_rows(JointVerdict& joined, const PolicyOptions& options) {
  std::vector<GateRow> rows;
  for (std::size_t i = 0; i < joined.results.size(); ++i) {
    std::vector<std::string> notes;
    for (const gates::JointChange& change : joined.weighing.changes) {
      if (change.result != i) continue;
      notes.push_back(change.metric +
                      " fails in its own report and is suspected here: " + change.text);
    }
    RunResult& result = joined.results[i];
    const PolicyOptions policy = settle_policies(result.verdict, options, !notes.empty());
    rows.push_back(judged_row(joined.named[i], result, policy, std::move(notes)));
    if (!joined.unread[i].empty()) rows.back().shown.notes.push_back(joined.unread[i]);
  }
  return rows;
}

void settle(JointVerdict& joint) {
  std::vector<int> codes;
  for (const GateRow& row : joint.rows) codes.push_back(row.code);
  std::ranges::stable_sort(joint.rows, is_worse, [](const GateRow& row) {
    return Weight{row.code, row.outcome};
  });
  joint.code = worst_exit_code(codes);
}

/// `today` empty: accepts stay as each report has them.
JointVerdict read_all(const platform::FileSystem& files, const std::vector<std::string>& named,
                      const std::string& today) {
  JointVerdict joint;
  for (const std::string& name : named) {
    auto result = read_judged_result(files, name);
    Status usable = result.ok() ? Status() : Status(result.error());
    std::string unread;
    if (usable.ok() && !today.empty()) {
      auto applied = apply_accepts_since(files, result.value(), today);
      if (applied.ok()) {
        unread = std::move(applied).value();
      } else {
        usable = applied.error();
      }
    }
    if (usable.ok()) {
      joint.unread.push_back(std::move(unread));
      joint.named.push_back(name);
      joint.results.push_back(std::move(result).value());
    } else {
      joint.rows.push_back(unreadable_row(name, usable.error()));
    }
  }
  return joint;
}

std::vector<std::string> each_once(const platform::FileSystem& files,
                                   const std::vector<std::string>& named,
                                   std::vector<std::string>& warnings) {
  constexpr std::string_view kResult = "/result.json";
  std::vector<std::string> once;
  std::vector<std::string> places;
  for (const std::string& name : named) {
    std::string place = files.absolute(name);
    if (place.ends_with(kResult)) place.resize(place.size() - kResult.size());
    while (place.size() > 1 && place.ends_with('/')) place.pop_back();
    if (std::ranges::find(places, place) != places.end()) {
      warnings.push_back("'" + name + "' is named twice and counts once");
      continue;
    }
    places.push_back(std::move(place));
    once.push_back(name);
  }
  return once;
}

void judge(JointVerdict& joint, const PolicyOptions& policy) {
  for (GateRow& row : judged_rows(joint, policy)) joint.rows.push_back(std::move(row));
  settle(joint);
}

}  // namespace

bool is_worse(const Weight& a, const Weight& b) {
  if (a.code != b.code) return worst_exit_code(std::array{a.code, b.code}) == a.code;
  const auto place = [](const Weight& weight) {
    const auto* found = weight.outcome ? std::ranges::find(gates::kWorstFirst, *weight.outcome)
                                       : gates::kWorstFirst.begin();
    return found - gates::kWorstFirst.begin();
  };
  return place(a) < place(b);
}

JointVerdict judge_jointly(const platform::FileSystem& files, const std::vector<std::string>& named,
                           const PolicyOptions& policy, const std::string& today) {
  std::vector<std::string> warnings;
  JointVerdict joint = read_all(files, each_once(files, named, warnings), today);
  joint.warnings = std::move(warnings);
  joint.weighing = gates::weigh_jointly(joint.results);
  judge(joint, policy);
  return joint;
}

JointVerdict judge_each(const platform::FileSystem& files, const std::vector<std::string>& named,
                        const PolicyOptions& policy) {
  JointVerdict joint = read_all(files, named, {});
  judge(joint, policy);
  return joint;
}

void add_failed(JointVerdict& joint, const std::string& named, const Error& error) {
  joint.rows.push_back(unreadable_row(named, error));
  joint.rows.back().shown.verdict = render::NoResult::error;
  joint.rows.back().workload = named;
  settle(joint);
}

}  // namespace perfgate::cli
