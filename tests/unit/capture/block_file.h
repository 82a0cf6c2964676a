// Files made of hand-made blocks, for the tests of the decoder and the encoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/capture/block.h"
#include "runner/capture/byte_io.h"
#include "runner/capture/decoder.h"
#include "runner/capture/encoder.h"
#include "tests/unit/capture/sample_capture.h"

namespace perfgate::capture {

inline Bytes block_of(BlockKind kind, const Bytes& payload) {
  Bytes block;
  append_block(block, kind, payload);
  return block;
}

inline Bytes bytes_of(std::string_view text) {
  Bytes bytes;
  put_text(bytes, text);
  return bytes;
}

/// begin, then `blocks`, then end.
inline Bytes file_around(const std::vector<Bytes>& blocks) {
  Encoder encoder;
  std::vector<Bytes> all{encoder.begin({})};
  all.insert(all.end(), blocks.begin(), blocks.end());
  all.push_back(encoder.end(0));
  return joined(all);
}

inline Capture decoded(const Bytes& file) {
  auto capture = decode(file);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? std::move(capture).value() : Capture{};
}

inline void expect_partial(const Bytes& file, const std::string& why) {
  const Capture capture = decoded(file);
  EXPECT_FALSE(capture.complete);
  ASSERT_FALSE(capture.reasons.empty());
  EXPECT_THAT(capture.reasons.back(), ::testing::HasSubstr(why));
}

}  // namespace perfgate::capture
