/// YAML text -> WorkloadSpec. Checks everything that can be checked without running anything.
///
/// All problems of a file are reported at once, each at its place. Refused beside what the key
/// table (key_table.h) forbids: YAML that programs read differently (yaml_tree.h), plain numbers
/// where a percentage or a rate is meant, yes/no/on/off for a boolean, gates that contradict
/// themselves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "workloads/spec/diagnostic.h"

namespace perfgate::workloads {

/// Answers nothing for a metric id that exists, else the next step ("did you mean 'gpu_idle_ms'?").
/// The catalogue of metrics is the analysis' own; the command line brings both together.
using MetricCheck = std::function<std::optional<std::string>(std::string_view id)>;

/// A key of a gate that means nothing for its metric, and what to write instead.
struct GateProblem {
  std::string key;
  std::string message;
  std::string hint;
};
/// Answers nothing for a gate that its metric can bear. Asked for metrics that exist.
using GateCheck = std::function<std::optional<GateProblem>(const GateSpec& gate)>;

struct ParseOptions {
  MetricCheck metric_check;  ///< empty: metric ids are checked for their form only
  GateCheck gate_check{};    ///< empty: gates are checked for contradictions in themselves only
};

/// What there is to say about a file. `spec` is set if and only if there are no errors.
struct CheckedWorkload {
  std::optional<WorkloadSpec> spec;
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
};

/// `path` is kept in the spec and names the file in messages; nothing is read from it.
[[nodiscard]] CheckedWorkload check_workload(std::string_view text, std::string_view path,
                                             const ParseOptions& options = {});

/// The same as a Result. The error is `invalid_config`; its message is the problem itself, or
/// "N problems in PATH"; its context has all of them, compiler-like, with source lines, carets and
/// hints, so that `hint` is empty.
[[nodiscard]] Result<WorkloadSpec> parse_workload(std::string_view text, std::string_view path,
                                                  const ParseOptions& options = {});

/// The error that `parse_workload` makes of errors; `errors` must not be empty.
[[nodiscard]] Error error_of(const std::vector<Diagnostic>& errors, std::string_view text,
                             std::string_view path);

}  // namespace perfgate::workloads
