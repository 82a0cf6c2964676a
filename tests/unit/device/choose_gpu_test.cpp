// --gpu takes auto, an index or a UUID; a wrong one answers with the list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/device/device_query.h"

namespace perfgate::device {
namespace {

using ::testing::HasSubstr;

GpuInfo gpu(std::uint32_t index, std::uint64_t used, std::uint32_t processes) {
  GpuInfo info;
  info.index = index;
  info.uuid = "GPU-" + std::to_string(index) + "000";
  info.name = "NVIDIA H200";
  info.memory_used_bytes = used;
  info.compute_processes = processes;
  return info;
}

TEST(ChooseGpu, AutoTakesAnIdleOneWithTheLeastMemoryInUse) {
  EXPECT_EQ(choose_gpu("auto", {gpu(0, 5, 1), gpu(1, 90, 0), gpu(2, 10, 0)}).value().index, 2U);
  EXPECT_EQ(choose_gpu("auto", {gpu(0, 50, 2), gpu(1, 20, 1)}).value().index, 1U) << "all busy";
}

TEST(ChooseGpu, AutoAvoidsMig) {
  GpuInfo sliced = gpu(0, 1, 0);
  sliced.mig_enabled = true;
  EXPECT_EQ(choose_gpu("auto", {sliced, gpu(1, 90, 3)}).value().index, 1U);
}

TEST(ChooseGpu, TakesAnIndexAndTheFrontOfAUuid) {
  const std::vector<GpuInfo> gpus{gpu(0, 1, 0), gpu(1, 1, 0)};
  EXPECT_EQ(choose_gpu("1", gpus).value().index, 1U);
  EXPECT_EQ(choose_gpu("GPU-1", gpus).value().index, 1U);
  EXPECT_EQ(choose_gpu("GPU-0000", gpus).value().index, 0U);
}

TEST(ChooseGpu, AWrongSelectorListsWhatIsThere) {
  const std::vector<GpuInfo> gpus{gpu(0, 1, 0), gpu(1, 1, 0)};
  for (const char* selector : {"7", "GPU-9", "", "first", "GPU-"}) {
    const auto chosen = choose_gpu(selector, gpus);
    ASSERT_FALSE(chosen.ok()) << selector;
    EXPECT_THAT(chosen.error().context, HasSubstr("1  GPU-1000  NVIDIA H200"));
  }
}

TEST(ChooseGpu, AGpuInMigModeIsRefusedWithTheCommandThatHelps) {
  GpuInfo sliced = gpu(0, 1, 0);
  sliced.mig_enabled = true;
  const auto chosen = choose_gpu("auto", {sliced});
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code, ErrorCode::unsupported);
  EXPECT_THAT(chosen.error().hint, HasSubstr("nvidia-smi -i 0 -mig 0"));
}

TEST(ChooseGpu, NoGpuIsUnavailable) {
  EXPECT_EQ(choose_gpu("auto", {}).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace perfgate::device
