/// Which part of a weight a small kernel fetches into L2 for the product that follows it.
///
/// The kernels between two products leave the memory idle for some microseconds; weights never
/// change, so their first part can come in meanwhile. The part is the head of each row, or of
/// `pieces` equal stretches of each row: the tiles of a product all walk along k from the front of
/// a row, or of their share of it if the product is cut along k.
#pragma once

#include <cstdint>

namespace perfgate::builtin {

/// Rows beyond these are read by later rounds of tiles and not fetched.
inline constexpr std::int64_t kPrefetchRowsMax = 16384;

/// Stretch j of row r begins at weight + r x row_bytes + j x row_bytes / pieces. All sizes are
/// multiples of 16 bytes.
struct WeightPrefetch {
  const void* weight = nullptr;  ///< null: nothing is fetched
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  int pieces = 1;
  int piece_bytes = 0;
};

/// About `bytes` of a row-major BF16 weight [rows, columns] (columns a multiple of 8), in at most
/// `pieces` stretches a row; short stretches are joined. `bytes` = 0 gives an empty one.
[[nodiscard]] WeightPrefetch weight_prefetch(const void* weight, std::int64_t rows,
                                             std::int64_t columns, std::int64_t bytes, int pieces);

}  // namespace perfgate::builtin
