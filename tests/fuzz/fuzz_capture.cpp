// Any bytes at all decode to a capture or an error, and what decodes keeps the decoder's promises.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "runner/capture/block.h"
#include "runner/capture/byte_io.h"
#include "runner/capture/crc32c.h"
#include "runner/capture/decoder.h"
#include "runner/capture/encoder.h"

namespace {

namespace capture = perfgate::capture;
using perfgate::ApiClass;
using perfgate::Capture;
using perfgate::CopyKind;
using perfgate::GraphNodeKind;
using perfgate::Result;

void require(bool promise) {
  if (!promise) std::abort();
}

void check_promises(const Result<Capture>& result) {
  if (!result.ok()) {
    require(!result.error().message.empty() && !result.error().hint.empty());
    return;
  }
  const Capture& capture = result.value();
  const std::size_t strings = capture.strings.size();
  require(strings >= 1 && capture.strings[0].empty());
  require(capture.complete || !capture.reasons.empty());
  for (const auto& kernel : capture.kernels) require(kernel.name < strings);
  for (const auto& call : capture.api_calls) {
    require(call.name < strings && call.api_class <= ApiClass::graph_build);
  }
  for (const auto& copy : capture.copies) require(copy.kind <= CopyKind::peer_to_peer);
  for (const auto& overhead : capture.overheads) require(overhead.kind < strings);
  for (const auto& range : capture.ranges) require(range.name < strings && range.domain < strings);
  for (const auto& node : capture.graph_nodes) {
    require(node.nvtx_path < strings && node.kind <= GraphNodeKind::memset);
  }
  for (const auto& window : capture.windows) require(window.opened_by < strings);
}

// The same bytes with right checksums: a fuzzer does not guess those, and what lies behind them
// must hold too.
std::vector<std::byte> with_right_checksums(std::span<const std::byte> bytes) {
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  for (std::size_t at = capture::kPreambleBytes; at < file.size();) {
    const auto block = capture::frame_at(file, at);
    if (!block.ok()) break;
    const std::uint32_t checksum =
        capture::crc32c(block.value().stored, capture::crc32c(std::span(file).subspan(at, 12)));
    std::memcpy(&file[at + 12], &checksum, sizeof checksum);
    at = block.value().end_offset();
  }
  return file;
}

// The input as {u8 kind, u16 length, payload} entries in sound frames: reaches the readers of
// payloads directly.
std::vector<std::byte> framed(std::span<const std::byte> bytes) {
  std::vector<std::byte> file = capture::Encoder{}.begin({});
  capture::ByteReader reader(bytes);
  std::uint8_t kind = 0;
  std::uint16_t length = 0;
  std::span<const std::byte> payload;
  while (reader.get(kind) && reader.get(length) &&
         reader.get_bytes(std::min<std::size_t>(length, reader.remaining()), payload)) {
    capture::append_block(file, static_cast<capture::BlockKind>(kind), payload);
  }
  return file;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check_promises(capture::decode(bytes));
  check_promises(capture::decode(with_right_checksums(bytes)));
  check_promises(capture::decode(framed(bytes)));
  return 0;
}
