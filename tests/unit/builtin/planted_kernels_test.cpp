// The kernels of planted faults, run thread by thread on the CPU (emulation/): slower than the
// model's own, not wrong.
#include "workloads/builtin/device/planted_kernels.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_tensor.h"
#include "workloads/builtin/reference_ops.h"

namespace perfgate::builtin {
namespace {

TEST(WidenAndNarrow, GiveBackEveryElement) {
  constexpr std::size_t kCount = 2056;  // more than one CTA, the last one not full
  const Tensor from(kCount, 81);
  Tensor back(kCount);
  alignas(16) static float wide[kCount];
  ASSERT_EQ(widen({}, from.data(), wide, kCount), cudaSuccess);
  for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(wide[i], bf16_to_float(from.data()[i]));
  ASSERT_EQ(narrow({}, wide, back.data(), kCount), cudaSuccess);
  EXPECT_EQ(back.doubles(), from.doubles());
}

/// Rows 1 and 3 of four.
TEST(UnfusedNorm, GivesWhatAddNormGives) {
  constexpr std::size_t kHidden = 328;
  const Tensor update(4 * kHidden, 31);
  const Tensor weight(kHidden, 32, 1.0F);
  Tensor residual(4 * kHidden, 33);
  Tensor fused_residual(4 * kHidden, 33);
  Tensor normed(2 * kHidden);
  Tensor fused_normed(2 * kHidden);
  AddNorm arguments{.residual = fused_residual.data(),
                    .update = update.data(),
                    .norm_weight = weight.data(),
                    .normed = fused_normed.data(),
                    .rows = 2,
                    .row_stride = 2,
                    .row_offset = 1,
                    .hidden = kHidden,
                    .epsilon = 1e-5F,
                    .prefetch = {}};
  ASSERT_EQ(add_norm({}, arguments), cudaSuccess);
  arguments.residual = residual.data();
  arguments.normed = normed.data();
  ASSERT_EQ(residual_add({}, arguments), cudaSuccess);
  ASSERT_EQ(norm_alone({}, arguments), cudaSuccess);
  EXPECT_EQ(residual.doubles(), fused_residual.doubles());
  EXPECT_LT(relative_error(normed.doubles(), fused_normed.doubles()), kTolerance);
}

TEST(UnfusedActivation, EqualsTheReferenceInEveryRow) {
  constexpr std::size_t kFfn = 520;
  const Tensor gate_up(6 * kFfn, 51);
  Tensor out(3 * kFfn);
  ASSERT_EQ(silu_alone({}, gate_up.data(), out.data(), 3, kFfn), cudaSuccess);
  ASSERT_EQ(multiply_up({}, gate_up.data(), out.data(), 3, kFfn), cudaSuccess);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_LT(relative_error(out.doubles(row * kFfn, kFfn),
                             gated_silu(gate_up.doubles(row * 2 * kFfn, 2 * kFfn))),
              kTolerance);
  }
}

TEST(Transpose, MovesEveryElementOfBrokenTiles) {
  constexpr int kRows = 72;
  constexpr int kColumns = 40;
  constexpr std::size_t kElements = std::size_t{kRows} * kColumns;
  const Tensor from(kElements, 91);
  Tensor to(kElements);
  ASSERT_EQ(transpose({}, from.data(), to.data(), kRows, kColumns), cudaSuccess);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      ASSERT_EQ(to.data()[column * kRows + row], from.data()[row * kColumns + column])
          << row << " " << column;
    }
  }
}

/// As the fault no_split_k launches it.
TEST(DecodeAttentionKernel, WithOneWarpGivesWhatEightGive) {
  constexpr int kTokens = 150;
  constexpr int kCapacity = 155;
  constexpr std::size_t kWidth = 64;
  const Tensor qkv(8 * kWidth, 11);
  std::vector<float> rope(kCapacity * kWidth);
  for (std::size_t i = 0; i < rope.size(); i += 2) rope[i] = 1.0F;  // no rotation
  const std::vector<std::int32_t> positions{kTokens};
  Doubles results[2];
  for (const int warps : {1, 8}) {
    Tensor keys(2 * kWidth * kCapacity, 12);
    Tensor values(2 * kWidth * kCapacity, 13);
    Tensor out(4 * kWidth);
    ASSERT_EQ(decode_attention({}, {.qkv = qkv.data(),
                                    .keys = keys.data(),
                                    .values = values.data(),
                                    .positions = positions.data(),
                                    .rope = rope.data(),
                                    .partial = nullptr,
                                    .partial_state = nullptr,
                                    .out = out.data(),
                                    .batch = 1,
                                    .heads = 4,
                                    .kv_heads = 2,
                                    .head_dim = kWidth,
                                    .capacity = kCapacity,
                                    .splits = 1,
                                    .warps = warps,
                                    .prefetch = {}}),
              cudaSuccess);
    results[warps / 8] = out.doubles();
  }
  EXPECT_LT(relative_error(results[0], results[1]), kTolerance);
}

}  // namespace
}  // namespace perfgate::builtin
