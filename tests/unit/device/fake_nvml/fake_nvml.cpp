// NVML's entry points with made-up figures: GPU 0 answers everything, GPU 1 is old and says
// NOT_SUPPORTED (3) to most. FAKE_NVML_BROKEN makes the init fail, as with a driver that does not
// match its kernel module.
#include <cstdlib>
#include <cstring>

#include "runner/device/nvml_api.h"

namespace nvml = perfgate::device::nvml;

namespace {

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kDriverNotLoaded = 9;

nvml::Handle handle_of(unsigned index) {
  static char gpus[2];
  return reinterpret_cast<nvml::Handle>(&gpus[index]);
}
bool is_old(nvml::Handle gpu) { return gpu == handle_of(1); }

int give(nvml::Handle gpu, unsigned* out, unsigned value) {
  if (is_old(gpu)) return kNotSupported;
  *out = value;
  return 0;
}
int give_text(char* out, unsigned size, const char* text) {
  std::strncpy(out, text, size - 1);
  out[size - 1] = '\0';
  return 0;
}

}  // namespace

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

int nvmlInit_v2() { return std::getenv("FAKE_NVML_BROKEN") != nullptr ? kDriverNotLoaded : 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  return code == kDriverNotLoaded ? "Driver Not Loaded" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  return give_text(out, size, "580.159.04");
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  *out = 13000;
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = 3;  // the third fell off the bus
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Handle* out) {
  if (index > 1) return kNotFound;
  *out = handle_of(index);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, nvml::Handle* out) {
  if (std::strncmp(uuid, "GPU-", 4) != 0) return kNotFound;
  *out = handle_of(uuid[4] == 'a' ? 0 : 1);
  return 0;
}
int nvmlDeviceGetUUID(nvml::Handle gpu, char* out, unsigned size) {
  return give_text(out, size, is_old(gpu) ? "GPU-bbbb" : "GPU-aaaa");
}
int nvmlDeviceGetName(nvml::Handle gpu, char* out, unsigned size) {
  return give_text(out, size, is_old(gpu) ? "Old GPU" : "NVIDIA H200");
}
int nvmlDeviceGetPciInfo_v3(nvml::Handle, nvml::PciInfo* out) {
  return give_text(out->bus_id, sizeof out->bus_id, "00000000:1B:00.0");
}
int nvmlDeviceGetMigMode(nvml::Handle gpu, unsigned* now, unsigned* pending) {
  *pending = 1;
  return give(gpu, now, 0);
}
int nvmlDeviceGetEccMode(nvml::Handle gpu, unsigned* now, unsigned* pending) {
  *pending = 0;
  return give(gpu, now, 1);
}
int nvmlDeviceGetEnforcedPowerLimit(nvml::Handle gpu, unsigned* out) {
  return give(gpu, out, 700000);
}
int nvmlDeviceGetMaxClockInfo(nvml::Handle gpu, int type, unsigned* out) {
  return give(gpu, out, type == nvml::kClockSm ? 1980 : 3201);
}
int nvmlDeviceGetClockInfo(nvml::Handle gpu, int type, unsigned* out) {
  return give(gpu, out, type == nvml::kClockSm ? 1755 : 3201);
}
int nvmlDeviceGetMemoryBusWidth(nvml::Handle gpu, unsigned* out) { return give(gpu, out, 6144); }
int nvmlDeviceGetTemperature(nvml::Handle gpu, int, unsigned* out) { return give(gpu, out, 41); }
int nvmlDeviceGetPowerUsage(nvml::Handle gpu, unsigned* out) { return give(gpu, out, 120500); }
int nvmlDeviceGetTotalEnergyConsumption(nvml::Handle, unsigned long long* out) {
  *out = 123456789;
  return 0;
}
// The older name alone: the loader must fall back to it.
int nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Handle, unsigned long long* out) {
  *out = 0x4;
  return 0;
}
int nvmlDeviceGetViolationStatus(nvml::Handle gpu, int policy, nvml::ViolationTime* out) {
  if (is_old(gpu)) return kNotSupported;
  out->violation_ns = policy == nvml::kPolicyPower ? 5'000'000 : 2'000;
  return 0;
}
/// The fields' own numbers in microseconds; GPU 1 knows the oldest alone, no GPU the power brake.
int nvmlDeviceGetFieldValues(nvml::Handle gpu, int count, nvml::FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    nvml::FieldValue& each = values[i];
    const bool known = each.field == nvml::kFieldPowerCap ||
                       (!is_old(gpu) && each.field != nvml::kFieldPowerBrake);
    each.answer = known ? 0 : kNotSupported;
    each.value_type = nvml::kUnsignedLongLong;
    each.value = each.field * 1000ULL;
    if (each.field != nvml::kFieldSoftwareThermal) continue;
    each.value_type = nvml::kUnsignedInt;
    each.value |= 0xABCD00000000ULL;  // what the union held before
  }
  return 0;
}
int nvmlDeviceGetMemoryInfo(nvml::Handle, nvml::Memory* out) {
  *out = {150'000'000'000ULL, 149'000'000'000ULL, 1'000'000'000ULL};
  return 0;
}
/// 70 processes: more than the first buffer of the caller holds.
int nvmlDeviceGetComputeRunningProcesses_v3(nvml::Handle gpu, unsigned* count,
                                            nvml::ProcessInfo* out) {
  const unsigned listed = is_old(gpu) ? 0 : 70;
  const bool fits = *count >= listed;
  *count = listed;
  if (!fits) return nvml::kInsufficientSize;
  for (unsigned i = 0; i < listed; ++i)
    out[i] = {.pid = 1000 + i, .used_memory = 0, .gpu_instance = 0, .compute_instance = 0};
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
