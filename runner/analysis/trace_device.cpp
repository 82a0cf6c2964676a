#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runner/analysis/gap_pieces.h"
#include "runner/analysis/sweep.h"
#include "runner/analysis/trace_output.h"

namespace perfgate::analysis {
namespace {

/// Arguments of one slice, in a buffer that is used again.
class Arguments {
 public:
  void clear() { count_ = 0; }
  template <typename Value>
  void add(std::string_view key, const Value& value) {
    if (count_ < list_.size()) list_[count_++] = {key, value};
  }
  [[nodiscard]] std::span<const TraceArgument> list() const { return {list_.data(), count_}; }

 private:
  std::array<TraceArgument, 12> list_{};
  std::size_t count_ = 0;
};

std::uint64_t number(std::uint64_t value) { return value; }

/// Of which stream an operation is, as CUDA numbers them.
struct StreamId {
  std::uint16_t process = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  auto operator<=>(const StreamId&) const = default;
};

StreamId stream_of(const Timeline& timeline, const Operation& op) {
  const Capture& capture = *timeline.processes[op.process].capture;
  const auto id = [&](const auto& record) {
    return StreamId{op.process, record.context, record.stream};
  };
  switch (op.kind) {
    case OperationKind::kernel: return id(capture.kernels[op.record]);
    case OperationKind::copy: return id(capture.copies[op.record]);
    case OperationKind::memset: return id(capture.memsets[op.record]);
  }
  return {};
}

constexpr std::uint64_t kWindowOrder = 0;
constexpr std::uint64_t kIdleOrder = 1;
constexpr std::uint64_t kFirstStreamOrder = 2;

/// The tracks of a device's streams, by Operation::stream. The context is named where a process has
/// several, the process where the device has several.
std::map<std::uint32_t, LanedTrack> stream_tracks(const Timeline& timeline,
                                                  const DeviceTimeline& device) {
  std::vector<bool> seen(timeline.streams, false);
  std::map<StreamId, std::uint32_t> streams;
  for (const Operation& op : device.operations) {
    if (seen[op.stream]) continue;
    seen[op.stream] = true;
    streams.emplace(stream_of(timeline, op), op.stream);
  }
  if (streams.empty()) return {};
  const StreamId first = streams.begin()->first;
  const StreamId last = streams.rbegin()->first;
  bool contexts = false;
  for (const auto& [id, dense] : streams) contexts = contexts || id.context != first.context;
  std::map<std::uint32_t, LanedTrack> tracks;
  std::uint64_t order = kFirstStreamOrder;
  for (const auto& [id, dense] : streams) {
    std::string name = "stream " + std::to_string(id.stream);
    if (contexts) name = "context " + std::to_string(id.context) + ", " + name;
    if (first.process != last.process) {
      name = "process " + std::to_string(timeline.processes[id.process].capture->pid) + ", " + name;
    }
    tracks.emplace(dense, LanedTrack(std::move(name), order++, TraceLanes::First::disjoint));
  }
  return tracks;
}

class DeviceTracks {
 public:
  DeviceTracks(const Timeline& timeline, const DeviceTimeline& device, const Window& window,
               TraceOutput& out, Arrows& arrows)
      : timeline_(timeline), device_(device), window_(window), out_(out), arrows_(arrows) {}

  Status emit() {
    PG_TRY(out_.begin_process(device_.name.empty() ? device_.uuid
                                                   : device_.name + " (" + device_.uuid + ")"));
    PG_TRY(emit_window());
    PG_TRY(emit_idle());
    std::map<std::uint32_t, LanedTrack> streams = stream_tracks(timeline_, device_);
    for (const Operation& op : device_.operations) {
      if (!has_time(op.start_ns, op.end_ns)) {
        ++out_.totals.left_out;
        continue;
      }
      if (is_after(window_, op)) {
        ++out_.totals.after_window;
        continue;
      }
      PG_TRY(emit_operation(op, streams.at(op.stream)));
    }
    return {};
  }

 private:
  Status emit_window() {
    PG_ASSIGN_OR_RETURN(const std::uint32_t track, out_.add_track("window", kWindowOrder));
    arguments_.clear();
    arguments_.add("steps", number(static_cast<std::uint64_t>(window_.periods())));
    PG_TRY(
        out_.slice(track, window_.start_ns, window_.end_ns, "window", "window", arguments_.list()));
    const auto& borders = window_.boundaries_ns;
    for (std::size_t i = 1; i < borders.size(); ++i) {
      const std::string name = "step " + std::to_string(i);
      PG_TRY(out_.slice(track, borders[i - 1], borders[i], name, "window", {}));
    }
    return {};
  }

  Status emit_idle() {
    PG_ASSIGN_OR_RETURN(const std::uint32_t track, out_.add_track("idle", kIdleOrder));
    const SweepResult swept = sweep(timeline_, device_, window_);
    std::vector<GapPiece> pieces;
    for (const Gap& gap : swept.gaps) {
      cut_gap(timeline_, device_, gap, pieces);
      arguments_.clear();
      arguments_.add("before", neighbour(gap.before, "start of window"));
      arguments_.add("after", neighbour(gap.after, "end of window"));
      arguments_.add("gap_ns", number(static_cast<std::uint64_t>(gap.end_ns - gap.start_ns)));
      for (const GapPiece& piece : pieces) {
        PG_TRY(out_.slice(track, piece.start_ns, piece.end_ns, to_string(piece.cause), "idle",
                          arguments_.list()));
      }
    }
    return {};
  }

  [[nodiscard]] std::string_view neighbour(std::uint32_t operation, std::string_view border) const {
    if (operation == kNone) return border;
    return timeline_.names[device_.operations[operation].name].text;
  }

  Status emit_operation(const Operation& op, LanedTrack& stream) {
    PG_ASSIGN_OR_RETURN(const std::uint32_t track, stream.track_for(out_, op.start_ns, op.end_ns));
    arguments_.clear();
    const Capture& capture = *timeline_.processes[op.process].capture;
    std::string_view category = "kernel";
    switch (op.kind) {
      case OperationKind::kernel: add_kernel(op, capture.kernels[op.record]); break;
      case OperationKind::copy:
        category = "gpu_memcpy";
        arguments_.add("bytes", number(capture.copies[op.record].bytes));
        break;
      case OperationKind::memset:
        category = "gpu_memset";
        arguments_.add("bytes", number(capture.memsets[op.record].bytes));
        break;
    }
    if (op.step >= 0) arguments_.add("step", number(static_cast<std::uint64_t>(op.step)));
    arguments_.add("correlation", number(op.correlation));
    if (op.graph != 0) {
      arguments_.add("graph", number(op.graph));
      arguments_.add("graph_node", number(op.node));
    }
    PG_TRY(out_.slice(track, op.start_ns, op.end_ns, timeline_.names[op.name].text, category,
                      arguments_.list()));
    return emit_arrow(op, track);
  }

  void add_kernel(const Operation& op, const KernelRecord& kernel) {
    const DetailFamily& label = timeline_.details[timeline_.names[op.name].detail];
    arguments_.add("family", std::string_view(label.family));
    if (label.detail != label.family) arguments_.add("detail", std::string_view(label.detail));
    arguments_.add("grid", kernel.grid);
    arguments_.add("block", kernel.block);
    if (kernel.cluster != std::array<std::uint32_t, 3>{}) {
      arguments_.add("cluster", kernel.cluster);
    }
    arguments_.add("registers", number(kernel.registers_per_thread));
    arguments_.add("shared_bytes", std::uint64_t{kernel.static_shared_bytes} +
                                       std::uint64_t{kernel.dynamic_shared_bytes});
  }

  /// Only the first operation of a launch has one; none where a clock's error turned it round.
  Status emit_arrow(const Operation& op, std::uint32_t track) {
    if (op.launch == kNone) return {};
    std::uint32_t& arrow = arrows_.of_call[op.process][op.launch];
    if (arrow != 0) return {};
    const ApiRecord& call = timeline_.processes[op.process].capture->api_calls[op.launch];
    const bool drawn = has_time(call.start_ns, call.end_ns) && call.end_ns > call.start_ns &&
                       op.start_ns > call.start_ns && op.end_ns > op.start_ns;
    if (!drawn) return {};
    arrow = (*arrows_.next)++;
    return out_.arrow(TracePhase::flow_end, track, op.start_ns, arrow);
  }

  const Timeline& timeline_;
  const DeviceTimeline& device_;
  const Window& window_;
  TraceOutput& out_;
  Arrows& arrows_;
  Arguments arguments_;
};

}  // namespace

Status emit_device(const Timeline& timeline, const DeviceTimeline& device, const Window& window,
                   TraceOutput& out, Arrows& arrows) {
  return DeviceTracks(timeline, device, window, out, arrows).emit();
}

}  // namespace perfgate::analysis
