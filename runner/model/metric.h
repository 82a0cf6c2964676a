/// A measured quantity that can be gated, with the samples it was formed from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/workload_spec.h"

namespace perfgate {

/// timed: out of untraced processes. counted: exact counts out of traced processes.
/// traced: times out of captures; compared only with traced ones.
enum class MetricKind { timed, counted, traced };
[[nodiscard]] std::string_view to_string(MetricKind kind);
[[nodiscard]] Result<MetricKind> metric_kind_from_string(std::string_view word);

struct MetricValue {
  std::string id;  ///< "step_time_p50", "family_ms/attention", "kernel_us/nvjet.*"
  MetricKind kind = MetricKind::timed;
  double value = 0.0;  ///< the run's own value: median over `samples`
  std::string unit;    ///< "ms", "us", "1", "bytes/s", "%"
  Better better = Better::lower;
  std::vector<double> samples;  ///< one per process; the replicate is the process
};

}  // namespace perfgate
