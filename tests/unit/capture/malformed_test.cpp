// No bytes at all do harm: cut, damaged and hostile files.
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/capture/columns.h"
#include "runner/capture/crc32c.h"
#include "tests/unit/capture/block_file.h"

namespace perfgate::capture {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Decoder, RefusesAnEmptyFile) {
  const auto capture = decode({});
  ASSERT_FALSE(capture.ok());
  EXPECT_EQ(capture.error().code, ErrorCode::corrupt);
  EXPECT_THAT(capture.error().message, HasSubstr("empty"));
}

TEST(Decoder, RefusesWhatIsNotACapture) {
  for (const std::string_view text : {"x", "SQLite format 3 and so on and on", "PGCAP\n\x1a"}) {
    const auto capture = decode(bytes_of(text));
    ASSERT_FALSE(capture.ok()) << text;
    EXPECT_EQ(capture.error().code, ErrorCode::corrupt);
    EXPECT_THAT(capture.error().message, HasSubstr("not a capture"));
    EXPECT_FALSE(capture.error().hint.empty());
  }
}

// Every prefix is an error with a next step (no usable header yet), or a partial capture whose rows
// are a prefix of the whole one's.
TEST(Decoder, ReadsAPrefixOfAFileCutAtAnyByte) {
  const Capture sample = sample_capture();
  const std::vector<Bytes> blocks = encode_blocks(sample);
  const Bytes file = joined(blocks);
  std::size_t kernels_before = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto capture = decode(std::span(file).first(size));
    if (size < blocks[0].size()) {
      ASSERT_FALSE(capture.ok()) << size;
      EXPECT_EQ(capture.error().code, ErrorCode::corrupt);
      EXPECT_FALSE(capture.error().hint.empty());
      continue;
    }
    ASSERT_TRUE(capture.ok()) << size << ": " << capture.error().message;
    const Capture& part = capture.value();
    ASSERT_FALSE(part.complete) << size;
    EXPECT_FALSE(part.dropped.has_value()) << size;
    ASSERT_THAT(part.reasons.back(), StartsWith("capture unreadable from byte ")) << size;
    EXPECT_EQ(part.pid, sample.pid);
    EXPECT_GE(part.kernels.size(), kernels_before);
    EXPECT_TRUE(part.kernels.empty() || part.kernels.size() == sample.kernels.size());
    kernels_before = part.kernels.size();
  }
  EXPECT_EQ(kernels_before, sample.kernels.size());
}

TEST(Decoder, CatchesAFlippedBitAtEveryByte) {
  const Bytes file = joined(encode_blocks(sample_capture()));
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const unsigned bit : {0U, 5U, 7U}) {
      Bytes damaged = file;
      damaged[at] ^= static_cast<std::byte>(1U << bit);
      const auto capture = decode(damaged);
      EXPECT_TRUE(!capture.ok() || !capture.value().complete) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(Decoder, NamesTheOffsetOfTheFirstBadBlockAndKeepsWhatStandsBeforeIt) {
  const std::vector<Bytes> blocks = encode_blocks(sample_capture());
  Bytes file = joined(blocks);
  const std::size_t first_record_block =
      blocks[0].size() + blocks[1].size() + blocks[2].size() + blocks[3].size();
  file[first_record_block + blocks[4].size() + kBlockHeaderBytes] ^= std::byte{1};  // in the copies
  const Capture capture = decoded(file);
  EXPECT_EQ(capture.kernels.size(), sample_capture().kernels.size());
  EXPECT_TRUE(capture.copies.empty());
  EXPECT_THAT(capture.reasons.back(),
              HasSubstr("byte " + std::to_string(first_record_block + blocks[4].size()) + ":"));
  EXPECT_THAT(capture.reasons.back(), HasSubstr("checksum"));
}

TEST(Decoder, StopsAtFlagsThatItDoesNotKnow) {
  Bytes block = block_of(BlockKind::reason, bytes_of("text"));
  block[2] |= std::byte{0x80};
  const std::uint32_t checksum =
      crc32c(std::span(block).subspan(kBlockHeaderBytes), crc32c(std::span(block).first(12)));
  std::memcpy(&block[12], &checksum, sizeof checksum);
  expect_partial(file_around({block}), "flags");
}

TEST(Decoder, RefusesAStringIdThatNoEarlierBlockDefined) {
  Encoder encoder;
  const std::vector<KernelRecord> kernels{{.name = encoder.intern("late")}};
  const Bytes strings = encoder.take_strings();
  expect_partial(file_around({encoder.kernels(kernels), strings}), "names string 1 of 1 known");
  EXPECT_TRUE(decoded(file_around({strings, encoder.kernels(kernels)})).complete);
}

TEST(Decoder, RefusesStringBlocksOutOfOrder) {
  Encoder encoder;
  static_cast<void>(encoder.intern("a"));
  const Bytes first = encoder.take_strings();
  static_cast<void>(encoder.intern("b"));
  const Bytes second = encoder.take_strings();
  expect_partial(file_around({second, first}), "starts at id 2 where 1 was due");
  expect_partial(file_around({first, first}), "starts at id 1 where 2 was due");
}

TEST(Decoder, RefusesANumberThatDoesNotFitItsField) {
  std::vector<MemsetRecord> memsets{{.start_ns = 1, .end_ns = 2, .bytes = 1ULL << 40U}};
  using columns::Number;
  using R = MemsetRecord;
  using Wrong = columns::Layout<Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                                Number<&R::bytes>, Number<&R::graph_node>, Number<&R::bytes>>;
  const Bytes payload = columns::encode_records<R>(Wrong{}, memsets);
  expect_partial(file_around({block_of(BlockKind::memsets, payload)}), "does not fit its field");
}

TEST(Decoder, RefusesClaimsThatItsBytesCannotHold) {
  Bytes payload;
  columns::append_shape(payload, {.records = 4'000'000'000U, .columns = 3});
  expect_partial(file_around({block_of(BlockKind::clocks, payload)}), "claims 4000000000 records");

  Bytes strings;
  put(strings, std::uint32_t{1});
  put(strings, std::uint32_t{0xFFFFFFFF});
  expect_partial(file_around({block_of(BlockKind::strings, strings)}), "shorter than it claims");

  Bytes block = block_of(BlockKind::reason, bytes_of("text"));
  const std::uint32_t raw_length = kMaxRawBytes + 1;
  std::memcpy(&block[8], &raw_length, sizeof raw_length);
  expect_partial(file_around({block}), "more than the format allows");
}

TEST(Decoder, RefusesColumnsThatAreCutOrMalformed) {
  Bytes cut;
  columns::append_shape(cut, {.records = 3, .columns = 3});
  expect_partial(file_around({block_of(BlockKind::clocks, cut)}), "cut or malformed column");

  Bytes wide = cut;
  put(wide, std::uint8_t{0});
  put(wide, std::uint8_t{3});  // bytes a cell
  wide.resize(wide.size() + 64);
  expect_partial(file_around({block_of(BlockKind::clocks, wide)}), "cut or malformed column");
}

TEST(Decoder, RefusesASecondHeaderAndAMissingOne) {
  Encoder encoder;
  const Bytes begin = encoder.begin({});
  const Bytes header(begin.begin() + kPreambleBytes, begin.end());
  expect_partial(file_around({header}), "second header");

  Bytes headless(begin.begin(), begin.begin() + kPreambleBytes);
  const Bytes end = encoder.end(0);
  headless.insert(headless.end(), end.begin(), end.end());
  const auto capture = decode(headless);
  ASSERT_FALSE(capture.ok());
  EXPECT_THAT(capture.error().message, HasSubstr("header"));
}

TEST(Decoder, SaysThatAKilledProcessDidNotCloseItsCapture) {
  Encoder encoder;
  const Capture capture = decoded(encoder.begin({.pid = 7, .parent_pid = 1}));
  EXPECT_FALSE(capture.complete);
  EXPECT_EQ(capture.pid, 7U);
  ASSERT_EQ(capture.reasons.size(), 1U);
  EXPECT_THAT(capture.reasons[0], HasSubstr("without an end block"));
}

TEST(Decoder, MentionsBytesAfterTheEndBlock) {
  Bytes file = file_around({});
  file.resize(file.size() + 5);
  const Capture capture = decoded(file);
  EXPECT_TRUE(capture.complete);
  ASSERT_EQ(capture.reasons.size(), 1U);
  EXPECT_THAT(capture.reasons[0], HasSubstr("5 bytes after the end block"));
}

}  // namespace
}  // namespace perfgate::capture
