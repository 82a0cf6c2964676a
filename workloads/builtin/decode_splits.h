/// Into how many parts decode attention cuts the context. Pure arithmetic: equal inputs give an
/// equal launch.
#pragma once

#include <cstdint>

namespace perfgate::builtin {

inline constexpr int kDecodeSplitsMax = 64;

/// `pairs` = batch x KV heads, `tokens` = longest context with the new token. Minimises the work of
/// the busiest multiprocessor, CTAs x (16-key tiles of a part + a fixed cost), and the combining of
/// several parts, over parts of at least one tile per warp.
[[nodiscard]] int decode_splits(std::int64_t pairs, std::int64_t tokens,
                                std::int64_t multiprocessors);

}  // namespace perfgate::builtin
