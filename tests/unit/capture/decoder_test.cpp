// What the decoder makes of captures of other versions and of what stands beside the records.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/capture/columns.h"
#include "tests/unit/capture/block_file.h"

namespace perfgate::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Decoder, RefusesANewerFormatAndSaysWhatReadsIt) {
  Bytes file = joined(encode_blocks(sample_capture()));
  file[8] = std::byte{kFormatVersion + 1};
  const auto capture = decode(file);
  ASSERT_FALSE(capture.ok());
  EXPECT_EQ(capture.error().code, ErrorCode::unsupported);
  EXPECT_THAT(capture.error().message, HasSubstr("version 2"));
  EXPECT_THAT(capture.error().hint, HasSubstr("later one"));
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

TEST(Decoder, KeepsReasonsInTheOrderTheyArose) {
  Encoder encoder;
  const Capture capture =
      decoded(file_around({encoder.reason("no CUPTI"), encoder.reason("window never opened")}));
  EXPECT_THAT(capture.reasons, ElementsAre("no CUPTI", "window never opened"));
}

}  // namespace
}  // namespace perfgate::capture
