// Every kernel of the model but the streamed product, run thread by thread on the CPU (emulation/)
// and compared with the reference.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_tensor.h"
#include "prefetched_ranges.h"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/reference_ops.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr double kTheta = 500000.0;

/// A weight of which the kernel under test is asked to fetch a part; expect_fetched() looks whether
/// it was asked for once and nothing else was.
class FetchedWeight {
 public:
  FetchedWeight() : weight_(kRows * kColumns, 71) { prefetched.clear(); }
  [[nodiscard]] WeightPrefetch part() const {
    return {.weight = weight_.data(),
            .rows = kRows,
            .row_bytes = kColumns * 2,
            .pieces = 2,
            .piece_bytes = 32};
  }
  void expect_fetched() const {
    std::vector<std::ptrdiff_t> offsets;
    const auto* start = reinterpret_cast<const char*>(weight_.data());
    for (const PrefetchedRange& range : prefetched) {
      EXPECT_EQ(range.bytes, 32U);
      offsets.push_back(range.from - start);
    }
    std::ranges::sort(offsets);
    ASSERT_EQ(offsets.size(), 2U * kRows);
    for (std::size_t i = 0; i < offsets.size(); ++i)
      EXPECT_EQ(offsets[i], static_cast<std::ptrdiff_t>(i * kColumns));
  }

 private:
  static constexpr std::size_t kRows = 700;
  static constexpr std::size_t kColumns = 64;
  Tensor weight_;
};

std::vector<float> rope_table(int capacity, int head_dim) {
  std::vector<float> table;
  for (int position = 0; position < capacity; ++position) {
    for (int pair = 0; pair < head_dim / 2; ++pair) {
      const double angle = rope_angle(position, pair, head_dim, kTheta);
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

Doubles rotated(Doubles head, int position) {
  rotate(head, position, kTheta);
  for (double& element : head) element = round_to_bf16(element);
  return head;
}

struct Heads {
  int batch;
  int heads;
  int kv_heads;
  int head_dim;
  int tokens;  ///< decode: in the cache already; prefill: of the prompt
  int splits;
  int warps = 4;
};

std::string name_of(const testing::TestParamInfo<Heads>& info) {
  const Heads& h = info.param;
  return "heads" + std::to_string(h.heads) + "of" + std::to_string(h.kv_heads) + "x" +
         std::to_string(h.head_dim) + "tokens" + std::to_string(h.tokens) + "splits" +
         std::to_string(h.splits) + "warps" + std::to_string(h.warps);
}

class DecodeAttentionKernel : public testing::TestWithParam<Heads> {};

TEST_P(DecodeAttentionKernel, EqualsTheReference) {
  const Heads h = GetParam();
  const int capacity = h.tokens + 5;
  const auto width = static_cast<std::size_t>(h.head_dim);
  const auto row = static_cast<std::size_t>(h.heads + 2 * h.kv_heads) * width;
  const auto batch = static_cast<std::size_t>(h.batch);
  const auto cache_row = static_cast<std::size_t>(capacity) * width;
  const Tensor qkv(batch * row, 11);
  Tensor keys(batch * static_cast<std::size_t>(h.kv_heads) * cache_row, 12);
  Tensor values(batch * static_cast<std::size_t>(h.kv_heads) * cache_row, 13);
  Tensor out(batch * static_cast<std::size_t>(h.heads) * width);
  const std::vector<std::int32_t> positions(batch, h.tokens);
  const auto rope = rope_table(capacity, h.head_dim);
  const std::size_t parts =
      batch * static_cast<std::size_t>(h.heads) * static_cast<std::size_t>(h.splits);
  std::vector<float> partial(parts * width);
  std::vector<float> state(parts * 2);
  const FetchedWeight weight;
  ASSERT_EQ(decode_attention({}, {.qkv = qkv.data(),
                                  .keys = keys.data(),
                                  .values = values.data(),
                                  .positions = positions.data(),
                                  .rope = rope.data(),
                                  .partial = partial.data(),
                                  .partial_state = state.data(),
                                  .out = out.data(),
                                  .batch = h.batch,
                                  .heads = h.heads,
                                  .kv_heads = h.kv_heads,
                                  .head_dim = h.head_dim,
                                  .capacity = capacity,
                                  .splits = h.splits,
                                  .warps = h.warps,
                                  .prefetch = weight.part()}),
            cudaSuccess);
  weight.expect_fetched();
  Doubles expected;
  for (std::size_t b = 0; b < batch; ++b) {
    for (int head = 0; head < h.heads; ++head) {
      const auto kv = static_cast<std::size_t>(head / (h.heads / h.kv_heads));
      const std::size_t at = (b * static_cast<std::size_t>(h.kv_heads) + kv) * cache_row;
      const std::size_t visible = static_cast<std::size_t>(h.tokens) * width;
      Doubles k = keys.doubles(at, visible);
      Doubles v = values.doubles(at, visible);
      const auto new_key = rotated(
          qkv.doubles(b * row + (static_cast<std::size_t>(h.heads) + kv) * width, width), h.tokens);
      const auto new_value = qkv.doubles(
          b * row + (static_cast<std::size_t>(h.heads + h.kv_heads) + kv) * width, width);
      EXPECT_LT(relative_error(keys.doubles(at + visible, width), new_key), kTolerance);
      EXPECT_EQ(values.doubles(at + visible, width), new_value);
      k.insert(k.end(), new_key.begin(), new_key.end());
      v.insert(v.end(), new_value.begin(), new_value.end());
      const auto query =
          rotated(qkv.doubles(b * row + static_cast<std::size_t>(head) * width, width), h.tokens);
      const Doubles part = attend(query, k, v);
      expected.insert(expected.end(), part.begin(), part.end());
    }
  }
  EXPECT_LT(relative_error(out.doubles(), expected), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(FourWarps, DecodeAttentionKernel,
                         testing::Values(Heads{2, 8, 2, 128, 100, 1}, Heads{1, 4, 2, 64, 1, 1},
                                         Heads{1, 4, 2, 64, 500, 2}, Heads{1, 8, 1, 64, 80, 2},
                                         Heads{1, 8, 1, 128, 17, 8}, Heads{1, 2, 2, 64, 15, 1},
                                         Heads{1, 4, 1, 128, 600, 1}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(EightWarps, DecodeAttentionKernel,
                         testing::Values(Heads{1, 8, 2, 128, 145, 3, 8},
                                         Heads{1, 4, 2, 64, 63, 2, 8}, Heads{2, 4, 2, 64, 64, 7, 8},
                                         Heads{1, 2, 2, 128, 15, 1, 8},
                                         Heads{1, 8, 1, 128, 80, 1, 8},
                                         Heads{1, 4, 1, 128, 600, 1, 8}),
                         name_of);

class PrefillAttentionKernel : public testing::TestWithParam<Heads> {};

TEST_P(PrefillAttentionKernel, EqualsTheReferenceAfterRotation) {
  const Heads h = GetParam();
  const int capacity = h.tokens + 2;
  const auto width = static_cast<std::size_t>(h.head_dim);
  const auto row = static_cast<std::size_t>(h.heads + 2 * h.kv_heads) * width;
  const std::size_t rows = static_cast<std::size_t>(h.batch) * static_cast<std::size_t>(h.tokens);
  const Tensor before(rows * row, 21);
  Tensor qkv(rows * row, 21);
  const std::size_t cached = static_cast<std::size_t>(h.batch) *
                             static_cast<std::size_t>(h.kv_heads) *
                             static_cast<std::size_t>(capacity) * width;
  Tensor keys(cached);
  Tensor values(cached);
  Tensor out(rows * static_cast<std::size_t>(h.heads) * width);
  const auto rope = rope_table(capacity, h.head_dim);
  ASSERT_EQ(rotate_append({}, {.qkv = qkv.data(),
                               .keys = keys.data(),
                               .values = values.data(),
                               .rope = rope.data(),
                               .batch = h.batch,
                               .tokens = h.tokens,
                               .heads = h.heads,
                               .kv_heads = h.kv_heads,
                               .head_dim = h.head_dim,
                               .capacity = capacity}),
            cudaSuccess);
  ASSERT_EQ(prefill_attention({}, {.qkv = qkv.data(),
                                   .keys = keys.data(),
                                   .values = values.data(),
                                   .out = out.data(),
                                   .batch = h.batch,
                                   .tokens = h.tokens,
                                   .heads = h.heads,
                                   .kv_heads = h.kv_heads,
                                   .head_dim = h.head_dim,
                                   .capacity = capacity}),
            cudaSuccess);
  for (int b = 0; b < h.batch; ++b) {
    for (int head = 0; head < h.heads; ++head) {
      const int kv = head / (h.heads / h.kv_heads);
      Doubles k;
      Doubles v;
      for (int t = 0; t < h.tokens; ++t) {
        const std::size_t at = static_cast<std::size_t>(b) * static_cast<std::size_t>(h.tokens) +
                               static_cast<std::size_t>(t);
        const auto part = [&](int index) {
          return before.doubles(at * row + static_cast<std::size_t>(index) * width, width);
        };
        const auto key = rotated(part(h.heads + kv), t);
        const auto value = part(h.heads + h.kv_heads + kv);
        k.insert(k.end(), key.begin(), key.end());
        v.insert(v.end(), value.begin(), value.end());
        const Doubles expected = attend(rotated(part(head), t), k, v);
        const auto own = out.doubles(
            (at * static_cast<std::size_t>(h.heads) + static_cast<std::size_t>(head)) * width,
            width);
        ASSERT_LT(relative_error(own, expected), 2.0 * kTolerance)
            << "token " << t << " head " << head;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PrefillAttentionKernel,
                         testing::Values(Heads{2, 4, 2, 64, 70, 1}, Heads{1, 4, 1, 128, 64, 1},
                                         Heads{1, 2, 2, 128, 130, 1}, Heads{1, 1, 1, 64, 1, 1}),
                         name_of);

TEST(AddNormKernel, AddsRoundsAndNormsTheChosenRows) {
  constexpr std::size_t kHidden = 328;  // threads beyond the row take part in the sum
  const Tensor update(4 * kHidden, 31);
  const Tensor weight(kHidden, 32, 1.0F);
  const Tensor before(4 * kHidden, 33);
  Tensor residual(4 * kHidden, 33);
  Tensor normed(2 * kHidden);
  const FetchedWeight next;
  ASSERT_EQ(add_norm({}, {.residual = residual.data(),
                          .update = update.data(),
                          .norm_weight = weight.data(),
                          .normed = normed.data(),
                          .rows = 2,
                          .row_stride = 2,
                          .row_offset = 1,
                          .hidden = kHidden,
                          .epsilon = 1e-5F,
                          .prefetch = next.part()}),
            cudaSuccess);
  next.expect_fetched();
  std::vector<float> weights;
  for (const double w : weight.doubles()) weights.push_back(static_cast<float>(w));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t row = (2 * i + 1) * kHidden;
    Doubles sum = before.doubles(row, kHidden);
    const Doubles added = update.doubles(row, kHidden);
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] = round_to_bf16(sum[d] + added[d]);
    EXPECT_EQ(residual.doubles(row, kHidden), sum);
    EXPECT_LT(relative_error(normed.doubles(i * kHidden, kHidden), rms_norm(sum, weights, 1e-5)),
              kTolerance);
  }
  EXPECT_EQ(residual.doubles(0, kHidden), before.doubles(0, kHidden))
      << "other rows are left alone";
}

TEST(EmbedNormKernel, GathersTheTokensRows) {
  constexpr std::size_t kHidden = 64;
  const Tensor table(10 * kHidden, 41);
  const Tensor weight(kHidden, 42, 1.0F);
  Tensor residual(2 * kHidden);
  Tensor normed(2 * kHidden);
  const FetchedWeight next;
  const std::vector<std::int32_t> tokens{7, 3};
  ASSERT_EQ(embed_norm({}, {.tokens = tokens.data(),
                            .embedding = table.data(),
                            .norm_weight = weight.data(),
                            .residual = residual.data(),
                            .normed = normed.data(),
                            .rows = 2,
                            .hidden = kHidden,
                            .epsilon = 1e-5F,
                            .prefetch = next.part()}),
            cudaSuccess);
  next.expect_fetched();
  EXPECT_EQ(residual.doubles(0, kHidden), table.doubles(7 * kHidden, kHidden));
  EXPECT_EQ(residual.doubles(kHidden, kHidden), table.doubles(3 * kHidden, kHidden));
}

TEST(GatedSiluKernel, EqualsTheReferenceInEveryRow) {
  constexpr std::size_t kFfn = 520;
  const Tensor gate_up(6 * kFfn, 51);
  Tensor out(3 * kFfn);
  const FetchedWeight next;
  ASSERT_EQ(gated_silu({}, gate_up.data(), out.data(), 3, kFfn, next.part()), cudaSuccess);
  next.expect_fetched();
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_LT(relative_error(out.doubles(row * kFfn, kFfn),
                             gated_silu(gate_up.doubles(row * 2 * kFfn, 2 * kFfn))),
              kTolerance);
  }
}

TEST(ArgmaxKernel, TakesTheLowestOfEqualsAndFoldsIt) {
  constexpr int kVocab = 5000;
  alignas(16) static float logits[2 * kVocab];
  for (int i = 0; i < 2 * kVocab; ++i)
    logits[i] = hash_value(61, static_cast<std::uint64_t>(i), 1.0F, 0.0F);
  logits[4321] = 3.0F;
  logits[4999] = 3.0F;
  logits[kVocab + 2] = 5.0F;
  std::vector<std::int32_t> tokens{0, 0};
  std::vector<std::uint64_t> hashes{1, 2};
  std::vector<std::int32_t> positions{10, 20};
  ASSERT_EQ(argmax_tokens({}, {.logits = logits,
                               .tokens = tokens.data(),
                               .hashes = hashes.data(),
                               .positions = positions.data(),
                               .rows = 2,
                               .vocab = kVocab,
                               .advance = 1}),
            cudaSuccess);
  EXPECT_THAT(tokens, testing::ElementsAre(4321, 2));
  EXPECT_THAT(hashes, testing::ElementsAre(fold_token(1, 4321), fold_token(2, 2)));
  EXPECT_THAT(positions, testing::ElementsAre(11, 21));
}

}  // namespace
}  // namespace perfgate::builtin
