#include "reporters/render/result_json.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "reporters/render/analysis_fields.h"
#include "reporters/render/breakdown.h"
#include "reporters/render/json_text.h"
#include "reporters/render/ledger_fields.h"
#include "reporters/render/run_fields.h"
#include "reporters/render/verdict_fields.h"
#include "runner/model/json_limits.h"
#include "runner/model/traced_ratio.h"

namespace perfgate::render {
namespace {

// Rows of `families` and `idle`: per-step figures for readers that do not want to divide.
struct FamilyShare {
  std::string family;
  double ms_per_step = 0.0;
  double share = 0.0;
  double kernels_per_step = 0.0;
};
struct CauseShare {
  IdleCause cause = IdleCause::unknown;
  double ms_per_step = 0.0;
  double share = 0.0;
  double pieces_per_step = 0.0;
};
struct IdleShare {
  double ms_per_step = 0.0;
  double share = 0.0;
  std::vector<CauseShare> causes;
};
void describe(JsonWriter& archive, const FamilyShare& value) {
  archive.field("family", value.family);
  archive.field("ms_per_step", value.ms_per_step);
  archive.field("share", value.share);
  archive.field("kernels_per_step", value.kernels_per_step);
}
void describe(JsonWriter& archive, const CauseShare& value) {
  archive.field("cause", value.cause);
  archive.field("ms_per_step", value.ms_per_step);
  archive.field("share", value.share);
  archive.field("pieces_per_step", value.pieces_per_step);
}
void describe(JsonWriter& archive, const IdleShare& value) {
  archive.field("ms_per_step", value.ms_per_step);
  archive.field("share", value.share);
  archive.field("causes", value.causes);
}

std::vector<FamilyShare> family_shares(const Breakdown& breakdown) {
  std::vector<FamilyShare> rows;
  rows.reserve(breakdown.families.size());
  for (const FamilyRow& row : breakdown.families) {
    rows.push_back({row.family, row.ms_per_step, row.share, row.operations_per_step});
  }
  return rows;
}

std::optional<IdleShare> idle_share(const Breakdown& breakdown) {
  if (!breakdown.known) return std::nullopt;
  IdleShare out{.ms_per_step = breakdown.idle_ms,
                .share = breakdown.idle_ms / breakdown.window_ms,
                .causes = {}};
  for (const IdleRow& row : breakdown.idle) {
    out.causes.push_back({row.cause, row.ms_per_step, row.share, row.pieces_per_step});
  }
  return out;
}

// Over the traced processes: all dropped records, unknown if one does not know; the largest time
// ratio.
std::optional<std::uint64_t> total_dropped(const Analysis& analysis) {
  if (analysis.traced.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const TracedProcess& process : analysis.traced) {
    if (!process.dropped) return std::nullopt;
    sum += *process.dropped;
  }
  return sum;
}

template <typename Archive>
void describe_identity(Archive& archive, typename Archive::template Ref<RunResult> value) {
  auto& identity = value.identity;
  archive.field("tool", identity.tool_version);
  archive.field("measure_version", identity.measure_version);
  archive.field("repo", identity.repo);
  archive.field("branch", identity.branch);
  archive.field("commit", identity.commit);
  archive.added("series_branch", identity.series_branch);
  archive.added("dirty", identity.dirty);
  archive.object("base", [&](Archive& base) {
    base.field("commit", value.baseline.commit);
    base.field("how", value.baseline.how);
    base.field("exists", value.baseline.exists);
    base.field("comparability", value.baseline.comparability);
  });
  archive.object("run", [&](Archive& run) {
    run.field("id", identity.run_id);
    run.field("attempt", identity.attempt);
    run.field("started_utc", identity.started_utc);
    run.field("wall_s", value.measurement.wall_s);
  });
}

template <typename Archive>
void describe_measurement(Archive& archive, typename Archive::template Ref<RunResult> value) {
  archive.field("workload", value.workload_name);
  archive.field("description", value.workload_description);
  archive.field("workload_path", value.workload_path);
  archive.added("command", value.command);
  archive.added("owner", value.workload_owner);
  archive.field("source", value.source);
  archive.field("fingerprint", value.measurement.fingerprint);
  archive.field("processes", value.measurement.processes);
  archive.field("control", value.measurement.controls);
  archive.field("notes", value.measurement.notes);
  archive.field("metrics", value.metrics);
  archive.added("base_arm", value.base_arm);
}

template <typename Archive>
void describe_shares(Archive& archive, typename Archive::template Ref<RunResult> value) {
  if constexpr (Archive::kWriting) {
    const Breakdown breakdown = break_down(value);
    archive.derived("families", family_shares(breakdown));
    archive.derived("idle", idle_share(breakdown));
  } else {
    archive.derived("families", 0);
    archive.derived("idle", 0);
  }
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<RunResult> value) {
  describe_identity(archive, value);
  describe_measurement(archive, value);
  describe_shares(archive, value);
  auto& analysis = value.analysis;
  archive.field("floor", analysis.floor);
  archive.field("floor_problem", analysis.floor_problem);
  archive.object("capture", [&](Archive& capture) {
    capture.field("validity", analysis.capture.validity);
    capture.field("reasons", analysis.capture.reasons);
    capture.added("output", analysis.capture.output);
    capture.derived("dropped", total_dropped(analysis));
    capture.derived("traced_over_untraced", traced_ratio(analysis));
  });
  archive.field("comparison", value.comparisons);
  archive.added("observed", value.observed);
  archive.added("ledger", value.ledger);
  archive.added("diagnosis", value.diagnosis);
  archive.added("accepted", value.accepted);
  archive.field("verdict", value.verdict);
  archive.added("recorded", value.recorded);
  if constexpr (Archive::kWriting) {  // only where it says something
    if (!value.recording.empty()) archive.field("recording", value.recording);
  } else {
    archive.added("recording", value.recording);
  }
  archive.object("analysis", [&](Archive& details) {
    details.field("rules_hash", analysis.rules_hash);
    details.field("traced", analysis.traced);
  });
}

Error corrupt(std::string message) {
  return Error{.code = ErrorCode::corrupt,
               .message = std::move(message),
               .hint = "name the result.json of a run folder, or the folder",
               .context = {}};
}

}  // namespace

std::string to_result_json(const RunResult& result) {
  JsonWriter writer;
  writer.field("schema", std::string(kResultSchema));
  describe(writer, result);
  return json_text(std::move(writer).take());
}

Result<RunResult> from_result_json(std::string_view text) {
  if (const auto beyond = json_beyond_limits(text)) return corrupt("result.json: " + *beyond);
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return corrupt("result.json: not JSON, or cut");
  if (!root.is_object()) return corrupt("result.json: not an object");
  std::optional<Error> problem;
  JsonReader reader(root, {}, problem);
  std::string schema;
  reader.field("schema", schema);
  if (problem) return *std::move(problem);
  if (schema != kResultSchema) {
    return Error{.code = ErrorCode::unsupported,
                 .message = "result.json: schema '" + schema + "', this perfgate reads '" +
                            std::string(kResultSchema) + "'",
                 .hint = "use the perfgate that wrote the file, or measure again with this one",
                 .context = {}};
  }
  RunResult result;
  describe(reader, result);
  if (problem) return *std::move(problem);
  return result;
}

}  // namespace perfgate::render
