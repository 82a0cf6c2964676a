#include "reporters/render/story.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/certainty.h"
#include "reporters/render/change_facts.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/diagnosis_words.h"
#include "reporters/render/display_text.h"
#include "reporters/render/next_action.h"
#include "reporters/render/process_problem.h"
#include "reporters/render/sight.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kStepTime = "step_time_p50";
constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kContributionsShown = 4;
// Names from outside may be shortened so that the sentence around them stays readable.
constexpr std::size_t kNameColumns = 60;

std::string short_name(std::string_view name) {
  return display_width(name) <= kNameColumns ? std::string(name)
                                             : cut_middle(name, kNameColumns, false);
}

std::string known_or(const std::map<std::string, std::string>& map, const char* key,
                     std::string_view otherwise) {
  const auto it = map.find(key);
  return it == map.end() || it->second.empty() ? std::string(otherwise) : it->second;
}

std::string first_reason(const RunResult& result) {
  return result.verdict.reasons.empty() ? std::string() : result.verdict.reasons.front().text;
}

std::string origin_of(const RunResult& result) {
  const std::string gpu =
      known_or(result.measurement.fingerprint.environment, "gpu", "an unknown GPU");
  const bool without = gpu == "none";
  switch (result.source) {
    case RunSource::measured: return {};
    case RunSource::replayed:
      return "replayed: recorded " + (without ? "without a GPU" : "on " + gpu) +
             ", not measured here";
    case RunSource::imported:
      return "imported: another tool's figures" + (without ? "" : " from " + gpu) +
             ", not measured here";
  }
  return {};
}

// "is 7.8 % slower than", "rose by 12 % (1.05 ms to 1.18 ms) against"
std::string change_in_words(const Comparison& row, bool looks) {
  const bool rose = row.delta_ratio > 0;
  if (row.metric == kStepTime) {
    return fmt::format("{} {} {} than", looks ? "looks" : "is", format_percent(row.delta_ratio),
                       rose ? "slower" : "faster");
  }
  const auto [base, head] = format_values(row.base, row.head, row.unit);
  const std::string values = base + " to " + head;
  const std::string size =
      row.kind == MetricKind::counted ? "" : "by " + format_percent(row.delta_ratio) + ", ";
  return fmt::format("{}: {} {}{}, against", looks ? " (suspected)" : "", short_name(row.metric),
                     (rose ? "rose " : "fell ") + size, values);
}

std::string changed_sentence(const RunResult& result, const Comparison& row, bool looks) {
  const std::string words = change_in_words(row, looks);
  const char* gap = words.front() == ':' || words.front() == ' ' ? "" : " ";
  return short_name(result.workload_name) + gap + words + " " + base_name(result);
}

std::string pass_sentence(const RunResult& result, const Comparison* row) {
  if (row == nullptr) {
    const std::string reason = first_reason(result);
    return short_name(result.workload_name) + " passes" + (reason.empty() ? "" : ": " + reason);
  }
  if (const AcceptUse* use = accepted_by(result, *row)) {
    // A limit may have been breached without anything to compare with.
    const std::string what = row->n_base > 0
                                 ? changed_sentence(result, *row, false)
                                 : short_name(result.workload_name) + " passes beyond its limit";
    return what + ", accepted until " + use->accept.expires;
  }
  if (row->improved) return changed_sentence(result, *row, false);
  if (is_worse_within(*row)) return changed_sentence(result, *row, false) + ", " + kept_bound(*row);
  if (row->metric == kStepTime) {
    return fmt::format("{} is as fast as {} ({})", short_name(result.workload_name),
                       base_name(result), format_change(row->delta_ratio));
  }
  return fmt::format("{} has not changed against {}", short_name(result.workload_name),
                     base_name(result));
}

// " (1 accepted regression)"
std::string accepted_words(const RunResult& result) {
  const std::size_t count = accepted_count(result);
  if (count == 0) return {};
  return fmt::format(" ({} accepted regression{})", count, count == 1 ? "" : "s");
}

// Rows {what, baseline, now}: what differs beside the workload file.
std::vector<Row> changed_environment(const RunResult& result) {
  std::vector<Row> rows;
  for (const FingerprintDifference& row : result.baseline.comparability.environment) {
    if (!is_workload_digest(row.key)) rows.push_back({row.key, row.base, row.head});
  }
  return rows;
}

std::string not_comparable_sentence(const RunResult& result) {
  const auto& differences = result.baseline.comparability.environment;
  const std::string start =
      short_name(result.workload_name) + " cannot be compared with " + base_name(result);
  if (differences.empty()) return start + ": " + first_reason(result);
  std::string text = start + ":";
  if (std::ranges::any_of(differences, is_workload_digest, &FingerprintDifference::key)) {
    text += result.workload_path.empty()
                ? " a workload file or another command line was recorded under this name, which is "
                  "the program's"
                : " the workload file has changed since it was recorded, in what it runs or "
                  "measures (run, steps, ...)";
  }
  const std::vector<Row> rows = changed_environment(result);
  if (rows.empty()) return text;
  if (!text.ends_with(':')) text += ", and";
  text += fmt::format(" {} is {} here, {} there", rows[0][0], rows[0][2], rows[0][1]);
  if (rows.size() > 1) text += fmt::format(", and {} more differ", rows.size() - 1);
  return text;
}

std::string invalid_cause(const RunResult& result) {
  if (const ProcessRecord* process = failed_process(result)) {
    const std::string problem = problem_parts(*process).what;
    const auto& reasons = result.verdict.reasons;
    const auto screen = std::ranges::find(reasons, "store_screen", &Reason::code);
    return fmt::format("process {} ({}{}): {}{}", process->index,
                       process->arm == Arm::base ? "base, " : "", to_string(process->role),
                       problem.empty() ? std::string(to_string(process->state)) : problem,
                       screen == reasons.end() ? "" : "; " + screen->text);
  }
  std::string reason = first_reason(result);
  if (!reason.empty()) return reason;
  const auto& reasons = result.analysis.capture.reasons;
  return reasons.empty() ? "no reason was recorded" : reasons.front();
}

std::string fail_sentence(const RunResult& result, const Comparison* row) {
  if (row == nullptr) return short_name(result.workload_name) + " fails: " + first_reason(result);
  const std::string limit = broken_limit(*row);
  if (only_limit_broken(*row)) {
    return short_name(result.workload_name) + " fails: " + (limit.empty() ? row->reason : limit);
  }
  if (limit.empty()) return changed_sentence(result, *row, false);
  return changed_sentence(result, *row, false) + ", and " + limit;
}

// "; 3 more runs in the store would settle it"
std::string missing_runs(const Comparison* row) {
  if (row == nullptr || row->runs_to_settle <= 0 || row->processes_to_settle > 0) return {};
  return fmt::format("; {} more run{} in the store would settle it", row->runs_to_settle,
                     row->runs_to_settle == 1 ? "" : "s");
}

std::string sentence_of(const RunResult& result, const Comparison* row) {
  std::string name = short_name(result.workload_name);
  switch (result.verdict.outcome) {
    case Outcome::pass: return pass_sentence(result, row) + accepted_words(result);
    case Outcome::fail: return fail_sentence(result, row);
    case Outcome::suspected:
      return row != nullptr ? changed_sentence(result, *row, true) + "; not confirmed"
                            : name + " is suspected to be slower: " + first_reason(result);
    case Outcome::inconclusive:
      if (const Reason* reason = gate_mistake(result))
        return name + " cannot be judged: " + reason->text;
      if (row == nullptr || !row->interval_known)
        return name + " is undecided: " + first_reason(result) + missing_runs(row);
      return fmt::format("{} is undecided: {} {} against {}{}", name,
                         row->metric == kStepTime ? "step time" : short_name(row->metric),
                         format_change_interval(row->ci_low_ratio, row->ci_high_ratio),
                         base_name(result), missing_runs(row));
    case Outcome::not_comparable: return not_comparable_sentence(result);
    case Outcome::no_baseline: {
      const MetricValue* step = find_metric(result, kStepTime);
      if (step == nullptr) return name + " has no baseline to be compared with";
      return fmt::format("{} takes {} a step; there is no baseline to compare with", name,
                         format_value(step->value, step->unit));
    }
    case Outcome::invalid: return name + " could not be judged: " + invalid_cause(result);
  }
  return name;
}

// "idle launch_overhead +1.03 ms (354 gaps of 2.9 us)"
std::string contribution_words(const Contribution& part, const Breakdown& breakdown) {
  std::string words = part.name + " " + format_change_ms(part.change_ms);
  for (const IdleRow& row : breakdown.idle) {
    if (part.cause != row.cause || row.pieces_per_step < 2.0) continue;
    words += fmt::format(" ({} gaps of {})", format_count(row.pieces_per_step),
                         format_milliseconds(row.mean_us / 1e3, 2));
  }
  return words;
}

// "launch_calls 1 -> 227 a step, idle graph_internal gone; changed: injected_fault none ->
// graphs_off=1": what the sentence above has not said.
std::vector<std::string> fact_sections(const RunResult& result, const Comparison* row) {
  std::vector<std::string> counts;
  for (const CountChange& change : changed_counts(result)) {
    if (row != nullptr && row->metric == change.metric) continue;
    counts.push_back(fmt::format("{} {} -> {} a step", change.metric, format_count(change.base),
                                 format_count(change.head)));
  }
  if (graph_use(result) == GraphUse::vanished && idle_is_gone(result, IdleCause::graph_internal)) {
    counts.emplace_back("idle graph_internal gone");
  }
  std::vector<std::string> sections;
  if (!counts.empty()) sections.push_back(fmt::format("{}", fmt::join(counts, ", ")));
  const std::vector<std::string> facts = changed_facts(result);
  if (!facts.empty()) sections.push_back(fmt::format("changed: {}", fmt::join(facts, ", ")));
  return sections;
}

std::string part_words(const RunResult& result, const std::vector<Contribution>& parts) {
  const Breakdown breakdown = break_down(result);
  std::vector<std::string> words;
  for (const Contribution& part : parts) {
    if (part.notable && words.size() < kContributionsShown) {
      words.push_back(contribution_words(part, breakdown));
    }
  }
  if (words.empty()) return {};
  if (!breakdown.families.empty()) {
    const std::string& largest = breakdown.families.front().family;
    const auto it = std::ranges::find(parts, largest, &Contribution::name);
    if (it != parts.end() && !it->notable) words.push_back(largest + " unchanged");
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Counts and facts first: they are exact, and the parts often follow from them.
void tell_cause(const RunResult& result, const Comparison* row,
                const std::vector<Contribution>& parts, Story& story) {
  if (!result.diagnosis.empty()) {
    story.cause = named_cause(result);
    story.lead_cause = diagnosis_title(result.diagnosis.front());
    return;
  }
  std::vector<std::string> sections = fact_sections(result, row);
  std::string words = part_words(result, parts);
  const bool silent = words.empty();
  const bool told_otherwise = row != nullptr && row->interval_known;
  if (!silent) sections.push_back(std::move(words));
  if (!sections.empty()) story.lead_cause = sections.front();
  if (silent && told_otherwise && !parts.empty())
    sections.emplace_back("no part of the traced step changed by more than its noise");
  story.cause = sections.empty() && !told_otherwise ? first_reason(result)
                                                    : fmt::format("{}", fmt::join(sections, "; "));
}

bool asks_for_no_gpu(const RunResult& result) {
  const auto end = std::ranges::find(result.command, "--");
  const auto gpu = std::find(result.command.begin(), end, "--gpu");
  return gpu != end && gpu + 1 != end && *(gpu + 1) == "none";
}

bool explains_change(const RunResult& result, const Comparison* row) {
  const Outcome outcome = result.verdict.outcome;
  if (outcome == Outcome::fail && row != nullptr && only_limit_broken(*row)) return false;
  if (outcome == Outcome::fail || outcome == Outcome::suspected) return true;
  return outcome == Outcome::pass && row != nullptr &&
         (row->improved || (row->n_base > 0 && accepted_by(result, *row) != nullptr));
}

}  // namespace

std::string_view label_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "PASS";
    case Outcome::fail: return "FAIL";
    case Outcome::suspected: return "SUSPECTED";
    case Outcome::inconclusive: return "INCONCLUSIVE";
    case Outcome::not_comparable: return "NOT COMPARABLE";
    case Outcome::no_baseline: return "NO BASELINE";
    case Outcome::invalid: return "INVALID";
  }
  return "INVALID";
}

std::string outcome_word(const Comparison& row) {
  if (row.outcome == Outcome::pass && row.improved) return "improved";
  std::string word(to_string(row.outcome));
  std::ranges::replace(word, '_', ' ');
  return word;
}

std::string base_name(const RunResult& result) {
  if (result.base_arm) return "the base";
  if (result.baseline.commit.empty()) return "the baseline";
  return "baseline " + result.baseline.commit.substr(0, kShortCommit);
}

const Comparison* headline_row(const RunResult& result) {
  const Outcome outcome = result.verdict.outcome;
  const Comparison* best = nullptr;
  for (const Comparison& row : result.comparisons) {
    if (row.outcome != outcome) continue;
    if (row.metric == kStepTime) return &row;
    if (best == nullptr || std::abs(row.delta_ratio) > std::abs(best->delta_ratio)) best = &row;
  }
  return best;
}

const ProcessRecord* failed_process(const RunResult& result) {
  const auto& processes = result.measurement.processes;
  // A control that fails says nothing about the workload.
  const auto it = std::ranges::find_if(processes, [](const ProcessRecord& process) {
    return process.role != ProcessRole::control && process.state != ProcessState::ok;
  });
  return it == processes.end() ? nullptr : &*it;
}

Story tell(const RunResult& result) {
  const Comparison* row = headline_row(result);
  const std::vector<Contribution> parts = contributions(result);
  Story story;
  story.origin = origin_of(result);
  story.label = label_of(result.verdict.outcome);
  story.sentence = sentence_of(result, row);
  // What makes green or red of a run that was not judged belongs beside the label.
  for (const std::string& policy : result.verdict.policies)
    story.sentence += " (decided by " + policy + ")";
  story.certainty = certainty_of(result, row);
  if (explains_change(result, row)) {
    tell_cause(result, row, parts, story);
  }
  if (story.cause.empty() && explains_change(result, row) && result.analysis.traced.empty()) {
    story.cause = "cause not established: nothing was traced" +
                  std::string(asks_for_no_gpu(result) ? " (--gpu none)" : "");
  }
  NextAction action = next_action(result, row, parts);
  story.next = std::move(action.sentence);
  story.command = std::move(action.command);
  story.more = std::move(action.more);
  return story;
}

}  // namespace perfgate::render
