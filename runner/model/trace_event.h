/// One event of a timeline as viewers of the trace-event format (Perfetto, chrome://tracing) read
/// it: runner/analysis says which, reporters/render writes them as JSON.
///
/// What viewers ask for, and who sees to it (source: Perfetto's JSON importer, slice tracker and
/// sorter, 2026):
/// - times are not negative: such events are dropped. The giver counts from the earliest event.
/// - slices of one track nest or are disjoint: one that overlaps another in part is dropped.
/// - tracks are told apart by their number alone, and a process has a track of its own number: all
///   numbers of a file are different.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "runner/model/result.h"

namespace perfgate {

enum class TracePhase : std::uint8_t {
  process,     ///< names a group of tracks; before its events
  track,       ///< names a track; before its events
  slice,       ///< a stretch of time
  flow_start,  ///< tail of an arrow, at the start of the slice before it on its track
  flow_end,
};

struct TraceArgument {
  std::string_view key;
  std::variant<std::uint64_t, std::string_view, std::array<std::uint32_t, 3>> value;
};

/// Borrows its texts and arguments for the time of the call. Texts may hold any bytes.
struct TraceEvent {
  TracePhase phase = TracePhase::slice;
  std::uint32_t process = 0;  ///< number in the file, no process id; from 1 on
  std::uint32_t track = 0;    ///< likewise; 0 in a `process` event
  std::int64_t at_ns = 0;
  std::int64_t duration_ns = 0;  ///< slices only
  std::uint64_t id = 0;          ///< flows: joins both ends; process and track: place in the order
  std::string_view name{};
  std::string_view category{};
  std::span<const TraceArgument> arguments{};
};

class TraceSink {
 public:
  TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  virtual ~TraceSink() = default;

  /// An error (full disk, Ctrl-C) ends the giver, which returns it.
  [[nodiscard]] virtual Status put(const TraceEvent& event) = 0;
};

}  // namespace perfgate
