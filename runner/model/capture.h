/// What one traced process did, in memory: the probe's records after reading a capture file.
///
/// All times are integer nanoseconds of CLOCK_REALTIME (CUPTI's default clock on Linux). Strings
/// are interned once per capture; `StringId` indexes `Capture::strings`, id 0 is the empty string.
/// Records are plain data in no particular order until `runner/analysis` sorts them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perfgate {

using StringId = std::uint32_t;

/// A kernel that ran on a device, launched on its own or as a graph node.
struct KernelRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t graph_node = 0;  ///< CUPTI graphNodeId; 0 = not launched through a graph
  std::uint64_t code_hash = 0;   ///< of the function's code in the loaded cubin; 0 = unknown
  StringId name = 0;             ///< as CUPTI printed it, not normalised
  std::uint32_t device = 0;      ///< CUDA ordinal in the traced process; see Capture::devices
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  ///< joins with ApiRecord; all nodes of one graph launch share it
  std::uint32_t graph = 0;        ///< CUPTI graphId; 0 = none
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
};

/// CUPTI's memcpy directions, as far as they change an explanation.
enum class CopyKind : std::uint8_t {
  unknown,
  host_to_device,
  device_to_host,
  device_to_device,
  host_to_host,
  peer_to_peer
};

struct CopyRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  CopyKind kind = CopyKind::unknown;
};

struct MemsetRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
};

/// What an API call does, so far as a gap's cause depends on it.
enum class ApiClass : std::uint8_t {
  other,
  kernel_launch,
  graph_launch,
  synchronise,
  copy,
  memset,
  allocation,
  module_load,
  graph_build
};

/// One allow-listed CUDA runtime or driver call.
struct ApiRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  StringId name = 0;         ///< "cudaGraphLaunch", "cuLaunchKernel"
  std::uint32_t thread = 0;  ///< gettid
  std::uint32_t correlation = 0;
  std::int32_t result = 0;
  ApiClass api_class = ApiClass::other;
};

/// CUPTI's own costs: buffer flushes, instrumentation, lazy loading.
struct OverheadRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  StringId kind = 0;
  std::uint32_t thread = 0;
};

/// An NVTX push/pop or start/end range. An open range at the window's end has end_ns == 0.
struct NvtxRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  StringId name = 0;
  StringId domain = 0;  ///< empty string = default domain
  std::uint32_t thread = 0;
  bool is_push_pop = true;
};

enum class GraphNodeKind : std::uint8_t { other, kernel, copy, memset };

/// A node of an executable graph as created or cloned, seen by resource callbacks from load on.
struct GraphNodeRecord {
  std::uint64_t node = 0;           ///< as in the activity records
  std::uint64_t original_node = 0;  ///< the capture-time node that it was cloned from; 0 = none
  std::uint32_t graph = 0;          ///< graph or executable graph id
  StringId nvtx_path =
      0;  ///< ranges open when the original was created, '/'-joined, outermost first
  GraphNodeKind kind = GraphNodeKind::other;
};

struct CaptureDevice {
  std::uint32_t ordinal = 0;
  std::string uuid;  ///< "GPU-...", lower-case hex
  std::string name;
};

/// CLOCK_REALTIME and CLOCK_MONOTONIC read together, and CUPTI's clock between them. An NTP step
/// shows here.
struct ClockPair {
  std::int64_t realtime_ns = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t cupti_ns = 0;  ///< 0 = CUPTI not loaded
};

struct CaptureWindow {
  std::int64_t opened_ns = 0;
  std::int64_t closed_ns = 0;  ///< 0 = still open when the process ended
  StringId opened_by = 0;      ///< "nvtx decode#21", "profiler", "socket"
};

struct Capture {
  std::uint32_t format_version = 0;
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  std::uint64_t process_start_ticks = 0;  ///< field 22 of /proc/PID/stat, makes (pid, start) unique
  std::string cupti_version;              ///< "130001"; empty = CUPTI was not loaded
  std::string cupti_path_kind;            ///< "mapped", "toolkit", "wheel", "configured"

  std::vector<std::string> strings{std::string{}};
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<MemsetRecord> memsets;
  std::vector<ApiRecord> api_calls;
  std::vector<OverheadRecord> overheads;
  std::vector<NvtxRange> ranges;
  std::vector<GraphNodeRecord> graph_nodes;
  std::vector<CaptureDevice> devices;
  std::vector<ClockPair> clocks;
  std::vector<CaptureWindow> windows;

  /// Records that CUPTI lost. Empty = unknown, which is never treated as zero.
  std::optional<std::uint64_t> dropped;
  /// True if the end block was read: the process closed its capture itself.
  bool complete = false;
  /// What the probe met (another subscriber, no CUPTI, ...) and what the reader met (cut at a
  /// block).
  std::vector<std::string> reasons;
};

/// Empty for an id that the capture does not have.
[[nodiscard]] inline const std::string& text_of(const Capture& capture, StringId id) {
  return capture.strings[id < capture.strings.size() ? id : 0];
}

}  // namespace perfgate
