/// CUDA runtime errors as values, and the two resources that everything holds: device memory and a
/// stream.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <cuda_runtime_api.h>

#include "runner/model/result.h"

namespace perfgate::builtin {

/// `what` says what was being done ("launch attention"). No device or driver: `unavailable`; out of
/// memory: `unsupported`; the rest: `internal`.
[[nodiscard]] Status cuda_status(cudaError_t error, std::string_view what);

/// Device memory of at least 256-byte alignment; freed with the object.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  /// The error names `what`, the bytes asked for and the bytes that are free.
  [[nodiscard]] static Result<DeviceBuffer> allocate(std::size_t bytes, std::string_view what);

  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The device that this process works on, its one stream, and what launches need to know.
class Gpu {
 public:
  /// Device 0 of those visible. `unavailable` without a driver or GPU; `unsupported` below compute
  /// capability 8.0.
  [[nodiscard]] static Result<Gpu> open();
  Gpu(Gpu&& other) noexcept;
  Gpu& operator=(Gpu&&) = delete;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
  /// Kernels may start their prologue before the kernel in front of them ends (compute
  /// capability 9.0 on).
  [[nodiscard]] bool has_dependent_launch() const { return major_ >= 9; }
  /// A CTA may have 227 KiB of shared memory, not only 99 (compute capability 9.0 and 10.x).
  [[nodiscard]] bool has_large_shared() const { return shared_per_block_ >= kLargeShared; }
  [[nodiscard]] Status synchronize(std::string_view what) const;

 private:
  Gpu() = default;
  cudaStream_t stream_ = nullptr;
  std::string name_;
  int multiprocessors_ = 0;
  int major_ = 0;
  static constexpr std::size_t kLargeShared = std::size_t{227} * 1024;
  std::size_t shared_per_block_ = 0;
  std::size_t l2_bytes_ = 0;
};

}  // namespace perfgate::builtin
