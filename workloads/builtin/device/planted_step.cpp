#include "workloads/builtin/device/planted_step.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <cuda.h>
#include <dlfcn.h>

#include "workloads/builtin/step_loop.h"

namespace perfgate::builtin {
namespace {

constexpr double kKiB = 1024.0;
constexpr double kMiB = 1024.0 * kKiB;

/// A block of pinned host memory and one of the GPU's, of equal size.
class CopyPair {
 public:
  CopyPair() = default;
  CopyPair(const CopyPair&) = delete;
  CopyPair& operator=(const CopyPair&) = delete;
  ~CopyPair() {
    if (host_ != nullptr) cudaFreeHost(host_);
  }

  Status allocate(std::size_t bytes) {
    PG_TRY(cuda_status(cudaMallocHost(&host_, bytes), "pin the memory of a planted copy"));
    std::memset(host_, 0, bytes);
    PG_ASSIGN_OR_RETURN(device_, DeviceBuffer::allocate(bytes, "a planted copy"));
    return cuda_status(cudaMemset(device_.as<void>(), 0, bytes), "clear a planted copy");
  }
  Status to_device(cudaStream_t stream) const {
    return cuda_status(
        cudaMemcpyAsync(device_.as<void>(), host_, device_.bytes(), cudaMemcpyHostToDevice, stream),
        "launch a planted copy to the GPU");
  }
  Status to_host(cudaStream_t stream) const {
    return cuda_status(
        cudaMemcpyAsync(host_, device_.as<void>(), device_.bytes(), cudaMemcpyDeviceToHost, stream),
        "launch a planted copy to the host");
  }

 private:
  void* host_ = nullptr;
  DeviceBuffer device_;
};

/// A kernel with a name that no process had: neither the driver nor its cache on disk knows it.
std::string new_ptx() {
  return ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry planted_" +
         std::to_string(realtime_ns()) + "()\n{\n  ret;\n}\n";
}

class ModuleLoader {
 public:
  /// The runtime has opened the driver already.
  Status open() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      load_ = reinterpret_cast<decltype(load_)>(dlsym(library, "cuModuleLoadData"));
      unload_ = reinterpret_cast<decltype(unload_)>(dlsym(library, "cuModuleUnload"));
    }
    if (load_ != nullptr && unload_ != nullptr) return {};
    return Error{ErrorCode::unavailable, "the NVIDIA driver has no cuModuleLoadData",
                 "run this on a machine with an NVIDIA GPU and its driver", ""};
  }
  Status load_and_unload() const {
    CUmodule module = nullptr;
    CUresult result = load_(&module, new_ptx().c_str());
    if (result == CUDA_SUCCESS) result = unload_(module);
    if (result == CUDA_SUCCESS) return {};
    return Error{ErrorCode::internal,
                 "load a planted module: the driver answers " + std::to_string(result),
                 "drop --inject jit_in_window", ""};
  }

 private:
  decltype(&cuModuleLoadData) load_ = nullptr;
  decltype(&cuModuleUnload) unload_ = nullptr;
};

class PlantedStep {
 public:
  PlantedStep(const Gpu& gpu, const Faults& faults, std::function<Status()> launch)
      : gpu_(gpu), faults_(faults), launch_(std::move(launch)) {}

  Status prepare() {
    if (const double mib = faults_[Fault::h2d_mib]; mib > 0.0) {
      PG_TRY(upload_.allocate(bytes_of(mib * kMiB)));
    }
    if (const double kib = faults_[Fault::d2h_wait_kib]; kib > 0.0) {
      PG_TRY(download_.allocate(bytes_of(kib * kKiB)));
    }
    return faults_.has(Fault::jit_in_window) ? modules_.open() : Status{};
  }

  /// In the order of a program that compiles, allocates, uploads, computes and fetches the result.
  Status run() {
    for (int i = 0; i < faults_.count(Fault::jit_in_window); ++i) {
      PG_TRY(modules_.load_and_unload());
    }
    DeviceBuffer temporary;
    if (const double mib = faults_[Fault::alloc_mib]; mib > 0.0) {
      PG_ASSIGN_OR_RETURN(temporary,
                          DeviceBuffer::allocate(bytes_of(mib * kMiB), "a planted allocation"));
    }
    if (faults_.has(Fault::h2d_mib)) PG_TRY(upload_.to_device(gpu_.stream()));
    PG_TRY(launch_());
    if (!faults_.has(Fault::d2h_wait_kib)) return {};
    PG_TRY(download_.to_host(gpu_.stream()));
    return gpu_.synchronize("wait for a planted copy");
  }

 private:
  static std::size_t bytes_of(double bytes) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(bytes));
  }

  const Gpu& gpu_;
  const Faults faults_;
  const std::function<Status()> launch_;
  CopyPair upload_;
  CopyPair download_;
  ModuleLoader modules_;
};

}  // namespace

Result<std::function<Status()>> with_step_faults(const Gpu& gpu, const Faults& faults,
                                                 std::function<Status()> launch) {
  if (!faults.any_at(FaultPlace::model_step)) return launch;
  const auto planted = std::make_shared<PlantedStep>(gpu, faults, std::move(launch));
  PG_TRY(planted->prepare());
  return std::function<Status()>([planted] { return planted->run(); });
}

}  // namespace perfgate::builtin
