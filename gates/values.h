/// The check that every rule makes before it computes. Pure.
#pragma once

#include <string>

#include "runner/model/comparison.h"
#include "runner/model/metric.h"

namespace perfgate::gates {

/// Why these values cannot be judged: none, NaN, infinite or negative, on either side. Empty =
/// fine.
[[nodiscard]] std::string value_problem(const MetricValue& head, const BaselineSeries& base);

/// The same for the arms of a session, which must have as many samples each.
[[nodiscard]] std::string pairs_problem(const MetricValue& head, const MetricValue& base);

}  // namespace perfgate::gates
