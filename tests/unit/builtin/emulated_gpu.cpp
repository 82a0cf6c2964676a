// The CUDA runtime's functions that the workloads' host code calls, over host memory.
#include "emulated_gpu.h"

#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

namespace {

using perfgate::builtin::emulated_calls;

constexpr std::size_t kAlignment = 256;

cudaError_t new_memory(void** pointer, std::size_t bytes) {
  const std::size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *pointer = std::aligned_alloc(kAlignment, whole);
  std::memset(*pointer, 0xff, whole);
  return cudaSuccess;
}

std::string sized(const char* what, std::size_t bytes) {
  return what + (" " + std::to_string(bytes));
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  emulated_calls.push_back(sized(kind == cudaMemcpyHostToDevice ? "to device" : "to host", bytes));
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t /*error*/) { return "cudaErrorEmulated"; }
const char* cudaGetErrorString(cudaError_t /*error*/) { return "an emulated error"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int /*device*/) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  *properties = {};
  properties->major = 9;
  properties->multiProcessorCount = 4;
  properties->sharedMemPerBlockOptin = std::size_t{227} * 1024;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = *total_bytes = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) {
  emulated_calls.emplace_back("wait");
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  emulated_calls.push_back(sized("malloc", bytes));
  return new_memory(pointer, bytes);
}
cudaError_t cudaFree(void* pointer) {
  emulated_calls.emplace_back("free");
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return new_memory(pointer, bytes); }
cudaError_t cudaFreeHost(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  std::memset(pointer, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t /*stream*/) {
  return copy(to, from, bytes, kind);
}

}  // extern "C"
