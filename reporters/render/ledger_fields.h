/// The keys of result.json, in order: the ledger and the diagnosis. See run_fields.h. Internal to
/// the folder.
#pragma once

#include "reporters/render/json_archive.h"
#include "reporters/render/result_words.h"
#include "runner/model/ledger.h"

namespace perfgate::render {

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<LedgerChange> value) {
  archive.field("base", value.base);
  archive.field("head", value.head);
  archive.field("half_width", value.half_width);
  archive.derived("change", value.change());
  archive.derived("within_noise", value.within_noise());
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<LedgerSide> value) {
  archive.field("step_ms", value.step_ms);
  archive.field("processes", value.processes);
  archive.field("traced_step_ms", value.traced_step_ms);
  archive.field("traced", value.traced);
  archive.field("records_per_step", value.records);
  archive.field("counts", value.counts);
  archive.field("sm_clock_mhz", value.sm_clock_mhz);
  archive.field("memory_clock_mhz", value.memory_clock_mhz);
  archive.field("power_w", value.power_w);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<KernelSide> value) {
  archive.field("name", value.name);
  archive.field("calls_per_step", value.calls_per_step);
  archive.field("ms_per_step", value.ms_per_step);
  archive.field("median_us", value.median_us);
  archive.field("grid", value.grid);
  archive.field("block", value.block);
  archive.field("registers_per_thread", value.registers_per_thread);
  archive.field("shared_bytes", value.shared_bytes);
  archive.field("bytes_per_step", value.bytes_per_step);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<KernelChange> value) {
  archive.field("fate", value.fate);
  archive.field("family", value.family);
  archive.field("place", value.place);
  archive.field("places", value.places);
  archive.field("code", value.code);
  archive.field("launch_differs", value.launch_differs);
  archive.field("base", value.base);
  archive.field("head", value.head);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<PlaceChange> value) {
  archive.field("place", value.place);
  archive.field("base_ms", value.base_ms);
  archive.field("head_ms", value.head_ms);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<GapChange> value) {
  archive.field("before", value.before);
  archive.field("after", value.after);
  archive.field("host_range", value.host_range);
  archive.field("base_ms", value.base_ms);
  archive.field("head_ms", value.head_ms);
  archive.field("base_count", value.base_count);
  archive.field("head_count", value.head_count);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<LedgerRow> value) {
  archive.field("part", value.part);
  archive.field("name", value.name);
  archive.field("ms", value.ms);
  archive.field("kernels", value.kernels);
  archive.field("places", value.places);
  archive.field("gaps", value.gaps);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Ledger> value) {
  archive.field("base", value.base);
  archive.field("head", value.head);
  archive.field("step", value.step);
  archive.field("rows", value.rows);
  archive.field("established", value.established);
  archive.field("problem", value.problem);
  archive.field("work", value.work);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Diagnosis> value) {
  archive.field("rule", value.rule);
  archive.field("cause", value.cause);
  archive.field("confidence", value.confidence);
  archive.field("evidence", value.evidence);
  archive.field("lever", value.lever);
  archive.field("explains_ms", value.explains_ms);
}

}  // namespace perfgate::render
