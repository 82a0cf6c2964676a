// Adds up the parts that decode attention has cut the context into.
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"

namespace perfgate::builtin {
namespace {

/// One element of the result: the parts in order. They are read from L2, where the CTAs left them.
template <int HeadDim>
__device__ void combine_parts(const DecodeAttention& p, std::int64_t head, int d) {
  const auto* states = reinterpret_cast<const float2*>(p.partial_state) + head * p.splits;
  const float* parts = p.partial + head * p.splits * HeadDim + d;
  float top = -INFINITY;
  for (int split = 0; split < p.splits; ++split) top = fmaxf(top, __ldcg(&states[split]).x);
  float sum = 0.0F;
  float out = 0.0F;
#pragma unroll 4
  for (int split = 0; split < p.splits; ++split) {
    const float2 state = __ldcg(&states[split]);
    const float weight = exp2f(state.x - top);  // an empty part has -inf: weight 0
    sum += weight * state.y;
    out += weight * __ldcg(parts + static_cast<std::int64_t>(split) * HeadDim);
  }
  p.out[head * HeadDim + d] = bf16_bits(out / sum);
}

/// One CTA per head and sequence, a thread per dim.
template <int HeadDim>
__global__ void __launch_bounds__(HeadDim) attention_combine_kernel(DecodeAttention p) {
  wait_for_previous();
  combine_parts<HeadDim>(p, static_cast<std::int64_t>(blockIdx.y) * p.heads + blockIdx.x,
                         static_cast<int>(threadIdx.x));
}

}  // namespace

cudaError_t combine_attention(const LaunchContext& context, const DecodeAttention& arguments) {
  const dim3 heads(static_cast<unsigned>(arguments.heads), static_cast<unsigned>(arguments.batch));
  const auto kernel =
      arguments.head_dim == 64 ? attention_combine_kernel<64> : attention_combine_kernel<128>;
  return launch(context, heads, static_cast<unsigned>(arguments.head_dim), kernel, arguments);
}

}  // namespace perfgate::builtin
