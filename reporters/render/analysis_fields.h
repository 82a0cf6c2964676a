/// The keys of result.json, in order: what the analysis found. See run_fields.h. Internal to the
/// folder.
#pragma once

#include "reporters/render/json_archive.h"
#include "reporters/render/result_words.h"
#include "runner/model/analysis.h"

namespace perfgate::render {

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<OutputCheck> value) {
  archive.field("state", value.state);
  archive.field("traced", value.traced);
  archive.field("untraced", value.untraced);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<CaptureVerdict> value) {
  archive.field("validity", value.validity);
  archive.field("reasons", value.reasons);
  archive.added("output", value.output);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<FamilyTime> value) {
  archive.field("family", value.family);
  archive.field("wall_ns", value.wall_ns);
  archive.field("sum_ns", value.sum_ns);
  archive.field("count", value.count);
  archive.field("detail_wall_ns", value.detail_wall_ns);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<IdleTime> value) {
  archive.field("cause", value.cause);
  archive.field("total_ns", value.total_ns);
  archive.field("pieces", value.pieces);
  archive.field("median_ns", value.median_ns);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<GapSite> value) {
  archive.field("cause", value.cause);
  archive.field("before", value.before);
  archive.field("after", value.after);
  archive.field("host_range", value.host_range);
  archive.field("total_ns", value.total_ns);
  archive.field("count", value.count);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<KernelStat> value) {
  archive.field("name", value.name);
  archive.field("family", value.family);
  archive.field("calls", value.calls);
  archive.field("total_ns", value.total_ns);
  archive.field("median_ns", value.median_ns);
  archive.field("min_ns", value.min_ns);
  archive.field("max_ns", value.max_ns);
  archive.field("grid", value.grid);
  archive.field("block", value.block);
  archive.field("registers_per_thread", value.registers_per_thread);
  archive.field("shared_bytes", value.shared_bytes);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<RangeStat> value) {
  archive.field("path", value.path);
  archive.field("instances", value.instances);
  archive.field("gpu_wall_ns", value.gpu_wall_ns);
  archive.field("operations", value.operations);
  archive.field("by_time", value.by_time);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<DeviceWindow> value) {
  archive.field("uuid", value.uuid);
  archive.field("name", value.name);
  archive.field("window_ns", value.window_ns);
  archive.field("busy_ns", value.busy_ns);
  archive.field("steps", value.steps);
  archive.field("operations", value.operations);
  archive.field("same_stream_overlaps", value.same_stream_overlaps);
  archive.field("step_period_ns", value.step_period_ns);
  archive.field("step_busy_ns", value.step_busy_ns);
  archive.field("families", value.families);
  archive.field("idle", value.idle);
  archive.field("gap_sites", value.gap_sites);
  archive.field("kernels", value.kernels);
  archive.field("ranges", value.ranges);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<TracedProcess> value) {
  archive.field("process", value.process);
  archive.field("verdict", value.verdict);
  archive.field("dropped", value.dropped);
  archive.field("records", value.records);
  archive.field("records_per_step", value.records_per_step);
  archive.field("kernel_launches", value.kernel_launches);
  archive.field("api_launches", value.api_launches);
  archive.field("traced_step_ms", value.traced_step_ms);
  archive.field("traced_over_untraced", value.traced_over_untraced);
  archive.field("devices", value.devices);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<RooflineCeiling> value) {
  archive.field("bandwidth_bytes_per_s", value.bandwidth_bytes_per_s);
  archive.field("rate_flop_per_s", value.rate_flop_per_s);
  archive.field("source", value.source);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<FloorResult::Against> value) {
  archive.field("ceiling", value.ceiling);
  archive.field("memory_floor_ms", value.memory_floor_ms);
  archive.field("compute_floor_ms", value.compute_floor_ms);
  archive.field("floor_ms", value.floor_ms);
  archive.field("memory_bound", value.memory_bound);
  archive.field("percent_of_floor", value.percent_of_floor);
  archive.field("ridge_flop_per_byte", value.ridge_flop_per_byte);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<FloorResult> value) {
  archive.field("bytes_per_step", value.bytes_per_step);
  archive.field("flops_per_step", value.flops_per_step);
  archive.field("parts_bytes", value.parts_bytes);
  archive.field("bytes_source", value.bytes_source);
  archive.field("against", value.against);
  archive.field("achieved_bytes_per_s", value.achieved_bytes_per_s);
  archive.field("achieved_flop_per_s", value.achieved_flop_per_s);
  archive.field("intensity_flop_per_byte", value.intensity_flop_per_byte);
}

}  // namespace perfgate::render
