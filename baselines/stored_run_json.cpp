// The exchange form of a stored run. Keys are sorted by nlohmann::json, so equal runs give equal
// bytes.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "baselines/stored_run.h"
#include "runner/model/json_limits.h"

namespace perfgate::baselines {
namespace {

using Json = nlohmann::json;

Error corrupt(const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "not a stored run: " + what,
          .hint = "import a file that `perfgate baseline export` wrote",
          .context = {}};
}

/// "branch" is the series', as it always was. What later versions added stands only where it says
/// something, so that older runs keep their digests.
Json identity_json(const RunIdentity& identity) {
  const std::string& series = series_of(identity);
  Json json{{"tool_version", identity.tool_version},
            {"measure_version", identity.measure_version},
            {"repo", identity.repo},
            {"branch", series},
            {"commit", identity.commit},
            {"run_id", identity.run_id},
            {"attempt", identity.attempt},
            {"started_utc", identity.started_utc}};
  if (!identity.branch.empty() && identity.branch != series) json["git_branch"] = identity.branch;
  if (identity.dirty) json["dirty"] = true;
  return json;
}

RunIdentity identity_from(const Json& json) {
  RunIdentity identity;
  identity.tool_version = json.at("tool_version").get<std::string>();
  identity.measure_version = json.at("measure_version").get<int>();
  identity.repo = json.at("repo").get<std::string>();
  identity.series_branch = json.at("branch").get<std::string>();
  identity.branch = json.value("git_branch", identity.series_branch);
  identity.dirty = json.value("dirty", false);
  identity.commit = json.at("commit").get<std::string>();
  identity.run_id = json.at("run_id").get<std::string>();
  identity.attempt = json.at("attempt").get<int>();
  identity.started_utc = json.at("started_utc").get<std::string>();
  return identity;
}

Json metric_json(const MetricValue& metric) {
  return {{"id", metric.id},       {"kind", to_string(metric.kind)},
          {"unit", metric.unit},   {"better", metric.better == Better::lower ? "lower" : "higher"},
          {"value", metric.value}, {"samples", metric.samples}};
}

Result<MetricValue> metric_from(const Json& json) {
  MetricValue metric;
  metric.id = json.at("id").get<std::string>();
  PG_ASSIGN_OR_RETURN(metric.kind, metric_kind_from_string(json.at("kind").get<std::string>()));
  metric.unit = json.at("unit").get<std::string>();
  const auto better = json.at("better").get<std::string>();
  if (better != "lower" && better != "higher") return corrupt("better is '" + better + "'");
  metric.better = better == "lower" ? Better::lower : Better::higher;
  metric.value = json.at("value").get<double>();
  metric.samples = json.at("samples").get<std::vector<double>>();
  return metric;
}

/// The figures by their names in the results file.
constexpr std::array<std::pair<const char*, std::optional<double> WorkDone::*>, 4> kWork{{
    {"tokens", &WorkDone::tokens},
    {"weights_bytes", &WorkDone::weights_bytes},
    {"kv_bytes", &WorkDone::kv_bytes},
    {"flops", &WorkDone::flops},
}};

Json work_json(const WorkDone& work) {
  Json json;
  for (const auto& [name, figure] : kWork) {
    if (work.*figure) json[name] = *(work.*figure);
  }
  if (!work.output_hash.empty()) json["output_hash"] = work.output_hash;
  return json;
}

WorkDone work_from(const Json& json) {
  WorkDone work;
  for (const auto& [name, figure] : kWork) {
    if (json.contains(name)) work.*figure = json.at(name).get<double>();
  }
  work.output_hash = json.value("output_hash", std::string());
  return work;
}

Json run_json(const StoredRun& run) {
  Json metrics = Json::array();
  for (const MetricValue& metric : run.metrics) metrics.push_back(metric_json(metric));
  Json steps = Json::array();
  for (const auto& [process, step_ms] : run.process_step_ms) {
    steps.push_back({{"process", process}, {"step_ms", step_ms}});
  }
  Json captures = Json::array();
  for (const StoredCapture& capture : run.captures) {
    captures.push_back(
        {{"process", capture.process}, {"path", capture.path}, {"digest", capture.digest}});
  }
  Json json{{"identity", identity_json(run.identity)},
            {"source", to_string(run.source)},
            {"workload", {{"name", run.workload_name}, {"digest", run.workload_digest}}},
            {"fingerprint",
             {{"environment", run.fingerprint.environment},
              {"subject", run.fingerprint.subject},
              {"instance", run.fingerprint.instance}}},
            {"metrics", metrics},
            {"process_steps", steps},
            {"captures", captures},
            {"capture_validity", run.capture_validity},
            {"traced_over_untraced", nullptr},
            {"outcome", run.outcome}};
  if (!says_nothing(run.work)) json["work"] = work_json(run.work);  // later, as git_branch
  if (run.traced_over_untraced) json["traced_over_untraced"] = *run.traced_over_untraced;
  return json;
}

Result<StoredRun> run_from(const Json& json) {
  using Fields = std::map<std::string, std::string>;
  StoredRun run;
  run.identity = identity_from(json.at("identity"));
  PG_ASSIGN_OR_RETURN(run.source, run_source_from_string(json.at("source").get<std::string>()));
  run.workload_name = json.at("workload").at("name").get<std::string>();
  run.workload_digest = json.at("workload").at("digest").get<std::string>();
  const Json& print = json.at("fingerprint");
  run.fingerprint.environment = print.at("environment").get<Fields>();
  run.fingerprint.subject = print.at("subject").get<Fields>();
  run.fingerprint.instance = print.at("instance").get<Fields>();
  for (const Json& entry : json.at("metrics")) {
    PG_ASSIGN_OR_RETURN(MetricValue metric, metric_from(entry));
    run.metrics.push_back(std::move(metric));
  }
  for (const Json& entry : json.at("process_steps")) {
    run.process_step_ms[entry.at("process").get<int>()] =
        entry.at("step_ms").get<std::vector<double>>();
  }
  for (const Json& entry : json.at("captures")) {
    run.captures.push_back({entry.at("process").get<int>(), entry.at("path").get<std::string>(),
                            entry.at("digest").get<std::string>()});
  }
  run.capture_validity = json.at("capture_validity").get<std::string>();
  const Json& ratio = json.at("traced_over_untraced");
  if (!ratio.is_null()) run.traced_over_untraced = ratio.get<double>();
  if (json.contains("work")) run.work = work_from(json.at("work"));
  run.outcome = json.at("outcome").get<std::string>();
  return run;
}

}  // namespace

std::string to_json_line(const StoredRun& run) {
  // Texts were checked to be UTF-8 before they came here; `replace` keeps a caller's mistake from
  // throwing.
  return run_json(run).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<StoredRun> stored_run_from_json(std::string_view line) {
  if (const auto beyond = json_beyond_limits(line)) return corrupt("it is " + *beyond);
  try {
    PG_ASSIGN_OR_RETURN(StoredRun run, run_from(Json::parse(line)));
    PG_TRY(check_stored_run(run));
    return run;
  } catch (const Json::exception& error) {
    return corrupt(error.what());
  }
}

}  // namespace perfgate::baselines
