#include "workloads/builtin/reference_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace perfgate::builtin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Doubles rms_norm(std::span<const double> x, std::span<const float> weight, double epsilon) {
  assert(x.size() == weight.size());
  const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Doubles result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = x[i] * scale * static_cast<double>(weight[i]);
  }
  return result;
}

Doubles project(std::span<const float> weight, std::span<const double> x) {
  assert(!x.empty() && weight.size() % x.size() == 0);
  Doubles result(weight.size() / x.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    const auto w = weight.subspan(row * x.size(), x.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(w[i]) * x[i];
    result[row] = sum;
  }
  return result;
}

double rope_angle(std::int64_t position, std::int64_t pair, std::int64_t head_dim, double theta) {
  const double exponent = -2.0 * static_cast<double>(pair) / static_cast<double>(head_dim);
  return static_cast<double>(position) * std::pow(theta, exponent);
}

void rotate(std::span<double> head, std::int64_t position, double theta) {
  const std::size_t half = head.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = rope_angle(position, static_cast<std::int64_t>(i),
                                    static_cast<std::int64_t>(head.size()), theta);
    const double low = head[i];
    const double high = head[i + half];
    head[i] = low * std::cos(angle) - high * std::sin(angle);
    head[i + half] = high * std::cos(angle) + low * std::sin(angle);
  }
}

Doubles attend(std::span<const double> query, std::span<const double> keys,
               std::span<const double> values) {
  const std::size_t width = query.size();
  const std::size_t count = keys.size() / width;
  Doubles scores(count);
  for (std::size_t j = 0; j < count; ++j) {
    const auto key = keys.subspan(j * width, width);
    scores[j] = std::inner_product(query.begin(), query.end(), key.begin(), 0.0) /
                std::sqrt(static_cast<double>(width));
  }
  const double top = *std::ranges::max_element(scores);
  double total = 0.0;
  Doubles result(width, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    const double weight = std::exp(scores[j] - top);
    total += weight;
    for (std::size_t i = 0; i < width; ++i) result[i] += weight * values[j * width + i];
  }
  for (double& element : result) element /= total;
  return result;
}

Doubles gated_silu(std::span<const double> gate_up) {
  const std::size_t width = gate_up.size() / 2;
  Doubles result(width);
  for (std::size_t i = 0; i < width; ++i) {
    const double gate = gate_up[i];
    result[i] = gate / (1.0 + std::exp(-gate)) * gate_up[i + width];
  }
  return result;
}

std::size_t argmax(std::span<const double> values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

double relative_error(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return kInfinity;
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  if (!std::isfinite(difference) || !std::isfinite(size)) return kInfinity;
  if (size == 0.0) return difference == 0.0 ? 0.0 : kInfinity;
  return std::sqrt(difference / size);
}

}  // namespace perfgate::builtin
