/// Fixed-width little-endian numbers in and out of byte buffers.
///
/// `ByteReader` is the only way in: each read says whether the bytes were there, and a failed read
/// moves nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perfgate::capture {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian and read by memcpy; swap bytes here for other machines");

template <typename Number>
void put(std::vector<std::byte>& out, Number value) {
  static_assert(std::is_integral_v<Number>);
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

// Not vector::insert: g++ 12 at -O3 sees an overflow in its own code there.
inline void put_bytes(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t at = out.size();
  out.resize(at + bytes.size());
  std::memcpy(out.data() + at, bytes.data(), bytes.size());
}

inline void put_text(std::vector<std::byte>& out, std::string_view text) {
  put_bytes(out, std::as_bytes(std::span(text)));
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  template <typename Number>
  [[nodiscard]] bool get(Number& value) {
    static_assert(std::is_integral_v<Number>);
    std::span<const std::byte> bytes;
    if (!get_bytes(sizeof value, bytes)) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    return true;
  }

  [[nodiscard]] bool get_bytes(std::size_t size, std::span<const std::byte>& bytes) {
    if (size > rest_.size()) return false;
    bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
  }

  [[nodiscard]] bool get_text(std::size_t size, std::string& text) {
    std::span<const std::byte> bytes;
    if (!get_bytes(size, bytes)) return false;
    text.resize(size);
    if (size > 0) std::memcpy(text.data(), bytes.data(), size);
    return true;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace perfgate::capture
