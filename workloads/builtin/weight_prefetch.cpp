#include "workloads/builtin/weight_prefetch.h"

#include <algorithm>

namespace perfgate::builtin {
namespace {

constexpr std::int64_t kBytesPerElement = 2;
constexpr std::int64_t kLine = 128;      // of the L2 cache
constexpr std::int64_t kPieceMin = 512;  // shorter requests cost more than they bring
constexpr std::int64_t kAlignment = 16;

}  // namespace

WeightPrefetch weight_prefetch(const void* weight, std::int64_t rows, std::int64_t columns,
                               std::int64_t bytes, int pieces) {
  if (bytes <= 0) return {};
  const std::int64_t row_bytes = columns * kBytesPerElement;
  const std::int64_t used_rows = std::min(rows, kPrefetchRowsMax);
  const std::int64_t of_a_row = bytes / used_rows;
  std::int64_t parts = std::max(pieces, 1);
  while (parts > 1 && (of_a_row / parts < kPieceMin || row_bytes % (parts * kAlignment) != 0)) {
    --parts;
  }
  const std::int64_t lines = std::max<std::int64_t>(of_a_row / parts / kLine, 1);
  return {.weight = weight,
          .rows = used_rows,
          .row_bytes = row_bytes,
          .pieces = static_cast<int>(parts),
          .piece_bytes = static_cast<int>(std::min(lines * kLine, row_bytes / parts))};
}

}  // namespace perfgate::builtin
