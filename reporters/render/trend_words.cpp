#include "reporters/render/trend_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/shell_command.h"
#include "reporters/render/sparkline.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kShownCommit = 10;
constexpr std::size_t kDayLength = 10;
constexpr std::size_t kMostListed = 5;

std::string day(const std::string& utc) { return utc.substr(0, kDayLength); }
std::string short_commit(const std::string& commit) { return commit.substr(0, kShownCommit); }

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "run 21 (8a7b6c5d4e, 2025-11-01)".
std::string run_words(const TrendRun& run) {
  std::string inside = short_commit(run.commit);
  if (!run.utc.empty()) inside += (inside.empty() ? "" : ", ") + day(run.utc);
  const std::string name = run.run > 0 ? fmt::format("run {}", run.run) : "a run that is gone";
  return inside.empty() ? name : fmt::format("{} ({})", name, inside);
}

/// Safe as an argument of git, whatever the store holds.
bool is_commit(std::string_view text) {
  constexpr std::size_t kLeast = 4;
  return text.size() >= kLeast && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string accepted_words(const TrendMetric& metric) {
  const TrendAccepted& accepted = *metric.accepted;
  return fmt::format("the {} {} of {}", accepted.pinned ? "pinned" : "accepted",
                     format_value(accepted.value, metric.unit), run_words(accepted.at));
}

std::string change_words(const TrendMetric& metric) {
  return metric.change_ratio ? format_change(*metric.change_ratio) + " off " : "against ";
}

std::string margin_words(const TrendMetric& metric) {
  return metric.margin_ratio > 0.0
             ? fmt::format("the margin of {}{}", format_percent(metric.margin_ratio),
                           metric.margin_auto ? " (auto)" : "")
             : std::string("what its gate lets pass");
}

std::string breach_sentence(const TrendMetric& metric) {
  return fmt::format("{} is at {}, {}{}, beyond {}; since {}", metric.metric,
                     format_value(*metric.level, metric.unit), change_words(metric),
                     accepted_words(metric), margin_words(metric), run_words(metric.since));
}

std::string creep_sentence(const TrendMetric& metric) {
  return fmt::format("{} creeps: now {}, {}{}; {} {}, CUSUM {:.1f} over {:.1f}; since {}",
                     metric.metric, format_value(*metric.level, metric.unit), change_words(metric),
                     accepted_words(metric),
                     metric.beyond_margin ? "the newest runs are beyond"
                                          : "each step is small, and all are within",
                     margin_words(metric), metric.sum, metric.threshold, run_words(metric.since));
}

std::string step_sentence(const TrendMetric& metric) {
  const auto step = std::ranges::find_if(metric.changes, [&](const TrendChange& change) {
    return change.first.run == metric.since.run;
  });
  if (step == metric.changes.end()) return metric.metric + " took a step to the worse";
  const auto [before, after] = format_values(step->before, step->after, metric.unit);
  const std::string ratio =
      step->before > 0.0 ? fmt::format(" ({})", format_change(step->after / step->before - 1.0))
                         : "";
  return fmt::format("{} went from {} to {}{} at {}, beyond {}, and nobody accepted it",
                     metric.metric, before, after, ratio, run_words(metric.since),
                     margin_words(metric));
}

std::string store_flag(const TrendReport& report) {
  return report.store.empty() ? "" : " --store " + shell_word(report.store);
}

std::string show_command(const TrendReport& report, const TrendRun& run) {
  return fmt::format("perfgate baseline show {}{}", run.run, store_flag(report));
}

/// Which commits it came with.
void add_range(const TrendReport& report, const TrendWorkload& workload, const TrendMetric& metric,
               TrendAlert& alert) {
  const std::string& from = metric.before.commit;
  // A creep goes on: what came since belongs to it.
  const std::string& to =
      metric.state == TrendState::creeping ? workload.newest.commit : metric.since.commit;
  if (from.empty() || to.empty()) {
    alert.advice = "Which commits it came with is not known. Look at the first such run.";
    alert.commands.push_back(show_command(report, metric.since));
    return;
  }
  if (from == to) {
    alert.advice = fmt::format(
        "Before and after it the commit is the same ({}): it came with a library, the machine, or "
        "what else ran there. Hold the fingerprints of the two runs against each other.",
        short_commit(from));
    for (const TrendRun* run : {&metric.before, &metric.since})
      alert.commands.push_back(show_command(report, *run));
    return;
  }
  alert.advice = fmt::format(
      "Look at what came between {} and {}. To be sure, check out the first one in a folder of its "
      "own and judge both in one session (perfgate ab {} --base FOLDER).",
      short_commit(from), short_commit(to), workload.path.empty() ? "FILE" : workload.path);
  if (is_commit(from) && is_commit(to))
    alert.commands.push_back("git log --oneline " + short_commit(from) + ".." + short_commit(to));
}

TrendAlert alert_of(const TrendReport& report, const TrendWorkload& workload,
                    const TrendMetric& metric) {
  TrendAlert alert{.code = std::string(to_string(metric.state)),
                   .workload = workload.workload,
                   .metric = metric.metric};
  alert.sentence = metric.state == TrendState::breach     ? breach_sentence(metric)
                   : metric.state == TrendState::creeping ? creep_sentence(metric)
                                                          : step_sentence(metric);
  add_range(report, workload, metric, alert);
  if (workload.newest.run == 0) return alert;
  alert.advice += " If it is meant, accept the level that it has now.";
  alert.commands.push_back(fmt::format("perfgate baseline pin {} --metric {} --reason TEXT{}",
                                       workload.newest.run, shell_word(metric.metric),
                                       store_flag(report)));
  return alert;
}

TrendAlert failed_alert(const TrendReport& report, const TrendWorkload& workload) {
  const TrendRun& newest = workload.newest;
  return {
      .code = "newest_failed",
      .workload = workload.workload,
      .sentence = fmt::format("the newest, {}, FAILED when it was recorded", run_words(newest)),
      .advice = "Its report says why. A run that was recorded by mistake can be removed.",
      .commands = {fmt::format("perfgate baseline remove {}{}", newest.run, store_flag(report))}};
}

int rank_of(const TrendMetric& metric) {
  switch (metric.state) {
    case TrendState::breach: return 0;
    case TrendState::stepped: return 1;
    default: return metric.beyond_margin ? 2 : 3;
  }
}
constexpr int kRankFailed = 4;

/// A state that is no answer, and what would give one.
struct Unwatched {
  TrendState state;
  std::string_view why;
};
constexpr std::array<Unwatched, 5> kUnwatched{
    {{TrendState::not_accepted,
      "nothing was accepted: what has crept in cannot be told until a run is pinned (perfgate "
      "baseline pin RUN --metric ID --reason TEXT)"},
     {TrendState::pinned_elsewhere,
      "the pin is of another GPU than the runs: pin a run of this one"},
     {TrendState::few_runs, "too few runs of the accepted level"},
     {TrendState::mixed_gpus,
      "few runs of several GPUs, whose difference looks like a change: record eight on one GPU, or "
      "on four GPUs"},
     {TrendState::not_recorded, "no run of the store has it"}}};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostListed) text += fmt::format(" and {} more", names.size() - kMostListed);
  return text;
}

void add_unwatched(const TrendWorkload& workload, std::vector<TrendRemark>& remarks) {
  for (const Unwatched& reason : kUnwatched) {
    std::vector<std::string> names;
    int wanted = 0;
    for (const TrendMetric& metric : workload.metrics) {
      if (metric.state != reason.state) continue;
      names.push_back(metric.metric);
      wanted = std::max(wanted, metric.runs_wanted);
    }
    if (names.empty()) continue;
    std::string text = fmt::format("{}: {}", listed(names), reason.why);
    if (reason.state == TrendState::few_runs && wanted > 0)
      text += fmt::format("; {} would do", counted(static_cast<std::size_t>(wanted), "more run"));
    remarks.push_back({"not judged", std::move(text)});
  }
}

std::string step_text(const TrendMetric& metric, const TrendChange& change) {
  const auto [before, after] = format_values(change.before, change.after, metric.unit);
  const std::string ratio =
      change.before > 0.0 ? fmt::format(" ({})", format_change(change.after / change.before - 1.0))
                          : "";
  return fmt::format("{} at {}: {} -> {}{}, {}", metric.metric, run_words(change.first), before,
                     after, ratio,
                     !change.accepted.empty() ? change.accepted
                     : change.worse           ? "accepted by nobody"
                                              : "an improvement");
}

void add_steps(const TrendMetric& metric, std::vector<TrendRemark>& remarks) {
  const std::size_t count = metric.changes.size();
  const std::size_t first = count > kMostListed ? count - kMostListed : 0;
  for (std::size_t i = first; i < count; ++i)
    remarks.push_back({"level", step_text(metric, metric.changes[i])});
  if (first > 0)
    remarks.push_back({"level", fmt::format("{} before that",
                                            counted(first, "change") + " of " + metric.metric)});
}

void add_improvement(const TrendMetric& metric, std::vector<TrendRemark>& remarks) {
  if (metric.state != TrendState::steady || !metric.change_ratio) return;
  const double better =
      metric.better == Better::lower ? -*metric.change_ratio : *metric.change_ratio;
  if (!(better > metric.margin_ratio)) return;
  remarks.push_back({"better", fmt::format("{} is at {}, {}{}: pin it anew, or as much can be lost "
                                           "again without an alert",
                                           metric.metric, format_value(*metric.level, metric.unit),
                                           change_words(metric), accepted_words(metric))});
}

void add_gpus(const TrendWorkload& workload, std::vector<TrendRemark>& remarks) {
  if (workload.gpus <= 1) return;
  std::string text = fmt::format("the runs are of {} GPUs", workload.gpus);
  const auto metric = std::ranges::find_if(workload.metrics, [](const TrendMetric& each) {
    return is_judged(each.state) && each.gpus > 0;
  });
  if (metric != workload.metrics.end() && metric->other_gpu_runs > 0) {
    text += fmt::format("; {} of one of them serve, {} of others {} left out",
                        counted(metric->values.size(), "run"),
                        counted(static_cast<std::size_t>(metric->other_gpu_runs), "run"),
                        metric->other_gpu_runs == 1 ? "is" : "are");
  } else if (metric != workload.metrics.end() && metric->gpus > 1) {
    text += "; how far GPUs differ counts as noise";
  }
  remarks.push_back({"GPUs", std::move(text)});
}

}  // namespace

std::vector<TrendAlert> trend_alerts(const TrendReport& report) {
  std::vector<std::pair<int, TrendAlert>> ranked;
  for (const TrendWorkload& workload : report.workloads) {
    for (const TrendMetric& metric : workload.metrics) {
      if (is_alert(metric.state))
        ranked.emplace_back(rank_of(metric), alert_of(report, workload, metric));
    }
    if (workload.newest_failed) ranked.emplace_back(kRankFailed, failed_alert(report, workload));
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<int, TrendAlert>::first);
  std::vector<TrendAlert> alerts;
  for (auto& [rank, alert] : ranked) alerts.push_back(std::move(alert));
  return alerts;
}

std::string_view trend_word(const TrendReport& report) {
  const TrendCounts counts = count(report);
  if (counts.alerts > 0) return "ALERT";
  return counts.not_judged > 0 ? "NOT JUDGED" : "QUIET";
}

std::string trend_sentence(const TrendReport& report) {
  const TrendCounts counts = count(report);
  std::size_t metrics = 0;
  for (const TrendWorkload& workload : report.workloads) metrics += workload.metrics.size();
  std::string text = counts.alerts > 0 ? counted(static_cast<std::size_t>(counts.alerts), "alert")
                                       : std::string("no alert");
  text += fmt::format("; {} of {} on branch {}", counted(metrics, "metric"),
                      counted(report.workloads.size(), "workload"), report.branch);
  if (counts.not_judged > 0) text += fmt::format(", {} not judged", counts.not_judged);
  if (report.workloads.empty()) text += ": no run is recorded there";
  for (const std::string& policy : report.policies) text += fmt::format(" ({})", policy);
  return text;
}

std::string trend_ground(const TrendReport& report) {
  return fmt::format("at most {} of a workload, {}; {} watched for creep",
                     counted(static_cast<std::size_t>(report.last), "run"), report.order,
                     counted(static_cast<std::size_t>(report.watched), "metric"));
}

std::string runs_words(const TrendWorkload& workload) {
  if (workload.runs == 0) return "no run to report on";
  return fmt::format("{} since {}, the newest {}",
                     counted(static_cast<std::size_t>(workload.runs), "run"),
                     day(workload.oldest.utc), run_words(workload.newest));
}

std::string place_words(const TrendWorkload& workload) {
  return workload.environment.empty() ? "" : "on " + workload.environment;
}

TrendCells cells_of(const TrendMetric& metric, std::size_t most_runs) {
  TrendCells cells{"-", "-", "-", "-", ""};
  if (metric.level) cells.level = format_value(*metric.level, metric.unit);
  if (metric.accepted) cells.accepted = format_value(metric.accepted->value, metric.unit);
  if (metric.level && metric.accepted)
    std::tie(cells.level, cells.accepted) =
        format_values(*metric.level, metric.accepted->value, metric.unit);
  if (metric.change_ratio) cells.change = format_change(*metric.change_ratio);
  if (metric.threshold > 0.0) {
    cells.creep = fmt::format("{:.1f} {} {:.1f}", std::min(metric.sum, 9999.0),
                              metric.sum > metric.threshold ? ">" : "<", metric.threshold);
  } else if (is_judged(metric.state) && metric.accepted) {
    cells.creep = "count";
  }
  const std::span<const double> values = metric.values;
  cells.runs = sparkline(values.last(std::min(values.size(), most_runs)));
  return cells;
}

std::vector<TrendRemark> remarks_of(const TrendWorkload& workload) {
  std::vector<TrendRemark> remarks;
  for (const TrendMetric& metric : workload.metrics) add_steps(metric, remarks);
  for (const TrendMetric& metric : workload.metrics) add_improvement(metric, remarks);
  if (!workload.failed.empty()) {
    std::vector<std::string> runs;
    for (auto run = workload.failed.rbegin(); run != workload.failed.rend(); ++run)
      runs.push_back(run_words(*run));
    remarks.push_back(
        {"FAILED", fmt::format("{} when recorded: {}", counted(runs.size(), "run"), listed(runs))});
  }
  add_unwatched(workload, remarks);
  add_gpus(workload, remarks);
  for (const std::string& note : workload.notes) remarks.push_back({"note", note});
  return remarks;
}

}  // namespace perfgate::render
