#include <cmath>

#include "workloads/builtin/device/check.h"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/reference_ops.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr double kTheta = 500000.0;
constexpr int kSplitsMax = 64;
constexpr float kAmplitude = 1.7320508F;  // unit deviation
constexpr std::uint32_t kQkvKey = hash_key(7, 1);
constexpr std::uint32_t kKeysKey = hash_key(7, 2);
constexpr std::uint32_t kValuesKey = hash_key(7, 3);

struct Layout {
  int batch = 1;
  int tokens = 1;  ///< rows of each sequence
  int heads = 1;
  int kv_heads = 1;
  int head_dim = 64;
  int capacity = 1;

  [[nodiscard]] std::size_t qkv_count() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(tokens) *
           static_cast<std::size_t>(width());
  }
  [[nodiscard]] int width() const { return (heads + 2 * kv_heads) * head_dim; }
  [[nodiscard]] std::size_t cache_count() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(kv_heads) *
           static_cast<std::size_t>(capacity) * static_cast<std::size_t>(head_dim);
  }
  [[nodiscard]] std::size_t out_count() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(tokens) *
           static_cast<std::size_t>(heads) * static_cast<std::size_t>(head_dim);
  }
};

/// One element of a hashed BF16 tensor, as the GPU has it.
double hashed(std::uint32_t key, std::size_t index) {
  return round_to_bf16(static_cast<double>(hash_value(key, index, kAmplitude, 0.0F)));
}

struct Buffers {
  DeviceBuffer qkv, keys, values, out, rope, positions, partial, partial_state;
};

Result<Buffers> make_buffers(const Gpu& gpu, const Layout& layout, int position, int splits_max) {
  const LaunchContext context{gpu.stream(), false};
  Buffers buffers;
  const auto make = [&](DeviceBuffer& buffer, std::size_t count, std::uint32_t key) -> Status {
    PG_ASSIGN_OR_RETURN(buffer,
                        DeviceBuffer::allocate(count * sizeof(Bf16Bits), "a buffer of the check"));
    return cuda_status(fill_hashed(context, buffer.as<Bf16Bits>(), count, key, kAmplitude, 0.0F),
                       "fill a buffer");
  };
  PG_TRY(make(buffers.qkv, layout.qkv_count(), kQkvKey));
  PG_TRY(make(buffers.keys, layout.cache_count(), kKeysKey));
  PG_TRY(make(buffers.values, layout.cache_count(), kValuesKey));
  PG_TRY(make(buffers.out, layout.out_count(), 0));
  std::vector<float> rope;
  for (std::int64_t token = 0; token < layout.capacity; ++token) {
    for (std::int64_t pair = 0; pair < layout.head_dim / 2; ++pair) {
      const double angle = rope_angle(token, pair, layout.head_dim, kTheta);
      rope.push_back(static_cast<float>(std::cos(angle)));
      rope.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  const std::vector<std::int32_t> positions(static_cast<std::size_t>(layout.batch), position);
  const std::size_t parts = layout.out_count() / static_cast<std::size_t>(layout.head_dim) *
                            static_cast<std::size_t>(splits_max);
  PG_ASSIGN_OR_RETURN(buffers.rope,
                      DeviceBuffer::allocate(rope.size() * sizeof(float), "the rotary table"));
  PG_ASSIGN_OR_RETURN(
      buffers.positions,
      DeviceBuffer::allocate(positions.size() * sizeof(std::int32_t), "the positions"));
  PG_ASSIGN_OR_RETURN(
      buffers.partial,
      DeviceBuffer::allocate(parts * static_cast<std::size_t>(layout.head_dim) * sizeof(float),
                             "the attention's parts"));
  PG_ASSIGN_OR_RETURN(buffers.partial_state,
                      DeviceBuffer::allocate(parts * 2 * sizeof(float), "the parts' sums"));
  PG_TRY(cuda_status(
      cudaMemcpyAsync(buffers.rope.as<float>(), rope.data(), rope.size() * sizeof(float),
                      cudaMemcpyHostToDevice, gpu.stream()),
      "copy the rotary table"));
  PG_TRY(cuda_status(cudaMemcpyAsync(buffers.positions.as<std::int32_t>(), positions.data(),
                                     positions.size() * sizeof(std::int32_t),
                                     cudaMemcpyHostToDevice, gpu.stream()),
                     "copy the positions"));
  PG_TRY(gpu.synchronize("prepare the attention check"));
  return buffers;
}

Result<std::vector<double>> download(const Gpu& gpu, const DeviceBuffer& buffer, std::size_t first,
                                     std::size_t count) {
  PG_TRY(gpu.synchronize("wait for attention"));
  std::vector<Bf16Bits> bits(count);
  PG_TRY(cuda_status(cudaMemcpy(bits.data(), buffer.as<Bf16Bits>() + first,
                                count * sizeof(Bf16Bits), cudaMemcpyDeviceToHost),
                     "read the attention's result"));
  return to_doubles(std::span<const Bf16Bits>(bits));
}

/// `count` elements of row `row` of qkv from `column` on, rotated for `position` if it is not
/// negative.
Doubles qkv_part(const Layout& layout, std::size_t row, int column, int position) {
  const auto width = static_cast<std::size_t>(layout.width());
  Doubles part(static_cast<std::size_t>(layout.head_dim));
  for (std::size_t d = 0; d < part.size(); ++d) {
    part[d] = hashed(kQkvKey, row * width + static_cast<std::size_t>(column) + d);
  }
  if (position < 0) return part;
  rotate(part, position, kTheta);
  for (double& element : part) element = round_to_bf16(element);
  return part;
}

/// Keys or values of one sequence and KV head for tokens 0 .. context - 1 out of the hashed cache.
Doubles cached(const Layout& layout, std::uint32_t key, int sequence, int kv_head, int context) {
  const auto first =
      (static_cast<std::size_t>(sequence) * static_cast<std::size_t>(layout.kv_heads) +
       static_cast<std::size_t>(kv_head)) *
      static_cast<std::size_t>(layout.capacity) * static_cast<std::size_t>(layout.head_dim);
  Doubles rows(static_cast<std::size_t>(context) * static_cast<std::size_t>(layout.head_dim));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = hashed(key, first + i);
  return rows;
}

void append(Doubles& rows, const Doubles& row) { rows.insert(rows.end(), row.begin(), row.end()); }

Doubles expected_decode(const Layout& layout, int context) {
  Doubles expected;
  for (int b = 0; b < layout.batch; ++b) {
    const auto row = static_cast<std::size_t>(b);
    for (int kv = 0; kv < layout.kv_heads; ++kv) {
      Doubles keys = cached(layout, kKeysKey, b, kv, context);
      Doubles values = cached(layout, kValuesKey, b, kv, context);
      append(keys, qkv_part(layout, row, (layout.heads + kv) * layout.head_dim, context));
      append(values,
             qkv_part(layout, row, (layout.heads + layout.kv_heads + kv) * layout.head_dim, -1));
      const int group = layout.heads / layout.kv_heads;
      for (int head = kv * group; head < (kv + 1) * group; ++head) {
        append(expected,
               attend(qkv_part(layout, row, head * layout.head_dim, context), keys, values));
      }
    }
  }
  return expected;
}

/// Clears the result first, so that it is this launch's.
Result<std::vector<double>> run_decode(const Gpu& gpu, const Layout& layout, const Buffers& buffers,
                                       int splits, int warps) {
  PG_TRY(cuda_status(cudaMemsetAsync(buffers.out.as<void>(), 0xff,
                                     layout.out_count() * sizeof(Bf16Bits), gpu.stream()),
                     "clear the result"));
  PG_TRY(cuda_status(decode_attention({gpu.stream(), gpu.has_dependent_launch()},
                                      {.qkv = buffers.qkv.as<Bf16Bits>(),
                                       .keys = buffers.keys.as<Bf16Bits>(),
                                       .values = buffers.values.as<Bf16Bits>(),
                                       .positions = buffers.positions.as<std::int32_t>(),
                                       .rope = buffers.rope.as<float>(),
                                       .partial = buffers.partial.as<float>(),
                                       .partial_state = buffers.partial_state.as<float>(),
                                       .out = buffers.out.as<Bf16Bits>(),
                                       .batch = layout.batch,
                                       .heads = layout.heads,
                                       .kv_heads = layout.kv_heads,
                                       .head_dim = layout.head_dim,
                                       .capacity = layout.capacity,
                                       .splits = splits,
                                       .warps = warps,
                                       .prefetch = {}}),
                     "launch decode attention"));
  return download(gpu, buffers.out, 0, layout.out_count());
}

Status check_decode_layout(const Gpu& gpu, const Layout& layout, int context,
                           Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const Buffers buffers, make_buffers(gpu, layout, context, kSplitsMax));
  const Doubles expected = expected_decode(layout, context);
  for (const int splits : {1, 3, 7, kSplitsMax}) {
    for (const int warps : {4, 8}) {
      if (warps == 8 && !gpu.has_large_shared()) continue;
      const std::string what = "decode attention, batch " + std::to_string(layout.batch) +
                               ", head_dim " + std::to_string(layout.head_dim) + ", context " +
                               std::to_string(context) + ", " + std::to_string(splits) +
                               " parts, " + std::to_string(warps) + " warps";
      PG_ASSIGN_OR_RETURN(const auto out, run_decode(gpu, layout, buffers, splits, warps));
      comparison.expect(what, out, expected, kKernelTolerance);
    }
  }
  const auto width = static_cast<std::size_t>(layout.head_dim);
  PG_ASSIGN_OR_RETURN(const auto key, download(gpu, buffers.keys,
                                               static_cast<std::size_t>(context) * width, width));
  comparison.expect("decode attention: appended key", key,
                    qkv_part(layout, 0, layout.heads * layout.head_dim, context), kKernelTolerance);
  return {};
}

Doubles expected_prefill(const Layout& layout) {
  Doubles expected(layout.out_count());
  const int group = layout.heads / layout.kv_heads;
  const auto width = static_cast<std::size_t>(layout.head_dim);
  for (int b = 0; b < layout.batch; ++b) {
    for (int kv = 0; kv < layout.kv_heads; ++kv) {
      Doubles keys;
      Doubles values;
      for (int t = 0; t < layout.tokens; ++t) {
        const auto row = static_cast<std::size_t>(b) * static_cast<std::size_t>(layout.tokens) +
                         static_cast<std::size_t>(t);
        append(keys, qkv_part(layout, row, (layout.heads + kv) * layout.head_dim, t));
        append(values,
               qkv_part(layout, row, (layout.heads + layout.kv_heads + kv) * layout.head_dim, -1));
        const auto visible = static_cast<std::size_t>(t + 1) * width;
        for (int head = kv * group; head < (kv + 1) * group; ++head) {
          const Doubles out =
              attend(qkv_part(layout, row, head * layout.head_dim, t),
                     std::span(keys).first(visible), std::span(values).first(visible));
          const std::size_t at =
              (row * static_cast<std::size_t>(layout.heads) + static_cast<std::size_t>(head)) *
              width;
          std::copy(out.begin(), out.end(), expected.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
    }
  }
  return expected;
}

Status check_prefill_layout(const Gpu& gpu, const Layout& layout, Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const Buffers buffers, make_buffers(gpu, layout, 0, 1));
  const LaunchContext context{gpu.stream(), gpu.has_dependent_launch()};
  PG_TRY(cuda_status(rotate_append(context, {.qkv = buffers.qkv.as<Bf16Bits>(),
                                             .keys = buffers.keys.as<Bf16Bits>(),
                                             .values = buffers.values.as<Bf16Bits>(),
                                             .rope = buffers.rope.as<float>(),
                                             .batch = layout.batch,
                                             .tokens = layout.tokens,
                                             .heads = layout.heads,
                                             .kv_heads = layout.kv_heads,
                                             .head_dim = layout.head_dim,
                                             .capacity = layout.capacity}),
                     "launch rotation and append"));
  PG_TRY(cuda_status(prefill_attention(context, {.qkv = buffers.qkv.as<Bf16Bits>(),
                                                 .keys = buffers.keys.as<Bf16Bits>(),
                                                 .values = buffers.values.as<Bf16Bits>(),
                                                 .out = buffers.out.as<Bf16Bits>(),
                                                 .batch = layout.batch,
                                                 .tokens = layout.tokens,
                                                 .heads = layout.heads,
                                                 .kv_heads = layout.kv_heads,
                                                 .head_dim = layout.head_dim,
                                                 .capacity = layout.capacity}),
                     "launch prefill attention"));
  PG_ASSIGN_OR_RETURN(const auto out, download(gpu, buffers.out, 0, layout.out_count()));
  comparison.expect("prefill attention, batch " + std::to_string(layout.batch) + ", head_dim " +
                        std::to_string(layout.head_dim) + ", " + std::to_string(layout.tokens) +
                        " tokens",
                    out, expected_prefill(layout), kKernelTolerance);
  return {};
}

}  // namespace

Status check_decode_attention(const Gpu& gpu, Comparison& comparison) {
  const Layout llama{
      .batch = 16, .tokens = 1, .heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 1010};
  PG_TRY(check_decode_layout(gpu, llama, 1000, comparison));
  const Layout tiny{
      .batch = 3, .tokens = 1, .heads = 4, .kv_heads = 2, .head_dim = 64, .capacity = 100};
  for (const int context : {1, 15, 16, 63, 99})
    PG_TRY(check_decode_layout(gpu, tiny, context, comparison));
  for (const int heads : {2, 16}) {  // groups of 1 and 8
    const Layout group{
        .batch = 2, .tokens = 1, .heads = heads, .kv_heads = 2, .head_dim = 128, .capacity = 300};
    PG_TRY(check_decode_layout(gpu, group, 257, comparison));
  }
  return {};
}

Status check_prefill_attention(const Gpu& gpu, Comparison& comparison) {
  for (const int tokens : {1, 64, 300}) {
    const Layout llama{.batch = 2,
                       .tokens = tokens,
                       .heads = 32,
                       .kv_heads = 8,
                       .head_dim = 128,
                       .capacity = tokens + 3};
    PG_TRY(check_prefill_layout(gpu, llama, comparison));
  }
  const Layout tiny{
      .batch = 2, .tokens = 129, .heads = 4, .kv_heads = 2, .head_dim = 64, .capacity = 129};
  return check_prefill_layout(gpu, tiny, comparison);
}

}  // namespace perfgate::builtin
