// The reference model against itself: what must hold of any right transformer.
#include "workloads/builtin/reference_model.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

const ModelShape kSmall{
    .layers = 2, .hidden = 32, .heads = 4, .kv_heads = 2, .head_dim = 8, .ffn = 48, .vocab = 64};

TEST(ReferenceModel, PrefillOfATextEqualsAsManyDecodeSteps) {
  const ReferenceWeights weights = reference_weights(kSmall, 3);
  const std::vector<std::int32_t> tokens{5, 0, 63, 17, 17, 2};
  ReferenceCache decoded = empty_cache(kSmall);
  ReferenceOutput last;
  for (const std::int32_t token : tokens) last = reference_decode(weights, decoded, token);
  ReferenceCache prefilled = empty_cache(kSmall);
  const ReferenceOutput whole = reference_prefill(weights, prefilled, tokens);
  EXPECT_EQ(whole.logits, last.logits);
  EXPECT_EQ(whole.hidden, last.hidden);
  EXPECT_EQ(prefilled.keys, decoded.keys);
  EXPECT_EQ(prefilled.values, decoded.values);
}

TEST(ReferenceModel, AnEarlierTokenChangesTheOutput) {
  const ReferenceWeights weights = reference_weights(kSmall, 3);
  ReferenceCache one = empty_cache(kSmall);
  ReferenceCache other = empty_cache(kSmall);
  const auto first = reference_prefill(weights, one, std::vector<std::int32_t>{1, 2, 3});
  const auto second = reference_prefill(weights, other, std::vector<std::int32_t>{9, 2, 3});
  EXPECT_GT(relative_error(first.logits, second.logits), 0.01);
}

TEST(ReferenceModel, ALaterTokenLeavesEarlierKeysAlone) {
  const ReferenceWeights weights = reference_weights(kSmall, 3);
  ReferenceCache one = empty_cache(kSmall);
  ReferenceCache other = empty_cache(kSmall);
  (void)reference_prefill(weights, one, std::vector<std::int32_t>{1, 2, 3});
  (void)reference_prefill(weights, other, std::vector<std::int32_t>{1, 2, 50});
  const auto two_tokens = static_cast<std::ptrdiff_t>(2 * kSmall.head_dim);
  const auto& a = one.keys.back().front();
  const auto& b = other.keys.back().front();
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + two_tokens, b.begin()));
  EXPECT_FALSE(std::equal(a.begin() + two_tokens, a.end(), b.begin() + two_tokens));
}

TEST(ReferenceModel, ActivationsAndLogitsKeepASaneSize) {
  const auto tiny = preset_shape("tiny");
  ASSERT_TRUE(tiny.ok());
  const ReferenceWeights weights = reference_weights(tiny.value(), 1);
  ReferenceCache cache = seeded_cache(weights, 0, 20, 21);
  const ReferenceOutput output = reference_decode(weights, cache, 7);
  double squares = 0.0;
  for (const double logit : output.logits) squares += logit * logit;
  const double deviation = std::sqrt(squares / static_cast<double>(output.logits.size()));
  EXPECT_GT(deviation, 0.5);
  EXPECT_LT(deviation, 2.0);
}

TEST(ReferenceModel, TheSeededCacheOfTwoSequencesDiffers) {
  const ReferenceWeights weights = reference_weights(kSmall, 3);
  EXPECT_NE(seeded_cache(weights, 0, 4, 8).keys, seeded_cache(weights, 1, 4, 8).keys);
  EXPECT_EQ(seeded_cache(weights, 1, 4, 8).keys, seeded_cache(weights, 1, 4, 8).keys);
}

TEST(ValueHash, IsUniformAroundItsOffset) {
  const std::uint32_t key = hash_key(1, kEmbeddingTensor);
  constexpr int kCount = 20000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const auto value =
        static_cast<double>(hash_value(key, static_cast<std::uint64_t>(i), 1.0F, 0.0F));
    EXPECT_GE(value, -1.0);
    EXPECT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.02);
  EXPECT_NEAR(squares / kCount, 1.0 / 3.0, 0.01);
}

TEST(ValueHash, TensorsOfAModelHaveTheirOwnKeys) {
  std::set<std::uint32_t> keys;
  for (std::uint32_t tensor = 1; tensor < 16 + 8 * 32; ++tensor) keys.insert(hash_key(1, tensor));
  EXPECT_EQ(keys.size(), 15U + 8U * 32U);
}

TEST(FoldToken, OrderCounts) {
  EXPECT_NE(fold_token(fold_token(1, 2), 3), fold_token(fold_token(1, 3), 2));
}

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(bf16_from_float(1.0F), 0x3f80U);
  EXPECT_EQ(bf16_from_float(1.00390625F), 0x3f80U) << "half a unit above 1 goes to the even one";
  EXPECT_EQ(bf16_from_float(1.01171875F), 0x3f82U) << "half a unit above an odd one goes up";
  EXPECT_EQ(bf16_from_float(-2.0F), 0xc000U);
  EXPECT_TRUE(std::isnan(bf16_to_float(bf16_from_float(std::nanf("")))));
}

TEST(ModelShape, ByteCountsOfTheEightBillionModelAreItsParameters) {
  const auto shape = preset_shape("llama3_8b");
  ASSERT_TRUE(shape.ok());
  // 32 x (6144 x 4096 + 4096 x 4096 + 28672 x 4096 + 4096 x 14336) + 128256 x 4096, norms 65 x
  // 4096, all BF16
  EXPECT_EQ(weight_bytes(shape.value(), 0),
            2.0 * (32.0 * 218103808.0 + 525336576.0 + 65.0 * 4096.0));
  EXPECT_EQ(kv_cache_bytes(shape.value(), 16, 1024), 2147483648.0);
  EXPECT_FALSE(preset_shape("llama9").ok());
}

TEST(ModelShape, PrefillOfOneTokenCostsADecodeWithOneKey) {
  const auto shape = preset_shape("tiny");
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(prefill_flops(shape.value(), 3, 1), decode_flops(shape.value(), 3, 1));
}

}  // namespace
}  // namespace perfgate::builtin
