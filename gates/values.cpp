#include "gates/values.h"

#include <cmath>

namespace perfgate::gates {
namespace {

const char* defect(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "infinite";
  if (value < 0.0) return "negative";
  return nullptr;
}

std::string side_problem(const std::string& metric, const char* side, double value,
                         const std::vector<double>& samples) {
  const char* found = defect(value);
  for (const double sample : samples) {
    if (found == nullptr) found = defect(sample);
  }
  if (found == nullptr) return {};
  return metric + ": a value of " + side + " is " + found;
}

}  // namespace

std::string value_problem(const MetricValue& head, const BaselineSeries& base) {
  if (head.samples.empty()) return head.id + ": this run has no samples of it";
  std::string problem = side_problem(head.id, "this run", head.value, head.samples);
  for (const BaselinePoint& point : base.points) {
    if (!problem.empty()) break;
    problem = side_problem(head.id, "the baseline", point.value, point.samples);
  }
  return problem;
}

}  // namespace perfgate::gates
