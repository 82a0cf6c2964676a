#include "workloads/builtin/device/comparison.h"

#include <cstdio>

#include "workloads/builtin/reference_ops.h"

namespace perfgate::builtin {

void Comparison::expect(const std::string& what, std::span<const double> gpu,
                        std::span<const double> cpu, double tolerance) {
  const double error = relative_error(gpu, cpu);
  const bool right = error <= tolerance;
  ++made_;
  wrong_ += right ? 0 : 1;
  std::printf("%-5s %-56s %.3e (at most %.0e)\n", right ? "ok" : "WRONG", what.c_str(), error,
              tolerance);
}

void Comparison::expect_true(const std::string& what, bool holds) {
  ++made_;
  wrong_ += holds ? 0 : 1;
  std::printf("%-5s %s\n", holds ? "ok" : "WRONG", what.c_str());
}

Status Comparison::verdict() const {
  if (wrong_ == 0 && made_ > 0) return {};
  return Error{ErrorCode::invalid_measurement,
               std::to_string(wrong_) + " of " + std::to_string(made_) +
                   " comparisons with the CPU are wrong",
               "the lines marked WRONG above say which", ""};
}

std::vector<double> to_doubles(std::span<const Bf16Bits> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const Bf16Bits bits : values) result.push_back(static_cast<double>(bf16_to_float(bits)));
  return result;
}

std::vector<double> to_doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace perfgate::builtin
