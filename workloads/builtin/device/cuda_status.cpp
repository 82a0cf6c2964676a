#include "workloads/builtin/device/cuda_status.h"

namespace perfgate::builtin {
namespace {

constexpr int kMajorMin = 8;  // BF16 tensor-core instructions

ErrorCode code_of(cudaError_t error) {
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable: return ErrorCode::unavailable;
    case cudaErrorMemoryAllocation:
    case cudaErrorNoKernelImageForDevice: return ErrorCode::unsupported;
    default: return ErrorCode::internal;
  }
}

std::string megabytes(std::size_t bytes) { return std::to_string(bytes / 1'000'000) + " MB"; }

}  // namespace

Status cuda_status(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  return Error{code_of(error),
               std::string(what) + ": CUDA says " + cudaGetErrorName(error) + ", " +
                   cudaGetErrorString(error),
               "run `nvidia-smi` to see whether the GPU and its driver are well", ""};
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);
}

Result<DeviceBuffer> DeviceBuffer::allocate(std::size_t bytes, std::string_view what) {
  DeviceBuffer buffer;
  const cudaError_t error = cudaMalloc(&buffer.data_, bytes);
  if (error == cudaSuccess) {
    buffer.bytes_ = bytes;
    return buffer;
  }
  buffer.data_ = nullptr;
  if (error != cudaErrorMemoryAllocation)
    return cuda_status(error, "allocate " + std::string(what)).error();
  cudaGetLastError();  // not sticky: forget it
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  PG_TRY(cuda_status(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for the free device memory"));
  return Error{ErrorCode::unsupported,
               "out of device memory: " + std::string(what) + " needs " + std::to_string(bytes) +
                   " bytes (" + megabytes(bytes) + "), " + megabytes(free_bytes) + " of " +
                   megabytes(total_bytes) + " are free",
               "ask for a smaller batch, context or size, or end what else uses the GPU", ""};
}

Result<Gpu> Gpu::open() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    const std::string reason = found == cudaSuccess ? "none is visible" : cudaGetErrorString(found);
    return Error{
        ErrorCode::unavailable, "no usable NVIDIA GPU: " + reason,
        "run this on a machine with an NVIDIA GPU and its driver, and check CUDA_VISIBLE_DEVICES",
        ""};
  }
  PG_TRY(cuda_status(cudaSetDevice(0), "select the GPU"));
  cudaDeviceProp properties{};
  PG_TRY(cuda_status(cudaGetDeviceProperties(&properties, 0), "read the GPU's properties"));
  Gpu gpu;
  gpu.name_ = properties.name;
  gpu.multiprocessors_ = properties.multiProcessorCount;
  gpu.l2_bytes_ = static_cast<std::size_t>(properties.l2CacheSize);
  gpu.major_ = properties.major;
  gpu.shared_per_block_ = properties.sharedMemPerBlockOptin;
  if (gpu.major_ < kMajorMin) {
    return Error{ErrorCode::unsupported,
                 gpu.name_ + " has compute capability " + std::to_string(properties.major) + "." +
                     std::to_string(properties.minor) + "; the built-in workloads need 8.0",
                 "use an Ampere GPU or a newer one", ""};
  }
  PG_TRY(cuda_status(cudaStreamCreateWithFlags(&gpu.stream_, cudaStreamNonBlocking),
                     "create a stream"));
  return gpu;
}

Gpu::Gpu(Gpu&& other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)),
      name_(std::move(other.name_)),
      multiprocessors_(other.multiprocessors_),
      major_(other.major_),
      shared_per_block_(other.shared_per_block_),
      l2_bytes_(other.l2_bytes_) {}

Gpu::~Gpu() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Status Gpu::synchronize(std::string_view what) const {
  return cuda_status(cudaStreamSynchronize(stream_), what);
}

}  // namespace perfgate::builtin
