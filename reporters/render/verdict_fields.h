/// The keys of result.json, in order: the verdict. See run_fields.h. Internal to the folder.
#pragma once

#include "reporters/render/json_archive.h"
#include "reporters/render/result_words.h"
#include "runner/model/comparison.h"

namespace perfgate::render {

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Reason> value) {
  archive.field("code", value.code);
  archive.field("text", value.text);
  archive.added("metric", value.metric);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<MeasurementProblem> value) {
  archive.field("code", value.code);
  archive.field("detail", value.detail);
}

template <typename Archive>
void describe(Archive& archive, typename Archive::template Ref<Verdict> value) {
  archive.field("outcome", value.outcome);
  archive.field("reasons", value.reasons);
  archive.field("policies", value.policies);
  archive.added("problem", value.problem);
}

}  // namespace perfgate::render
