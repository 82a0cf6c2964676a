#include "runner/capture/block.h"

#include <array>
#include <utility>

#include <zstd.h>

#include "runner/capture/byte_io.h"
#include "runner/capture/crc32c.h"

namespace perfgate::capture {
namespace {

constexpr int kCompressionLevel = 3;
constexpr std::size_t kChecksumAt = 12;

bool within_bounds(std::uint64_t stored, std::uint64_t raw, std::uint64_t records) {
  return raw <= stored * kMaxRawPerStored && records <= stored * kMaxRecordsPerStored;
}

// Compressed where that is smaller and within the decoder's bounds, else empty.
std::vector<std::byte> compressed(std::span<const std::byte> raw, std::uint64_t records) {
  std::vector<std::byte> stored(ZSTD_compressBound(raw.size()));
  const std::size_t size =
      ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0U || size >= raw.size() || !within_bounds(size, raw.size(), records)) {
    return {};
  }
  stored.resize(size);
  return stored;
}

}  // namespace

std::string_view to_string(BlockKind kind) {
  static constexpr std::array<std::string_view, 16> kWords{
      "unknown",   "header",    "strings", "kernels",     "copies",  "memsets",
      "api calls", "overheads", "ranges",  "graph nodes", "devices", "clocks",
      "windows",   "cupti",     "reason",  "end"};
  const auto index = static_cast<std::size_t>(kind);
  return index < kWords.size() ? kWords[index] : kWords[0];
}

Error bad_block(std::string what) {
  return Error{.code = ErrorCode::corrupt,
               .message = std::move(what),
               .hint = "trace the workload again; what stands before this place was read",
               .context = {}};
}

void append_block(std::vector<std::byte>& out, BlockKind kind, std::span<const std::byte> raw,
                  std::uint64_t records) {
  const std::vector<std::byte> packed = compressed(raw, records);
  const std::span<const std::byte> stored = packed.empty() ? raw : std::span(packed);
  const std::size_t at = out.size();
  out.reserve(at + kBlockHeaderBytes + stored.size());
  put(out, static_cast<std::uint16_t>(kind));
  put(out, packed.empty() ? kFlagPlain : std::uint16_t{0});
  put(out, static_cast<std::uint32_t>(stored.size()));
  put(out, static_cast<std::uint32_t>(raw.size()));
  const std::uint32_t of_header = crc32c(std::span(out).subspan(at, kChecksumAt));
  put(out, crc32c(stored, of_header));
  put_bytes(out, stored);
}

Result<BlockView> frame_at(std::span<const std::byte> file, std::size_t offset) {
  ByteReader reader(file.subspan(offset));
  BlockView block;
  block.offset = offset;
  std::uint32_t stored_length = 0;
  std::uint32_t checksum = 0;
  if (!reader.get(block.kind) || !reader.get(block.flags) || !reader.get(stored_length) ||
      !reader.get(block.raw_length) || !reader.get(checksum)) {
    return bad_block("the file ends inside a block header");
  }
  if (!reader.get_bytes(stored_length, block.stored)) {
    return bad_block("the file ends inside a block of " +
                     std::string(to_string(static_cast<BlockKind>(block.kind))) + " (" +
                     std::to_string(reader.remaining()) + " of " + std::to_string(stored_length) +
                     " bytes)");
  }
  if (block.raw_length > kMaxRawBytes || !within_bounds(stored_length, block.raw_length, 0)) {
    return bad_block("a block claims " + std::to_string(block.raw_length) + " bytes out of " +
                     std::to_string(stored_length) + ", more than the format allows");
  }
  return block;
}

BlockOpener::BlockOpener() : context_(ZSTD_createDCtx()) {}
BlockOpener::~BlockOpener() { ZSTD_freeDCtx(context_); }

Result<std::span<const std::byte>> BlockOpener::open(std::span<const std::byte> file,
                                                     const BlockView& block) {
  std::uint32_t expected = 0;
  const auto header = file.subspan(block.offset, kBlockHeaderBytes);
  ByteReader reader(header.subspan(kChecksumAt));
  if (!reader.get(expected) ||
      crc32c(block.stored, crc32c(header.first(kChecksumAt))) != expected) {
    return bad_block("the checksum of a block does not match its bytes");
  }
  if ((block.flags & ~kFlagPlain) != 0) {
    return bad_block(
        "a block has flags that this version does not know; read it with a newer perfgate");
  }
  if ((block.flags & kFlagPlain) != 0) {
    if (block.stored.size() != block.raw_length) {
      return bad_block("an uncompressed block has two lengths");
    }
    return block.stored;
  }
  if (context_ == nullptr) return bad_block("no memory for decompression");
  if (raw_.size() < block.raw_length) raw_.resize(block.raw_length);
  const std::size_t size = ZSTD_decompressDCtx(context_, raw_.data(), block.raw_length,
                                               block.stored.data(), block.stored.size());
  if (ZSTD_isError(size) != 0U || size != block.raw_length) {
    return bad_block("a block does not decompress to the length that it claims");
  }
  return std::span<const std::byte>(raw_).first(size);
}

}  // namespace perfgate::capture
