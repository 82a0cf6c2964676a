#include "runner/probe/cupti_session.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "runner/probe/api_table.h"
#include "runner/probe/cuda_driver.h"
#include "runner/probe/guard.h"
#include "runner/probe/process_state.h"

namespace perfgate::probe {
namespace {

std::atomic<CuptiSession*> g_session{nullptr};

// Both API kinds whole, cut to api_table.h's list when the records are parsed: with
// cuptiActivityEnableRuntimeApi and EnableDriverApi, called when the window opens, an H200 (13.0
// U1) answered success and delivered no API record. The kinds cost nothing there: 5.1342 ms a step
// with them, 5.1342 without (decode, 356 records a step).
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
                            CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
                            CUPTI_ACTIVITY_KIND_OVERHEAD};

// Calls that every GPU program makes often, and after which results are likely to be there.
constexpr std::array kWatchedCalls{
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,       CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,  CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,   CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2,  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync};

constexpr std::array kResourceCallbacks{
    CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
    CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
    CUPTI_CBID_RESOURCE_MODULE_LOADED};

Error unavailable(std::string message, std::string hint) {
  return Error{ErrorCode::unavailable, std::move(message), std::move(hint), ""};
}

GraphNodeKind node_kind(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return GraphNodeKind::kernel;
    case CU_GRAPH_NODE_TYPE_MEMCPY: return GraphNodeKind::copy;
    case CU_GRAPH_NODE_TYPE_MEMSET: return GraphNodeKind::memset;
    default: return GraphNodeKind::other;
  }
}

class EncoderInterner : public Interner {
 public:
  EncoderInterner(capture::Encoder& encoder, KernelCodes& codes)
      : encoder_(encoder), codes_(codes) {}
  StringId intern(std::string_view text) override { return encoder_.intern(text); }
  std::uint64_t code_of(std::string_view kernel) override { return codes_.find(kernel); }

 private:
  capture::Encoder& encoder_;
  KernelCodes& codes_;
};

void append(capture::Bytes& all, const capture::Bytes& block) {
  all.insert(all.end(), block.begin(), block.end());
}

}  // namespace

Result<CuptiSession*> CuptiSession::start(const CuptiApi& api, CaptureSink& sink,
                                          WindowTrigger trigger) {
  // Never freed: CUPTI calls back until the process is gone.
  auto* session = new CuptiSession(api, sink);  // NOLINT(cppcoreguidelines-owning-memory)
  g_session = session;
  PG_TRY(session->subscribe());
  PG_TRY(session->configure(trigger));
  return session;
}

Status CuptiSession::subscribe() {
  std::array<char, 256> other{};
  CUptiResult result = CUPTI_SUCCESS;
  if (api_.subscribe_v2 != nullptr) {
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "perfgate";
    params.oldSubscriberName = other.data();
    params.oldSubscriberSize = other.size() - 1;
    result = api_.subscribe_v2(&subscriber_, &on_callback, this, &params);
  } else {
    result = api_.subscribe(&subscriber_, &on_callback, this);
  }
  if (result == CUPTI_SUCCESS) return {};
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    const std::string name = other[0] == '\0' ? "unnamed" : other.data();
    return unavailable("another CUPTI client (" + name + ") is active",
                       "run without the other profiler or debugger");
  }
  if (result == CUPTI_ERROR_NOT_INITIALIZED || result == CUPTI_ERROR_UNKNOWN) {
    return unavailable("CUPTI found no usable CUDA driver: " + api_.describe(result),
                       "the libcupti in use may be newer than the driver");
  }
  return unavailable("cuptiSubscribe failed: " + api_.describe(result), "");
}

Status CuptiSession::configure(WindowTrigger trigger) {
  std::uint8_t pinned =
      1;  // about 30 % less cost per kernel record, and none while nothing is enabled
  std::size_t size = sizeof(pinned);
  report("cuptiActivitySetAttribute(HOST_PINNED)",
         api_.set_attribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, &size, &pinned));
  std::uint8_t zeroed = 1;  // activity_buffers.h hands out zeroed buffers
  report("cuptiActivitySetAttribute(ZEROED_OUT)",
         api_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed));
  report("cuptiSetThreadIdType", api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
  const CUptiResult registered =
      api_.register_callbacks(&on_buffer_requested, &on_buffer_completed);
  if (registered != CUPTI_SUCCESS) {
    return unavailable("cuptiActivityRegisterCallbacks failed: " + api_.describe(registered), "");
  }
  for (const auto id : kResourceCallbacks) {
    report("cuptiEnableCallback(graph nodes, modules)",
           api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id));
  }
  // Where CUPTI says that collection failed. The ids are new in 13.0; an older library refuses
  // them.
  for (const auto id : {CUPTI_CBID_STATE_FATAL_ERROR, CUPTI_CBID_STATE_ERROR}) {
    (void)api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_STATE, id);
  }
  if (trigger == WindowTrigger::profiler) {
    for (const auto id :
         {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop}) {
      report("cuptiEnableCallback(profiler)",
             api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id));
    }
  }
  return {};
}

void CuptiSession::report(const char* call, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return;
  sink_.post_reason(std::string(call) + " failed: " + api_.describe(result));
}

void CuptiSession::enable_kinds() {
  if (kinds_enabled_) return;
  kinds_enabled_ = true;
  const RelaxedCaptureMode relaxed;
  for (const auto kind : kKinds) report("cuptiActivityEnable", api_.enable(kind));
}

void CuptiSession::disable_kinds() {
  if (!kinds_enabled_) return;
  kinds_enabled_ = false;
  const RelaxedCaptureMode relaxed;
  for (const auto kind : kKinds) report("cuptiActivityDisable", api_.disable(kind));
}

void CuptiSession::watch_calls(bool on) {
  for (const auto id : kWatchedCalls) {
    (void)api_.enable_callback(on ? 1 : 0, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
}

void CuptiSession::flush(bool forced) {
  const RelaxedCaptureMode relaxed;
  const CUptiResult result = api_.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  if (forced) report("cuptiActivityFlushAll", result);
}

std::optional<std::uint64_t> CuptiSession::dropped() {
  std::size_t count = 0;
  const CUptiResult result = api_.get_dropped(nullptr, 0, &count);
  if (result == CUPTI_SUCCESS) return count;
  report("cuptiActivityGetNumDroppedRecords", result);
  return std::nullopt;
}

std::int64_t CuptiSession::timestamp() {
  std::uint64_t now = 0;
  return api_.get_timestamp(&now) == CUPTI_SUCCESS ? static_cast<std::int64_t>(now) : 0;
}

std::uint64_t CuptiSession::lost_records() const { return arrival_.lost_in_window(closed_ns_); }

std::uint64_t CuptiSession::missing_records() const { return arrival_.missing_before(closed_ns_); }

WithheldRecords CuptiSession::withheld_records() const {
  class NoNames : public Interner {
    StringId intern(std::string_view) override { return 0; }
  };
  NoNames names;
  ParsedBatch batch;
  for (const ActivityBuffer& buffer : pool_.held_with_records()) {
    CUpti_Activity* record = nullptr;
    while (api_.get_next_record(buffer.data, buffer.valid_bytes, &record) == CUPTI_SUCCESS &&
           record->kind != CUPTI_ACTIVITY_KIND_INVALID) {
      const auto offset =
          static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - buffer.data);
      if (offset >= buffer.valid_bytes ||
          parse_record(record, buffer.valid_bytes - offset, api_.version, names, batch) ==
              ParseOutcome::cut)
        break;
    }
  }
  return in_window(batch);
}

WithheldRecords CuptiSession::in_window(const ParsedBatch& batch) const {
  const std::int64_t closed_ns = closed_ns_;
  const auto last = arrival_.last_correlation_before(closed_ns);
  const auto is_inside = [&](std::uint32_t correlation) {
    return closed_ns == 0 || !last || correlation <= *last;
  };
  const auto inside = [&](const auto& records) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        records, [&](const auto& record) { return is_inside(record.correlation); }));
  };
  WithheldRecords withheld;
  withheld.gpu = inside(batch.kernels) + inside(batch.copies) + inside(batch.memsets) +
                 static_cast<std::uint64_t>(std::ranges::count_if(batch.lost, is_inside));
  withheld.api =
      static_cast<std::uint64_t>(std::ranges::count_if(batch.api_calls, [&](const ApiRecord& call) {
        return closed_ns == 0 || call.start_ns < closed_ns;
      }));
  return withheld;
}

void CuptiSession::on_buffer_requested(std::uint8_t** buffer, std::size_t* bytes,
                                       std::size_t* max_records) {
  const ErrnoGuard keep;
  *max_records = 0;
  *buffer = nullptr;
  *bytes = 0;
  try {
    if (CuptiSession* session = g_session) *buffer = session->pool_.take(bytes);
  } catch (...) {  // out of memory: CUPTI drops the records and counts them
    *buffer = nullptr;
    *bytes = 0;
  }
}

void CuptiSession::on_buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                       std::size_t valid_bytes) {
  const ErrnoGuard keep;
  CuptiSession* session = g_session;
  if (session == nullptr || buffer == nullptr) return;
  try {
    const ActivityBuffer completed = session->pool_.completed(buffer, valid_bytes);
    if (completed.data == nullptr) return;
    session->sink_.post([session, completed](capture::Encoder& encoder) {
      return session->encode_buffer(completed, encoder);
    });
  } catch (...) {  // out of memory: the buffer is lost; its memory stays with the pool
  }
}

void CuptiSession::count_discarded(const ActivityBuffer& buffer) {
  CUpti_Activity* record = nullptr;
  while (api_.get_next_record(buffer.data, buffer.valid_bytes, &record) == CUPTI_SUCCESS)
    ++discarded_;
}

capture::Bytes CuptiSession::encode_buffer(const ActivityBuffer& buffer,
                                           capture::Encoder& encoder) {
  capture::Bytes all;
  if (buffer.discard) {
    count_discarded(buffer);
    pool_.release(buffer);
    return all;
  }
  EncoderInterner interner(encoder, codes_);
  batch_.clear();
  CUpti_Activity* record = nullptr;
  while (api_.get_next_record(buffer.data, buffer.valid_bytes, &record) == CUPTI_SUCCESS) {
    const auto offset =
        static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - buffer.data);
    const std::size_t available = offset < buffer.valid_bytes ? buffer.valid_bytes - offset : 0;
    if (parse_record(record, available, api_.version, interner, batch_) == ParseOutcome::cut) break;
  }
  pool_.release(buffer);
  for (void* owned : batch_.owned) std::free(owned);
  arrival_.add(batch_);
  const std::int64_t closed_ns = closed_ns_;
  if (closed_ns != 0 && arrival_.all_arrived(closed_ns)) all_arrived_ = true;
  if (!batch_.kernels.empty()) append(all, encoder.kernels(batch_.kernels));
  if (!batch_.copies.empty()) append(all, encoder.copies(batch_.copies));
  if (!batch_.memsets.empty()) append(all, encoder.memsets(batch_.memsets));
  if (!batch_.api_calls.empty()) append(all, encoder.api_calls(batch_.api_calls));
  if (!batch_.overheads.empty()) append(all, encoder.overheads(batch_.overheads));
  return all;
}

void CuptiSession::on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data) {
  if (Probe::active() == nullptr || data == nullptr) return;
  guarded([&] {
    auto* session = static_cast<CuptiSession*>(user);
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      session->on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      session->on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_STATE) {
      const auto& state = static_cast<const CUpti_StateData*>(data)->notification;
      session->sink_.post_reason(
          "CUPTI reports " + session->api_.describe(state.result) +
          (state.message == nullptr ? "" : std::string(": ") + state.message));
    }
  });
}

void CuptiSession::on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  Probe* probe = Probe::active();
  if (probe == nullptr) return;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart) {
    if (data.callbackSite == CUPTI_API_EXIT) probe->open_requested("profiler");
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) {
    if (data.callbackSite == CUPTI_API_ENTER) probe->close_requested();
  } else if (data.callbackSite == CUPTI_API_EXIT) {
    probe->poll();
  }
}

void CuptiSession::on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (data.resourceDescriptor == nullptr) return;
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    loaded_code_ = true;
    const auto& module = *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
    if (module.pCubin == nullptr) return;
    const std::span cubin(reinterpret_cast<const std::byte*>(module.pCubin), module.cubinSize);
    codes_.add_module(cubin);
    return;
  }
  const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED) {
    std::uint32_t executable = 0;
    if (api_.get_graph_exec_id != nullptr && graph.graphExec != nullptr) {
      (void)api_.get_graph_exec_id(graph.graphExec, &executable);
    }
    const std::lock_guard lock(nodes_mutex_);
    nodes_.instantiated(executable);
  } else {
    on_graph_node(id, graph);
  }
}

void CuptiSession::on_graph_node(CUpti_CallbackId id, const CUpti_GraphData& data) {
  std::uint64_t node = 0;
  if (data.node == nullptr || api_.get_graph_node_id(data.node, &node) != CUPTI_SUCCESS) return;
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING) {
    const std::lock_guard lock(nodes_mutex_);
    nodes_.destroyed(node);
    return;
  }
  std::uint32_t graph = 0;
  if (data.graph != nullptr) (void)api_.get_graph_id(data.graph, &graph);
  const GraphNodeKind kind = node_kind(data.nodeType);
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    Probe* probe = Probe::active();
    const std::string path = probe == nullptr ? std::string{} : probe->ranges().open_path();
    const std::lock_guard lock(nodes_mutex_);
    nodes_.created(node, graph, kind, path);
    return;
  }
  std::uint64_t original = 0;
  if (data.originalNode != nullptr) (void)api_.get_graph_node_id(data.originalNode, &original);
  const std::lock_guard lock(nodes_mutex_);
  nodes_.cloned(node, original, graph, kind);
}

void CuptiSession::keep_destroyed_nodes(bool keep) {
  const std::lock_guard lock(nodes_mutex_);
  nodes_.keep_destroyed(keep);
}

std::vector<GraphNodeRecord> CuptiSession::take_graph_nodes(capture::Encoder& encoder) {
  std::vector<GraphNodeRecord> records;
  const std::lock_guard lock(nodes_mutex_);
  for (const GraphNodeInfo& info : nodes_.take_unreported()) {
    GraphNodeRecord record;
    record.node = info.node;
    record.original_node = info.original;
    record.graph = info.graph;
    record.nvtx_path = encoder.intern(nodes_.path_text(info.path));
    record.kind = info.kind;
    records.push_back(record);
  }
  return records;
}

}  // namespace perfgate::probe
