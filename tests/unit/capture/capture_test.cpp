// The capture file: what goes in comes out, and no bytes at all do harm.
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/capture/block.h"
#include "runner/capture/byte_io.h"
#include "runner/capture/columns.h"
#include "runner/capture/crc32c.h"
#include "runner/capture/decoder.h"
#include "runner/capture/encoder.h"
#include "tests/unit/capture/sample_capture.h"

namespace perfgate::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Bytes block_of(BlockKind kind, const Bytes& payload) {
  Bytes block;
  append_block(block, kind, payload);
  return block;
}

Bytes bytes_of(std::string_view text) {
  Bytes bytes;
  put_text(bytes, text);
  return bytes;
}

// begin, then `blocks`, then end.
Bytes file_around(const std::vector<Bytes>& blocks) {
  Encoder encoder;
  std::vector<Bytes> all{encoder.begin({})};
  all.insert(all.end(), blocks.begin(), blocks.end());
  all.push_back(encoder.end(0));
  return joined(all);
}

Capture decoded(const Bytes& file) {
  auto capture = decode(file);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? std::move(capture).value() : Capture{};
}

void expect_partial(const Bytes& file, const std::string& why) {
  const Capture capture = decoded(file);
  EXPECT_FALSE(capture.complete);
  ASSERT_FALSE(capture.reasons.empty());
  EXPECT_THAT(capture.reasons.back(), HasSubstr(why));
}

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

TEST(CaptureRoundTrip, EveryRecordKindComesBackFieldByField) {
  const Capture sample = sample_capture();
  EXPECT_EQ(dump(decoded(joined(encode_blocks(sample)))), dump(sample));
}

TEST(CaptureRoundTrip, UnknownDroppedCountStaysUnknown) {
  Capture sample = sample_capture();
  sample.dropped.reset();
  EXPECT_FALSE(decoded(joined(encode_blocks(sample))).dropped.has_value());
}

TEST(CaptureRoundTrip, ManyRecordsSpanBlocksAndKeepTheirOrder) {
  std::vector<ApiRecord> calls(2 * kRecordsPerBlock + 3);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].start_ns = static_cast<std::int64_t>(i * 1000);
    calls[i].end_ns = calls[i].start_ns + 10;
    calls[i].correlation = static_cast<std::uint32_t>(i);
  }
  Encoder encoder;
  const Capture capture = decoded(file_around({encoder.api_calls(calls)}));
  ASSERT_EQ(capture.api_calls.size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(capture.api_calls[i].correlation, i);
}

TEST(CaptureRoundTrip, ExtremeTimesInAnyOrderComeBack) {
  static constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
  static constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
  const std::vector<ClockPair> clocks{{kLow, kHigh, 0}, {kHigh, kLow, -1}, {0, 0, 1}};
  const std::vector<OverheadRecord> overheads{{.start_ns = kLow, .end_ns = kHigh},
                                              {.start_ns = kHigh, .end_ns = kLow}};
  Encoder encoder;
  const Capture capture =
      decoded(file_around({encoder.clocks(clocks), encoder.overheads(overheads)}));
  ASSERT_EQ(capture.clocks.size(), 3U);
  EXPECT_EQ(capture.clocks[1].realtime_ns, kHigh);
  EXPECT_EQ(capture.clocks[1].monotonic_ns, kLow);
  EXPECT_EQ(capture.clocks[1].cupti_ns, -1);
  ASSERT_EQ(capture.overheads.size(), 2U);
  EXPECT_EQ(capture.overheads[0].end_ns, kHigh);
  EXPECT_EQ(capture.overheads[1].end_ns, kLow);
}

TEST(CaptureRoundTrip, RecordsThatAreAllAlikeStayWithinTheDecodersBounds) {
  const std::vector<KernelRecord> kernels(3 * kRecordsPerBlock);
  Encoder encoder;
  const Capture capture = decoded(file_around({encoder.kernels(kernels)}));
  EXPECT_TRUE(capture.complete);
  EXPECT_EQ(capture.kernels.size(), kernels.size());
}

TEST(CaptureRoundTrip, TextThatCompressesExtremelyStaysWithinTheDecodersBounds) {
  Encoder encoder;
  const std::string text(kMaxTextBytes, 'x');
  const StringId id = encoder.intern(text);
  const Capture capture = decoded(file_around({encoder.take_strings()}));
  ASSERT_TRUE(capture.complete);
  EXPECT_EQ(capture.strings.at(id), text);
}

TEST(Encoder, InternsATextOnceAndTheEmptyTextAsZero) {
  Encoder encoder;
  EXPECT_EQ(encoder.intern(""), 0U);
  const StringId first = encoder.intern("a");
  EXPECT_EQ(encoder.intern("b"), first + 1);
  EXPECT_EQ(encoder.intern("a"), first);
  EXPECT_FALSE(encoder.take_strings().empty());
  EXPECT_EQ(encoder.intern("a"), first);
  EXPECT_TRUE(encoder.take_strings().empty()) << "nothing new was interned";
}

TEST(Encoder, StringsOfSeveralBlocksKeepTheirIds) {
  Encoder encoder;
  std::vector<Bytes> blocks;
  std::vector<StringId> ids;
  for (int i = 0; i < 9; ++i) {
    ids.push_back(encoder.intern(std::string(kMaxTextBytes - 1, 'y') + std::to_string(i)));
    if (i == 6) blocks.push_back(encoder.take_strings());  // more than one block holds
  }
  blocks.push_back(encoder.take_strings());
  const Capture capture = decoded(file_around(blocks));
  ASSERT_TRUE(capture.complete);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(capture.strings.at(ids[static_cast<std::size_t>(i)]).back(), '0' + i);
  }
}

TEST(Encoder, CutsATextAtOneMebibyte) {
  Encoder encoder;
  const StringId id = encoder.intern(std::string(kMaxTextBytes + 5, 'z'));
  const Capture capture = decoded(
      file_around({encoder.take_strings(), encoder.reason(std::string(kMaxTextBytes + 5, 'r'))}));
  EXPECT_EQ(capture.strings.at(id).size(), kMaxTextBytes);
  EXPECT_EQ(capture.reasons.at(0).size(), kMaxTextBytes);
}

TEST(Encoder, NoRecordsGiveNoBytes) {
  Encoder encoder;
  EXPECT_TRUE(encoder.kernels({}).empty());
  EXPECT_TRUE(encoder.api_calls({}).empty());
  EXPECT_TRUE(encoder.take_strings().empty());
}

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

TEST(Decoder, RefusesANewerFormatAndSaysWhatReadsIt) {
  Bytes file = joined(encode_blocks(sample_capture()));
  file[8] = std::byte{kFormatVersion + 1};
  const auto capture = decode(file);
  ASSERT_FALSE(capture.ok());
  EXPECT_EQ(capture.error().code, ErrorCode::unsupported);
  EXPECT_THAT(capture.error().message, HasSubstr("version 2"));
  EXPECT_THAT(capture.error().hint, HasSubstr("later one"));
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

TEST(Decoder, SkipsBlockKindsOfLaterVersions) {
  Encoder encoder;
  const std::vector<ClockPair> clocks{{1, 2, 3}};
  const Capture capture = decoded(file_around(
      {block_of(static_cast<BlockKind>(4711), bytes_of("news")), encoder.clocks(clocks)}));
  EXPECT_TRUE(capture.complete);
  EXPECT_TRUE(capture.reasons.empty());
  EXPECT_EQ(capture.clocks.size(), 1U);
}

TEST(Decoder, StopsAtFlagsThatItDoesNotKnow) {
  Bytes block = block_of(BlockKind::reason, bytes_of("text"));
  block[2] |= std::byte{0x80};
  const std::uint32_t checksum =
      crc32c(std::span(block).subspan(kBlockHeaderBytes), crc32c(std::span(block).first(12)));
  std::memcpy(&block[12], &checksum, sizeof checksum);
  expect_partial(file_around({block}), "flags");
}

TEST(Decoder, SkipsColumnsThatALaterVersionAppended) {
  std::vector<ClockPair> clocks{{10, 20, 30}, {11, 21, 31}};
  using columns::Number;
  using Later = columns::Layout<Number<&ClockPair::realtime_ns>, Number<&ClockPair::monotonic_ns>,
                                Number<&ClockPair::cupti_ns>, Number<&ClockPair::realtime_ns>>;
  const Bytes payload = columns::encode_records<ClockPair>(Later{}, clocks);
  const Capture capture = decoded(file_around({block_of(BlockKind::clocks, payload)}));
  EXPECT_TRUE(capture.complete);
  ASSERT_EQ(capture.clocks.size(), 2U);
  EXPECT_EQ(capture.clocks[1].cupti_ns, 31);
}

TEST(Decoder, LeavesDefaultsWhereAnEarlierVersionHadFewerColumns) {
  std::vector<NvtxRange> ranges{{.start_ns = 10, .end_ns = 15, .name = 0, .is_push_pop = false}};
  using columns::Number;
  using Earlier = columns::Layout<Number<&NvtxRange::start_ns>,
                                  columns::Elapsed<&NvtxRange::end_ns, &NvtxRange::start_ns>>;
  const Bytes payload = columns::encode_records<NvtxRange>(Earlier{}, ranges);
  const Capture capture = decoded(file_around({block_of(BlockKind::ranges, payload)}));
  ASSERT_EQ(capture.ranges.size(), 1U);
  EXPECT_EQ(capture.ranges[0].end_ns, 15);
  EXPECT_TRUE(capture.ranges[0].is_push_pop) << "the default of the model";
}

TEST(Decoder, ReadsALaterVersionsWordAsOther) {
  std::vector<ApiRecord> calls{
      {.start_ns = 1, .end_ns = 2, .api_class = static_cast<ApiClass>(99)}};
  Encoder encoder;
  const Capture capture = decoded(file_around({encoder.api_calls(calls)}));
  ASSERT_EQ(capture.api_calls.size(), 1U);
  EXPECT_EQ(capture.api_calls[0].api_class, ApiClass::other);
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

TEST(Decoder, KeepsReasonsInTheOrderTheyArose) {
  Encoder encoder;
  const Capture capture =
      decoded(file_around({encoder.reason("no CUPTI"), encoder.reason("window never opened")}));
  EXPECT_THAT(capture.reasons, ElementsAre("no CUPTI", "window never opened"));
}

}  // namespace
}  // namespace perfgate::capture
