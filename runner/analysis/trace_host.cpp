#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runner/analysis/trace_output.h"

namespace perfgate::analysis {
namespace {

/// A range, call or overhead record of a thread, cut to what is shown.
struct Item {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t record = 0;
};

/// Longer first at equal starts: the parent comes before its child.
bool before(const Item& a, const Item& b) {
  return std::tie(a.thread, a.start_ns, b.end_ns, a.record) <
         std::tie(b.thread, b.start_ns, a.end_ns, b.record);
}

class HostTracks {
 public:
  HostTracks(const Capture& capture, std::span<const std::uint32_t> arrow_of_call, TraceOutput& out)
      : capture_(capture), arrow_of_call_(arrow_of_call), out_(out) {
    std::set<std::uint32_t> threads;
    for (const NvtxRange& range : capture.ranges) threads.insert(range.thread);
    for (const ApiRecord& call : capture.api_calls) threads.insert(call.thread);
    for (const OverheadRecord& overhead : capture.overheads) threads.insert(overhead.thread);
    threads_.assign(threads.begin(), threads.end());
  }

  Status emit() {
    PG_TRY(out_.begin_process("process " + std::to_string(capture_.pid)));
    PG_TRY(emit_ranges(true));
    PG_TRY(emit_ranges(false));
    PG_TRY(emit_calls());
    return emit_overheads();
  }

 private:
  /// Kinds of tracks in their order below a thread.
  enum class Kind : std::uint8_t { ranges, start_end_ranges, calls, tracing };
  static constexpr std::uint64_t kKinds = 4;

  /// A record that began before what is shown, or never ended, is cut; false: none of it is shown.
  bool cut(Item& item) const {
    const ShownTime& shown = out_.shown();
    if (item.start_ns > shown.last_ns || item.end_ns < shown.first_ns) return false;
    if (item.end_ns < item.start_ns) return false;
    item.start_ns = std::max(item.start_ns, shown.first_ns);
    item.end_ns = std::min(item.end_ns, shown.last_ns);
    return true;
  }

  /// `put(track, item)` gives the item's slice.
  template <typename Put>
  Status emit_threads(std::vector<Item>& items, Kind kind, const std::string& what,
                      TraceLanes::First first, const Put& put) {
    std::ranges::sort(items, before);
    for (std::size_t i = 0; i < items.size();) {
      const std::uint32_t thread = items[i].thread;
      const auto rank = std::ranges::lower_bound(threads_, thread) - threads_.begin();
      const auto order =
          static_cast<std::uint64_t>(rank) * kKinds + static_cast<std::uint64_t>(kind);
      LanedTrack lanes("thread " + std::to_string(thread) + " " + what, order, first);
      for (; i < items.size() && items[i].thread == thread; ++i) {
        const Item& item = items[i];
        PG_ASSIGN_OR_RETURN(const std::uint32_t track,
                            lanes.track_for(out_, item.start_ns, item.end_ns));
        PG_TRY(put(track, item));
      }
    }
    return {};
  }

  /// Push/pop ranges nest; start/end ranges come as they like.
  Status emit_ranges(bool push_pop) {
    std::vector<Item> items;
    for (std::uint32_t i = 0; i < capture_.ranges.size(); ++i) {
      const NvtxRange& range = capture_.ranges[i];
      if (range.is_push_pop != push_pop) continue;
      Item item{range.start_ns, range.end_ns == 0 ? out_.shown().last_ns : range.end_ns,
                range.thread, i};
      if (cut(item)) items.push_back(item);
    }
    const auto put = [this](std::uint32_t track, const Item& item) {
      const NvtxRange& range = capture_.ranges[item.record];
      const std::string& domain = text_of(capture_, range.domain);
      const std::array<TraceArgument, 1> arguments{{{"domain", std::string_view(domain)}}};
      return out_.slice(track, item.start_ns, item.end_ns, text_of(capture_, range.name), "nvtx",
                        std::span(arguments).first(domain.empty() ? 0 : 1));
    };
    if (push_pop)
      return emit_threads(items, Kind::ranges, "ranges", TraceLanes::First::nested, put);
    return emit_threads(items, Kind::start_end_ranges, "start/end ranges",
                        TraceLanes::First::disjoint, put);
  }

  Status emit_calls() {
    std::vector<Item> items;
    items.reserve(capture_.api_calls.size());
    for (std::uint32_t i = 0; i < capture_.api_calls.size(); ++i) {
      const ApiRecord& call = capture_.api_calls[i];
      if (!has_time(call.start_ns, call.end_ns)) {
        ++out_.totals.left_out;
        continue;
      }
      Item item{call.start_ns, call.end_ns, call.thread, i};
      if (cut(item)) items.push_back(item);
    }
    const auto put = [this](std::uint32_t track, const Item& item) -> Status {
      const ApiRecord& call = capture_.api_calls[item.record];
      const std::string& name = text_of(capture_, call.name);
      const std::array<TraceArgument, 2> arguments{
          {{"correlation", std::uint64_t{call.correlation}},
           {"result", static_cast<std::uint64_t>(static_cast<std::uint32_t>(call.result))}}};
      PG_TRY(out_.slice(track, item.start_ns, item.end_ns, name,
                        name.starts_with("cuda") ? "cuda_runtime" : "cuda_driver",
                        std::span(arguments).first(call.result == 0 ? 1 : 2)));
      const std::uint32_t arrow = arrow_of_call_[item.record];
      if (arrow == 0) return {};
      return out_.arrow(TracePhase::flow_start, track, item.start_ns, arrow);
    };
    return emit_threads(items, Kind::calls, "calls", TraceLanes::First::nested, put);
  }

  Status emit_overheads() {
    std::vector<Item> items;
    for (std::uint32_t i = 0; i < capture_.overheads.size(); ++i) {
      const OverheadRecord& record = capture_.overheads[i];
      Item item{record.start_ns, record.end_ns, record.thread, i};
      if (cut(item)) items.push_back(item);
    }
    const auto put = [this](std::uint32_t track, const Item& item) {
      return out_.slice(track, item.start_ns, item.end_ns,
                        text_of(capture_, capture_.overheads[item.record].kind), "overhead", {});
    };
    return emit_threads(items, Kind::tracing, "tracing", TraceLanes::First::disjoint, put);
  }

  const Capture& capture_;
  std::span<const std::uint32_t> arrow_of_call_;
  TraceOutput& out_;
  std::vector<std::uint32_t> threads_;
};

}  // namespace

Status emit_host(const ProcessIndex& process, std::span<const std::uint32_t> arrow_of_call,
                 TraceOutput& out) {
  return HostTracks(*process.capture, arrow_of_call, out).emit();
}

}  // namespace perfgate::analysis
