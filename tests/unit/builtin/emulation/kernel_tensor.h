/// What a kernel under test gets and gives: BF16 words, filled as the workloads fill theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/reference_ops.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {

/// BF16 softmax weights and one BF16 store; a wrong mask, head or pair is an error of several per
/// cent.
inline constexpr double kTolerance = 4e-3;

struct alignas(16) Vector {
  Bf16Bits element[8];
};

/// BF16 words at 16-byte alignment.
class Tensor {
 public:
  Tensor(std::size_t count, std::uint32_t key, float offset = 0.0F)
      : count_(count), words_((count + 7) / 8) {
    for (std::size_t i = 0; i < count; ++i)
      data()[i] = bf16_from_float(hash_value(key, i, 1.7F, offset));
  }
  explicit Tensor(std::size_t count) : count_(count), words_((count + 7) / 8) {}
  Bf16Bits* data() { return words_.data()->element; }
  [[nodiscard]] const Bf16Bits* data() const { return words_.data()->element; }
  [[nodiscard]] Doubles doubles(std::size_t first, std::size_t count) const {
    Doubles values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<double>(bf16_to_float(data()[first + i]));
    return values;
  }
  [[nodiscard]] Doubles doubles() const { return doubles(0, count_); }

 private:
  std::size_t count_;
  std::vector<Vector> words_;
};

}  // namespace perfgate::builtin
