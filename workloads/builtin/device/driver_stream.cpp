#include "workloads/builtin/device/driver_stream.h"

#include <cmath>

#include <dlfcn.h>

#include "workloads/builtin/stream_ptx.h"

namespace perfgate::builtin {
namespace {

template <typename Function>
void find(void* library, Function& function, const char* name, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing += std::string(missing.empty() ? "" : ", ") + name;
}

Result<DriverApi> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ErrorCode::unavailable, "no NVIDIA driver: libcuda.so.1 cannot be opened",
                 "run this on a machine with an NVIDIA GPU and its driver", ""};
  }
  DriverApi api;
  std::string missing;
  find(library, api.init, "cuInit", missing);
  find(library, api.device_get_count, "cuDeviceGetCount", missing);
  find(library, api.device_get, "cuDeviceGet", missing);
  find(library, api.context_retain, "cuDevicePrimaryCtxRetain", missing);
  find(library, api.context_release, "cuDevicePrimaryCtxRelease_v2", missing);
  find(library, api.context_set, "cuCtxSetCurrent", missing);
  find(library, api.memory_allocate, "cuMemAlloc_v2", missing);
  find(library, api.memory_free, "cuMemFree_v2", missing);
  find(library, api.memory_info, "cuMemGetInfo_v2", missing);
  find(library, api.memory_set, "cuMemsetD8Async", missing);
  find(library, api.module_load, "cuModuleLoadData", missing);
  find(library, api.module_unload, "cuModuleUnload", missing);
  find(library, api.module_function, "cuModuleGetFunction", missing);
  find(library, api.launch, "cuLaunchKernel", missing);
  find(library, api.stream_create, "cuStreamCreate", missing);
  find(library, api.stream_destroy, "cuStreamDestroy_v2", missing);
  find(library, api.stream_synchronize, "cuStreamSynchronize", missing);
  find(library, api.event_create, "cuEventCreate", missing);
  find(library, api.event_destroy, "cuEventDestroy_v2", missing);
  find(library, api.event_record, "cuEventRecord", missing);
  find(library, api.event_synchronize, "cuEventSynchronize", missing);
  find(library, api.event_elapsed, "cuEventElapsedTime", missing);
  find(library, api.error_name, "cuGetErrorName", missing);
  if (missing.empty()) return api;
  return Error{ErrorCode::unsupported, "the NVIDIA driver lacks " + missing,
               "install driver 450 or newer", ""};
}

const char* entry_name(StreamMode mode) {
  switch (mode) {
    case StreamMode::read: return "stream_read";
    case StreamMode::write: return "stream_write";
    case StreamMode::copy: return "stream_copy";
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<DriverStream>> DriverStream::open(StreamMode mode, std::int64_t bytes) {
  std::unique_ptr<DriverStream> stream(new DriverStream(mode, bytes));
  PG_ASSIGN_OR_RETURN(stream->api_, open_driver());
  PG_TRY(stream->start());
  return stream;
}

Status DriverStream::start() {
  int count = 0;
  CUresult found = api_.init(0);
  if (found == CUDA_SUCCESS) found = api_.device_get_count(&count);
  if (found != CUDA_SUCCESS || count == 0) {
    const std::string reason =
        found == CUDA_SUCCESS ? "none is visible" : check(found, "").error().message;
    return Error{
        ErrorCode::unavailable, "no usable NVIDIA GPU: " + reason,
        "run this on a machine with an NVIDIA GPU and its driver, and check CUDA_VISIBLE_DEVICES",
        ""};
  }
  PG_TRY(check(api_.device_get(&device_, 0), "select the GPU: "));
  PG_TRY(check(api_.context_retain(&context_, device_), "open the GPU: "));
  PG_TRY(check(api_.context_set(context_), "use the GPU: "));
  PG_TRY(check(api_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "create a stream: "));
  PG_TRY(check(api_.module_load(&module_, stream_ptx().c_str()), "compile the stream kernels: "));
  PG_TRY(check(api_.module_function(&function_, module_, entry_name(mode_)),
               "find the stream kernel: "));
  PG_TRY(check(api_.module_function(&spin_, module_, "spin"), "find the spin kernel: "));
  PG_ASSIGN_OR_RETURN(to_, allocate_zeroed("the buffer"));
  from_ = to_;
  if (mode_ == StreamMode::copy) {
    PG_ASSIGN_OR_RETURN(from_, allocate_zeroed("the source buffer"));
  }
  return synchronize();
}

Result<CUdeviceptr> DriverStream::allocate_zeroed(const char* what) {
  CUdeviceptr memory = 0;
  const auto size = static_cast<std::size_t>(bytes_);
  const CUresult result = api_.memory_allocate(&memory, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    PG_TRY(check(api_.memory_info(&free_bytes, &total_bytes), "ask for the free device memory: "));
    return Error{ErrorCode::unsupported,
                 std::string("out of device memory: ") + what + " needs " + std::to_string(size) +
                     " bytes, " + std::to_string(free_bytes) + " of " +
                     std::to_string(total_bytes) + " are free",
                 "use a smaller mib=, or end what else uses the GPU", ""};
  }
  PG_TRY(check(result, std::string("allocate ") + what + ": "));
  const CUresult zeroed = api_.memory_set(memory, 0, size, stream_);
  if (zeroed != CUDA_SUCCESS) api_.memory_free(memory);
  PG_TRY(check(zeroed, std::string("zero ") + what + ": "));
  return memory;
}

DriverStream::~DriverStream() {
  if (context_ == nullptr) return;
  for (CUevent event : events_) api_.event_destroy(event);
  if (from_ != to_ && from_ != 0) api_.memory_free(from_);
  if (to_ != 0) api_.memory_free(to_);
  if (module_ != nullptr) api_.module_unload(module_);
  if (stream_ != nullptr) api_.stream_destroy(stream_);
  api_.context_release(device_);
}

Status DriverStream::check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  if (api_.error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  return Error{ErrorCode::internal, what + "the driver says " + name,
               "run `nvidia-smi` to see whether the GPU and its driver are well", ""};
}

Status DriverStream::launch() {
  void* arguments[] = {&from_, &to_};
  const auto blocks = static_cast<unsigned>(bytes_ / kStreamBlockBytes);
  return check(
      api_.launch(function_, blocks, 1, 1, kStreamThreads, 1, 1, 0, stream_, arguments, nullptr),
      "launch the stream kernel: ");
}

Status DriverStream::spin(double spin_us) {
  if (spin_us <= 0.0) return {};
  auto ns = static_cast<std::uint64_t>(std::llround(spin_us * 1e3));
  void* arguments[] = {&ns};
  return check(api_.launch(spin_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr),
               "launch the planted spin: ");
}

double DriverStream::bytes_moved() const {
  return static_cast<double>(bytes_) * (mode_ == StreamMode::copy ? 2.0 : 1.0);
}

Status DriverStream::reserve(int boundaries) {
  events_.reserve(static_cast<std::size_t>(boundaries));
  for (int i = 0; i < boundaries; ++i) {
    CUevent event = nullptr;
    PG_TRY(check(api_.event_create(&event, CU_EVENT_DEFAULT), "create an event: "));
    events_.push_back(event);
  }
  return {};
}

Status DriverStream::mark(int boundary) {
  return check(api_.event_record(events_[static_cast<std::size_t>(boundary)], stream_),
               "record a step boundary: ");
}

Status DriverStream::wait(int boundary) {
  return check(api_.event_synchronize(events_[static_cast<std::size_t>(boundary)]),
               "wait for a step boundary: ");
}

Result<double> DriverStream::period_ms(int boundary) {
  const auto i = static_cast<std::size_t>(boundary);
  float ms = 0.0F;
  PG_TRY(check(api_.event_elapsed(&ms, events_[i], events_[i + 1]), "read a step's time: "));
  return static_cast<double>(ms);
}

Status DriverStream::synchronize() {
  return check(api_.stream_synchronize(stream_), "wait for the steps to end: ");
}

}  // namespace perfgate::builtin
