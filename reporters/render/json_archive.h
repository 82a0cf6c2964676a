/// Two archives over one description of a structure: writing and reading cannot disagree about keys
/// or order.
///
///     template <typename Archive>
///     void describe(Archive& archive, typename Archive::template Ref<StepSummary> value) {
///       archive.field("median_ms", value.median_ms);
///       archive.field("n", value.n);
///     }
///
/// A field that came later is `added`: files without it are read too. Fields may be numbers, bool,
/// strings, enums (with a word in result_words.h), optionals (null when empty), vectors, arrays,
/// maps by string, and described structures. Internal to the folder: it includes nlohmann.
#pragma once

#include "reporters/render/json_reader.h"
#include "reporters/render/json_writer.h"
