/// Decodes a capture file. Pure: bytes in, Capture out.
///
/// A file that is not a capture, or of a newer format, is an Error (`corrupt`, `unsupported`). A
/// file cut at any byte, or with a bad checksum, decodes to what stands before the first bad block,
/// with `complete` false and a reason that names the offset. Unknown block kinds are skipped. Never
/// reads beyond `bytes`; the memory used is bounded by the decoded lengths, each of which is
/// checked against the block's own claim.
#pragma once

#include <cstddef>
#include <span>

#include "runner/model/capture.h"
#include "runner/model/result.h"

namespace perfgate::capture {

[[nodiscard]] Result<Capture> decode(std::span<const std::byte> bytes);

}  // namespace perfgate::capture
