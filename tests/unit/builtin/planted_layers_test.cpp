// The whole model on the CPU (emulated_gpu.h), with every fault that its layers can have.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulated_gpu.h"
#include "workloads/builtin/device/planted_step.h"
#include "workloads/builtin/device/transformer.h"
#include "workloads/builtin/reference_model.h"
#include "workloads/builtin/reference_ops.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {

cudaError_t fill_hashed(const LaunchContext& /*context*/, Bf16Bits* out, std::uint64_t count,
                        std::uint32_t key, float amplitude, float offset) {
  for (std::uint64_t i = 0; i < count; ++i)
    out[i] = bf16_from_float(hash_value(key, i, amplitude, offset));
  return cudaSuccess;
}

namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kContext = 37;
constexpr double kModelTolerance = 1e-2;  // as `perfgate-workload check` has it

/// Streamed products take the emulation a second a step.
enum class Products : std::uint8_t { cublaslt, streamed };

TransformerOptions options_with(const Words& faults, Products products) {
  return {.shape = preset_shape("tiny").value(),
          .batch = kBatch,
          .context = kContext,
          .capacity = kContext + 1,
          .faults = parse_faults(faults).value(),
          .streamed_products = products == Products::streamed};
}

/// A model after its first step, and what that step asked for.
struct FirstStep {
  explicit FirstStep(const Words& faults, Products products = Products::cublaslt)
      : gpu(Gpu::open().value()),
        gemm(GemmContext::create(gpu, {})),
        model(Transformer::create(gpu, *gemm.value(), options_with(faults, products))) {
    emulated_calls.clear();
    EXPECT_TRUE(model.value()->launch_step().ok());
    calls = emulated_calls;
  }

  [[nodiscard]] std::ptrdiff_t count(const std::string& call) const {
    return std::ranges::count(calls, call);
  }
  [[nodiscard]] std::string hash() const { return model.value()->output_hash().value(); }

  Gpu gpu;
  Result<std::unique_ptr<GemmContext>> gemm;
  Result<std::unique_ptr<Transformer>> model;
  Words calls;
};

/// The hidden states of all sequences by the reference, after `context` tokens of caches that have
/// room for `capacity`.
Doubles reference_hidden(std::int64_t context, std::int64_t capacity) {
  static const ReferenceWeights kWeights = reference_weights(preset_shape("tiny").value(), 1);
  Doubles hidden;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    ReferenceCache cache = seeded_cache(kWeights, b, context, capacity);
    const auto token = seeded_token(kWeights.shape, 1, static_cast<std::uint64_t>(b));
    const ReferenceOutput output = reference_decode(kWeights, cache, token);
    hidden.insert(hidden.end(), output.hidden.begin(), output.hidden.end());
  }
  return hidden;
}

Doubles own_hidden(const FirstStep& step) {
  Doubles hidden;
  const auto words = step.model.value()->read_hidden();
  for (const Bf16Bits bits : words.value())
    hidden.push_back(static_cast<double>(bf16_to_float(bits)));
  return hidden;
}

class PlantedLayers : public testing::TestWithParam<Words> {};

void expect_reference(const FirstStep& step) {
  EXPECT_LT(relative_error(own_hidden(step), reference_hidden(kContext, kContext + 1)),
            kModelTolerance);
}

TEST_P(PlantedLayers, GiveWhatTheReferenceGives) { expect_reference(FirstStep(GetParam())); }

INSTANTIATE_TEST_SUITE_P(EachAndAll, PlantedLayers,
                         testing::Values(Words{}, Words{"gemm_slow=1"}, Words{"fp32_mlp=1"},
                                         Words{"unfused_norm=2"}, Words{"no_split_k=2"},
                                         Words{"split_launch=2"}, Words{"transpose_copy=2"},
                                         Words{"gemm_slow=2", "fp32_mlp=1", "unfused_norm=2",
                                               "no_split_k=1", "split_launch=2", "transpose_copy=1",
                                               "sync_per_layer=1"}));

TEST(StreamedPlantedLayers, GiveWhatTheReferenceGives) {
  expect_reference(FirstStep({"gemm_slow=1", "no_split_k=2"}, Products::streamed));
  expect_reference(FirstStep({"fp32_mlp=1", "unfused_norm=2"}, Products::streamed));
}

TEST(PlantedContext, OfTwiceTheLengthIsReadInEveryPlantedLayer) {
  const FirstStep step(Words{"context_x2=2"});
  EXPECT_LT(relative_error(own_hidden(step), reference_hidden(2 * kContext, 2 * (kContext + 1))),
            kModelTolerance);
}

TEST(PlantedLaunches, AreThoseOfTheFaultAlone) {
  const FirstStep healthy(Words{});
  const auto more = [&](const Words& faults) {
    return FirstStep(faults).count("launch") - healthy.count("launch");
  };
  EXPECT_EQ(more({"unfused_norm=1"}), 3) << "two norms and the activation";
  EXPECT_EQ(more({"transpose_copy=2"}), 2);
  EXPECT_EQ(more({"split_launch=2"}), 2) << "a launch for each of two rows";
  EXPECT_EQ(more({"unfused_norm=1", "split_launch=1"}), 5);
  EXPECT_EQ(more({"no_split_k=2"}), 0);
}

TEST(PlantedProducts, AreTheLastProposalsOrInFp32) {
  EXPECT_EQ(FirstStep(Words{}).count("product bf16 0"), 9);
  const FirstStep both(Words{"gemm_slow=1", "fp32_mlp=2"});
  EXPECT_EQ(both.count("product fp32 0"), 4);
  EXPECT_EQ(both.count("product bf16 2"), 2) << "those that fp32_mlp has not taken";
  EXPECT_EQ(both.count("product bf16 0"), 3) << "of the other layer, and the head";
}

TEST(PlantedProducts, AreNotStreamedThoughTheOthersAre) {
  const FirstStep slow({"gemm_slow=1"}, Products::streamed);
  EXPECT_EQ(slow.count("product bf16 2"), 4);
  EXPECT_EQ(slow.count("product bf16 0"), 1) << "the head";
}

TEST(PlantedActivation, IsNoPartOfTheStreamedProduct) {
  const FirstStep healthy({}, Products::streamed);
  const FirstStep unfused({"unfused_norm=1"}, Products::streamed);
  EXPECT_EQ(unfused.count("launch") - healthy.count("launch"), 4);
}

TEST(PlantedWaits, ComeAfterEverySizethLayer) {
  EXPECT_EQ(FirstStep(Words{}).count("wait"), 0);
  EXPECT_EQ(FirstStep(Words{"sync_per_layer=1"}).count("wait"), 2);
  EXPECT_EQ(FirstStep(Words{"sync_per_layer=2"}).count("wait"), 1);
}

TEST(OutputHash, IsKeptWhereOnlyLaunchesAreAdded) {
  const std::string healthy = FirstStep(Words{}).hash();
  EXPECT_EQ(FirstStep(Words{"transpose_copy=2", "split_launch=2"}).hash(), healthy);
}

TEST(PlantedStep, GoesAroundTheLaunchInTheOrderOfAProgram) {
  const Gpu gpu = Gpu::open().value();
  const auto launch = []() -> Status {
    emulated_calls.emplace_back("step");
    return {};
  };
  const auto calls_of = [&](const Words& faults) {
    const auto step = with_step_faults(gpu, parse_faults(faults).value(), launch);
    emulated_calls.clear();
    EXPECT_TRUE(step.value()().ok());
    return emulated_calls;
  };
  EXPECT_THAT(calls_of({"unfused_norm=1", "spin_us=3"}), ElementsAre("step"));
  EXPECT_THAT(calls_of({"h2d_mib=0.5"}), ElementsAre("to device 524288", "step"));
  EXPECT_THAT(calls_of({"d2h_wait_kib=2"}), ElementsAre("step", "to host 2048", "wait"));
  EXPECT_THAT(calls_of({"alloc_mib=1"}), ElementsAre("malloc 1048576", "step", "free"));
  EXPECT_THAT(
      calls_of({"h2d_mib=1", "d2h_wait_kib=1", "alloc_mib=1"}),
      ElementsAre("malloc 1048576", "to device 1048576", "step", "to host 1024", "wait", "free"));
}

}  // namespace
}  // namespace perfgate::builtin
