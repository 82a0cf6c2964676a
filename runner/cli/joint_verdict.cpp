#include "runner/cli/joint_verdict.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gates/judge.h"
#include "reporters/render/sight.h"
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

/// `notes`: what joining changed in this result. The policies that decide go into it.
GateRow judged_row(const std::string& named, RunResult& result, const PolicyOptions& asked,
                   std::vector<std::string> notes) {
  const PolicyOptions options = notes.empty() ? asked : without_green(asked);
  if (!notes.empty()) {
    std::erase_if(result.verdict.policies,
                  [](const std::string& policy) { return !policy.ends_with(" fail"); });
  }
  const PolicyOptions effective = with_recorded(options, result.verdict);
  const bool never_passes = can_never_pass(result.verdict);
  if (!never_passes) describe_policy(options, result.verdict);
  const Verdict& verdict = result.verdict;
  const render::Story story = render::tell(result);
  std::string sentence = story.sentence;
  if (!story.cause.empty()) sentence += "; why: " + story.cause;
  // What is green is as good as what it could see.
  if (const Comparison* row = render::headline_row(result);
      row != nullptr && verdict.outcome == Outcome::pass) {
    for (const std::string& words : {render::bounds_words(*row), render::finds_words(*row)})
      if (!words.empty()) sentence += "; " + words;
  }
  return {.shown = {named, std::string(to_string(verdict.outcome)), sentence, std::move(notes)},
          .workload = result.workload_name,
          .reason = verdict.reasons.empty() ? std::string() : verdict.reasons.front().text,
          .policies = verdict.policies,
          .outcome = verdict.outcome,
          .unreadable = {},
          .is_new = is_new(verdict),
          .code = never_passes ? exit_code(ErrorCode::invalid_config)
                               : exit_code(verdict.outcome, exit_policy(effective))};
}

GateRow unreadable_row(const std::string& named, const Error& error) {
  GateRow row;
  row.code = exit_code(error.code);
  row.shown = {named, "unreadable", error.message};
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
    rows.push_back(judged_row(joined.named[i], joined.results[i], options, std::move(notes)));
  }
  return rows;
}

/// Worst first: by exit code as worst_exit_code has it, then by outcome.
void sort_rows(std::vector<GateRow>& rows) {
  const auto place = [](const GateRow& row) {
    const auto* found = row.outcome ? std::ranges::find(gates::kWorstFirst, *row.outcome)
                                    : gates::kWorstFirst.begin();
    return found - gates::kWorstFirst.begin();
  };
  std::ranges::stable_sort(rows, [&](const GateRow& a, const GateRow& b) {
    if (a.code != b.code) return worst_exit_code(std::array{a.code, b.code}) == a.code;
    return place(a) < place(b);
  });
}

void settle(JointVerdict& joint) {
  std::vector<int> codes;
  for (const GateRow& row : joint.rows) codes.push_back(row.code);
  sort_rows(joint.rows);
  joint.code = worst_exit_code(codes);
}

/// `today` empty: accepts stay as each report has them.
JointVerdict read_all(const platform::FileSystem& files, const std::vector<std::string>& named,
                      const std::string& today) {
  JointVerdict joint;
  for (const std::string& name : named) {
    auto result = read_judged_result(files, name);
    Status usable = result.ok() ? Status() : Status(result.error());
    if (usable.ok() && !today.empty()) usable = apply_accepts_since(files, result.value(), today);
    if (usable.ok()) {
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
  joint.rows.back().shown.verdict = "error";
  joint.rows.back().workload = named;
  settle(joint);
}

}  // namespace perfgate::cli
