#include "runner/analysis/trace_lanes.h"

namespace perfgate::analysis {

std::size_t TraceLanes::place(std::int64_t start_ns, std::int64_t end_ns) {
  const std::size_t nested = first_ == First::nested ? 1 : 0;
  if (nested == 1) {
    while (!open_ends_.empty() && open_ends_.back() <= start_ns) open_ends_.pop_back();
    if (open_ends_.empty() || open_ends_.back() >= end_ns) {
      open_ends_.push_back(end_ns);
      return 0;
    }
  }
  while (!busy_.empty() && busy_.top().first <= start_ns) {
    free_.push(busy_.top().second);
    busy_.pop();
  }
  std::size_t lane = lanes_;
  if (free_.empty()) {
    ++lanes_;
  } else {
    lane = free_.top();
    free_.pop();
  }
  busy_.push({end_ns, lane});
  return nested + lane;
}

}  // namespace perfgate::analysis
