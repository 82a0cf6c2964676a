// The NVML loader against a library with NVML's entry points; no driver is needed.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/device/device_query.h"

namespace perfgate::device {
namespace {

using ::testing::HasSubstr;

class Nvml : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceQuery> open(PidView view = {.own_namespace = false, .own_pid = 1000}) {
    return open_device_query(clock, view, PERFGATE_FAKE_NVML);
  }
  platform::FakeClock clock{42};
};

TEST_F(Nvml, DescribesAGpuInFull) {
  const auto gpus = open()->gpus();
  ASSERT_TRUE(gpus.ok());
  ASSERT_EQ(gpus.value().size(), 2U) << "one that fell off the bus hides no other";
  const GpuInfo& gpu = gpus.value()[0];
  EXPECT_EQ(gpu.uuid, "GPU-aaaa");
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.pci, "00000000:1B:00.0");
  EXPECT_EQ(gpu.mig_enabled, false) << "the current mode, not the pending one";
  EXPECT_EQ(gpu.ecc_enabled, true);
  EXPECT_EQ(gpu.power_limit_mw, 700000U);
  EXPECT_EQ(gpu.max_sm_clock_mhz, 1980U);
  EXPECT_EQ(gpu.max_memory_clock_mhz, 3201U);
  EXPECT_EQ(gpu.memory_bus_bits, 6144U);
  EXPECT_EQ(gpu.memory_used_bytes, 1'000'000'000U);
  EXPECT_EQ(gpu.compute_processes, 70U);
  EXPECT_EQ(gpu.application_sm_clock_mhz, std::nullopt) << "this library lacks the function";
}

TEST_F(Nvml, WhatTheDriverDoesNotSayIsEmptyAndNotZero) {
  const auto gpus = open()->gpus();
  ASSERT_TRUE(gpus.ok());
  const GpuInfo& old = gpus.value()[1];
  EXPECT_EQ(old.mig_enabled, std::nullopt);
  EXPECT_EQ(old.power_limit_mw, std::nullopt);
  const auto sample = open()->sample("GPU-bbbb");
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->sm_clock_mhz, std::nullopt);
  EXPECT_EQ(sample->thermal_slowdown_us, std::nullopt);
  EXPECT_EQ(sample->hardware_thermal_us, std::nullopt);
  EXPECT_EQ(sample->power_cap_us, 74U)
      << "the field stands in for a violation time that is missing";
}

TEST_F(Nvml, ASampleHasClocksCountersAndStrangers) {
  const auto sample = open()->sample("GPU-aaaa");
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->at_ns, 42);
  EXPECT_EQ(sample->sm_clock_mhz, 1755U);
  EXPECT_EQ(sample->power_mw, 120500U);
  EXPECT_EQ(sample->energy_mj, 123456789U);
  EXPECT_EQ(sample->throttle_reasons, 4U) << "found under its older name";
  EXPECT_EQ(sample->power_cap_us, 5000U);
  EXPECT_EQ(sample->thermal_slowdown_us, 2U);
  EXPECT_EQ(sample->hardware_thermal_us, 252U);
  EXPECT_EQ(sample->software_thermal_us, 251U) << "a narrow type counts with its own bytes only";
  EXPECT_EQ(sample->power_brake_us, std::nullopt) << "a field that this driver does not know";
  EXPECT_EQ(sample->other_processes, 69U) << "70 are listed, one of them is this process";
  EXPECT_FALSE(open()->sample("MIG-1").has_value());
}

TEST_F(Nvml, NoStrangerSeenInAPidNamespaceMeansCannotTell) {
  const auto sample = open({.own_namespace = true, .own_pid = 1000})->sample("GPU-bbbb");
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->other_processes, std::nullopt);
  EXPECT_EQ(open()->sample("GPU-bbbb")->other_processes, 0U);
}

TEST_F(Nvml, NamesTheDriver) {
  const DriverInfo driver = open()->driver();
  EXPECT_EQ(driver.driver, "580.159.04");
  EXPECT_EQ(driver.cuda_version, "13.0");
}

TEST_F(Nvml, AMissingLibraryIsAMachineWithoutADriver) {
  const auto device = open_device_query(clock, {}, "libno-such-nvml.so.1");
  const auto gpus = device->gpus();
  ASSERT_FALSE(gpus.ok());
  EXPECT_EQ(gpus.error().code, ErrorCode::unavailable);
  EXPECT_THAT(gpus.error().message, HasSubstr("no NVIDIA driver"));
  EXPECT_TRUE(device->driver().driver.empty());
  EXPECT_FALSE(device->sample("GPU-aaaa").has_value());
}

TEST_F(Nvml, ADriverThatDoesNotAnswerSaysWhy) {
  ::setenv("FAKE_NVML_BROKEN", "1", 1);
  const auto device = open();
  ::unsetenv("FAKE_NVML_BROKEN");
  ASSERT_FALSE(device->gpus().ok());
  EXPECT_THAT(device->gpus().error().message, HasSubstr("Driver Not Loaded"));
}

}  // namespace
}  // namespace perfgate::device
