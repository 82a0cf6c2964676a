#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reporters/render/json_text.h"
#include "reporters/render/trend.h"
#include "reporters/render/trend_words.h"

namespace perfgate::render {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const TrendRun& run) {
  if (run.run == 0 && run.commit.empty()) return nullptr;
  return {{"run", run.run}, {"commit", run.commit}, {"utc", run.utc}};
}

Json json_of(const TrendChange& change) {
  return {{"last", json_of(change.last)}, {"first", json_of(change.first)},
          {"before", change.before},      {"after", change.after},
          {"worse", change.worse},        {"accepted", change.accepted}};
}

Json json_of(const std::optional<TrendAccepted>& accepted) {
  if (!accepted) return nullptr;
  return {{"value", accepted->value},
          {"how", accepted->pinned ? "pin" : "mark"},
          {"at", json_of(accepted->at)},
          {"reason", accepted->reason}};
}

Json json_of(const TrendMetric& metric) {
  Json changes = Json::array();
  for (const TrendChange& change : metric.changes) changes.push_back(json_of(change));
  return {{"metric", metric.metric},
          {"kind", to_string(metric.kind)},
          {"unit", metric.unit},
          {"better", metric.better == Better::lower ? "lower" : "higher"},
          {"state", to_string(metric.state)},
          {"level", json_of(metric.level)},
          {"level_runs", metric.level_runs},
          {"accepted", json_of(metric.accepted)},
          {"change_ratio", json_of(metric.change_ratio)},
          {"margin_ratio", metric.margin_ratio},
          {"margin_auto", metric.margin_auto},
          {"cusum", {{"sum", metric.sum}, {"threshold", metric.threshold}}},
          {"recent_ratio", json_of(metric.recent_ratio)},
          {"beyond_margin", metric.beyond_margin},
          {"before", json_of(metric.before)},
          {"since", json_of(metric.since)},
          {"changes", changes},
          {"runs_wanted", metric.runs_wanted},
          {"gpus", metric.gpus},
          {"other_gpu_runs", metric.other_gpu_runs},
          {"values", metric.values}};
}

Json json_of(const TrendDrill& drill) {
  return {{"planted", drill.planted},
          {"size_ratio", drill.size_ratio},
          {"judged", drill.trials},
          {"failed", drill.failed},
          {"share", drill.trials > 0 ? Json(drill.share) : Json(nullptr)},
          {"share_low", drill.low},
          {"share_high", drill.high},
          {"means", drill.nothing ? "false_fail" : "power"}};
}

Json json_of(const TrendWorkload& workload) {
  Json metrics = Json::array();
  for (const TrendMetric& metric : workload.metrics) metrics.push_back(json_of(metric));
  Json failed = Json::array();
  for (const TrendRun& run : workload.failed) failed.push_back(json_of(run));
  Json drills = Json::array();
  for (const TrendDrill& drill : workload.drills) drills.push_back(json_of(drill));
  return {{"workload", workload.workload},
          {"file", workload.path},
          {"environment", workload.environment},
          {"runs", workload.runs},
          {"gpus", workload.gpus},
          {"oldest", json_of(workload.oldest)},
          {"newest", json_of(workload.newest)},
          {"metrics", metrics},
          {"failed", failed},
          {"drills", drills},
          {"drills_not_judged", workload.drills_not_judged},
          {"notes", workload.notes}};
}

}  // namespace

std::string render_trend_json(const TrendReport& report, int exit_code) {
  Json alerts = Json::array();
  for (const TrendAlert& alert : trend_alerts(report)) {
    alerts.push_back({{"code", alert.code},
                      {"workload", alert.workload},
                      {"metric", alert.metric},
                      {"sentence", alert.sentence},
                      {"next", alert.advice},
                      {"commands", alert.commands}});
  }
  Json workloads = Json::array();
  for (const TrendWorkload& workload : report.workloads) workloads.push_back(json_of(workload));
  const TrendCounts counts = count(report);
  return json_text({{"schema", "perfgate.trend/1"},
                    {"made_utc", report.now_utc},
                    {"branch", report.branch},
                    {"order", report.order},
                    {"last", report.last},
                    {"watched", report.watched},
                    {"not_judged", counts.not_judged},
                    {"exit_code", exit_code},
                    {"policies", report.policies},
                    {"alerts", alerts},
                    {"workloads", workloads}});
}

}  // namespace perfgate::render
