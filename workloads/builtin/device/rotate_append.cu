#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kThreads = 256;

/// One CTA per row. Work items: first the pairs of all q and k heads, then the elements of v.
__global__ void rotate_append_kernel(RotateAppend p) {
  wait_for_previous();
  const std::int64_t row = blockIdx.x;
  const int sequence = static_cast<int>(row / p.tokens);
  const int token = static_cast<int>(row % p.tokens);
  const int half = p.head_dim / 2;
  Bf16Bits* qkv = p.qkv + row * (p.heads + 2 * p.kv_heads) * p.head_dim;
  const auto* rope =
      reinterpret_cast<const float2*>(p.rope) + static_cast<std::int64_t>(token) * half;
  const auto cache_row = [&](int kv_head) {
    return ((static_cast<std::int64_t>(sequence) * p.kv_heads + kv_head) * p.capacity + token) *
           p.head_dim;
  };
  const int pairs = (p.heads + p.kv_heads) * half;
  for (int i = static_cast<int>(threadIdx.x); i < pairs; i += kThreads) {
    const int head = i / half;
    const int d = i % half;
    Bf16Bits* from = qkv + head * p.head_dim + d;
    const float low = bf16_load(from);
    const float high = bf16_load(from + half);
    const float2 turn = rope[d];
    Bf16Bits* to = head < p.heads ? from : p.keys + cache_row(head - p.heads) + d;
    to[0] = bf16_bits(low * turn.x - high * turn.y);
    to[half] = bf16_bits(high * turn.x + low * turn.y);
  }
  const Bf16Bits* value = qkv + (p.heads + p.kv_heads) * p.head_dim;
  for (int i = static_cast<int>(threadIdx.x); i < p.kv_heads * p.head_dim; i += kThreads) {
    p.values[cache_row(i / p.head_dim) + i % p.head_dim] = value[i];
  }
}

}  // namespace

cudaError_t rotate_append(const LaunchContext& context, const RotateAppend& arguments) {
  const auto rows = static_cast<unsigned>(arguments.batch * arguments.tokens);
  return launch(context, rows, kThreads, rotate_append_kernel, arguments);
}

}  // namespace perfgate::builtin
