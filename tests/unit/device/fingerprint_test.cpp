// The fingerprint decides whether runs may be compared; what is not known is "unknown" and never
// left out.
#include "runner/device/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/device/throttle.h"

namespace perfgate::device {
namespace {

using ::testing::HasSubstr;

FingerprintInputs h200() {
  FingerprintInputs inputs;
  inputs.gpu = GpuInfo{};
  inputs.gpu->name = "NVIDIA H200";
  inputs.gpu->uuid = "GPU-1";
  inputs.gpu->mig_enabled = false;
  inputs.gpu->ecc_enabled = true;
  inputs.gpu->power_limit_mw = 700000;
  inputs.gpu->application_sm_clock_mhz = 1980;
  inputs.gpu->application_memory_clock_mhz = 3201;
  inputs.driver = {.driver = "580.159.04", .cuda_version = "13.0"};
  inputs.cpu_model = "AMD EPYC 9654";
  inputs.workload_digest = "abcd";
  inputs.program_digest = "1234";
  return inputs;
}

TEST(Fingerprint, SeparatesMachineSubjectAndInstance) {
  FingerprintInputs inputs = h200();
  inputs.environment.variables["NVIDIA_PYTORCH_VERSION"] = "26.08";
  const Fingerprint print = form_fingerprint(inputs);
  EXPECT_EQ(print.environment.at("gpu"), "NVIDIA H200");
  EXPECT_EQ(print.environment.at("driver"), "580.159.04");
  EXPECT_EQ(print.environment.at("power_limit_w"), "700");
  EXPECT_EQ(print.environment.at("mig"), "off");
  EXPECT_EQ(print.environment.at("ecc"), "on");
  EXPECT_EQ(print.environment.at("clock_policy"), "application 1980/3201 MHz");
  EXPECT_EQ(print.environment.at("workload"), "abcd");
  EXPECT_EQ(print.environment.at("measure_version"), "1");
  EXPECT_EQ(print.subject.at("program"), "1234");
  EXPECT_EQ(print.subject.at("cuda_driver_api"), "13.0");
  EXPECT_EQ(print.subject.at("container"), "26.08");
  EXPECT_EQ(print.instance.at("gpu_uuid"), "GPU-1");
  for (const auto& [key, value] : print.subject) EXPECT_NE(value, "unknown") << key;
}

TEST(Fingerprint, WithoutAGpuEverythingUnknownSaysSo) {
  const Fingerprint print = form_fingerprint({});
  EXPECT_EQ(print.environment.at("gpu"), "none");
  for (const char* key :
       {"driver", "power_limit_w", "mig", "ecc", "clock_policy", "cpu", "workload"}) {
    EXPECT_EQ(print.environment.at(key), "unknown") << key;
  }
  EXPECT_EQ(print.instance.at("gpu_uuid"), "unknown");
  EXPECT_FALSE(print.subject.contains("container"));
}

TEST(CpuModel, ReadsX86AndArm) {
  platform::FakeFileSystem files;
  EXPECT_EQ(read_cpu_model(files), "unknown");
  files.contents["/proc/cpuinfo"] =
      "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\nmodel\t: 143\n";
  EXPECT_EQ(read_cpu_model(files), "Intel(R) Xeon(R) Platinum 8480C");
  files.contents["/proc/cpuinfo"] = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n";
  EXPECT_EQ(read_cpu_model(files), "0x41/0xd4f");
}

TEST(ProgramDigest, ChangesWithTheFile) {
  platform::FakeFileSystem files;
  files.contents["/bin/x"] = "abc";
  EXPECT_EQ(program_digest("/bin/x", files), "ba7816bf8f01cfea");
  EXPECT_EQ(program_digest("/bin/y", files), "unknown");
}

TEST(OtherInjector, IsNamedWithItsValue) {
  EXPECT_TRUE(check_no_other_injector({}).ok());
  EXPECT_TRUE(
      check_no_other_injector({{"CUDA_INJECTION64_PATH", ""}, {"NVTX_INJECTION64_PATH", "none"}})
          .ok());
  const Status status =
      check_no_other_injector({{"CUDA_INJECTION64_PATH", "/opt/nsight/libToolsInjection64.so"}});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              HasSubstr("another injector is configured: "
                        "CUDA_INJECTION64_PATH=/opt/nsight/libToolsInjection64.so"));
}

TEST(Disturbance, ACounterThatGrewDisturbsThePowerCapDoesNot) {
  DeviceSample before;
  before.power_cap_us = 0;
  before.thermal_slowdown_us = 1000;
  before.power_brake_us = 7;
  DeviceSample after = before;
  after.power_cap_us = 900000;
  after.throttle_reasons = 0x44;  // of the idle GPU afterwards: the counters know better
  EXPECT_EQ(disturbance(before, after).state, Disturbance::State::none);
  EXPECT_EQ(power_cap_growth_us(before, after), 900000U);
  after.thermal_slowdown_us = 251000;
  EXPECT_EQ(disturbance(before, after).state, Disturbance::State::disturbed);
  EXPECT_EQ(disturbance(before, after).why, "the GPU was throttled for 250 ms: thermal slowdown");
  after.power_brake_us = 17;
  EXPECT_EQ(disturbance(before, after).why, "the GPU was throttled for 10 us: power brake");
  before.hardware_thermal_us = 0;
  after.hardware_thermal_us = 4000;
  EXPECT_EQ(disturbance(before, after).why,
            "the GPU was throttled for 4 ms: thermal slowdown (hardware)");
  after.other_processes = 2;
  EXPECT_EQ(disturbance(before, after).why, "2 other programs were on the GPU");
}

TEST(Disturbance, WhatIsNotCountedIsUnknownUnlessTheMomentaryReasonsProveIt) {
  DeviceSample before;
  before.thermal_slowdown_us = 0;
  DeviceSample after = before;
  EXPECT_EQ(disturbance(before, after).state, Disturbance::State::unknown);
  EXPECT_EQ(disturbance(before, after).why,
            "this driver does not count power brake: throttling by it would not be seen");
  after.throttle_reasons = 0x80;
  EXPECT_EQ(disturbance(before, after).state, Disturbance::State::disturbed);
  EXPECT_EQ(disturbance(before, after).why, "the GPU was throttled: power brake");
  EXPECT_EQ(disturbance(std::nullopt, after).state, Disturbance::State::unknown);
  EXPECT_EQ(power_cap_growth_us(before, after), std::nullopt);
}

TEST(Disturbance, ACounterThatBeganAnewTellsNothing) {
  DeviceSample before;
  before.thermal_slowdown_us = 9000;
  before.power_brake_us = 0;
  DeviceSample after = before;
  after.thermal_slowdown_us = 0;
  EXPECT_EQ(disturbance(before, after).state, Disturbance::State::unknown);
}

TEST(ThrottleReasons, AreSaidInWords) {
  EXPECT_EQ(describe_throttle_reasons(0), "none");
  EXPECT_EQ(describe_throttle_reasons(0x5), "idle, power cap");
  EXPECT_EQ(describe_throttle_reasons(0x8000), "unknown reason");
}

}  // namespace
}  // namespace perfgate::device
