/// One line per comparison of the GPU with the CPU, and whether any failed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/model/result.h"
#include "workloads/builtin/bf16.h"

namespace perfgate::builtin {

/// Bound on ||gpu - cpu|| / ||cpu|| where both round to BF16 at the same places. A rounding that
/// the two take differently is one unit in the last place, 2^-8 of the element; a dozen stores of a
/// two-layer model with a few per cent of such flips stay well below this. A wrong mask, head or
/// angle is an error of 5 % and more.
inline constexpr double kModelTolerance = 1e-2;
/// The same for one kernel with BF16 softmax weights (2^-9 each, averaged) and one BF16 store (2^-9
/// / sqrt 3).
inline constexpr double kKernelTolerance = 4e-3;

class Comparison {
 public:
  /// Prints "ok" or "WRONG", the relative error and the bound.
  void expect(const std::string& what, std::span<const double> gpu, std::span<const double> cpu,
              double tolerance);
  void expect_true(const std::string& what, bool holds);
  /// `invalid_measurement` if anything failed.
  [[nodiscard]] Status verdict() const;

 private:
  int made_ = 0;
  int wrong_ = 0;
};

[[nodiscard]] std::vector<double> to_doubles(std::span<const Bf16Bits> values);
[[nodiscard]] std::vector<double> to_doubles(std::span<const float> values);

}  // namespace perfgate::builtin
