#include "runner/probe/record_parse.h"

#include <cstddef>

#include "runner/probe/api_table.h"

namespace perfgate::probe {
namespace {

// The prefixes that the reader relies on, checked against the newest struct that these headers
// know.
template <typename Old, typename New>
constexpr bool same_gpu_prefix() {
  return offsetof(Old, start) == offsetof(New, start) && offsetof(Old, end) == offsetof(New, end) &&
         offsetof(Old, correlationId) == offsetof(New, correlationId) &&
         offsetof(Old, graphNodeId) == offsetof(New, graphNodeId) &&
         offsetof(Old, graphId) == offsetof(New, graphId);
}
static_assert(same_gpu_prefix<CUpti_ActivityKernel9, CUpti_ActivityKernel10>());
static_assert(offsetof(CUpti_ActivityKernel9, name) == offsetof(CUpti_ActivityKernel10, name));
static_assert(offsetof(CUpti_ActivityKernel9, clusterX) ==
              offsetof(CUpti_ActivityKernel10, clusterX));
static_assert(same_gpu_prefix<CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6>());
static_assert(offsetof(CUpti_ActivityMemcpy5, bytes) == offsetof(CUpti_ActivityMemcpy6, bytes));
static_assert(offsetof(CUpti_ActivityOverhead, start) == offsetof(CUpti_ActivityOverhead3, start));
static_assert(offsetof(CUpti_ActivityOverhead, end) == offsetof(CUpti_ActivityOverhead3, end));

constexpr std::size_t kKernelPrefix =
    offsetof(CUpti_ActivityKernel9, clusterZ) + sizeof(CUpti_ActivityKernel9::clusterZ);

std::uint32_t unsigned_of(std::int32_t value) {
  return value < 0 ? 0U : static_cast<std::uint32_t>(value);
}

template <typename Record>
bool has_times(const Record& record) {
  return record.start != 0 && record.end != 0;
}

/// What kernels, copies and memsets have in common.
template <typename Out, typename In>
void fill_gpu_part(Out& out, const In& in) {
  out.start_ns = static_cast<std::int64_t>(in.start);
  out.end_ns = static_cast<std::int64_t>(in.end);
  out.graph_node = in.graphNodeId;
  out.graph = in.graphId;
  out.device = in.deviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.correlation = in.correlationId;
}

ParseOutcome parse_kernel(const CUpti_ActivityKernel9& in, Interner& interner, ParsedBatch& batch) {
  if (!has_times(in)) {
    batch.lost.push_back(in.correlationId);
    return ParseOutcome::lost;
  }
  KernelRecord out;
  fill_gpu_part(out, in);
  if (in.name != nullptr) {
    out.name = interner.intern(in.name);
    out.code_hash = interner.code_of(in.name);
  }
  out.grid = {unsigned_of(in.gridX), unsigned_of(in.gridY), unsigned_of(in.gridZ)};
  out.block = {unsigned_of(in.blockX), unsigned_of(in.blockY), unsigned_of(in.blockZ)};
  out.cluster = {in.clusterX, in.clusterY, in.clusterZ};
  out.registers_per_thread = in.registersPerThread;
  out.static_shared_bytes = unsigned_of(in.staticSharedMemory);
  out.dynamic_shared_bytes = unsigned_of(in.dynamicSharedMemory);
  batch.kernels.push_back(out);
  return ParseOutcome::kept;
}

template <typename In>
ParseOutcome parse_copy(const In& in, ParsedBatch& batch, CopyKind kind) {
  if (!has_times(in)) {
    batch.lost.push_back(in.correlationId);
    return ParseOutcome::lost;
  }
  CopyRecord out;
  fill_gpu_part(out, in);
  out.bytes = in.bytes;
  out.kind = kind;
  batch.copies.push_back(out);
  return ParseOutcome::kept;
}

ParseOutcome parse_memset(const CUpti_ActivityMemset4& in, ParsedBatch& batch) {
  if (!has_times(in)) {
    batch.lost.push_back(in.correlationId);
    return ParseOutcome::lost;
  }
  MemsetRecord out;
  fill_gpu_part(out, in);
  out.bytes = in.bytes;
  batch.memsets.push_back(out);
  return ParseOutcome::kept;
}

ParseOutcome parse_api(const CUpti_ActivityAPI& in, Interner& interner, ParsedBatch& batch) {
  const ApiEntry* entry = in.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? find_runtime_call(in.cbid)
                                                                 : find_driver_call(in.cbid);
  if (entry == nullptr || !has_times(in)) return ParseOutcome::ignored;
  ApiRecord out;
  out.start_ns = static_cast<std::int64_t>(in.start);
  out.end_ns = static_cast<std::int64_t>(in.end);
  out.name = interner.intern(plain_api_name(entry->name));
  out.thread = in.threadId;
  out.correlation = in.correlationId;
  out.result = static_cast<std::int32_t>(in.returnValue);
  out.api_class = entry->api_class;
  batch.api_calls.push_back(out);
  return ParseOutcome::kept;
}

ParseOutcome parse_overhead(const CUpti_ActivityOverhead& in, Interner& interner,
                            ParsedBatch& batch) {
  if (!has_times(in)) return ParseOutcome::ignored;
  OverheadRecord out;
  out.start_ns = static_cast<std::int64_t>(in.start);
  out.end_ns = static_cast<std::int64_t>(in.end);
  out.kind = interner.intern(overhead_kind_name(static_cast<std::uint32_t>(in.overheadKind)));
  if (in.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) out.thread = in.objectId.pt.threadId;
  batch.overheads.push_back(out);
  return ParseOutcome::kept;
}

/// The record as T if its prefix of `size` bytes is there.
template <typename T>
const T* as(const CUpti_Activity* record, std::size_t available, std::size_t size = sizeof(T)) {
  return available < size ? nullptr : reinterpret_cast<const T*>(record);
}

void keep_overhead_data(const CUpti_Activity* record, std::size_t available, std::uint32_t version,
                        ParsedBatch& batch) {
  if (version < kOverheadDataSince) return;
  const auto* full = as<CUpti_ActivityOverhead3>(record, available);
  if (full == nullptr || full->overheadData == nullptr) return;
  if (full->overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL) {
    batch.owned.push_back(full->overheadData);
  }
}

}  // namespace

void ParsedBatch::clear() {
  kernels.clear();
  copies.clear();
  memsets.clear();
  api_calls.clear();
  overheads.clear();
  lost.clear();
  owned.clear();
}

ParseOutcome parse_record(const CUpti_Activity* record, std::size_t available,
                          std::uint32_t cupti_version, Interner& interner, ParsedBatch& batch) {
  if (available < sizeof(CUpti_Activity)) return ParseOutcome::cut;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto* kernel = as<CUpti_ActivityKernel9>(record, available, kKernelPrefix);
      return kernel ? parse_kernel(*kernel, interner, batch) : ParseOutcome::cut;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* copy = as<CUpti_ActivityMemcpy5>(record, available);
      return copy ? parse_copy(*copy, batch, copy_kind(copy->copyKind)) : ParseOutcome::cut;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto* copy = as<CUpti_ActivityMemcpyPtoP4>(record, available);
      return copy ? parse_copy(*copy, batch, CopyKind::peer_to_peer) : ParseOutcome::cut;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* memset_record = as<CUpti_ActivityMemset4>(record, available);
      return memset_record ? parse_memset(*memset_record, batch) : ParseOutcome::cut;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto* call = as<CUpti_ActivityAPI>(record, available);
      return call ? parse_api(*call, interner, batch) : ParseOutcome::cut;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto* overhead = as<CUpti_ActivityOverhead>(record, available);
      if (overhead == nullptr) return ParseOutcome::cut;
      keep_overhead_data(record, available, cupti_version, batch);
      return parse_overhead(*overhead, interner, batch);
    }
    default: return ParseOutcome::ignored;
  }
}

std::string_view overhead_kind_name(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER: return "driver compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH: return "buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION: return "instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE: return "resource";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING: return "runtime module loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING: return "lazy function loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL: return "command buffer full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST: return "activity buffer request";
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT: return "uvm activity init";
    default: return "other";
  }
}

CopyKind copy_kind(std::uint8_t cupti_kind) {
  switch (cupti_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return CopyKind::host_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return CopyKind::device_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return CopyKind::device_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return CopyKind::host_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return CopyKind::peer_to_peer;
    default: return CopyKind::unknown;
  }
}

}  // namespace perfgate::probe
