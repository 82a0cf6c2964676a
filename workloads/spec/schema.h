/// The JSON Schema (draft 2020-12) of workload files, for editors: made from the key table that the
/// parser checks against and from the catalogue of built-in workloads.
///
/// The schema is as strict as JSON Schema can say it; what it cannot say (rising looks, margin
/// below tolerance, regular expressions) the parser alone checks.
#pragma once

#include <string>

namespace perfgate::workloads {

/// Indented by 2, ends with a line break; the same bytes on every machine.
[[nodiscard]] std::string json_schema();
/// The same of perfgate-accepts.yaml.
[[nodiscard]] std::string accepts_json_schema();

}  // namespace perfgate::workloads
