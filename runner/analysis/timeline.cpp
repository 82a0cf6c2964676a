#include "runner/analysis/timeline.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runner/analysis/family_rules.h"
#include "runner/analysis/normalise.h"
#include "runner/analysis/tracks.h"

namespace perfgate::analysis {
namespace {

bool before(const Operation& a, const Operation& b) {
  return std::tie(a.start_ns, a.correlation, a.node, a.end_ns, a.process, a.stream, a.kind,
                  a.name) <
         std::tie(b.start_ns, b.correlation, b.node, b.end_ns, b.process, b.stream, b.kind, b.name);
}

/// Each distinct name is normalised and classified once.
class NameTable {
 public:
  NameTable(Timeline& timeline, const Classifier& classifier)
      : timeline_(timeline), classifier_(classifier) {}

  std::uint32_t intern_kernel(const std::string& printed) {
    NormalisedName name = normalise(printed);
    std::string text = name.text();
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    return add(std::move(text), classifier_.classify(name));
  }

  std::uint32_t intern_fixed(std::string text, std::string_view family) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    return add(std::move(text), {std::string(family), std::string(family), -1});
  }

 private:
  std::uint32_t add(std::string text, const FamilyLabel& label) {
    const auto id = static_cast<std::uint32_t>(timeline_.names.size());
    ids_.emplace(text, id);
    timeline_.names.push_back({std::move(text), intern_detail(label), charge_of(label.family)});
    return id;
  }

  std::uint32_t intern_detail(const FamilyLabel& label) {
    const auto next = static_cast<std::uint32_t>(timeline_.details.size());
    const auto [at, is_new] = details_.try_emplace({label.family, label.detail}, next);
    if (is_new) timeline_.details.push_back({label.family, label.detail});
    return at->second;
  }

  static ChargeClass charge_of(std::string_view family) {
    if (family == kCommunication) return ChargeClass::communication;
    return family == kMemcpy || family == kMemset ? ChargeClass::copy : ChargeClass::compute;
  }

  Timeline& timeline_;
  const Classifier& classifier_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> details_;
};

/// Correlation id -> API call, of several with one id the first to start. A list sorted by id; a
/// table by id would be as fast but as long as the ids lie apart.
class LaunchJoin {
 public:
  explicit LaunchJoin(const std::vector<ApiRecord>& calls) {
    by_id_.reserve(calls.size());
    for (std::uint32_t i = 0; i < calls.size(); ++i) by_id_.push_back({calls[i].correlation, i});
    const auto order = [&](const Entry& a, const Entry& b) {
      return std::tuple(a.correlation, calls[a.call].start_ns, a.call) <
             std::tuple(b.correlation, calls[b.call].start_ns, b.call);
    };
    if (!std::ranges::is_sorted(by_id_, order)) std::ranges::sort(by_id_, order);
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t correlation) {
    // GPU records come nearly in the order of their launches: the entry found last, or one soon
    // after it, is nearly always the one.
    for (std::size_t i = last_; i < std::min(last_ + kLookAhead, by_id_.size()); ++i) {
      if (by_id_[i].correlation != correlation) continue;
      last_ = i;
      return by_id_[i].call;
    }
    const auto found = std::ranges::lower_bound(by_id_, correlation, {}, &Entry::correlation);
    if (found == by_id_.end() || found->correlation != correlation) return kNone;
    last_ = static_cast<std::size_t>(found - by_id_.begin());
    return found->call;
  }

 private:
  struct Entry {
    std::uint32_t correlation = 0;
    std::uint32_t call = 0;
  };
  static constexpr std::size_t kLookAhead = 4;
  std::vector<Entry> by_id_;
  std::size_t last_ = 0;  ///< first entry with the id found last
};

class StreamTable {
 public:
  std::uint32_t intern(std::uint16_t process, std::uint32_t context, std::uint32_t stream) {
    const std::tuple key{process, context, stream};
    if (key == last_key_ && !ids_.empty()) return last_id_;
    last_key_ = key;
    last_id_ = ids_.try_emplace(key, static_cast<std::uint32_t>(ids_.size())).first->second;
    return last_id_;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }

 private:
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, std::uint32_t> ids_;
  std::tuple<std::uint16_t, std::uint32_t, std::uint32_t> last_key_{};
  std::uint32_t last_id_ = 0;
};

constexpr std::array<std::string_view, 6> kCopyNames{"memcpy",
                                                     "memcpy host to device",
                                                     "memcpy device to host",
                                                     "memcpy device to device",
                                                     "memcpy host to host",
                                                     "memcpy peer to peer"};

struct Builder {
  Timeline& timeline;
  NameTable names;
  StreamTable streams;
  std::map<std::string, std::size_t> devices;

  DeviceTimeline& device_of(const Capture& capture, std::uint32_t ordinal) {
    const auto known = std::ranges::find(capture.devices, ordinal, &CaptureDevice::ordinal);
    const bool named = known != capture.devices.end() && !known->uuid.empty();
    const std::string uuid =
        named ? known->uuid
              : "ordinal " + std::to_string(ordinal) + " of process " + std::to_string(capture.pid);
    const auto [at, is_new] = devices.try_emplace(uuid, timeline.devices.size());
    if (is_new) {
      timeline.devices.push_back({.uuid = uuid, .name = {}, .operations = {}});
      if (known != capture.devices.end()) timeline.devices.back().name = known->name;
    }
    return timeline.devices[at->second];
  }
};

/// The operations of one capture, device by device; the last device is remembered, records come in
/// runs.
class CaptureReader {
 public:
  CaptureReader(Builder& builder, const Capture& capture, std::uint16_t process)
      : builder_(builder), capture_(capture), process_(process), join_(capture.api_calls) {}

  void read() {
    std::vector<std::uint32_t> name_of(capture_.strings.size(), kNone);
    reserve();
    for (std::uint32_t i = 0; i < capture_.kernels.size(); ++i) {
      const KernelRecord& record = capture_.kernels[i];
      add(record, OperationKind::kernel, i, kernel_name(name_of, record.name));
    }
    for (std::uint32_t i = 0; i < capture_.copies.size(); ++i) {
      const auto kind = static_cast<std::size_t>(capture_.copies[i].kind);
      const std::string_view text = kCopyNames[kind < kCopyNames.size() ? kind : 0];
      add(capture_.copies[i], OperationKind::copy, i,
          builder_.names.intern_fixed(std::string(text), kMemcpy));
    }
    for (std::uint32_t i = 0; i < capture_.memsets.size(); ++i) {
      add(capture_.memsets[i], OperationKind::memset, i,
          builder_.names.intern_fixed("memset", kMemset));
    }
  }

 private:
  void reserve() {
    const std::size_t count =
        capture_.kernels.size() + capture_.copies.size() + capture_.memsets.size();
    if (!capture_.kernels.empty() && capture_.devices.size() == 1) {
      auto& operations = builder_.device_of(capture_, capture_.kernels[0].device).operations;
      operations.reserve(operations.size() + count);
    }
  }

  std::uint32_t kernel_name(std::vector<std::uint32_t>& name_of, StringId id) {
    if (id >= name_of.size()) id = 0;
    if (name_of[id] == kNone) name_of[id] = builder_.names.intern_kernel(capture_.strings[id]);
    return name_of[id];
  }

  template <typename Record>
  void add(const Record& record, OperationKind kind, std::uint32_t index, std::uint32_t name) {
    if (record.start_ns <= 0 || record.end_ns < record.start_ns) {
      ++builder_.timeline.without_time;
      return;
    }
    if (device_ == kNone || ordinal_ != record.device) {
      ordinal_ = record.device;
      device_ = static_cast<std::uint32_t>(&builder_.device_of(capture_, ordinal_) -
                                           builder_.timeline.devices.data());
    }
    builder_.timeline.devices[device_].operations.push_back(
        {.start_ns = record.start_ns,
         .end_ns = record.end_ns,
         .node = record.graph_node,
         .correlation = record.correlation,
         .graph = record.graph,
         .stream = builder_.streams.intern(process_, record.context, record.stream),
         .name = name,
         .launch = join_.find(record.correlation),
         .record = index,
         .process = process_,
         .kind = kind,
         .charge = builder_.timeline.names[name].charge});
  }

  Builder& builder_;
  const Capture& capture_;
  std::uint16_t process_;
  LaunchJoin join_;
  std::uint32_t ordinal_ = 0;
  std::uint32_t device_ = kNone;
};

void index_calls(ProcessIndex& process) {
  const auto& calls = process.capture->api_calls;
  std::vector<TrackItem> items;
  items.reserve(calls.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (calls[i].end_ns > calls[i].start_ns) {
      items.push_back({calls[i].start_ns, calls[i].end_ns, calls[i].thread, i});
    }
  }
  process.calls = build_tracks(items, nullptr);
}

void index_ranges(ProcessIndex& process) {
  const auto& ranges = process.capture->ranges;
  std::vector<TrackItem> items;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].is_push_pop) continue;
    items.push_back({ranges[i].start_ns, ranges[i].end_ns == 0 ? kForever : ranges[i].end_ns,
                     ranges[i].thread, i});
  }
  process.range_parent.assign(ranges.size(), kNone);
  process.ranges = build_tracks(items, &process.range_parent);
  process.range_order.assign(ranges.size(), kNone);
  process.range_last.assign(ranges.size(), kNone);
  for (std::uint32_t i = 0; i < items.size(); ++i)
    process.range_order[items[i].item] = process.range_last[items[i].item] = i;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const std::uint32_t parent = process.range_parent[item->item];
    if (parent == kNone) continue;
    std::uint32_t& last = process.range_last[parent];
    last = std::max(last, process.range_last[item->item]);
  }
}

void index_overheads(ProcessIndex& process) {
  std::map<std::uint32_t, std::vector<OverheadRecord>> by_thread;
  for (const OverheadRecord& record : process.capture->overheads) {
    if (record.end_ns > record.start_ns) by_thread[record.thread].push_back(record);
  }
  for (auto& [thread, records] : by_thread) {
    std::ranges::sort(records, {}, [](const OverheadRecord& r) {
      return std::tuple(r.start_ns, r.end_ns, r.kind);
    });
    process.overhead_threads.push_back(thread);
    process.overheads.push_back(std::move(records));
  }
}

const ThreadTrack* track_of(const std::vector<ThreadTrack>& tracks, std::uint32_t thread) {
  const auto found = std::ranges::lower_bound(tracks, thread, {}, &ThreadTrack::thread);
  return found != tracks.end() && found->thread == thread ? &*found : nullptr;
}

}  // namespace

const ThreadTrack* ProcessIndex::calls_of(std::uint32_t thread) const {
  return track_of(calls, thread);
}
const ThreadTrack* ProcessIndex::ranges_of(std::uint32_t thread) const {
  return track_of(ranges, thread);
}

Timeline build_timeline(std::span<const Capture* const> captures, const Classifier& classifier) {
  Timeline timeline;
  Builder builder{
      .timeline = timeline, .names = NameTable(timeline, classifier), .streams = {}, .devices = {}};
  for (const Capture* capture : captures) {
    const auto process = static_cast<std::uint16_t>(timeline.processes.size());
    timeline.processes.emplace_back();
    timeline.processes.back().capture = capture;
    CaptureReader(builder, *capture, process).read();
  }
  for (ProcessIndex& process : timeline.processes) {
    index_calls(process);
    index_ranges(process);
    index_overheads(process);
  }
  for (DeviceTimeline& device : timeline.devices) {
    if (!std::ranges::is_sorted(device.operations, before))
      std::ranges::sort(device.operations, before);
  }
  std::ranges::sort(timeline.devices, {}, &DeviceTimeline::uuid);
  timeline.streams = builder.streams.size();
  return timeline;
}

}  // namespace perfgate::analysis
