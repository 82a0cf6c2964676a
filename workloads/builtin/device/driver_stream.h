/// The memory control over the bare driver: libcuda.so.1 by dlopen and PTX text, no CUDA runtime.
///
/// One object holds the context, the buffers and the events of a run; it is the step loop's device.
/// Buffers are zeroed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cuda.h>

#include "runner/model/result.h"
#include "workloads/builtin/step_loop.h"

namespace perfgate::builtin {

enum class StreamMode : std::uint8_t { read, write, copy };

/// The driver's functions in use; never unloaded.
struct DriverApi {
  decltype(&cuInit) init = nullptr;
  decltype(&cuDeviceGetCount) device_get_count = nullptr;
  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) context_retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) context_release = nullptr;
  decltype(&cuCtxSetCurrent) context_set = nullptr;
  decltype(&cuMemAlloc) memory_allocate = nullptr;
  decltype(&cuMemFree) memory_free = nullptr;
  decltype(&cuMemGetInfo) memory_info = nullptr;
  decltype(&cuMemsetD8Async) memory_set = nullptr;
  decltype(&cuModuleLoadData) module_load = nullptr;
  decltype(&cuModuleUnload) module_unload = nullptr;
  decltype(&cuModuleGetFunction) module_function = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventSynchronize) event_synchronize = nullptr;
  decltype(&cuEventElapsedTime) event_elapsed = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
};

class DriverStream final : public StepDevice {
 public:
  /// `bytes` is a multiple of kStreamBlockBytes. Errors: `unavailable` without a driver or GPU;
  /// `unsupported` if memory is short, with the bytes asked for and free.
  [[nodiscard]] static Result<std::unique_ptr<DriverStream>> open(StreamMode mode,
                                                                  std::int64_t bytes);
  ~DriverStream() override;

  [[nodiscard]] Status launch();
  /// The fault spin_us: keeps the GPU busy; nothing for 0.
  [[nodiscard]] Status spin(double spin_us);
  /// Bytes that one launch reads and writes.
  [[nodiscard]] double bytes_moved() const;

  [[nodiscard]] Status reserve(int boundaries) override;
  [[nodiscard]] Status mark(int boundary) override;
  [[nodiscard]] Status wait(int boundary) override;
  [[nodiscard]] Result<double> period_ms(int boundary) override;
  [[nodiscard]] Status synchronize() override;

 private:
  DriverStream(StreamMode mode, std::int64_t bytes) : mode_(mode), bytes_(bytes) {}
  [[nodiscard]] Status start();
  [[nodiscard]] Result<CUdeviceptr> allocate_zeroed(const char* what);
  [[nodiscard]] Status check(CUresult result, const std::string& what) const;

  DriverApi api_;
  StreamMode mode_;
  std::int64_t bytes_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUfunction spin_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr from_ = 0;
  CUdeviceptr to_ = 0;
  std::vector<CUevent> events_;
};

}  // namespace perfgate::builtin
