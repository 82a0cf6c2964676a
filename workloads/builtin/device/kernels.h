/// The kernels of the transformer, as host functions that launch them. All are deterministic: sums
/// have a fixed order.
///
/// BF16 is handed over as 16-bit words. Activations are row-major [rows, features]. Every pointer
/// is device memory, 16-byte aligned; features are multiples of 8. A return value other than
/// cudaSuccess means that the launch was refused. Nothing here waits for the GPU.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/weight_prefetch.h"

namespace perfgate::builtin {

struct LaunchContext {
  cudaStream_t stream = nullptr;
  bool dependent_launch = false;  ///< programmatic dependent launch (launch.cuh)
};

/// out[i] = hash_value(key, i, amplitude, offset), rounded to BF16.
cudaError_t fill_hashed(const LaunchContext& context, Bf16Bits* out, std::uint64_t count,
                        std::uint32_t key, float amplitude, float offset);
/// The same as FP32, for the gemm workload.
cudaError_t fill_hashed_float(const LaunchContext& context, float* out, std::uint64_t count,
                              std::uint32_t key, float amplitude);
/// The same as FP16.
cudaError_t fill_hashed_half(const LaunchContext& context, std::uint16_t* out, std::uint64_t count,
                             std::uint32_t key, float amplitude);

/// Largest hidden size of the two norms below.
inline constexpr std::int64_t kHiddenMax = 8192;

struct EmbedNorm {
  const std::int32_t* tokens = nullptr;   ///< [rows]
  const Bf16Bits* embedding = nullptr;    ///< [vocab, hidden]
  const Bf16Bits* norm_weight = nullptr;  ///< [hidden]
  Bf16Bits* residual = nullptr;           ///< [rows, hidden], written: the gathered rows
  Bf16Bits* normed = nullptr;             ///< [rows, hidden], written
  int rows = 0;
  int hidden = 0;
  float epsilon = 0.0F;
  WeightPrefetch prefetch;  ///< of the next product, by CTAs of their own
};
cudaError_t embed_norm(const LaunchContext& context, const EmbedNorm& arguments);

/// residual += update (rounded to BF16), normed = RMSNorm(residual). Only rows row_offset + i x
/// row_stride take part, for i < rows; row i of `normed` is theirs.
struct AddNorm {
  Bf16Bits* residual = nullptr;
  const Bf16Bits* update = nullptr;
  const Bf16Bits* norm_weight = nullptr;
  Bf16Bits* normed = nullptr;
  int rows = 0;
  int row_stride = 1;
  int row_offset = 0;
  int hidden = 0;
  float epsilon = 0.0F;
  WeightPrefetch prefetch;
};
cudaError_t add_norm(const LaunchContext& context, const AddNorm& arguments);

/// out [rows, ffn] = silu(gate) x up of gate_up [rows, gate | up].
cudaError_t gated_silu(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                       std::int64_t rows, int ffn, const WeightPrefetch& prefetch = {});

/// Rows of the product below.
inline constexpr int kStreamedRowsMax = 16;

/// y [rows, out_features] = x [rows, in_features] W^T, W [out_features, in_features], FP32 sums. W
/// is streamed through shared memory, 192 KiB of it (Gpu::has_large_shared).
struct StreamedGemm {
  const Bf16Bits* weight = nullptr;
  const Bf16Bits* x = nullptr;
  Bf16Bits* y = nullptr;
  int rows = 0;
  int out_features = 0;
  int in_features = 0;
  int multiprocessors = 1;  ///< chooses the size of the tiles; the result does not depend on it
  /// W is gate | up, and y [rows, out_features / 2] = silu(gate) x up, both rounded to BF16.
  bool gated = false;
};
/// Whether the kernel takes the shape: 1 to 16 rows, out_features a multiple of 32, in_features of
/// 64.
[[nodiscard]] bool streamed_gemm_takes(std::int64_t rows, std::int64_t out_features,
                                       std::int64_t in_features);
cudaError_t streamed_gemm(const LaunchContext& context, const StreamedGemm& arguments);

/// Greedy sampling: tokens[row] = lowest index of the row's largest logit; folds it into
/// hashes[row] and adds `advance` to positions[row] (null: no positions). vocab is a multiple of 4.
struct Argmax {
  const float* logits = nullptr;      ///< [rows, vocab]
  std::int32_t* tokens = nullptr;     ///< [rows]
  std::uint64_t* hashes = nullptr;    ///< [rows]
  std::int32_t* positions = nullptr;  ///< [rows] or null
  int rows = 0;
  int vocab = 0;
  int advance = 0;
};
cudaError_t argmax_tokens(const LaunchContext& context, const Argmax& arguments);

/// Prefill: rotates q in place in qkv, and writes rotated k, and v, of row r to token r % tokens of
/// sequence r / tokens.
struct RotateAppend {
  Bf16Bits* qkv = nullptr;   ///< [batch x tokens, (heads + 2 kv_heads) x head_dim]
  Bf16Bits* keys = nullptr;  ///< [batch, kv_heads, capacity, head_dim]
  Bf16Bits* values = nullptr;
  const float* rope = nullptr;  ///< [capacity, head_dim / 2, (cos, sin)]
  int batch = 0;
  int tokens = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int capacity = 0;
};
cudaError_t rotate_append(const LaunchContext& context, const RotateAppend& arguments);

/// Decode attention with one new token per sequence: rotates its q and k, appends k and v at
/// positions[b], and attends over tokens 0 .. positions[b] (< capacity).
struct DecodeAttention {
  const Bf16Bits* qkv = nullptr;  ///< [batch, (heads + 2 kv_heads) x head_dim]
  Bf16Bits* keys = nullptr;       ///< [batch, kv_heads, capacity, head_dim]
  Bf16Bits* values = nullptr;
  const std::int32_t* positions = nullptr;  ///< [batch]
  const float* rope = nullptr;              ///< [capacity, head_dim / 2, (cos, sin)]
  float* partial = nullptr;        ///< [batch, heads, splits, head_dim], unless splits == 1
  float* partial_state = nullptr;  ///< [batch, heads, splits, (max, sum)]
  Bf16Bits* out = nullptr;         ///< [batch, heads x head_dim]
  int batch = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;  ///< 64 or 128
  int capacity = 0;
  int splits = 1;  ///< parts of the context, each a CTA per sequence and KV head
  int warps = 4;   ///< of a CTA, at most 8, each with 24 KiB of shared memory (head_dim 128)
  WeightPrefetch prefetch;  ///< asked for as each CTA has its keys and values
};
/// The attention kernel, and combine_attention() if there are several parts.
cudaError_t decode_attention(const LaunchContext& context, const DecodeAttention& arguments);
/// Its second half: out from the parts.
cudaError_t combine_attention(const LaunchContext& context, const DecodeAttention& arguments);

/// Causal attention of whole prompts; q comes from qkv (rotated), keys and values from the cache.
struct PrefillAttention {
  const Bf16Bits* qkv = nullptr;   ///< [batch x tokens, (heads + 2 kv_heads) x head_dim]
  const Bf16Bits* keys = nullptr;  ///< [batch, kv_heads, capacity, head_dim]
  const Bf16Bits* values = nullptr;
  Bf16Bits* out = nullptr;  ///< [batch x tokens, heads x head_dim]
  int batch = 0;
  int tokens = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;  ///< 64 or 128
  int capacity = 0;
};
cudaError_t prefill_attention(const LaunchContext& context, const PrefillAttention& arguments);

/// The fault spin_us: `ns` nanoseconds of one busy thread (spin.cu).
cudaError_t spin(const LaunchContext& context, std::uint64_t ns);

}  // namespace perfgate::builtin
