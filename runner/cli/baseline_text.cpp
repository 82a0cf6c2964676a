#include "runner/cli/baseline_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "gates/wording.h"
#include "reporters/render/units.h"
#include "runner/cli/console.h"
#include "runner/cli/json_output.h"
#include "runner/cli/store_access.h"

namespace perfgate::cli {
namespace {

using Column = render::Column;

constexpr std::size_t kDayLength = 10;  // "2026-04-11"

std::string commit_text(const RunIdentity& identity) {
  if (identity.commit.empty()) return "commit not known";
  return "commit " + shown(identity.commit.substr(0, kShownCommit)) +
         (identity.dirty ? " (with uncommitted changes)" : "") +
         (identity.branch.empty() ? "" : " on " + shown(identity.branch));
}

std::string values_of(const std::map<std::string, std::string>& values, const char* title) {
  std::string text = std::string(title) + "\n";
  for (const auto& [key, value] : values) text += "  " + shown(key) + ": " + shown(value) + "\n";
  return text;
}

/// Empty without a pin.
std::string pins_text(const baselines::StoredRun& run, const std::vector<baselines::Pin>& pins) {
  if (pins.empty()) return {};
  std::string text = "pinned here\n";
  for (const baselines::Pin& pin : pins) {
    const auto metric = std::ranges::find(run.metrics, pin.key.metric, &MetricValue::id);
    const std::string unit = metric == run.metrics.end() ? std::string() : metric->unit;
    text += "  " + shown(pin.key.metric) + " at " + shown(render::format_value(pin.level, unit)) +
            ", " + shown(pin.utc) + ": " + shown(pin.reason) + "\n";
  }
  return text;
}

/// Empty where no level begins.
std::string marks_text(const std::vector<baselines::LevelMark>& marks) {
  if (marks.empty()) return {};
  std::string text = "a level begins here\n";
  for (const baselines::LevelMark& mark : marks) {
    text += "  " + level_words({mark.metric}) + ", " + std::string(to_string(mark.kind)) + ", " +
            shown(mark.utc) + ": " + shown(mark.reason) + "\n";
  }
  return text;
}

/// Empty where nothing is calibrated.
std::string calibrations_text(const std::vector<baselines::Calibration>& calibrations) {
  if (calibrations.empty()) return {};
  std::string text = "SD from run to run, out of A/A runs\n";
  for (const baselines::Calibration& calibration : calibrations) {
    text += "  " + calibration.key.metric + ": " + gates::percent(calibration.sd_ratio) + ", " +
            gates::count_of(calibration.occasions, "occasion") + ", " + calibration.utc + "\n";
  }
  return text;
}

/// Empty for a run that says nothing, or that was recorded before its work was kept.
std::string work_text(const WorkDone& work) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += (text.empty() ? "work of a step: " : ", ") + std::string(name) + " " + value;
  };
  if (work.tokens) add("tokens", render::format_value(*work.tokens, ""));
  if (work.weights_bytes) add("weights", render::format_value(*work.weights_bytes, "bytes"));
  if (work.kv_bytes) add("KV cache", render::format_value(*work.kv_bytes, "bytes"));
  if (work.flops) add("operations", render::format_value(*work.flops, "flop"));
  if (!work.output_hash.empty()) add("output", shown(work.output_hash));
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string level_words(const std::vector<std::string>& metrics) {
  std::string text;
  for (const std::string& metric : metrics) {
    text += (text.empty() ? "" : ", ") + (metric.empty() ? "all metrics" : shown(metric));
  }
  return text;
}

std::string stored_run_line(std::int64_t row, const baselines::StoredRun& run) {
  return "run " + std::to_string(row) + ": " + shown(run.workload_name) + ", " +
         commit_text(run.identity) + ", " + shown(run.identity.started_utc) + ", " +
         shown(run.outcome);
}

std::string stored_run_text(std::int64_t row, const baselines::StoredRun& run,
                            const KnownOfRun& known, const render::TerminalStyle& style) {
  const std::vector<Column> columns{{"metric", Column::Align::left, Column::Cut::middle},
                                    {"kind", Column::Align::left, Column::Cut::none},
                                    {"value", Column::Align::right, Column::Cut::none},
                                    {"n", Column::Align::right, Column::Cut::none}};
  std::vector<std::vector<std::string>> rows;
  for (const MetricValue& metric : run.metrics) {
    rows.push_back({metric.id, std::string(to_string(metric.kind)),
                    render::format_value(metric.value, metric.unit),
                    std::to_string(metric.samples.size())});
  }
  return stored_run_line(row, run) + "\nbaseline of " + shown(series_of(run.identity)) +
         "\ndigest " + baselines::run_digest(run) + "\nworkload digest " +
         shown(run.workload_digest) + "\n" + work_text(run.work) + pins_text(run, known.pins) +
         marks_text(known.marks) + calibrations_text(known.calibrations) +
         values_of(run.fingerprint.environment, "environment") +
         values_of(run.fingerprint.instance, "instance") +
         values_of(run.fingerprint.subject, "subject") + render::render_table(columns, rows, style);
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + shown(word);
  return text;
}

std::string run_list_text(const std::vector<baselines::RunSummary>& runs,
                          const render::TerminalStyle& style) {
  std::vector<Column> columns{{"run", Column::Align::right, Column::Cut::none},
                              {"workload", Column::Align::left, Column::Cut::middle},
                              {"branch", Column::Align::left, Column::Cut::middle},
                              {"commit", Column::Align::left, Column::Cut::none},
                              {"recorded", Column::Align::left, Column::Cut::none},
                              {"verdict", Column::Align::left, Column::Cut::none},
                              {"pinned", Column::Align::left, Column::Cut::end}};
  const bool any_begins =
      std::ranges::any_of(runs, [](const auto& run) { return !run.begins.empty(); });
  if (any_begins) columns.push_back({"level begins", Column::Align::left, Column::Cut::end});
  std::vector<std::vector<std::string>> rows;
  for (const auto& run : runs) {
    rows.push_back({std::to_string(run.run), run.workload_name, run.branch,
                    run.commit.substr(0, kShownCommit), run.started_utc, run.outcome,
                    joined_words(run.pinned)});
    if (any_begins) rows.back().push_back(level_words(run.begins));
  }
  if (!render::fits_table(columns, rows, style)) {
    // The time of day gives way before the name of a pinned metric does.
    for (auto& row : rows) row[4].resize(std::min(row[4].size(), kDayLength));
  }
  return render::render_table(columns, rows, style);
}

std::string run_list_json(const std::vector<baselines::RunSummary>& runs) {
  Json list = Json::array();
  for (const auto& run : runs) {
    list.push_back({{"run", run.run},
                    {"workload", run.workload_name},
                    {"branch", run.branch},
                    {"commit", run.commit},
                    {"started_utc", run.started_utc},
                    {"source", run.source},
                    {"verdict", run.outcome},
                    {"instance", run.instance},
                    {"pinned", run.pinned},
                    {"level_begins", run.begins}});
  }
  return json_text(list);
}

std::string empty_list_text(const std::vector<baselines::RunSummary>& all,
                            const std::string& workload, const std::string& branch) {
  if (all.empty()) return "no runs recorded\n";
  std::set<std::string> workloads;
  std::set<std::string> branches;
  for (const baselines::RunSummary& run : all) {
    workloads.insert(run.workload_name);
    if (workload.empty() || run.workload_name == workload) branches.insert(run.branch);
  }
  const auto listed = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shown(name);
    return "; there are: " + text + "\n";
  };
  std::string said = "no run";
  if (!workload.empty()) said += " of workload '" + shown(workload) + "'";
  if (!workload.empty() && !workloads.contains(workload)) return said + listed(workloads);
  return said + " on branch '" + shown(branch) + "'" + listed(branches);
}

}  // namespace perfgate::cli
