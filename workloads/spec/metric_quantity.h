/// Metric ids and quantities in a metric's own unit, as gates and accepts name them. Internal to
/// workloads/spec.
#pragma once

#include <optional>
#include <string_view>

#include "workloads/spec/section.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {

/// False for a metric whose unit its id does not tell: counts, and what a program reports itself.
[[nodiscard]] bool tells_unit(std::string_view metric);
/// As MetricValue::unit has it: "ms" of step_time_p50; empty where the id does not tell.
[[nodiscard]] std::string_view told_unit(std::string_view metric);

/// A quantity in the metric's own unit: "0.05 ms" of a metric in ms is 0.05. A metric whose id does
/// not tell a unit takes a plain number. What is wrong is reported, and `out` stays as it is.
void read_quantity(const Section& section, std::string_view key, std::string_view metric,
                   std::optional<double>& out);

/// True if the metric named under `metric` may be asked further: it is there, as far as is known.
bool check_metric(const Section& section, std::string_view metric, const MetricCheck& known);

}  // namespace perfgate::workloads
