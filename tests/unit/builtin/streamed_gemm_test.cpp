// The streamed product, run thread by thread on the CPU (emulation/) and compared with the
// reference.
#include <gtest/gtest.h>

#include "kernel_tensor.h"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/reference_ops.h"

namespace perfgate::builtin {
namespace {

struct StreamedShape {
  int rows;
  int out_features;
  int in_features;
  int multiprocessors;
  bool gated = false;
};

class StreamedGemmKernel : public testing::TestWithParam<StreamedShape> {};

TEST_P(StreamedGemmKernel, EqualsTheReferenceInEveryRow) {
  const StreamedShape s = GetParam();
  const auto out = static_cast<std::size_t>(s.out_features);
  const auto in = static_cast<std::size_t>(s.in_features);
  const auto rows = static_cast<std::size_t>(s.rows);
  const std::size_t stored = s.gated ? out / 2 : out;
  const Tensor weight(out * in, 81);
  const Tensor x(rows * in, 82);
  Tensor y(rows * stored);
  ASSERT_EQ(streamed_gemm({}, {.weight = weight.data(),
                               .x = x.data(),
                               .y = y.data(),
                               .rows = s.rows,
                               .out_features = s.out_features,
                               .in_features = s.in_features,
                               .multiprocessors = s.multiprocessors,
                               .gated = s.gated}),
            cudaSuccess);
  const Doubles w = weight.doubles();
  const Doubles inputs = x.doubles();
  for (std::size_t row = 0; row < rows; ++row) {
    Doubles product(out, 0.0);
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) product[o] += w[o * in + i] * inputs[row * in + i];
    }
    const Doubles expected = s.gated ? gated_silu(product) : product;
    EXPECT_LT(relative_error(y.doubles(row * stored, stored), expected),
              s.gated ? 2.0 * kTolerance : kTolerance)
        << "row " << row;
  }
}

std::string name_of_product(const testing::TestParamInfo<StreamedShape>& info) {
  const StreamedShape& s = info.param;
  return "rows" + std::to_string(s.rows) + "out" + std::to_string(s.out_features) + "in" +
         std::to_string(s.in_features) + "on" + std::to_string(s.multiprocessors) +
         (s.gated ? "gated" : "");
}

// The warps take 512 elements of k in a turn.
INSTANTIATE_TEST_SUITE_P(WholeTurns, StreamedGemmKernel,
                         testing::Values(StreamedShape{1, 64, 512, 1},
                                         StreamedShape{5, 160, 2048, 2},
                                         StreamedShape{16, 96, 2048, 3, true}),
                         name_of_product);
INSTANTIATE_TEST_SUITE_P(BrokenTurns, StreamedGemmKernel,
                         testing::Values(StreamedShape{1, 64, 1664, 1}, StreamedShape{5, 32, 64, 1},
                                         StreamedShape{7, 96, 2112, 2},
                                         StreamedShape{16, 96, 1216, 2},
                                         StreamedShape{1, 64, 192, 1, true},
                                         StreamedShape{5, 224, 576, 3, true},
                                         StreamedShape{16, 96, 1088, 2, true}),
                         name_of_product);
INSTANTIATE_TEST_SUITE_P(ThreeTiles, StreamedGemmKernel,
                         testing::Values(StreamedShape{1, 96, 576, 2}, StreamedShape{9, 96, 512, 2},
                                         StreamedShape{16, 288, 576, 2}),
                         name_of_product);
INSTANTIATE_TEST_SUITE_P(FewerBlocksThanMultiprocessors, StreamedGemmKernel,
                         testing::Values(StreamedShape{16, 64, 2048, 4},
                                         StreamedShape{5, 32, 576, 7},
                                         StreamedShape{16, 64, 576, 3, true}),
                         name_of_product);

TEST(StreamedGemm, RefusesShapesThatItsTilesDoNotFit) {
  EXPECT_TRUE(streamed_gemm_takes(16, 6144, 4096));
  EXPECT_FALSE(streamed_gemm_takes(17, 6144, 4096));
  EXPECT_FALSE(streamed_gemm_takes(16, 6160, 4096));
  EXPECT_FALSE(streamed_gemm_takes(16, 6144, 4100));
}

}  // namespace
}  // namespace perfgate::builtin
