/// The device side of weight_prefetch.h.
#pragma once

#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/weight_prefetch.h"

namespace perfgate::builtin {

/// CTA `part` of `parts` asks for its share; nothing is waited for, and no memory is touched that
/// any kernel writes, so it may come before wait_for_previous().
__device__ __forceinline__ void prefetch_share(const WeightPrefetch& p, std::int64_t part,
                                               std::int64_t parts) {
  if (p.weight == nullptr) return;
  const auto* weight = static_cast<const char*>(p.weight);
  const std::int64_t stretch = p.row_bytes / p.pieces;
  const std::int64_t count = p.rows * p.pieces;
  for (std::int64_t i = part * blockDim.x + threadIdx.x; i < count; i += parts * blockDim.x) {
    prefetch_l2(weight + i * stretch, static_cast<unsigned>(p.piece_bytes));
  }
}

/// CTAs to add to a kernel whose own CTAs leave most multiprocessors idle.
inline unsigned prefetch_blocks(const WeightPrefetch& p) {
  constexpr unsigned kBlocks = 128;
  return p.weight == nullptr ? 0 : kBlocks;
}

}  // namespace perfgate::builtin
