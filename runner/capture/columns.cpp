#include "runner/capture/columns.h"

#include <bit>
#include <cstring>

#include "runner/capture/block.h"

namespace perfgate::capture::columns {
namespace {

enum class Transform : std::uint8_t { offset, delta };

std::uint64_t zigzag(std::uint64_t difference) {
  const std::uint64_t sign = (difference >> 63U) != 0 ? ~std::uint64_t{0} : 0;
  return (difference << 1U) ^ sign;
}

std::uint64_t unzigzag(std::uint64_t cell) { return (cell >> 1U) ^ (0 - (cell & 1U)); }

std::uint8_t width_for(std::uint64_t largest) {
  const int bits = 64 - std::countl_zero(largest);
  if (bits == 0) return 0;
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  return bits <= 32 ? 4 : 8;
}

// Both candidate encodings in one pass.
struct Survey {
  std::uint64_t lowest = 0;
  std::uint64_t largest_offset = 0;
  std::uint64_t delta_bits = 0;
};

Survey survey(std::span<const std::uint64_t> cells) {
  if (cells.empty()) return {};
  std::uint64_t lowest = cells[0];
  std::uint64_t highest = cells[0];
  std::uint64_t bits = 0;
  std::uint64_t previous = cells[0];
  for (const std::uint64_t cell : cells) {
    lowest = std::min(lowest, cell);
    highest = std::max(highest, cell);
    bits |= zigzag(cell - previous);
    previous = cell;
  }
  return {.lowest = lowest, .largest_offset = highest - lowest, .delta_bits = bits};
}

template <typename Cell>
void store_offsets(std::byte* to, std::span<const std::uint64_t> cells, std::uint64_t base) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto narrow = static_cast<Cell>(cells[i] - base);
    std::memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

template <typename Cell>
void store_deltas(std::byte* to, std::span<const std::uint64_t> cells, std::uint64_t base) {
  std::uint64_t previous = base;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto narrow = static_cast<Cell>(zigzag(cells[i] - previous));
    std::memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
    previous = cells[i];
  }
}

template <typename Cell>
void store(std::byte* to, std::span<const std::uint64_t> cells, Transform transform,
           std::uint64_t base) {
  transform == Transform::offset ? store_offsets<Cell>(to, cells, base)
                                 : store_deltas<Cell>(to, cells, base);
}

template <typename Cell>
void load(const std::byte* from, std::span<std::uint64_t> cells, Transform transform,
          std::uint64_t base) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell narrow;
    std::memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
    cells[i] = narrow;
  }
  if (transform == Transform::offset) {
    for (std::uint64_t& cell : cells) cell += base;
    return;
  }
  std::uint64_t value = base;
  for (std::uint64_t& cell : cells) cell = value += unzigzag(cell);
}

}  // namespace

void append(std::vector<std::byte>& out, std::span<const std::uint64_t> cells, bool keep_bytes) {
  const Survey seen = survey(cells);
  const std::uint8_t offset_width = width_for(seen.largest_offset);
  const std::uint8_t delta_width = width_for(seen.delta_bits);
  const bool delta = delta_width < offset_width;
  const Transform transform = delta ? Transform::delta : Transform::offset;
  const std::uint64_t base = cells.empty() ? 0 : delta ? cells[0] : seen.lowest;
  const std::uint8_t width =
      std::max<std::uint8_t>(std::min(offset_width, delta_width), keep_bytes ? 1 : 0);
  put(out, static_cast<std::uint8_t>(transform));
  put(out, width);
  put(out, std::uint16_t{0});
  put(out, base);
  const std::size_t at = out.size();
  out.resize(at + cells.size() * width);
  std::byte* to = out.data() + at;
  switch (width) {
    case 1: store<std::uint8_t>(to, cells, transform, base); break;
    case 2: store<std::uint16_t>(to, cells, transform, base); break;
    case 4: store<std::uint32_t>(to, cells, transform, base); break;
    case 8: store<std::uint64_t>(to, cells, transform, base); break;
    default: break;
  }
}

bool read(ByteReader& reader, std::span<std::uint64_t> cells) {
  std::uint8_t code = 0;
  std::uint8_t width = 0;
  std::uint16_t reserved = 0;
  std::uint64_t base = 0;
  if (!reader.get(code) || !reader.get(width) || !reader.get(reserved) || !reader.get(base)) {
    return false;
  }
  std::span<const std::byte> bytes;
  if (code > static_cast<std::uint8_t>(Transform::delta) || width > 8 ||
      !reader.get_bytes(cells.size() * width, bytes)) {
    return false;
  }
  const auto transform = static_cast<Transform>(code);
  switch (width) {
    case 0: std::fill(cells.begin(), cells.end(), base); return true;
    case 1: load<std::uint8_t>(bytes.data(), cells, transform, base); return true;
    case 2: load<std::uint16_t>(bytes.data(), cells, transform, base); return true;
    case 4: load<std::uint32_t>(bytes.data(), cells, transform, base); return true;
    case 8: load<std::uint64_t>(bytes.data(), cells, transform, base); return true;
    default: return false;
  }
}

void append_shape(std::vector<std::byte>& out, Shape shape) {
  put(out, shape.records);
  put(out, shape.columns);
  put(out, std::uint16_t{0});
}

Result<Shape> read_shape(ByteReader& reader, std::size_t stored_bytes) {
  Shape shape;
  std::uint16_t reserved = 0;
  if (!reader.get(shape.records) || !reader.get(shape.columns) || !reader.get(reserved)) {
    return bad_block("a record block is shorter than its own header");
  }
  if (shape.records > kRecordsPerBlock || shape.records > stored_bytes * kMaxRecordsPerStored) {
    return bad_block("a block claims " + std::to_string(shape.records) + " records in " +
                     std::to_string(stored_bytes) + " bytes, more than the format allows");
  }
  return shape;
}

Status judge(const CellCheck& check, bool complete, std::size_t known_strings) {
  if (!complete) return bad_block("a record block has a cut or malformed column");
  if (check.lost_bits != 0) return bad_block("a record holds a number that does not fit its field");
  if (check.largest_text >= known_strings) {
    return bad_block("a record names string " + std::to_string(check.largest_text) + " of " +
                     std::to_string(known_strings) + " known so far");
  }
  return {};
}

}  // namespace perfgate::capture::columns
