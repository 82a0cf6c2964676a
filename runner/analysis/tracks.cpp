#include "runner/analysis/tracks.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace perfgate::analysis {
namespace {

struct Open {
  std::int64_t end_ns;
  std::uint32_t item;
};

/// Segments of one thread: `at` is where the time not yet handed out begins.
class Sweep {
 public:
  Sweep(std::vector<Segment>& out, std::vector<std::uint32_t>* parents)
      : out_(out), parents_(parents) {}

  void open(const TrackItem& item) {
    close_until(item.start_ns);
    if (parents_ != nullptr) (*parents_)[item.item] = stack_.empty() ? kNone : stack_.back().item;
    emit(item.start_ns);
    at_ = item.start_ns;
    const std::int64_t end =
        stack_.empty() ? item.end_ns : std::min(item.end_ns, stack_.back().end_ns);
    stack_.push_back({end, item.item});
  }

  void close_until(std::int64_t time) {
    while (!stack_.empty() && stack_.back().end_ns <= time) {
      emit(stack_.back().end_ns);
      at_ = std::max(at_, stack_.back().end_ns);
      stack_.pop_back();
    }
  }

  void finish() {
    while (!stack_.empty()) close_until(stack_.back().end_ns);
  }

 private:
  void emit(std::int64_t until) {
    if (stack_.empty() || until <= at_) return;
    out_.push_back({at_, until, stack_.back().item});
  }

  std::vector<Segment>& out_;
  std::vector<std::uint32_t>* parents_;
  std::vector<Open> stack_;
  std::int64_t at_ = 0;
};

void build_one(std::span<const TrackItem> items, ThreadTrack& track,
               std::vector<std::uint32_t>* parents) {
  track.segments.reserve(items.size());
  Sweep sweep(track.segments, parents);
  for (const TrackItem& item : items) sweep.open(item);
  sweep.finish();
}

bool before(const TrackItem& a, const TrackItem& b) {
  // Longer first at equal starts: the parent opens before its child.
  return std::tie(a.thread, a.start_ns, b.end_ns, a.item) <
         std::tie(b.thread, b.start_ns, a.end_ns, b.item);
}

}  // namespace

std::vector<ThreadTrack> build_tracks(std::vector<TrackItem>& items,
                                      std::vector<std::uint32_t>* parent_of) {
  if (!std::ranges::is_sorted(items, before)) std::ranges::sort(items, before);
  std::vector<ThreadTrack> tracks;
  for (std::size_t i = 0; i < items.size();) {
    std::size_t end = i;
    while (end < items.size() && items[end].thread == items[i].thread) ++end;
    tracks.push_back({.thread = items[i].thread, .segments = {}});
    build_one(std::span(items).subspan(i, end - i), tracks.back(), parent_of);
    i = end;
  }
  return tracks;
}

std::size_t first_segment_after(const ThreadTrack& track, std::int64_t at) {
  const auto found = std::ranges::upper_bound(track.segments, at, {}, &Segment::end_ns);
  return static_cast<std::size_t>(found - track.segments.begin());
}

const Segment* segment_at(const ThreadTrack* track, std::int64_t at) {
  if (track == nullptr) return nullptr;
  const std::size_t index = first_segment_after(*track, at);
  if (index == track->segments.size() || track->segments[index].start_ns > at) return nullptr;
  return &track->segments[index];
}

}  // namespace perfgate::analysis
