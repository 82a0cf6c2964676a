/// The CUPTI half: one subscription from load on, activity kinds enabled only while the window is
/// open.
///
/// Calls are serialised by the owner (Probe's control lock), apart from CUPTI's own callbacks.
/// Nothing here waits for the GPU. Buffers go to the capture sink as they complete; a CUPTI call
/// that fails becomes a reason there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cupti.h>

#include "runner/model/result.h"
#include "runner/probe/activity_buffers.h"
#include "runner/probe/arrival.h"
#include "runner/probe/capture_sink.h"
#include "runner/probe/cubin.h"
#include "runner/probe/cupti_library.h"
#include "runner/probe/graph_nodes.h"
#include "runner/probe/window.h"

namespace perfgate::probe {

struct WithheldRecords {
  std::uint64_t gpu = 0;  ///< kernels, copies and memsets
  std::uint64_t api = 0;  ///< calls of api_table.h
};

class CuptiSession {
 public:
  /// Subscribes, registers buffers, sets the attributes that must precede the first context, and
  /// asks for the graph callbacks (and for the profiler's in that mode). `unavailable` with the
  /// other client's name where one holds the subscription: then nothing of CUPTI was changed. The
  /// session lives until the process ends.
  static Result<CuptiSession*> start(const CuptiApi& api, CaptureSink& sink, WindowTrigger trigger);

  void enable_kinds();
  void disable_kinds();
  /// Whether the frequent driver calls come back to Probe::poll. Off unless something is waited
  /// for.
  void watch_calls(bool on);
  /// Asks for finished buffers (`forced`: for unfinished ones too, at process exit).
  void flush(bool forced);
  /// Empty if CUPTI cannot say.
  [[nodiscard]] std::optional<std::uint64_t> dropped();
  [[nodiscard]] std::int64_t timestamp();
  /// Whether CUPTI has buffers with something in them.
  [[nodiscard]] bool holds_records() const { return !pool_.held_with_records().empty(); }

  /// The window closed at `ns`: from now on the writer checks whether all its records have arrived.
  void closed_at(std::int64_t ns) { closed_ns_ = ns; }
  [[nodiscard]] bool all_arrived() const { return all_arrived_; }
  /// Writer thread only, after all buffers: records of the window without timestamps.
  [[nodiscard]] std::uint64_t lost_records() const;
  /// Writer thread only, after all buffers: records that were discarded for want of memory.
  [[nodiscard]] std::uint64_t discarded_records() const { return discarded_; }
  /// Writer thread only, after all buffers: launches of the closed window without a record.
  [[nodiscard]] std::uint64_t missing_records() const;
  /// Writer thread only, after all buffers: records of the window in buffers that CUPTI has not
  /// returned. What it wrote there after the close (of its own flushing, say) is not among them.
  [[nodiscard]] WithheldRecords withheld_records() const;
  /// Whether code was loaded onto a GPU: without it the process has run none there.
  [[nodiscard]] bool loaded_code() const { return loaded_code_; }

  void keep_destroyed_nodes(bool keep);
  [[nodiscard]] std::vector<GraphNodeRecord> take_graph_nodes(capture::Encoder& encoder);

 private:
  CuptiSession(const CuptiApi& api, CaptureSink& sink) : api_(api), sink_(sink) {}
  Status subscribe();
  Status configure(WindowTrigger trigger);
  void report(const char* call, CUptiResult result);
  capture::Bytes encode_buffer(const ActivityBuffer& buffer, capture::Encoder& encoder);
  void count_discarded(const ActivityBuffer& buffer);
  [[nodiscard]] WithheldRecords in_window(const ParsedBatch& batch) const;
  void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);
  void on_graph_node(CUpti_CallbackId id, const CUpti_GraphData& data);

  static void on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data);
  static void on_buffer_requested(std::uint8_t** buffer, std::size_t* bytes,
                                  std::size_t* max_records);
  static void on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                  std::size_t bytes, std::size_t valid_bytes);

  CuptiApi api_;
  CaptureSink& sink_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  BufferPool pool_;
  bool kinds_enabled_ = false;
  std::atomic<std::int64_t> closed_ns_{0};
  std::atomic<bool> all_arrived_{false};

  // Writer thread only.
  ParsedBatch batch_;
  ArrivalTracker arrival_;
  std::uint64_t discarded_ = 0;

  KernelCodes codes_;
  std::atomic<bool> loaded_code_{false};
  std::mutex nodes_mutex_;
  GraphNodeStore nodes_;
};

}  // namespace perfgate::probe
