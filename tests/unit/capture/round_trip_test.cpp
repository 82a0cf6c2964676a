// What is encoded comes back.
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/capture/columns.h"
#include "tests/unit/capture/block_file.h"

namespace perfgate::capture {
namespace {

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

}  // namespace
}  // namespace perfgate::capture
