#include "runner/capture/decoder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "runner/capture/block.h"
#include "runner/capture/byte_io.h"
#include "runner/capture/encoder.h"
#include "runner/capture/record_layouts.h"

namespace perfgate::capture {
namespace {

struct Payload {
  std::span<const std::byte> bytes;
  std::size_t stored_bytes = 0;
};

Status bad_text(const char* block) {
  return bad_block("a block of " + std::string(block) + " is shorter than it claims");
}

bool get_sized_text(ByteReader& reader, std::string& text) {
  std::uint32_t size = 0;
  return reader.get(size) && reader.get_text(size, text);
}

Status read_header(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  if (!reader.get(capture.pid) || !reader.get(capture.parent_pid) ||
      !reader.get(capture.process_start_ticks)) {
    return bad_text("header");
  }
  return {};
}

Status read_strings(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  StringId first_id = 0;
  std::uint32_t count = 0;
  std::span<const std::byte> lengths;
  if (!reader.get(first_id) || !reader.get(count) ||
      !reader.get_bytes(std::size_t{count} * sizeof(std::uint32_t), lengths)) {
    return bad_text("strings");
  }
  if (first_id != capture.strings.size()) {
    return bad_block("a block of strings starts at id " + std::to_string(first_id) + " where " +
                     std::to_string(capture.strings.size()) + " was due");
  }
  if (count > payload.stored_bytes * kMaxRecordsPerStored) {
    return bad_block("a block claims " + std::to_string(count) + " strings in " +
                     std::to_string(payload.stored_bytes) + " bytes, more than the format allows");
  }
  std::vector<std::string> fresh(count);
  ByteReader sizes(lengths);
  for (std::string& text : fresh) {
    std::uint32_t size = 0;
    if (!sizes.get(size) || !reader.get_text(size, text)) return bad_text("strings");
  }
  capture.strings.insert(capture.strings.end(), std::make_move_iterator(fresh.begin()),
                         std::make_move_iterator(fresh.end()));
  return {};
}

template <typename Record>
Status read_records(const Payload& payload, Capture& capture) {
  return columns::decode_records<Record>(typename Schema<Record>::Columns{}, payload.bytes,
                                         payload.stored_bytes, capture.strings.size(),
                                         capture.*Schema<Record>::kPlace);
}

Status read_devices(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  std::uint32_t count = 0;
  if (!reader.get(count)) return bad_text("devices");
  std::vector<CaptureDevice> fresh;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t size = 0;
    std::span<const std::byte> bytes;
    if (!reader.get(size) || !reader.get_bytes(size, bytes)) return bad_text("devices");
    ByteReader entry(bytes);
    CaptureDevice device;
    if (!entry.get(device.ordinal) || !get_sized_text(entry, device.uuid) ||
        !get_sized_text(entry, device.name)) {
      return bad_text("devices");
    }
    fresh.push_back(std::move(device));
  }
  capture.devices.insert(capture.devices.end(), std::make_move_iterator(fresh.begin()),
                         std::make_move_iterator(fresh.end()));
  return {};
}

Status read_cupti(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  std::string version;
  std::string path_kind;
  if (!get_sized_text(reader, version) || !get_sized_text(reader, path_kind)) {
    return bad_text("cupti");
  }
  capture.cupti_version = std::move(version);
  capture.cupti_path_kind = std::move(path_kind);
  return {};
}

Status read_reason(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  std::string text;
  if (!get_sized_text(reader, text)) return bad_text("reason");
  capture.reasons.push_back(std::move(text));
  return {};
}

Status read_end(const Payload& payload, Capture& capture) {
  ByteReader reader(payload.bytes);
  std::uint8_t known = 0;
  std::uint64_t dropped = 0;
  if (!reader.get(known) || !reader.get(dropped)) return bad_text("end");
  if (known == 1) capture.dropped = dropped;
  capture.complete = true;
  return {};
}

Status read_block(const BlockView& block, const Payload& payload, Capture& capture) {
  switch (static_cast<BlockKind>(block.kind)) {
    case BlockKind::header: return bad_block("a second header block");
    case BlockKind::strings: return read_strings(payload, capture);
    case BlockKind::kernels: return read_records<KernelRecord>(payload, capture);
    case BlockKind::copies: return read_records<CopyRecord>(payload, capture);
    case BlockKind::memsets: return read_records<MemsetRecord>(payload, capture);
    case BlockKind::api_calls: return read_records<ApiRecord>(payload, capture);
    case BlockKind::overheads: return read_records<OverheadRecord>(payload, capture);
    case BlockKind::ranges: return read_records<NvtxRange>(payload, capture);
    case BlockKind::graph_nodes: return read_records<GraphNodeRecord>(payload, capture);
    case BlockKind::devices: return read_devices(payload, capture);
    case BlockKind::clocks: return read_records<ClockPair>(payload, capture);
    case BlockKind::windows: return read_records<CaptureWindow>(payload, capture);
    case BlockKind::cupti: return read_cupti(payload, capture);
    case BlockKind::reason: return read_reason(payload, capture);
    case BlockKind::end: return read_end(payload, capture);
  }
  return {};  // a kind of a later version
}

// Room for all records at once: growing by doubling would hold the large vectors twice. Every
// block's share is bounded by its stored bytes, as in decoding.
void reserve_records(std::span<const std::byte> bytes, Capture& capture) {
  std::size_t kernels = 0;
  std::size_t api_calls = 0;
  for (std::size_t at = kPreambleBytes; at < bytes.size();) {
    const auto block = frame_at(bytes, at);
    if (!block.ok()) break;
    at = block.value().end_offset();
    const std::size_t most = std::min<std::size_t>(
        kRecordsPerBlock,
        std::min<std::size_t>(block.value().raw_length,
                              block.value().stored.size() * kMaxRecordsPerStored));
    const auto kind = static_cast<BlockKind>(block.value().kind);
    if (kind == BlockKind::kernels) kernels += most;
    if (kind == BlockKind::api_calls) api_calls += most;
  }
  capture.kernels.reserve(kernels);
  capture.api_calls.reserve(api_calls);
}

Error not_a_capture(std::string message, ErrorCode code = ErrorCode::corrupt) {
  return Error{.code = code,
               .message = std::move(message),
               .hint = code == ErrorCode::unsupported
                           ? "read it with the perfgate that traced it, or a later one"
                           : "name a .pgcap file that a traced process wrote, or trace again",
               .context = {}};
}

Result<std::uint32_t> read_preamble(std::span<const std::byte> bytes) {
  if (bytes.empty()) return not_a_capture("the capture file is empty");
  ByteReader reader(bytes);
  std::string magic;
  const std::size_t given = std::min(bytes.size(), kMagic.size());
  if (!reader.get_text(given, magic) || magic != kMagic.substr(0, given)) {
    return not_a_capture("this is not a capture file: it does not start with PGCAP");
  }
  std::uint32_t version = 0;
  if (!reader.get(version)) return not_a_capture("the capture file is cut inside its first bytes");
  if (version > kFormatVersion) {
    return not_a_capture("the capture has format version " + std::to_string(version) +
                             "; this perfgate reads up to " + std::to_string(kFormatVersion),
                         ErrorCode::unsupported);
  }
  if (version == 0) return not_a_capture("the capture file has format version 0");
  return version;
}

std::string at_byte(std::size_t offset, const std::string& what) {
  return "capture unreadable from byte " + std::to_string(offset) + ": " + what;
}

// Frames, opens and reads the block at `offset`; its end on success.
Result<std::size_t> next_block(std::span<const std::byte> bytes, std::size_t offset,
                               BlockOpener& opener, Capture& capture) {
  PG_ASSIGN_OR_RETURN(const BlockView block, frame_at(bytes, offset));
  PG_ASSIGN_OR_RETURN(const auto payload, opener.open(bytes, block));
  PG_TRY(read_block(block, {.bytes = payload, .stored_bytes = block.stored.size()}, capture));
  return block.end_offset();
}

Result<std::size_t> header_block(std::span<const std::byte> bytes, BlockOpener& opener,
                                 Capture& capture) {
  const auto fail = [](const Error& error) {
    return not_a_capture("the capture file has no usable header: " + error.message);
  };
  const auto block = frame_at(bytes, kPreambleBytes);
  if (!block.ok()) return fail(block.error());
  const auto payload = opener.open(bytes, block.value());
  if (!payload.ok()) return fail(payload.error());
  if (static_cast<BlockKind>(block.value().kind) != BlockKind::header) {
    return not_a_capture("the capture file does not start with a header block");
  }
  const Status status =
      read_header({.bytes = payload.value(), .stored_bytes = block.value().stored.size()}, capture);
  if (!status.ok()) return fail(status.error());
  return block.value().end_offset();
}

}  // namespace

Result<Capture> decode(std::span<const std::byte> bytes) {
  Capture capture;
  PG_ASSIGN_OR_RETURN(capture.format_version, read_preamble(bytes));
  BlockOpener opener;
  PG_ASSIGN_OR_RETURN(std::size_t offset, header_block(bytes, opener, capture));
  reserve_records(bytes, capture);
  while (offset < bytes.size() && !capture.complete) {
    const auto next = next_block(bytes, offset, opener, capture);
    if (!next.ok()) {
      capture.reasons.push_back(at_byte(offset, next.error().message));
      return capture;
    }
    offset = next.value();
  }
  if (!capture.complete) {
    capture.reasons.push_back(at_byte(
        offset, "the file ends without an end block: the process did not close its capture"));
  } else if (offset < bytes.size()) {
    capture.reasons.push_back(
        at_byte(offset, std::to_string(bytes.size() - offset) + " bytes after the end block"));
  }
  return capture;
}

}  // namespace perfgate::capture
