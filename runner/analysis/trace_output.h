/// Where the givers of a timeline's tracks put their events: it numbers processes and tracks, and
/// brings a run's times to those of the file. Internal to trace_events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/analysis/trace_events.h"
#include "runner/analysis/trace_lanes.h"
#include "runner/analysis/window.h"

namespace perfgate::analysis {

/// No clock shows it (2096), and differences of such times never overflow.
inline constexpr std::int64_t kLatestNs = 4'000'000'000'000'000'000;

[[nodiscard]] constexpr bool has_time(std::int64_t start_ns, std::int64_t end_ns) {
  return start_ns > 0 && end_ns >= start_ns && end_ns <= kLatestNs;
}

/// In the step that the window's closing cut. Without steps the window is all there is.
[[nodiscard]] inline bool is_after(const Window& window, const Operation& op) {
  return window.periods() > 0 && op.start_ns >= window.end_ns;
}

/// What of a run is shown: [first, last], with the window's start at `window_ns`.
struct ShownTime {
  std::int64_t window_ns = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

class TraceOutput {
 public:
  /// `window_at_ns`: in the file.
  TraceOutput(TraceSink& sink, std::int64_t window_at_ns) : sink_(sink) {
    totals.window_at_ns = window_at_ns;
  }

  /// What follows is of this run.
  void begin_run(const std::string& label, const ShownTime& shown) {
    label_ = label.empty() ? std::string() : label + ": ";
    shown_ = shown;
  }
  [[nodiscard]] const ShownTime& shown() const { return shown_; }

  /// What follows is of this process.
  [[nodiscard]] Status begin_process(const std::string& name) {
    process_ = ++last_number_;
    return sink_.put(
        {.phase = TracePhase::process, .process = process_, .id = process_, .name = label_ + name});
  }

  [[nodiscard]] Result<std::uint32_t> add_track(std::string_view name, std::uint64_t order) {
    const std::uint32_t track = ++last_number_;
    PG_TRY(sink_.put({.phase = TracePhase::track,
                      .process = process_,
                      .track = track,
                      .id = order,
                      .name = name}));
    return track;
  }

  /// Times are the run's, cut to what is shown of it.
  [[nodiscard]] Status slice(std::uint32_t track, std::int64_t start_ns, std::int64_t end_ns,
                             std::string_view name, std::string_view category,
                             std::span<const TraceArgument> arguments) {
    ++totals.slices;
    const std::int64_t at = in_file(start_ns);
    return sink_.put({.phase = TracePhase::slice,
                      .process = process_,
                      .track = track,
                      .at_ns = at,
                      .duration_ns = in_file(end_ns) - at,
                      .name = name,
                      .category = category,
                      .arguments = arguments});
  }

  [[nodiscard]] Status arrow(TracePhase phase, std::uint32_t track, std::int64_t at_ns,
                             std::uint64_t id) {
    if (phase == TracePhase::flow_start) ++totals.arrows;
    return sink_.put({.phase = phase,
                      .process = process_,
                      .track = track,
                      .at_ns = in_file(at_ns),
                      .id = id,
                      .name = "launch",
                      .category = "launch"});
  }

  TraceTotals totals;

 private:
  [[nodiscard]] std::int64_t in_file(std::int64_t ns) const {
    return std::clamp(ns, shown_.first_ns, shown_.last_ns) - shown_.window_ns + totals.window_at_ns;
  }

  TraceSink& sink_;
  std::string label_;
  ShownTime shown_;
  std::uint32_t process_ = 0;
  std::uint32_t last_number_ = 0;
};

/// A track with as many lanes as its slices need: "stream 7", "stream 7 (2)".
class LanedTrack {
 public:
  LanedTrack(std::string name, std::uint64_t order, TraceLanes::First first)
      : name_(std::move(name)), order_(order), lanes_(first) {}

  /// The track that takes this slice; times and their order as TraceLanes::place has them.
  [[nodiscard]] Result<std::uint32_t> track_for(TraceOutput& out, std::int64_t start_ns,
                                                std::int64_t end_ns) {
    const std::size_t lane = lanes_.place(start_ns, end_ns);
    if (lane < tracks_.size()) return tracks_[lane];
    while (tracks_.size() <= lane) {
      const std::size_t next = tracks_.size();
      const std::string number = next == 0 ? std::string() : " (" + std::to_string(next + 1) + ")";
      const std::uint64_t place = order_ * kLanesInOrder + std::min(next, kLanesInOrder - 1);
      PG_ASSIGN_OR_RETURN(const std::uint32_t track, out.add_track(name_ + number, place));
      tracks_.push_back(track);
    }
    return tracks_[lane];
  }

 private:
  static constexpr std::size_t kLanesInOrder = 1000;
  std::string name_;
  std::uint64_t order_;
  TraceLanes lanes_;
  std::vector<std::uint32_t> tracks_;
};

/// Arrows of one run: by process and API call the arrow that begins there; 0 = none.
struct Arrows {
  std::vector<std::vector<std::uint32_t>> of_call;
  std::uint32_t* next = nullptr;  ///< number of the next one; goes on over all runs
};

/// In trace_device.cpp: window, idle time and streams of one device.
[[nodiscard]] Status emit_device(const Timeline& timeline, const DeviceTimeline& device,
                                 const Window& window, TraceOutput& out, Arrows& arrows);

/// In trace_host.cpp: ranges and calls of one process, after all devices: the arrows are known.
[[nodiscard]] Status emit_host(const ProcessIndex& process,
                               std::span<const std::uint32_t> arrow_of_call, TraceOutput& out);

}  // namespace perfgate::analysis
