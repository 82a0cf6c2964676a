/// The frame around everything in a capture file: block header, checksum, compression. Internal to
/// the room.
///
/// Block: u16 kind, u16 flags, u32 stored length, u32 raw length, u32 CRC32C of those twelve bytes
/// and of the stored bytes, then the stored bytes: a zstd frame, or with flag `kFlagPlain` the raw
/// bytes themselves.
///
/// Bounds that make a hostile file harmless; the encoder stores a block plain rather than break
/// them: raw length <= 64 MiB and <= 256 x stored length, and at most 4 records per stored byte
/// (columns.h). Decoding therefore takes memory in proportion to the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

struct ZSTD_DCtx_s;

namespace perfgate::capture {

enum class BlockKind : std::uint16_t {
  header = 1,
  strings,
  kernels,
  copies,
  memsets,
  api_calls,
  overheads,
  ranges,
  graph_nodes,
  devices,
  clocks,
  windows,
  cupti,
  reason,
  end
};
/// "kernels", for reasons; "unknown" for a kind of a later version.
[[nodiscard]] std::string_view to_string(BlockKind kind);

inline constexpr std::string_view kMagic{"PGCAP\r\n\x1a", 8};
inline constexpr std::size_t kPreambleBytes = 12;  ///< magic and u32 format version
inline constexpr std::size_t kBlockHeaderBytes = 16;
inline constexpr std::uint16_t kFlagPlain = 1;
inline constexpr std::uint32_t kMaxRawBytes = 64U << 20U;
inline constexpr std::uint64_t kMaxRawPerStored = 256;
inline constexpr std::uint64_t kMaxRecordsPerStored = 4;
/// Longer names and reasons are cut here: the longest that a compiler made in practice are some 100
/// KB.
inline constexpr std::size_t kMaxTextBytes = 1U << 20U;

/// Appends one whole block to `out`. `records` = how many records `raw` decodes to, 0 for other
/// blocks.
void append_block(std::vector<std::byte>& out, BlockKind kind, std::span<const std::byte> raw,
                  std::uint64_t records = 0);

struct BlockView {
  std::size_t offset = 0;  ///< of the block header in the file
  std::uint16_t kind = 0;  ///< may be a kind that BlockKind does not know
  std::uint16_t flags = 0;
  std::uint32_t raw_length = 0;
  std::span<const std::byte> stored;
  [[nodiscard]] std::size_t end_offset() const {
    return offset + kBlockHeaderBytes + stored.size();
  }
};

/// The block that starts at `offset`, its lengths checked, its checksum not yet. The error's
/// message is the reason.
[[nodiscard]] Result<BlockView> frame_at(std::span<const std::byte> file, std::size_t offset);

/// Checks checksums and undoes compression, with one zstd context for a whole file.
class BlockOpener {
 public:
  BlockOpener();
  ~BlockOpener();
  BlockOpener(const BlockOpener&) = delete;
  BlockOpener& operator=(const BlockOpener&) = delete;
  BlockOpener(BlockOpener&&) = delete;
  BlockOpener& operator=(BlockOpener&&) = delete;

  /// The payload, exactly `raw_length` long; valid until the next call or the file's end of life.
  [[nodiscard]] Result<std::span<const std::byte>> open(std::span<const std::byte> file,
                                                        const BlockView& block);

 private:
  ZSTD_DCtx_s* context_ = nullptr;
  std::vector<std::byte> raw_;
};

/// An Error `corrupt` whose message is `what`; the decoder turns it into a reason with the offset.
[[nodiscard]] Error bad_block(std::string what);

}  // namespace perfgate::capture
