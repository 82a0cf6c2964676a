// doctor names what is there, what is not, and what to do; on a made-up machine.
#include "runner/device/doctor.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::device {
namespace {

using ::testing::HasSubstr;

class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    GpuInfo gpu;
    gpu.uuid = "GPU-1";
    gpu.name = "NVIDIA H200";
    gpu.max_sm_clock_mhz = 1980;
    device.list = {gpu};
    DeviceSample sample;
    sample.sm_clock_mhz = 1755;
    sample.throttle_reasons = 0x4;
    sample.other_processes = 0;
    sample.power_cap_us = 5'000'000;
    sample.hardware_thermal_us = 0;
    sample.software_thermal_us = 700;
    sample.power_brake_us = 0;
    device.samples = {sample};
    add("/proc/driver/nvidia/params", "RmMsg: \"\"\nRmProfilingAdminOnly: 1\n");
    add("/proc/self/status", "Name:\tperfgate\nCapEff:\t0000004000000000\n");
    add("/usr/local/cuda-12.9/extras/CUPTI/lib64/libcupti.so.12", "");
    add("/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13", "");
    add("/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.2025.3.1", "");
    add("/usr/local/cuda-13.0/bin/nvcc", "");
    files.contents["/opt/libperfgate_probe.so"] = "";
    files.contents["/opt/perfgate-workload"] = "";
    files.folders = {"/tmp"};
  }
  void add(const std::string& path, const std::string& text) {
    files.contents["/machine" + path] = text;
  }
  DoctorCheck check(const std::string& name) {
    const Machine machine{files, environment, device, pids, false, "/machine"};
    const auto checks = examine(machine, parts, "auto");
    const auto found = std::ranges::find(checks, name, &DoctorCheck::name);
    if (found == checks.end())
      return {.name = "missing", .state = DoctorCheck::State::unknown, .found = {}, .todo = {}};
    return *found;
  }

  platform::FakeFileSystem files;
  platform::Environment environment;
  FakeDevice device;
  PidView pids;
  InstalledParts parts{.probe_library = "/opt/libperfgate_probe.so",
                       .workload_program = "/opt/perfgate-workload",
                       .lock_folder = "/run/lock/perfgate",
                       .temporary_folder = "/tmp"};
};

TEST_F(Doctor, WithoutAGpuOnlyWhatSuchARunNeedsIsLookedAt) {
  parts.probe_library.clear();
  device.list.clear();
  const Machine machine{files, environment, device, pids, false, "/machine"};
  const auto checks = examine(machine, parts, "none");
  EXPECT_EQ(checks.size(), 3U);
  for (const DoctorCheck& each : checks) EXPECT_EQ(each.state, DoctorCheck::State::ok) << each.name;
}

TEST_F(Doctor, AHealthyMachineNeedsNoAdvice) {
  const Machine machine{files, environment, device, pids, false, "/machine"};
  for (const DoctorCheck& each : examine(machine, parts, "auto")) {
    EXPECT_EQ(each.state, DoctorCheck::State::ok) << each.name << ": " << each.found;
    EXPECT_EQ(each.todo, "") << each.name;
    EXPECT_FALSE(each.found.empty()) << each.name;
  }
}

TEST_F(Doctor, FindsTheNewestToolkitAndItsCupti) {
  EXPECT_EQ(check("cuda_toolkit").found, "/usr/local/cuda-13.0");
  EXPECT_EQ(check("cupti").found, "/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13");
  add("/usr/local/cuda-13.10/lib64/libcupti.so.13", "");
  EXPECT_THAT(check("cupti").found, HasSubstr("cuda-13.10")) << "13.10 is newer than 13.9";
}

TEST_F(Doctor, CudaHomeComesFirstAndWheelsLast) {
  environment.variables["CUDA_HOME"] = "/opt/cuda";
  add("/opt/cuda/lib64/libcupti.so.12", "");
  EXPECT_EQ(check("cupti").found, "/opt/cuda/lib64/libcupti.so.12");
  files.contents.clear();
  environment.variables = {{"VIRTUAL_ENV", "/venv"}};
  add("/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13", "");
  EXPECT_THAT(check("cupti").found, HasSubstr("/venv/lib/python3.12"));
}

TEST_F(Doctor, WithoutADriverSaysWhatStillWorks) {
  const NoDevice none(Error{.code = ErrorCode::unavailable,
                            .message = "no NVIDIA driver on this machine",
                            .hint = "install NVIDIA's driver",
                            .context = {}});
  const Machine machine{files, environment, none, pids, false, "/machine"};
  const auto checks = examine(machine, parts, "auto");
  EXPECT_EQ(checks[0].state, DoctorCheck::State::problem);
  EXPECT_THAT(checks[0].todo, HasSubstr("--replay"));
  EXPECT_EQ(checks[1].state, DoctorCheck::State::problem);
}

TEST_F(Doctor, CountersNeedACapabilityWhenTheDriverRestrictsThem) {
  EXPECT_EQ(check("counters").state, DoctorCheck::State::ok) << "CAP_PERFMON is held";
  add("/proc/self/status", "CapEff:\t00000000a80425fb\n");
  EXPECT_EQ(check("counters").state, DoctorCheck::State::warning);
  EXPECT_THAT(check("counters").todo, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  add("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  EXPECT_EQ(check("counters").state, DoctorCheck::State::ok);
  add("/proc/driver/nvidia/params", "");
  EXPECT_EQ(check("counters").state, DoctorCheck::State::unknown);
}

TEST_F(Doctor, ThrottlingStrangersAndForeignInjectorsAreNamed) {
  device.samples[0].throttle_reasons = 0x40;
  device.samples[0].other_processes = 1;
  environment.variables["NVTX_INJECTION64_PATH"] = "/x.so";
  EXPECT_EQ(check("clocks").state, DoctorCheck::State::warning);
  EXPECT_THAT(check("clocks").found, HasSubstr("thermal slowdown (hardware)"));
  EXPECT_EQ(check("other_processes").state, DoctorCheck::State::warning);
  EXPECT_EQ(check("injectors").state, DoctorCheck::State::problem);
}

TEST_F(Doctor, TheThrottleCountersAreShownAndMissingOnesAreUnknown) {
  EXPECT_EQ(check("throttling").found,
            "counted so far: power cap 5000 ms, thermal slowdown (hardware) 0 us, thermal slowdown "
            "(software) 700 us, power brake 0 us");
  device.samples[0].power_brake_us = std::nullopt;
  EXPECT_EQ(check("throttling").state, DoctorCheck::State::unknown);
  EXPECT_THAT(check("throttling").found, HasSubstr("not counted: power brake"));
  device.samples[0] = {};
  EXPECT_EQ(check("throttling").found,
            "no counters; not counted: thermal slowdown; not counted: power brake");
}

TEST_F(Doctor, APidNamespaceCannotTell) {
  device.samples[0].other_processes = std::nullopt;
  pids.own_namespace = true;
  EXPECT_EQ(check("other_processes").state, DoctorCheck::State::unknown);
  EXPECT_THAT(check("other_processes").found, HasSubstr("cannot tell"));
}

TEST_F(Doctor, MissingPartsAndFullDisksAreNamed) {
  parts.probe_library = "/opt/none.so";
  parts.lock_folder.clear();
  files.free = 1000;
  EXPECT_EQ(check("probe").found, "not found at /opt/none.so");
  EXPECT_EQ(check("lock_folder").state, DoctorCheck::State::problem);
  EXPECT_EQ(check("disk").state, DoctorCheck::State::warning);
}

TEST(Capabilities, OnlySysAdminAndPerfmonCount) {
  EXPECT_TRUE(may_read_counters("0000000000200000"));
  EXPECT_TRUE(may_read_counters("0000004000000000"));
  EXPECT_FALSE(may_read_counters("00000000a80425fb"));
  EXPECT_FALSE(may_read_counters("not hex"));
  EXPECT_FALSE(may_read_counters(""));
}

}  // namespace
}  // namespace perfgate::device
