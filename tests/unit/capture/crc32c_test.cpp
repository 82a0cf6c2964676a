// The checksum of every block.
#include "runner/capture/crc32c.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/capture/block_file.h"

namespace perfgate::capture {
namespace {

TEST(Crc32c, GivesTheValueOfRfc3720) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0})), 0x8A9136AAU);
}

TEST(Crc32c, TableAndInstructionAgreeAtEveryLengthAndInParts) {
  Bytes bytes;
  for (int i = 0; i < 67; ++i) bytes.push_back(static_cast<std::byte>(i * 37));
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const auto part = std::span(bytes).first(size);
    EXPECT_EQ(crc32c(part), crc32c_by_table(part)) << size;
    EXPECT_EQ(crc32c(std::span(bytes).subspan(size), crc32c(part)), crc32c(bytes)) << size;
  }
}

}  // namespace
}  // namespace perfgate::capture
