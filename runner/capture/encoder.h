/// Encodes a capture file block by block. Pure: every call returns the bytes to append; the probe
/// writes them.
///
/// File: magic "PGCAP\r\n\x1a", u32 format version, then blocks {u16 kind, u16 flags, u32 stored
/// length, u32 raw length, u32 CRC32C of the twelve bytes before it and the stored bytes, payload
/// (zstd; plain with flag 1)}, all little-endian. The first block is the header, the last the end
/// block. A killed process leaves whole blocks and at most one cut block. block.h and columns.h
/// have the details. An empty span gives no bytes (but for devices), a long one several blocks.
/// Strings are interned: `intern` returns an id at once, the text travels in the next string block,
/// which `take_strings` returns and which must be appended before any block that uses its ids.
/// Texts are bytes, kept as they are up to 1 MiB and cut there; nothing promises that they are
/// UTF-8. Threads: none of this is synchronised; the probe serialises by its own lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/model/capture.h"

namespace perfgate::capture {

inline constexpr std::uint32_t kFormatVersion = 1;

struct Header {
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  std::uint64_t process_start_ticks = 0;
};

using Bytes = std::vector<std::byte>;

class Encoder {
 public:
  /// Magic, version and header block; append these first.
  [[nodiscard]] Bytes begin(const Header& header);

  [[nodiscard]] StringId intern(std::string_view text);
  /// A string block of what was interned since the last call; empty bytes if nothing was.
  [[nodiscard]] Bytes take_strings();

  [[nodiscard]] Bytes kernels(std::span<const KernelRecord> records);
  [[nodiscard]] Bytes copies(std::span<const CopyRecord> records);
  [[nodiscard]] Bytes memsets(std::span<const MemsetRecord> records);
  [[nodiscard]] Bytes api_calls(std::span<const ApiRecord> records);
  [[nodiscard]] Bytes overheads(std::span<const OverheadRecord> records);
  [[nodiscard]] Bytes ranges(std::span<const NvtxRange> records);
  [[nodiscard]] Bytes graph_nodes(std::span<const GraphNodeRecord> records);
  [[nodiscard]] Bytes devices(std::span<const CaptureDevice> devices);
  [[nodiscard]] Bytes clocks(std::span<const ClockPair> clocks);
  [[nodiscard]] Bytes windows(std::span<const CaptureWindow> windows);
  /// Version and origin of libcupti, once known.
  [[nodiscard]] Bytes cupti(std::string_view version, std::string_view path_kind);
  /// A reason the moment it arises, so that a process killed later still tells it.
  [[nodiscard]] Bytes reason(std::string_view text);
  /// Closes the capture. `dropped` empty = unknown.
  [[nodiscard]] Bytes end(std::optional<std::uint64_t> dropped);

 private:
  /// Looks a view up without making a string of it: `intern` runs in API callbacks.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> ids_;
  std::vector<std::string> pending_;
  StringId next_id_ = 1;
};

}  // namespace perfgate::capture
