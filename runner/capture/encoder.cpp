#include "runner/capture/encoder.h"

#include <algorithm>
#include <utility>

#include "runner/capture/block.h"
#include "runner/capture/byte_io.h"
#include "runner/capture/record_layouts.h"

namespace perfgate::capture {
namespace {

// A string block is closed when it passes this, so that it stays far below the decoder's bound.
constexpr std::size_t kStringBlockBytes = 4U << 20U;

std::string_view clipped(std::string_view text) { return text.substr(0, kMaxTextBytes); }

void put_sized_text(Bytes& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  put_text(out, text);
}

template <typename Record>
Bytes record_blocks(std::span<const Record> records) {
  Bytes out;
  while (!records.empty()) {
    const auto part = records.first(std::min(records.size(), kRecordsPerBlock));
    const Bytes payload = columns::encode_records<Record>(typename Schema<Record>::Columns{}, part);
    append_block(out, Schema<Record>::kKind, payload, part.size());
    records = records.subspan(part.size());
  }
  return out;
}

Bytes one_block(BlockKind kind, const Bytes& payload) {
  Bytes out;
  append_block(out, kind, payload);
  return out;
}

}  // namespace

Bytes Encoder::begin(const Header& header) {
  Bytes out;
  put_text(out, kMagic);
  put(out, kFormatVersion);
  Bytes payload;
  put(payload, header.pid);
  put(payload, header.parent_pid);
  put(payload, header.process_start_ticks);
  append_block(out, BlockKind::header, payload);
  return out;
}

StringId Encoder::intern(std::string_view text) {
  text = clipped(text);
  if (text.empty()) return 0;
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const StringId id = next_id_++;
  ids_.emplace(text, id);
  pending_.emplace_back(text);
  return id;
}

// Payload: u32 id of the first, u32 count, u32 length of each, then the texts end to end.
Bytes Encoder::take_strings() {
  Bytes out;
  auto first_id = static_cast<StringId>(next_id_ - pending_.size());
  for (std::size_t next = 0; next < pending_.size();) {
    const std::size_t first = next;
    std::size_t size = 0;
    while (next < pending_.size() && size < kStringBlockBytes) {
      size += sizeof(std::uint32_t) + pending_[next++].size();
    }
    const std::span<const std::string> part(&pending_[first], next - first);
    Bytes payload;
    payload.reserve(size + 2 * sizeof(std::uint32_t));
    put(payload, first_id);
    put(payload, static_cast<std::uint32_t>(part.size()));
    for (const std::string& text : part) put(payload, static_cast<std::uint32_t>(text.size()));
    for (const std::string& text : part) put_text(payload, text);
    append_block(out, BlockKind::strings, payload, part.size());
    first_id += static_cast<StringId>(part.size());
  }
  pending_.clear();
  return out;
}

Bytes Encoder::kernels(std::span<const KernelRecord> records) { return record_blocks(records); }
Bytes Encoder::copies(std::span<const CopyRecord> records) { return record_blocks(records); }
Bytes Encoder::memsets(std::span<const MemsetRecord> records) { return record_blocks(records); }
Bytes Encoder::api_calls(std::span<const ApiRecord> records) { return record_blocks(records); }
Bytes Encoder::overheads(std::span<const OverheadRecord> records) { return record_blocks(records); }
Bytes Encoder::ranges(std::span<const NvtxRange> records) { return record_blocks(records); }
Bytes Encoder::graph_nodes(std::span<const GraphNodeRecord> records) {
  return record_blocks(records);
}
Bytes Encoder::clocks(std::span<const ClockPair> clocks) { return record_blocks(clocks); }
Bytes Encoder::windows(std::span<const CaptureWindow> windows) { return record_blocks(windows); }

// Payload: u32 count, then for each device a u32 size of what follows, u32 ordinal, and two texts
// with u32 lengths.
Bytes Encoder::devices(std::span<const CaptureDevice> devices) {
  Bytes payload;
  put(payload, static_cast<std::uint32_t>(devices.size()));
  for (const CaptureDevice& device : devices) {
    Bytes entry;
    put(entry, device.ordinal);
    put_sized_text(entry, clipped(device.uuid));
    put_sized_text(entry, clipped(device.name));
    put(payload, static_cast<std::uint32_t>(entry.size()));
    put_bytes(payload, entry);
  }
  return one_block(BlockKind::devices, payload);
}

Bytes Encoder::cupti(std::string_view version, std::string_view path_kind) {
  Bytes payload;
  put_sized_text(payload, clipped(version));
  put_sized_text(payload, clipped(path_kind));
  return one_block(BlockKind::cupti, payload);
}

Bytes Encoder::reason(std::string_view text) {
  Bytes payload;
  put_sized_text(payload, clipped(text));
  return one_block(BlockKind::reason, payload);
}

// Payload: u8 1 if the count is known, u64 count.
Bytes Encoder::end(std::optional<std::uint64_t> dropped) {
  Bytes payload;
  put(payload, static_cast<std::uint8_t>(dropped.has_value() ? 1 : 0));
  put(payload, dropped.value_or(0));
  return one_block(BlockKind::end, payload);
}

}  // namespace perfgate::capture
