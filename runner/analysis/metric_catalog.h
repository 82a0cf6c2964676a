/// The catalogue of metrics: what can be gated, from what it is computed, and how.
///
/// To add one: a function in metrics/, a row in metric_catalog.cpp, a test. Ids that end in '/' are
/// prefixes and take a parameter: `family_ms/attention`, `idle_ms/host`, `kernel_us/nvjet.*`,
/// `reported/ttft_ms`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/metric.h"
#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

/// What metrics are computed from.
struct MetricInput {
  const WorkloadSpec& spec;
  const TimingSamples& timing;  ///< untraced
  const Analysis& analysis;
  std::optional<WorkDone> work;
  std::span<const ProcessRecord> processes;  ///< for `reported/`: those of role timing with results
};

/// One metric's samples, or why there are none.
struct MetricSamples {
  std::vector<double> samples;   ///< one per process
  std::string missing;           ///< one sentence, if `samples` is empty
  std::string unit;              ///< replaces the catalogue's, if not empty
  std::optional<Better> better;  ///< likewise
};

struct MetricInfo {
  std::string_view id;  ///< a whole id, or a prefix that ends in '/'
  MetricKind kind = MetricKind::timed;
  std::string_view unit;
  Better better = Better::lower;
  std::string_view doc;
  /// `parameter` is what follows the prefix; empty for whole ids. Errors: a bad regular expression.
  Result<MetricSamples> (*compute)(const MetricInput& input, std::string_view parameter) = nullptr;
  /// The parameters that a report shows unasked, {""} for a whole id; null: shown only if gated.
  std::vector<std::string> (*shown)(const MetricInput& input) = nullptr;

  [[nodiscard]] bool is_prefix() const { return id.ends_with('/'); }
};

[[nodiscard]] std::span<const MetricInfo> metric_catalog();

/// Null if the catalogue has no such metric. A prefix needs a parameter after it.
[[nodiscard]] const MetricInfo* find_metric(std::string_view id);
[[nodiscard]] bool is_known_metric(std::string_view id);
/// The catalogue's id that is nearest to `id` by edit distance; prefixes keep their parameter.
[[nodiscard]] std::string nearest_metric(std::string_view id);

/// Checks a gate's metric before anything is measured: the id, a family, a cause, a regular
/// expression. Errors (`invalid_config`) with "did you mean" as the hint. `families` are the
/// workload's own.
[[nodiscard]] Status check_metric_id(std::string_view id, std::span<const FamilyRuleSpec> families);

struct MissingMetric {
  std::string id;
  std::string reason;
};

struct MetricSet {
  std::vector<MetricValue>
      values;  ///< the gated ones in the file's order, then the others of the catalogue
  std::vector<MissingMetric> missing;  ///< gated ones without a value: their gates cannot pass
};

/// Gated metrics and those shown unasked. `value` is the median of `samples`; both finite. Errors
/// as check_metric_id.
[[nodiscard]] Result<MetricSet> compute_metrics(const MetricInput& input);

}  // namespace perfgate::analysis
