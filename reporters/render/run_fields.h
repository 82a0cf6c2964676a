/// The keys of result.json, in order: measuring and comparison. One description for both
/// directions (json_archive.h). Internal to the folder.
#pragma once

#include <cstdint>

#include "reporters/render/breakdown.h"
#include "reporters/render/json_archive.h"
#include "reporters/render/result_words.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<FingerprintDifference> value) {
  archive.field("key", value.key);
  archive.field("base", value.base);
  archive.field("head", value.head);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Comparability> value) {
  archive.field("environment", value.environment);
  archive.field("subject", value.subject);
  archive.field("same_instance", value.same_instance);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Fingerprint> value) {
  archive.field("environment", value.environment);
  archive.field("subject", value.subject);
  archive.field("instance", value.instance);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<WorkDone> value) {
  archive.field("tokens", value.tokens);
  archive.field("weights_bytes", value.weights_bytes);
  archive.field("kv_bytes", value.kv_bytes);
  archive.field("flops", value.flops);
  archive.field("output_hash", value.output_hash);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<ReportedMetric> value) {
  archive.field("name", value.name);
  archive.field("value", value.value);
  archive.field("unit", value.unit);
  archive.field("better", value.better);
}

// Without the steps: they stay in the process's results file.
template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<ProcessResults> value) {
  archive.field("boundary", value.boundary);
  archive.field("block_start_ns", value.block_start_ns);
  archive.field("block_end_ns", value.block_end_ns);
  archive.field("work", value.work);
  archive.field("metrics", value.metrics);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<DeviceSample> value) {
  archive.field("at_ns", value.at_ns);
  archive.field("sm_clock_mhz", value.sm_clock_mhz);
  archive.field("memory_clock_mhz", value.memory_clock_mhz);
  archive.field("temperature_c", value.temperature_c);
  archive.field("power_mw", value.power_mw);
  archive.field("energy_mj", value.energy_mj);
  archive.field("throttle_reasons", value.throttle_reasons);
  archive.field("power_cap_us", value.power_cap_us);
  archive.field("thermal_slowdown_us", value.thermal_slowdown_us);
  archive.field("memory_used_bytes", value.memory_used_bytes);
  archive.field("other_processes", value.other_processes);
}

template <typename Archive>
void describe_summary(Archive& archive, typename Archive::template Ref<ProcessRecord> value) {
  if constexpr (Archive::kWriting) {
    const std::optional<StepSummary> summary = step_summary(value);
    archive.field("median_ms", summary ? std::optional(summary->median_ms) : std::nullopt);
    archive.field("n", summary ? summary->n : 0);
  } else {
    std::optional<double> median_ms;
    std::int64_t n = 0;
    archive.field("median_ms", median_ms);
    archive.field("n", n);
    if (median_ms) value.summary = StepSummary{.median_ms = *median_ms, .n = n};
  }
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<ProcessRecord> value) {
  archive.field("index", value.index);
  archive.field("role", value.role);
  archive.added("arm", value.arm);
  archive.added("stage", value.stage);
  archive.field("state", value.state);
  describe_summary(archive, value);
  archive.field("exit_code", value.exit_code);
  archive.field("signal", value.signal);
  archive.field("wall_s", value.wall_s);
  archive.field("problem", value.problem);
  archive.field("last_words", value.last_words);
  archive.field("results", value.results);
  archive.field("before", value.before);
  archive.field("after", value.after);
  archive.field("capture_files", value.capture_files);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<ControlReading> value) {
  archive.field("name", value.name);
  archive.field("unit", value.unit);
  archive.field("readings", value.readings);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<MetricValue> value) {
  archive.field("id", value.id);
  archive.field("kind", value.kind);
  archive.field("value", value.value);
  archive.field("unit", value.unit);
  archive.field("better", value.better);
  archive.derived("n", value.samples.size());
  archive.field("samples", value.samples);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<RuleFinding> value) {
  archive.field("code", value.code);
  archive.field("limit", value.limit);
  archive.field("outcome", value.outcome);
}

// What is written on a condition stands only where it says something.
template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Comparison> value) {
  archive.field("metric", value.metric);
  archive.field("kind", value.kind);
  archive.field("unit", value.unit);
  archive.field("better", value.better);
  archive.added("against", value.against);
  archive.field("base", value.base);
  archive.field("head", value.head);
  archive.field("delta", value.delta_ratio);
  archive.field("ci_low", value.ci_low_ratio);
  archive.field("ci_high", value.ci_high_ratio);
  archive.field("interval_known", value.interval_known);
  archive.field("interval_level", value.interval_level);
  archive.field("margin", value.margin_ratio);
  archive.field("tolerance", value.tolerance_ratio);
  archive.field("margin_auto", value.margin_auto);
  archive.added("tolerance_auto", value.tolerance_auto);
  if (!Archive::kWriting || value.at_least > 0.0) archive.added("at_least", value.at_least);
  archive.field("n_base", value.n_base);
  if (!Archive::kWriting || value.other_gpu_runs > 0)
    archive.added("other_gpu_runs", value.other_gpu_runs);
  archive.field("n_head", value.n_head);
  archive.field("confirmed", value.confirmed);
  archive.added("p_value", value.p_value);
  archive.field("outcome", value.outcome);
  archive.field("improved", value.improved);
  archive.field("reason", value.reason);
  archive.field("excludes_above", value.excludes_above_ratio);
  archive.added("finds_from", value.finds_from_ratio);
  archive.added("unsettled", value.unsettled);
  archive.field("processes_to_settle", value.processes_to_settle);
  archive.added("runs_to_settle", value.runs_to_settle);
  archive.added("passing_tolerance", value.passing_tolerance_ratio);
  archive.added("findings", value.findings);
  if (!Archive::kWriting || !value.history.empty()) archive.added("history", value.history);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Observation> value) {
  archive.field("metric", value.metric);
  archive.field("unit", value.unit);
  archive.field("base", value.base);
  archive.field("head", value.head);
  archive.field("noise", value.noise);
  archive.field("n_base", value.n_base);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Accept> value) {
  archive.field("workload", value.workload);
  archive.field("metric", value.metric);
  archive.field("ceiling", value.ceiling);
  archive.field("unit", value.unit);
  archive.field("reason", value.reason);
  archive.field("issue", value.issue);
  archive.field("owner", value.owner);
  archive.field("expires", value.expires);
  archive.field("line", value.line);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<AcceptUse> value) {
  archive.field("accept", value.accept);
  archive.field("state", value.state);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<BaseArm> value) {
  archive.field("how", value.how);
  archive.field("subject", value.subject);
  archive.field("metrics", value.metrics);
}

}  // namespace perfgate::render
