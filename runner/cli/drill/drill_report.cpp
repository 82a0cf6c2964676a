#include "runner/cli/drill/drill_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gates/wording.h"
#include "reporters/render/drill_table.h"
#include "runner/cli/drill/trial.h"
#include "runner/cli/store_access.h"

namespace perfgate::cli {
namespace {

using baselines::DrillTrial;
using baselines::Planted;

void count(const DrillTrial& trial, DrillRate& rate) {
  if (verdict_on(trial) == TrialVerdict::not_judged) {
    ++rate.not_judged;
    return;
  }
  ++rate.trials;
  if (trial.outcome == Outcome::fail) ++rate.failed;
  if (trial.outcome == Outcome::suspected) ++rate.suspected;
  if (trial.outcome == Outcome::inconclusive) ++rate.inconclusive;
}

std::vector<DrillRate> rates_of(std::span<const DrillTrial> trials) {
  // Sizes are kept as they were asked for, so that equal ones are equal numbers.
  std::map<std::pair<Planted, double>, DrillRate> rates;
  for (const DrillTrial& trial : trials) {
    DrillRate& rate = rates[{trial.planted, trial.size_ratio}];
    rate.planted = trial.planted;
    rate.size_ratio = trial.size_ratio;
    count(trial, rate);
  }
  std::vector<DrillRate> all;
  for (auto& [key, rate] : rates) {
    rate.share = gates::wilson_interval(rate.failed, rate.trials);
    all.push_back(rate);
  }
  return all;
}

DrillReport report_of(std::span<const DrillTrial> trials) {
  DrillReport report{.workload_name = trials.back().workload_name,
                     .workload_digest = trials.front().workload_digest,
                     .environment_key = trials.front().environment_key};
  std::set<std::string> commits;
  std::set<std::string> instances;
  for (const DrillTrial& trial : trials) {
    commits.insert(trial.commit);
    instances.insert(trial.instance);
  }
  report.commits.assign(commits.begin(), commits.end());
  report.instances.assign(instances.begin(), instances.end());
  report.rates = rates_of(trials);
  report.trials.assign(trials.begin(), trials.end());
  return report;
}

std::string_view means_words(Planted planted) {
  return planted == Planted::host_delay ? "host delay" : baselines::to_string(planted);
}

std::string remark(const DrillTrial& trial) {
  switch (verdict_on(trial)) {
    case TrialVerdict::right: return "";
    case TrialVerdict::false_fail: return "\n  wrong: a FAIL where nothing was planted";
    case TrialVerdict::broken_promise:
      return "\n  wrong: the gate said that it finds " + gates::percent(*trial.finds_from_ratio) +
             " and more";
    case TrialVerdict::missed:
      return trial.finds_from_ratio
                 ? "\n  not found; the gate says that it finds " +
                       gates::percent(*trial.finds_from_ratio) + " and more"
                 : std::string("\n  not found; what this gate finds is not known");
    case TrialVerdict::not_judged: return "\n  not judged: it counts in no rate";
  }
  return "";
}

std::string capitals(std::string_view word) {
  std::string text;
  for (const char c : word) {
    const bool lower = c >= 'a' && c <= 'z';
    text += c == '_' ? ' ' : lower ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

}  // namespace

std::vector<DrillReport> drill_reports(std::span<const DrillTrial> trials) {
  std::vector<DrillReport> reports;
  while (!trials.empty()) {
    const auto other = std::ranges::find_if(trials, [&](const DrillTrial& trial) {
      return trial.environment_key != trials.front().environment_key;
    });
    const auto length = static_cast<std::size_t>(other - trials.begin());
    reports.push_back(report_of(trials.first(length)));
    trials = trials.subspan(length);
  }
  return reports;
}

std::string planted_words(const DrillTrial& trial) {
  if (trial.planted == Planted::nothing) return "nothing planted";
  return fmt::format("{:.4g} us ({}) a step by {}", trial.size_us, gates::percent(trial.size_ratio),
                     means_words(trial.planted));
}

std::string trial_line(const DrillTrial& trial) {
  std::string text =
      fmt::format("run {}, {}: {}: {}", trial.run + 1, trial.place == 0 ? "first" : "second",
                  planted_words(trial), capitals(to_string(trial.outcome)));
  if (trial.change_ratio) text += ", measured " + gates::signed_percent(*trial.change_ratio);
  text += fmt::format("; {}, {:.0f} s",
                      trial.processes == 1 ? std::string("1 process")
                                           : std::to_string(trial.processes) + " processes",
                      trial.seconds);
  return text + remark(trial) + "\n";
}

std::vector<TrendDrill> drill_shares(const DrillReport& report) {
  std::vector<TrendDrill> shares;
  for (const DrillRate& rate : report.rates) {
    shares.push_back({.planted = std::string(means_words(rate.planted)),
                      .nothing = rate.planted == Planted::nothing,
                      .size_ratio = rate.size_ratio,
                      .trials = rate.trials,
                      .failed = rate.failed,
                      .share = rate.share.share,
                      .low = rate.share.low,
                      .high = rate.share.high});
  }
  return shares;
}

std::string drill_text(const DrillReport& report, const render::TerminalStyle& style) {
  int not_judged = 0;
  for (const DrillRate& rate : report.rates) not_judged += rate.not_judged;
  std::string text = report.workload_name + ": " +
                     gates::count_of(static_cast<int>(report.trials.size()), "trial") +
                     ", environment " + report.environment_key.substr(0, kShownCommit) + "\n" +
                     render::drill_table(drill_shares(report), style);
  if (not_judged > 0)
    text += gates::count_of(not_judged, "trial") + " could not be judged and count in no rate\n";
  if (report.instances.size() > 1)
    text += "note: they are of " + std::to_string(report.instances.size()) + " GPUs\n";
  return text;
}

Json drill_report_json(const DrillReport& report) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json rates = Json::array();
  for (const DrillRate& rate : report.rates) {
    rates.push_back({{"planted", baselines::to_string(rate.planted)},
                     {"size_ratio", rate.size_ratio},
                     {"judged", rate.trials},
                     {"failed", rate.failed},
                     {"suspected", rate.suspected},
                     {"inconclusive", rate.inconclusive},
                     {"not_judged", rate.not_judged},
                     {"share", rate.trials > 0 ? Json(rate.share.share) : Json(nullptr)},
                     {"share_low", rate.share.low},
                     {"share_high", rate.share.high}});
  }
  Json trials = Json::array();
  for (const DrillTrial& trial : report.trials) {
    trials.push_back({{"utc", trial.drill_utc},
                      {"run", trial.run},
                      {"place", trial.place},
                      {"seed", trial.seed},
                      {"commit", trial.commit},
                      {"instance", trial.instance},
                      {"planted", baselines::to_string(trial.planted)},
                      {"size_ratio", trial.size_ratio},
                      {"size_us", trial.size_us},
                      {"step_ms", trial.step_ms},
                      {"outcome", to_string(trial.outcome)},
                      {"change_ratio", number(trial.change_ratio)},
                      {"finds_from_ratio", number(trial.finds_from_ratio)},
                      {"processes", trial.processes},
                      {"seconds", trial.seconds}});
  }
  return {{"workload", report.workload_name},
          {"workload_digest", report.workload_digest},
          {"environment_key", report.environment_key},
          {"commits", report.commits},
          {"instances", report.instances},
          {"rates", rates},
          {"trials", trials}};
}

}  // namespace perfgate::cli
