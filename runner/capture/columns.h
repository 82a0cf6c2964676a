/// Column-wise record blocks. Internal to the room.
///
/// Payload of a record block: u32 record count, u16 column count, u16 zero, then each column:
/// u8 transform, u8 width (0, 1, 2, 4 or 8), u16 zero, u64 base, then count x width bytes.
/// A value is base + cell (`offset`), or base plus the running sum of zigzag cells (`delta`); all
/// modulo 2^64. The encoder takes, per column and block, whichever needs fewer bytes, so that what
/// is constant takes none and times take four: the rest is left to zstd.
///
/// Versions: a column never changes its place or meaning; new ones are appended. A reader skips
/// columns beyond those that it knows, and leaves the defaults where a file has fewer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "runner/capture/byte_io.h"
#include "runner/model/capture.h"
#include "runner/model/result.h"

namespace perfgate::capture {

/// Bounds the scratch memory of both sides and what a cut file loses.
inline constexpr std::size_t kRecordsPerBlock = 16384;

/// What a block's cells revealed while they were written into records.
struct CellCheck {
  std::uint64_t lost_bits = 0;  ///< not 0: a value did not fit its field
  StringId largest_text = 0;
};

namespace columns {

template <auto Member>
struct MemberOf;
template <typename R, typename F, F R::*Member>
struct MemberOf<Member> {
  using Record = R;
  using Field = F;
};

/// Signed fields travel sign-extended, so that every field is one unsigned 64-bit cell.
template <typename Field>
[[nodiscard]] std::uint64_t to_cell(Field value) {
  if constexpr (std::is_signed_v<Field>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <typename Field>
void from_cell(std::uint64_t cell, Field& field, CellCheck& check) {
  field = static_cast<Field>(cell);
  check.lost_bits |= to_cell(field) ^ cell;
}

/// A number or a bool.
template <auto Member>
struct Number {
  using Record = typename MemberOf<Member>::Record;
  static std::uint64_t get(const Record& record) { return to_cell(record.*Member); }
  static void set(Record& record, std::uint64_t cell, CellCheck& check) {
    from_cell(cell, record.*Member, check);
  }
};

/// One element of an array member.
template <auto Member, std::size_t Index>
struct Element {
  using Record = typename MemberOf<Member>::Record;
  static std::uint64_t get(const Record& record) { return to_cell((record.*Member)[Index]); }
  static void set(Record& record, std::uint64_t cell, CellCheck& check) {
    from_cell(cell, (record.*Member)[Index], check);
  }
};

/// A time as the distance from another one, whose column stands earlier in the layout.
template <auto Later, auto Earlier>
struct Elapsed {
  using Record = typename MemberOf<Later>::Record;
  static std::uint64_t get(const Record& record) {
    return to_cell(record.*Later) - to_cell(record.*Earlier);
  }
  static void set(Record& record, std::uint64_t cell, CellCheck&) {
    record.*Later = static_cast<std::int64_t>(cell + to_cell(record.*Earlier));
  }
};

/// A string id, checked against the table after the block.
template <auto Member>
struct Text {
  using Record = typename MemberOf<Member>::Record;
  static std::uint64_t get(const Record& record) { return to_cell(record.*Member); }
  static void set(Record& record, std::uint64_t cell, CellCheck& check) {
    from_cell(cell, record.*Member, check);
    check.largest_text = std::max(check.largest_text, record.*Member);
  }
};

/// An enum whose value 0 means "other" or "unknown"; a later version's words read as that.
template <auto Member, auto Last>
struct Word {
  using Record = typename MemberOf<Member>::Record;
  using Enum = typename MemberOf<Member>::Field;
  static std::uint64_t get(const Record& record) {
    return static_cast<std::uint64_t>(record.*Member);
  }
  static void set(Record& record, std::uint64_t cell, CellCheck&) {
    record.*Member = cell <= static_cast<std::uint64_t>(Last) ? static_cast<Enum>(cell) : Enum{};
  }
};

template <typename... Column>
struct Layout {
  static constexpr std::uint16_t kCount = sizeof...(Column);
};

/// Appends one column. `keep_bytes`: at least one byte a cell, for the first column, so that a
/// block is never shorter than the decoder's bound on records per stored byte allows.
void append(std::vector<std::byte>& out, std::span<const std::uint64_t> cells, bool keep_bytes);

/// Reads one column of `cells.size()` cells; false if it is cut or malformed.
[[nodiscard]] bool read(ByteReader& reader, std::span<std::uint64_t> cells);

struct Shape {
  std::uint32_t records = 0;
  std::uint16_t columns = 0;
};
void append_shape(std::vector<std::byte>& out, Shape shape);
/// Checks the claims against the block's stored length and the bound per block.
[[nodiscard]] Result<Shape> read_shape(ByteReader& reader, std::size_t stored_bytes);

/// The payload of at most kRecordsPerBlock records.
template <typename Record, typename... Column>
[[nodiscard]] std::vector<std::byte> encode_records(Layout<Column...>,
                                                    std::span<const Record> records) {
  std::vector<std::byte> out;
  append_shape(out, {.records = static_cast<std::uint32_t>(records.size()),
                     .columns = Layout<Column...>::kCount});
  std::vector<std::uint64_t> cells(records.size());
  bool first = true;
  const auto one = [&]<typename C>(C) {
    for (std::size_t i = 0; i < records.size(); ++i) cells[i] = C::get(records[i]);
    append(out, cells, first);
    first = false;
  };
  (one(Column{}), ...);
  return out;
}

/// Appends the records of one payload to `records`, which is left as it was if anything is wrong.
template <typename Record, typename... Column>
[[nodiscard]] Status decode_records(Layout<Column...>, std::span<const std::byte> payload,
                                    std::size_t stored_bytes, std::size_t known_strings,
                                    std::vector<Record>& records);

/// Why `check` makes a block unusable, or ok.
[[nodiscard]] Status judge(const CellCheck& check, bool complete, std::size_t known_strings);

template <typename Record, typename... Column>
Status decode_records(Layout<Column...>, std::span<const std::byte> payload,
                      std::size_t stored_bytes, std::size_t known_strings,
                      std::vector<Record>& records) {
  ByteReader reader(payload);
  PG_ASSIGN_OR_RETURN(const Shape shape, read_shape(reader, stored_bytes));
  const std::size_t before = records.size();
  records.resize(before + shape.records);
  const std::span<Record> fresh(records.data() + before, shape.records);
  std::vector<std::uint64_t> cells(shape.records);
  CellCheck check;
  std::uint16_t column = 0;
  bool complete = true;
  const auto one = [&]<typename C>(C) {
    if (!complete || column++ >= shape.columns) return;
    complete = read(reader, cells);
    if (!complete) return;
    for (std::size_t i = 0; i < fresh.size(); ++i) C::set(fresh[i], cells[i], check);
  };
  (one(Column{}), ...);
  Status status = judge(check, complete, known_strings);
  if (!status.ok()) records.resize(before);
  return status;
}

}  // namespace columns
}  // namespace perfgate::capture
