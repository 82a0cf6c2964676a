#include "runner/analysis/gap_pieces.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace perfgate::analysis {
namespace {

IdleCause cause_of(ApiClass api_class) {
  switch (api_class) {
    case ApiClass::synchronise: return IdleCause::synchronisation;
    case ApiClass::copy: return IdleCause::transfer;
    case ApiClass::allocation: return IdleCause::allocation;
    case ApiClass::module_load: return IdleCause::jit;
    case ApiClass::kernel_launch:
    case ApiClass::graph_launch:
    case ApiClass::memset:
    case ApiClass::graph_build: return IdleCause::launch_overhead;
    case ApiClass::other: return IdleCause::host;
  }
  return IdleCause::unknown;
}

/// What an overhead record's time is; empty: a full command buffer is the program's own doing, no
/// cause of its own.
std::optional<IdleCause> cause_of_overhead(const Capture& capture, StringId kind) {
  std::string text = capture.strings[kind < capture.strings.size() ? kind : 0];
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.find("compiler") != text.npos || text.find("loading") != text.npos)
    return IdleCause::jit;
  if (text.find("command") != text.npos) return std::nullopt;
  return IdleCause::tracing;
}

class Cutter {
 public:
  Cutter(const ProcessIndex& process, std::uint32_t thread, std::vector<GapPiece>& pieces)
      : process_(process), pieces_(pieces) {
    for (std::size_t i = 0; i < process.overhead_threads.size(); ++i) {
      const std::uint32_t owner = process.overhead_threads[i];
      if (owner == thread || owner == 0) overheads_.push_back(&process.overheads[i]);
    }
  }

  /// One stretch of `cause`, less the overhead records that fall into it. `in_graph_launch`: the
  /// host is inside a call that launches a graph.
  void add(std::int64_t start, std::int64_t end, IdleCause cause, bool in_graph_launch = false) {
    const auto put = [&](std::int64_t from, std::int64_t to) {
      append(from, to, cause);
      if (in_graph_launch && to > from) pieces_.back().graph_launch_ns += to - from;
    };
    while (start < end) {
      const OverheadRecord* next = next_overhead(start, end);
      if (next == nullptr) return put(start, end);
      put(start, next->start_ns);
      start = std::max(start, next->start_ns);
      const std::int64_t stop = std::min(end, next->end_ns);
      append(start, stop, cause_of_overhead(*process_.capture, next->kind).value_or(cause));
      start = stop;
    }
  }

  void append(std::int64_t start, std::int64_t end, IdleCause cause) {
    if (end <= start) return;
    if (!pieces_.empty() && pieces_.back().cause == cause && pieces_.back().end_ns == start) {
      pieces_.back().end_ns = end;
    } else {
      pieces_.push_back({start, end, cause, 0});
    }
  }

 private:
  /// The overhead record that covers the earliest part of [start, end).
  [[nodiscard]] const OverheadRecord* next_overhead(std::int64_t start, std::int64_t end) const {
    const OverheadRecord* best = nullptr;
    for (const std::vector<OverheadRecord>* records : overheads_) {
      // Records of one thread follow one another; one step back finds a record that began before
      // `start`.
      auto at = std::ranges::upper_bound(*records, start, {}, &OverheadRecord::start_ns);
      if (at != records->begin() && std::prev(at)->end_ns > start) --at;
      while (at != records->end() && at->end_ns <= start) ++at;
      if (at == records->end() || at->start_ns >= end) continue;
      if (best == nullptr || at->start_ns < best->start_ns) best = &*at;
    }
    return best;
  }

  const ProcessIndex& process_;
  std::vector<GapPiece>& pieces_;
  std::vector<const std::vector<OverheadRecord>*> overheads_;
};

/// What the launching thread did in [gap.start, gap.end), up to and after its launch call.
void cut_by_calls(const ProcessIndex& process, const Gap& gap, const ApiRecord& launch,
                  Cutter& cutter) {
  const auto& calls = process.capture->api_calls;
  const std::int64_t returned = std::clamp(launch.end_ns, gap.start_ns, gap.end_ns);
  std::int64_t at = gap.start_ns;
  if (const ThreadTrack* track = process.calls_of(launch.thread)) {
    for (std::size_t i = first_segment_after(*track, at);
         i < track->segments.size() && at < returned; ++i) {
      const Segment& segment = track->segments[i];
      if (segment.start_ns >= returned) break;
      if (segment.start_ns > at) cutter.add(at, segment.start_ns, IdleCause::host);
      at = std::max(at, segment.start_ns);
      const std::int64_t stop = std::min(segment.end_ns, returned);
      const ApiClass api_class = calls[segment.item].api_class;
      cutter.add(at, stop, cause_of(api_class), api_class == ApiClass::graph_launch);
      at = stop;
    }
  }
  if (at < returned) cutter.add(at, returned, IdleCause::host);
  const bool copy = launch.api_class == ApiClass::copy;
  cutter.add(returned, gap.end_ns, copy ? IdleCause::transfer : IdleCause::launch_overhead);
}

}  // namespace

void cut_gap(const Timeline& timeline, const DeviceTimeline& device, const Gap& gap,
             std::vector<GapPiece>& pieces) {
  pieces.clear();
  const auto whole = [&](IdleCause cause) {
    pieces.push_back({gap.start_ns, gap.end_ns, cause, 0});
  };
  if (gap.after == kNone) return whole(IdleCause::unknown);
  const Operation& after = device.operations[gap.after];
  const Operation* before = gap.before == kNone ? nullptr : &device.operations[gap.before];
  if (before != nullptr && same_graph_launch(*before, after))
    return whole(IdleCause::graph_internal);
  if (after.launch == kNone) return whole(IdleCause::unknown);
  const ProcessIndex& process = timeline.processes[after.process];
  const ApiRecord& launch = process.capture->api_calls[after.launch];
  if (launch.end_ns <= gap.start_ns) {
    const bool other = before != nullptr && before->process != after.process;
    return whole(other ? IdleCause::other_process : IdleCause::device_wait);
  }
  Cutter cutter(process, launch.thread, pieces);
  cut_by_calls(process, gap, launch, cutter);
}

}  // namespace perfgate::analysis
