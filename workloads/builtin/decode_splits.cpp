#include "workloads/builtin/decode_splits.h"

#include <algorithm>

namespace perfgate::builtin {
namespace {

constexpr std::int64_t kTile = 16;
constexpr int kWarps = 8;  // that a multiprocessor has room for, in one CTA or in two
constexpr std::int64_t kTilesMin = kWarps;  // one for each warp of the largest CTA
// In the time that a multiprocessor takes for a tile (8 KiB, some 0.2 us), whether its CTAs follow
// one another or share it two at a time:
constexpr std::int64_t kFixedTiles = 8;     // start, rotation and merge of a CTA
constexpr std::int64_t kCombineTiles = 10;  // the kernel that combines parts

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

int decode_splits(std::int64_t pairs, std::int64_t tokens, std::int64_t multiprocessors) {
  const std::int64_t tiles = divide_up(tokens, kTile);
  const std::int64_t most = std::clamp<std::int64_t>(tiles / kTilesMin, 1, kDecodeSplitsMax);
  std::int64_t best = 1;
  std::int64_t best_cost = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits) {
    const std::int64_t rounds = divide_up(pairs * splits, multiprocessors);
    const std::int64_t cost =
        rounds * (divide_up(tiles, splits) + kFixedTiles) + (splits == 1 ? 0 : kCombineTiles);
    if (splits == 1 || cost < best_cost) {
      best = splits;
      best_cost = cost;
    }
  }
  return static_cast<int>(best);
}

int decode_warps(std::int64_t ctas, std::int64_t multiprocessors, bool large_shared) {
  return large_shared && ctas < 2 * multiprocessors ? kWarps : kWarps / 2;
}

}  // namespace perfgate::builtin
