#include "gates/values.h"

#include <cmath>

#include "gates/wording.h"

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

std::string pairs_problem(const MetricValue& head, const MetricValue& base) {
  if (head.samples.empty()) return head.id + ": the head has no samples of it";
  if (base.samples.empty()) return head.id + ": the base has no samples of it";
  std::string problem = side_problem(head.id, "the head", head.value, head.samples);
  if (problem.empty()) problem = side_problem(head.id, "the base", base.value, base.samples);
  if (!problem.empty() || head.samples.size() == base.samples.size()) return problem;
  return head.id + ": the base has " + count_of(static_cast<int>(base.samples.size()), "sample") +
         " of it and the head " + std::to_string(head.samples.size()) +
         ", and each must have its pair";
}

}  // namespace perfgate::gates
