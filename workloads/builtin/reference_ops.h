/// The operations of the transformer in double precision on the CPU: short, slow, and plainly
/// right.
///
/// Matrices are row-major. Nothing here rounds; reference_model rounds where the GPU stores BF16.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace perfgate::builtin {

using Doubles = std::vector<double>;

/// x / sqrt(mean(x^2) + epsilon) x weight (Zhang and Sennrich 2019).
[[nodiscard]] Doubles rms_norm(std::span<const double> x, std::span<const float> weight,
                               double epsilon);

/// weight [out, in] times x [in].
[[nodiscard]] Doubles project(std::span<const float> weight, std::span<const double> x);

/// Angle of pair `pair` (0 .. head_dim / 2 - 1) at `position`: position x theta^(-2 pair /
/// head_dim).
[[nodiscard]] double rope_angle(std::int64_t position, std::int64_t pair, std::int64_t head_dim,
                                double theta);

/// Rotates pairs (i, i + head_dim / 2) of one head in place, as Llama's rotate_half does.
void rotate(std::span<double> head, std::int64_t position, double theta);

/// softmax(q . k / sqrt(head_dim)) over all rows of `keys`, applied to `values`; both [n,
/// head_dim].
[[nodiscard]] Doubles attend(std::span<const double> query, std::span<const double> keys,
                             std::span<const double> values);

/// gate x sigmoid(gate) x up, for input [gate | up].
[[nodiscard]] Doubles gated_silu(std::span<const double> gate_up);

/// Index of the largest element, the lowest one of equals.
[[nodiscard]] std::size_t argmax(std::span<const double> values);

/// ||a - b|| / ||b||; infinity if one has a NaN or the sizes differ.
[[nodiscard]] double relative_error(std::span<const double> a, std::span<const double> b);

}  // namespace perfgate::builtin
