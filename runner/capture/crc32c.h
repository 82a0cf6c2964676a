/// CRC32C (Castagnoli polynomial 0x1EDC6F41, reflected, RFC 3720 appendix B.4): what guards every
/// block.
///
/// `crc32c` uses the processor's instruction where x86 has it (SSE 4.2), else tables. Both give the
/// same value; `crc32c_by_table` is public so that a test can say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perfgate::capture {

/// The checksum of `bytes`, or of what `previous` was formed over followed by `bytes`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);
[[nodiscard]] std::uint32_t crc32c_by_table(std::span<const std::byte> bytes,
                                            std::uint32_t previous = 0);

}  // namespace perfgate::capture
