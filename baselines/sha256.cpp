#include "baselines/sha256.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace perfgate::baselines {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::array<std::uint32_t, 8> kStart{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::size_t kBlockBytes = 64;
constexpr std::string_view kDigits = "0123456789abcdef";

std::uint32_t word_at(std::string_view block, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word = (word << 8U) | static_cast<unsigned char>(block[4 * index + i]);
  }
  return word;
}

void add_block(Words& state, std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w.at(i) = word_at(block, i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w.at(i - 15);
    const std::uint32_t b = w.at(i - 2);
    w.at(i) = w.at(i - 16) + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) + w.at(i - 7) +
              (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kRound.at(i) + w.at(i);
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words next{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state.at(i) += next.at(i);
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Words state = kStart;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  while (bytes.size() >= kBlockBytes) {
    add_block(state, bytes.substr(0, kBlockBytes));
    bytes.remove_prefix(kBlockBytes);
  }
  std::string tail(bytes);
  tail += static_cast<char>(0x80);
  while (tail.size() % kBlockBytes != kBlockBytes - 8) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    tail += static_cast<char>((bits >> static_cast<unsigned>(shift)) & 0xffU);
  }
  for (std::size_t at = 0; at < tail.size(); at += kBlockBytes) {
    add_block(state, std::string_view(tail).substr(at, kBlockBytes));
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      hex += kDigits[(word >> static_cast<unsigned>(shift)) & 0xfU];
    }
  }
  return hex;
}

}  // namespace perfgate::baselines
