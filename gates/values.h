/// The check that every rule makes before it computes. Pure.
#pragma once

#include <string>

#include "runner/model/comparison.h"
#include "runner/model/metric.h"

namespace perfgate::gates {

/// Why these values cannot be judged: none, NaN, infinite or negative, on either side. Empty =
/// fine.
[[nodiscard]] std::string value_problem(const MetricValue& head, const BaselineSeries& base);

}  // namespace perfgate::gates
