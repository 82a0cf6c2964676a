#include "runner/probe/cuda_driver.h"

#include <array>
#include <string>

#include <cuda.h>
#include <dlfcn.h>

namespace perfgate::probe {
namespace {

void* driver() {
  static void* const kLibrary = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
  return kLibrary;
}

template <typename Function>
bool resolve(const char* name, Function*& out) {
  out = driver() == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver(), name));
  return out != nullptr;
}

std::string uuid_text(const CUuuid& uuid) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

// Types of the functions, not their names: cuda.h renames some of them (cuDeviceGetUuid_v2) by
// macro.
using GetCount = CUresult(int*);
using GetDevice = CUresult(CUdevice*, int);
using GetName = CUresult(char*, int, CUdevice);
using GetUuid = CUresult(CUuuid*, CUdevice);
using ExchangeMode = CUresult(CUstreamCaptureMode*);

ExchangeMode* exchange_mode() {
  static ExchangeMode* const kFunction = [] {
    ExchangeMode* found = nullptr;
    resolve("cuThreadExchangeStreamCaptureMode", found);
    return found;
  }();
  return kFunction;
}

}  // namespace

std::vector<CaptureDevice> cuda_devices() {
  GetCount* get_count = nullptr;
  GetDevice* get_device = nullptr;
  GetName* get_name = nullptr;
  GetUuid* get_uuid = nullptr;
  if (!resolve("cuDeviceGetCount", get_count) || !resolve("cuDeviceGet", get_device) ||
      !resolve("cuDeviceGetName", get_name)) {
    return {};
  }
  if (!resolve("cuDeviceGetUuid_v2", get_uuid) && !resolve("cuDeviceGetUuid", get_uuid)) return {};
  std::vector<CaptureDevice> devices;
  int count = 0;
  if (get_count(&count) != CUDA_SUCCESS) return {};
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice handle = 0;
    std::array<char, 256> name{};
    CUuuid uuid{};
    if (get_device(&handle, ordinal) != CUDA_SUCCESS ||
        get_name(name.data(), static_cast<int>(name.size()) - 1, handle) != CUDA_SUCCESS ||
        get_uuid(&uuid, handle) != CUDA_SUCCESS) {
      continue;
    }
    devices.push_back({static_cast<std::uint32_t>(ordinal), uuid_text(uuid), name.data()});
  }
  return devices;
}

RelaxedCaptureMode::RelaxedCaptureMode() {
  if (exchange_mode() == nullptr) return;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (exchange_mode()(&mode) == CUDA_SUCCESS) before_ = static_cast<int>(mode);
}

RelaxedCaptureMode::~RelaxedCaptureMode() {
  if (before_ < 0) return;
  auto mode = static_cast<CUstreamCaptureMode>(before_);
  exchange_mode()(&mode);
}

}  // namespace perfgate::probe
