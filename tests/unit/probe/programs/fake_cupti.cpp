// A stand-in for libcupti: the functions that the probe uses, with a pretended GPU behind them.
// FAKE_CUPTI holds words: busy (another subscriber), drops_unknown, dropped3, old (version 19),
// no_allow_list, keeps_buffers (flushing returns none), keeps_empty_buffer (flushing asks for one
// more), flush_record (flushing leaves a record of itself in one more), drops_late (drops 12 once
// the kinds are off).
#include "fake_cupti.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include <cupti.h>
#include <time.h>
#include <unistd.h>

namespace {

bool told(const char* word) {
  const char* all = std::getenv("FAKE_CUPTI");
  return all != nullptr && std::strstr(all, word) != nullptr;
}

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct Work {
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint64_t node = 0;
  std::uint64_t start = 0;
  bool traced = false;
};

struct State {
  std::recursive_mutex mutex;
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::set<int> kinds;
  std::set<std::pair<int, std::uint32_t>> callbacks;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
  std::uint32_t correlation = 0;
  std::deque<Work> pending;
};
State g;

void return_buffer() {
  if (g.buffer == nullptr) return;
  std::uint8_t* buffer = g.buffer;
  g.buffer = nullptr;
  g.complete(nullptr, 0, buffer, g.size, g.used);
}

void request_buffer() {
  std::size_t records = 0;
  g.used = 0;
  g.request(&g.buffer, &g.size, &records);
}

template <typename Record>
void append(const Record& record) {
  if (g.buffer != nullptr && g.used + sizeof(Record) + 8 > g.size) return_buffer();
  if (g.buffer == nullptr) request_buffer();
  if (g.buffer == nullptr) return;
  std::memcpy(g.buffer + g.used, &record, sizeof(Record));
  g.used += (sizeof(Record) + 7) / 8 * 8;
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead3);
    default: return 0;
  }
}

void emit_kernel(const Work& work, std::uint64_t end) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = end == 0 ? 0 : work.start;
  kernel.end = end;
  kernel.contextId = 1;
  kernel.streamId = work.stream;
  kernel.correlationId = work.correlation;
  kernel.graphNodeId = work.node;
  kernel.graphId = work.node == 0 ? 0 : 77;
  kernel.gridX = kernel.gridY = kernel.gridZ = 2;
  kernel.blockX = 128;
  kernel.blockY = kernel.blockZ = 1;
  kernel.name = work.node == 0 ? "plain_kernel" : "graph_kernel";
  append(kernel);
}

void call_back(CUpti_CallbackDomain domain, std::uint32_t id, const void* data) {
  if (g.callback != nullptr && g.callbacks.contains({domain, id}))
    g.callback(g.user, domain, id, data);
}

void api_callback(std::uint32_t id, CUpti_ApiCallbackSite site) {
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.correlationId = g.correlation;
  call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

// Clones live in a graph of their own (77), whose id the executable has too; originals in graph 5.
void graph_callback(std::uint32_t id, std::uintptr_t node, std::uintptr_t original) {
  CUpti_GraphData graph{};
  // NOLINTBEGIN(performance-no-int-to-ptr): handles are numbers here
  graph.graph = reinterpret_cast<CUgraph>(std::uintptr_t{node >= 1000 && node < 1100 ? 77U : 5U});
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  graph.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
  graph.graphExec = reinterpret_cast<CUgraphExec>(std::uintptr_t{77});
  // NOLINTEND(performance-no-int-to-ptr)
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = told("old") ? 19 : 130001;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "FAKE_ERROR";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* now) {
  *now = now_ns();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void* user) {
  g.callback = callback;
  g.user = user;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* user, CUpti_SubscriberParams* params) {
  if (told("busy")) {
    std::strncpy(params->oldSubscriberName, "Other Profiler", params->oldSubscriberSize);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  return cuptiSubscribe(subscriber, callback, user);
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const std::lock_guard lock(g.mutex);
  if (enable != 0) {
    g.callbacks.insert({domain, id});
  } else {
    g.callbacks.erase({domain, id});
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  g.request = request;
  g.complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(g.mutex);
  g.kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(g.mutex);
  g.kinds.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  const std::lock_guard lock(g.mutex);
  if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) {
    for (const Work& work : g.pending) {
      if (work.traced) emit_kernel(work, 0);
    }
    g.pending.clear();
  }
  if (!told("keeps_buffers")) return_buffer();
  if (told("keeps_empty_buffer")) request_buffer();
  if (told("flush_record") && g.kinds.contains(CUPTI_ACTIVITY_KIND_OVERHEAD)) {
    CUpti_ActivityOverhead3 flushing{};
    flushing.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    flushing.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
    flushing.start = flushing.end = now_ns();
    append(flushing);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  std::size_t offset = 0;
  if (*record != nullptr) {
    offset = static_cast<std::size_t>(reinterpret_cast<uint8_t*>(*record) - buffer) +
             (size_of((*record)->kind) + 7) / 8 * 8;
  }
  if (offset + sizeof(CUpti_Activity) > valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + offset);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (told("drops_unknown")) return CUPTI_ERROR_NOT_COMPATIBLE;
  *dropped = told("dropped3") ? 3 : 0;
  if (told("drops_late") && g.kinds.empty()) *dropped = 12;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = reinterpret_cast<std::uintptr_t>(node);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  *id = static_cast<uint32_t>(reinterpret_cast<std::uintptr_t>(graph));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphExecId(CUgraphExec graph, uint32_t* id) {
  *id = static_cast<uint32_t>(reinterpret_cast<std::uintptr_t>(graph));
  return CUPTI_SUCCESS;
}

void fake_launch(std::uint32_t stream, std::uint64_t node) {
  const std::lock_guard lock(g.mutex);
  ++g.correlation;
  const auto id =
      node == 0 ? CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel : CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch;
  api_callback(id, CUPTI_API_ENTER);
  const bool records_call = g.kinds.contains(CUPTI_ACTIVITY_KIND_DRIVER);
  const bool traced = g.kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  g.pending.push_back({stream, g.correlation, node, now_ns(), traced});
  if (records_call) {
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    call.cbid = id;
    call.start = now_ns();
    call.end = now_ns();
    call.processId = static_cast<uint32_t>(getpid());
    call.threadId = static_cast<uint32_t>(gettid());
    call.correlationId = g.correlation;
    append(call);
  }
  api_callback(id, CUPTI_API_EXIT);
}

void fake_complete(int count) {
  const std::lock_guard lock(g.mutex);
  for (; count > 0 && !g.pending.empty(); --count) {
    if (g.pending.front().traced) emit_kernel(g.pending.front(), now_ns() + 1);
    g.pending.pop_front();
  }
}

void fake_profiler(int start) {
  const std::lock_guard lock(g.mutex);
  const auto id =
      start != 0 ? CUPTI_DRIVER_TRACE_CBID_cuProfilerStart : CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;
  api_callback(id, CUPTI_API_ENTER);
  api_callback(id, CUPTI_API_EXIT);
}

void fake_instantiate() {
  const std::lock_guard lock(g.mutex);
  for (const std::uintptr_t node : {std::uintptr_t{1}, std::uintptr_t{2}}) {
    graph_callback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 1000 + node, 0);
    graph_callback(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 1000 + node, node);
  }
  graph_callback(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, 0, 0);
  graph_callback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 1050, 0);  // the driver's own
  graph_callback(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, 0, 0);
}

void fake_create_node(std::uint64_t node) {
  const std::lock_guard lock(g.mutex);
  graph_callback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, static_cast<std::uintptr_t>(node), 0);
}
}
