/// Into how many parts decode attention cuts the context. Pure arithmetic: equal inputs give an
/// equal launch.
#pragma once

#include <cstdint>

namespace perfgate::builtin {

inline constexpr int kDecodeSplitsMax = 64;

/// `pairs` = batch x KV heads, `tokens` = longest context with the new token, `slots` = CTAs that
/// the GPU holds at once. Minimises rounds of CTAs x (16-key tiles of a part + a fixed cost), over
/// parts of at least one tile per warp.
[[nodiscard]] int decode_splits(std::int64_t pairs, std::int64_t tokens, std::int64_t slots);

}  // namespace perfgate::builtin
