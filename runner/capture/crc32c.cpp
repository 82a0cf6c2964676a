#include "runner/capture/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace perfgate::capture {
namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82F63B78U;
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// Slicing by eight: table k advances a byte that stands k bytes before the end of the word.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1U) ^ ((value & 1U) != 0 ? kReflectedPolynomial : 0U);
    }
    tables[0][byte] = value;
  }
  for (std::size_t slice = 1; slice < tables.size(); ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t value = tables[slice - 1][byte];
      tables[slice][byte] = (value >> 8U) ^ tables[0][value & 0xFFU];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint64_t load_word(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(
    std::span<const std::byte> bytes, std::uint32_t previous) {
  std::uint64_t state = ~previous;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) state = _mm_crc32_u64(state, load_word(&bytes[at]));
  auto tail = static_cast<std::uint32_t>(state);
  for (; at < bytes.size(); ++at) {
    tail = _mm_crc32_u8(tail, std::to_integer<unsigned char>(bytes[at]));
  }
  return ~tail;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t previous) {
  std::uint32_t state = ~previous;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = load_word(&bytes[at]) ^ state;
    state = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      state ^= kTables[7 - byte][(word >> (8U * byte)) & 0xFFU];
    }
  }
  for (; at < bytes.size(); ++at) {
    state = (state >> 8U) ^ kTables[0][(state ^ std::to_integer<std::uint32_t>(bytes[at])) & 0xFFU];
  }
  return ~state;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return crc32c_by_instruction(bytes, previous);
#endif
  return crc32c_by_table(bytes, previous);
}

}  // namespace perfgate::capture
