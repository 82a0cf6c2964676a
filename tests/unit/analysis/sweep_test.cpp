#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

constexpr const char* kGemm = "ampere_sgemm_128x128_tn";
constexpr const char* kNorm = "vllm::rms_norm_kernel";
constexpr const char* kNccl = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

TEST(Sweep, OverlappingStreamsAreBusyOnceAndNeverIdleBelowZero) {
  HandMade made;  // two streams, [0, 100) and [50, 150): sum 200, busy 150, idle 0
  made.kernel(0, 100, 1, kGemm, 7);
  made.kernel(50, 150, 2, kGemm, 13);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  ASSERT_EQ(device.families.size(), 1U);
  EXPECT_EQ(device.families[0].sum_ns, 200);
  EXPECT_EQ(device.busy_ns, 150);
  EXPECT_EQ(device.window_ns, 150);
  EXPECT_TRUE(device.idle.empty());
  EXPECT_EQ(device.same_stream_overlaps, 0);
}

TEST(Sweep, ComputeIsChargedBeforeCommunicationBeforeCopies) {
  HandMade made;
  made.copy(0, 400, 1, 9);
  made.kernel(100, 300, 2, kNccl, 8);
  made.kernel(150, 200, 3, kGemm, 7);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(family_wall(device, "gemm"), 50);
  EXPECT_EQ(family_wall(device, "comm"), 150);
  EXPECT_EQ(family_wall(device, "memcpy"), 200);
  EXPECT_EQ(device.busy_ns, 400);
}

TEST(Sweep, TheEarlierStartThenTheLowerCorrelationIsCharged) {
  HandMade made;
  made.kernel(0, 100, 5, kGemm, 7);
  made.kernel(40, 120, 1, kNorm, 8);
  made.kernel(200, 250, 9, kGemm, 7);
  made.kernel(200, 250, 4, kNorm, 8);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(family_wall(only_device(analysis), "gemm"), 100);
  EXPECT_EQ(family_wall(only_device(analysis), "norm"), 20 + 50);
}

TEST(Sweep, SmallOverlapsOnOneStreamAreCountedAndAccepted) {
  HandMade made;
  made.kernel(0, 100, 1);
  made.kernel(90, 200, 2);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(only_device(analysis).same_stream_overlaps, 1);
  EXPECT_EQ(only_device(analysis).busy_ns, 200);
  EXPECT_EQ(analysis.capture.validity, Validity::valid)
      << testing::PrintToString(analysis.capture.reasons);
}

TEST(Sweep, AKernelThatCoversLaterOnesOfItsStreamIsSuspectWithBothSums) {
  HandMade made;  // us: (0, 1600000), (10, 5), (20, 5), (30, 10)
  made.kernel(0, 1'600'000'000);
  made.kernel(10'000, 15'000);
  made.kernel(20'000, 25'000);
  made.kernel(30'000, 40'000);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(analysis.capture.validity, Validity::suspect);
  EXPECT_THAT(analysis.capture.reasons,
              testing::Contains(testing::AllOf(testing::HasSubstr("1600020.0 us"),
                                               testing::HasSubstr(" 30.0 us"))));
}

TEST(Sweep, ARecordWithoutTimeIsLeftOutAndAZeroLengthOneCounts) {
  HandMade made;
  made.kernel(0, 6'000);
  made.kernel(10'000, 14'000);
  made.kernel(8'000, 8'000);
  made.capture.kernels.emplace_back();  // ts 0, dur 0
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(only_device(analysis).window_ns, 14'000);
  EXPECT_EQ(only_device(analysis).operations, 3);
  EXPECT_EQ(analysis.capture.validity, Validity::partial);
  EXPECT_THAT(analysis.capture.reasons,
              testing::Contains(testing::HasSubstr("1 GPU record without time left out")));
}

TEST(Sweep, AdjacentNanosecondsLeaveNoGap) {
  HandMade made;
  made.kernel(163'100, 163'150);
  made.kernel(163'150, 163'200);
  EXPECT_TRUE(only_device(analyze_one(made.capture, plain_spec())).idle.empty());
}

struct Oracle {
  std::map<std::string, std::int64_t> wall;
  std::int64_t idle = 0;
};

/// Charges each nanosecond by looking at every record: slow and plainly right.
Oracle charge_each_nanosecond(const Capture& capture, std::int64_t begin, std::int64_t end) {
  Oracle oracle;
  for (std::int64_t t = begin; t < end; ++t) {
    std::tuple<int, std::int64_t, std::uint32_t> best{9, 0, 0};
    std::string family;
    const auto offer = [&](int rank, const auto& record, const std::string& name) {
      const std::tuple key{rank, record.start_ns, record.correlation};
      if (record.start_ns <= t && t < record.end_ns && key < best) {
        best = key;
        family = name;
      }
    };
    for (const KernelRecord& k : capture.kernels) {
      const std::string& name = capture.strings[k.name];
      if (name == kNccl)
        offer(1, k, "comm");
      else
        offer(0, k, name == kGemm ? "gemm" : "norm");
    }
    for (const CopyRecord& c : capture.copies) offer(2, c, "memcpy");
    if (family.empty())
      ++oracle.idle;
    else
      ++oracle.wall[family];
  }
  return oracle;
}

TEST(Sweep, RandomTimelinesMatchAnOracleThatChargesEachNanosecond) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    HandMade made;
    const int records = 1 + static_cast<int>(below(14));
    for (int i = 0; i < records; ++i) {
      const std::int64_t start = below(400);
      const std::int64_t end = start + below(90);
      const auto id = static_cast<std::uint32_t>(i + 1);
      made.call(start - below(60) - 1, start + below(30) - 20, ApiClass::kernel_launch, id,
                1 + static_cast<std::uint32_t>(below(2)));
      const auto stream = static_cast<std::uint32_t>(below(3));
      const auto kind = below(4);
      if (kind == 3)
        made.copy(start, end, id, stream);
      else
        made.kernel(start, end, id, kind == 0 ? kGemm : kind == 1 ? kNorm : kNccl, stream);
    }
    made.kernel(300, 310, 500, kGemm, 1);
    std::int64_t begin = made.capture.kernels[0].start_ns;
    std::int64_t end = 0;
    const auto stretch = [&](const auto& record) {
      begin = std::min(begin, record.start_ns);
      end = std::max(end, record.end_ns);
    };
    for (const KernelRecord& k : made.capture.kernels) stretch(k);
    for (const CopyRecord& c : made.capture.copies) stretch(c);
    const Analysis analysis = analyze_one(made.capture, plain_spec());
    const DeviceWindow& device = only_device(analysis);
    const Oracle oracle = charge_each_nanosecond(made.capture, begin, end);
    ASSERT_EQ(device.window_ns, end - begin) << "round " << round;
    ASSERT_EQ(accounted_ns(device), device.window_ns) << "round " << round;
    ASSERT_EQ(device.window_ns - device.busy_ns, oracle.idle) << "round " << round;
    for (const char* family : {"gemm", "norm", "comm", "memcpy"}) {
      const auto found = oracle.wall.find(family);
      ASSERT_EQ(family_wall(device, family), found == oracle.wall.end() ? 0 : found->second)
          << family << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace perfgate::analysis
