/// Into how many parts decode attention cuts the context, and how many warps work on a part. Pure
/// arithmetic: equal inputs give an equal launch.
#pragma once

#include <cstdint>

namespace perfgate::builtin {

inline constexpr int kDecodeSplitsMax = 64;

/// `pairs` = batch x KV heads, `tokens` = longest context with the new token. Minimises the work of
/// the busiest multiprocessor, CTAs x (16-key tiles of a part + a fixed cost), and the combining of
/// several parts, over parts of at least one tile per warp.
[[nodiscard]] int decode_splits(std::int64_t pairs, std::int64_t tokens,
                                std::int64_t multiprocessors);

/// Warps of a CTA; `ctas` = pairs x parts. A multiprocessor has room for eight: two CTAs of four
/// where every multiprocessor gets two or more, so that one CTA computes while the other starts or
/// merges, else one of eight. Steps of the 8 B model on an H200: batch 64 (512 CTAs) 6.894 ms with
/// four warps, 7.070 with eight; batch 16 with context 8192 (128 CTAs) 9.504 and 8.443. Without
/// `large_shared` (Gpu::has_large_shared) eight do not fit.
[[nodiscard]] int decode_warps(std::int64_t ctas, std::int64_t multiprocessors, bool large_shared);

}  // namespace perfgate::builtin
