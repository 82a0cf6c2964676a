/// All captures of one traced run as sorted, joined arrays: the input of every later pass.
///
/// GPU operations of all processes are grouped by device (UUID) and sorted; each knows its launch
/// call. Calls are sorted by thread and cut into disjoint segments, so that "what did this thread
/// do at time t" is one search. Memory: about 64 bytes per GPU record and 24 per API record and
/// segment beside the capture itself.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "runner/analysis/families.h"
#include "runner/model/capture.h"

namespace perfgate::analysis {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

enum class OperationKind : std::uint8_t { kernel, copy, memset };
/// Who is charged where several run at once: the smaller value first.
enum class ChargeClass : std::uint8_t { compute, communication, copy };

struct Operation {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t node = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint32_t stream = 0;      ///< dense index over (process, context, stream)
  std::uint32_t name = 0;        ///< index into Timeline::names
  std::uint32_t launch = kNone;  ///< index into its process's Capture::api_calls
  std::uint32_t record = 0;      ///< index into its process's kernels, copies or memsets
  std::int32_t step = -1;        ///< owning step of its process, -1 = none
  std::uint16_t process = 0;     ///< index into Timeline::processes
  OperationKind kind = OperationKind::kernel;
  ChargeClass charge = ChargeClass::compute;
};

/// Two nodes of one launch of a graph.
[[nodiscard]] constexpr bool same_graph_launch(const Operation& a, const Operation& b) {
  return a.graph != 0 && a.graph == b.graph && a.correlation == b.correlation &&
         a.process == b.process;
}

struct OperationName {
  std::string text;          ///< normalised; "memcpy host to device" for copies
  std::uint32_t detail = 0;  ///< index into Timeline::details
  ChargeClass charge = ChargeClass::compute;
};

struct DetailFamily {
  std::string family;
  std::string detail;
};

/// A stretch of one thread in which the innermost call (or range) is `item`. Disjoint, sorted, per
/// thread.
struct Segment {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t item = 0;  ///< index into api_calls or ranges
};

struct ThreadTrack {
  std::uint32_t thread = 0;
  std::vector<Segment> segments;
};

/// One OS process of the traced run.
struct ProcessIndex {
  const Capture* capture = nullptr;
  std::vector<ThreadTrack> calls;           ///< by rising thread
  std::vector<ThreadTrack> ranges;          ///< push/pop ranges, by rising thread
  std::vector<std::uint32_t> range_parent;  ///< per range: enclosing range of its thread, or kNone
  /// Per range: its place in the order in which ranges open, thread by thread, a parent before its
  /// children, and that of the last range inside it. kNone: no push/pop range.
  std::vector<std::uint32_t> range_order;
  std::vector<std::uint32_t> range_last;
  std::vector<std::vector<OverheadRecord>> overheads;  ///< per `overhead_threads`, sorted by start
  std::vector<std::uint32_t> overhead_threads;

  [[nodiscard]] const ThreadTrack* calls_of(std::uint32_t thread) const;
  [[nodiscard]] const ThreadTrack* ranges_of(std::uint32_t thread) const;
  /// A range does not enclose itself.
  [[nodiscard]] bool range_encloses(std::uint32_t outer, std::uint32_t inner) const {
    return range_order[outer] < range_order[inner] && range_order[inner] <= range_last[outer] &&
           range_order[inner] != kNone;
  }
};

struct DeviceTimeline {
  std::string uuid;  ///< "ordinal N of process PID" where the capture names no UUID
  std::string name;
  std::vector<Operation>
      operations;  ///< by start, correlation, node, then end, stream, kind, record
};

struct Timeline {
  std::vector<ProcessIndex> processes;
  std::vector<DeviceTimeline> devices;  ///< by uuid
  std::vector<OperationName> names;
  std::vector<DetailFamily> details;
  std::int64_t without_time = 0;  ///< records left out: no start, or an end before it
  std::uint32_t streams = 0;
};

/// `captures` outlive the timeline. Pure and deterministic: the order of records in a capture does
/// not matter.
[[nodiscard]] Timeline build_timeline(std::span<const Capture* const> captures,
                                      const Classifier& classifier);

/// The segment that covers `at`, or null.
[[nodiscard]] const Segment* segment_at(const ThreadTrack* track, std::int64_t at);
/// Index of the first segment that ends after `at`.
[[nodiscard]] std::size_t first_segment_after(const ThreadTrack& track, std::int64_t at);

}  // namespace perfgate::analysis
