#include "runner/analysis/sweep.h"

#include <algorithm>
#include <tuple>

namespace perfgate::analysis {
namespace {

class Sweeper {
 public:
  Sweeper(const Timeline& timeline, const DeviceTimeline& device, const Window& window)
      : timeline_(timeline),
        operations_(device.operations),
        window_(window),
        now_(window.start_ns) {
    result_.details.resize(timeline.details.size());
    result_.charged_ns.assign(operations_.size(), 0);
    result_.step_busy_ns.assign(static_cast<std::size_t>(window.periods()), 0);
  }

  SweepResult run() {
    std::uint32_t index = 0;
    for (; index < operations_.size() && operations_[index].start_ns < window_.end_ns; ++index) {
      const Operation& op = operations_[index];
      if (op.end_ns < window_.start_ns ||
          (op.end_ns == window_.start_ns && op.start_ns < window_.start_ns))
        continue;
      count(op);
      advance(op.start_ns, index);
      push(index);
    }
    advance(window_.end_ns, index < operations_.size() ? index : kNone);
    return std::move(result_);
  }

 private:
  /// True if `a` is charged after `b`: the heap's top is the one that is charged.
  [[nodiscard]] bool yields(std::uint32_t a, std::uint32_t b) const {
    const Operation& x = operations_[a];
    const Operation& y = operations_[b];
    return std::tie(x.charge, x.start_ns, x.correlation, x.node, a) >
           std::tie(y.charge, y.start_ns, y.correlation, y.node, b);
  }

  void push(std::uint32_t index) {
    active_.push_back(index);
    std::ranges::push_heap(active_,
                           [this](std::uint32_t a, std::uint32_t b) { return yields(a, b); });
  }

  void pop() {
    std::ranges::pop_heap(active_,
                          [this](std::uint32_t a, std::uint32_t b) { return yields(a, b); });
    active_.pop_back();
  }

  void count(const Operation& op) {
    DetailTime& detail = result_.details[timeline_.names[op.name].detail];
    detail.sum_ns += std::min(op.end_ns, window_.end_ns) - std::max(op.start_ns, window_.start_ns);
    if (op.start_ns < window_.start_ns) return;
    ++detail.count;
    ++result_.operations;
  }

  /// Charges everything up to `until`; what stays uncovered is a gap before operation `next`.
  void advance(std::int64_t until, std::uint32_t next) {
    while (!active_.empty()) {
      const std::uint32_t top = active_.front();
      const std::int64_t end = std::min(operations_[top].end_ns, until);
      if (end > now_) charge(top, end);
      if (operations_[top].end_ns > now_) return;
      if (operations_[top].end_ns == now_) last_ = top;
      pop();
    }
    if (until <= now_) return;
    result_.gaps.push_back({.start_ns = now_, .end_ns = until, .before = last_, .after = next});
    now_ = until;
  }

  void charge(std::uint32_t index, std::int64_t end) {
    result_.details[timeline_.names[operations_[index].name].detail].wall_ns += end - now_;
    result_.busy_ns += end - now_;
    result_.charged_ns[index] += end - now_;
    while (now_ < end) {
      std::int64_t stop = end;
      if (!result_.step_busy_ns.empty()) {
        while (window_.boundaries_ns[period_ + 1] <= now_) ++period_;
        stop = std::min(end, window_.boundaries_ns[period_ + 1]);
        result_.step_busy_ns[period_] += stop - now_;
      }
      now_ = stop;
    }
  }

  const Timeline& timeline_;
  const std::vector<Operation>& operations_;
  const Window& window_;
  SweepResult result_;
  std::vector<std::uint32_t> active_;
  std::int64_t now_;
  std::uint32_t last_ = kNone;
  std::size_t period_ = 0;
};

}  // namespace

SweepResult sweep(const Timeline& timeline, const DeviceTimeline& device, const Window& window) {
  return Sweeper(timeline, device, window).run();
}

StreamOrder stream_order(const Timeline& timeline, const DeviceTimeline& device,
                         const Window& window) {
  struct Last {
    std::uint32_t previous = kNone;  ///< the operation before on this stream
    std::uint32_t longest = kNone;   ///< the one that ends last so far
  };
  StreamOrder order;
  std::vector<Last> streams(timeline.streams);
  for (std::uint32_t i = 0; i < device.operations.size(); ++i) {
    const Operation& op = device.operations[i];
    if (op.start_ns < window.start_ns || op.start_ns >= window.end_ns) continue;
    Last& last = streams[op.stream];
    order.raw_sum_ns += op.end_ns - op.start_ns;
    order.clipped_sum_ns += op.end_ns - op.start_ns;
    if (last.previous != kNone) {
      const Operation& previous = device.operations[last.previous];
      order.clipped_sum_ns -= std::max<std::int64_t>(0, previous.end_ns - op.start_ns);
      const Operation& longest = device.operations[last.longest];
      if (op.start_ns < longest.end_ns) {
        ++order.overlaps;
        const bool inside = op.end_ns <= longest.end_ns && op.end_ns > op.start_ns;
        if (inside && !same_graph_launch(op, longest)) ++order.covered;
      }
    }
    last.previous = i;
    if (last.longest == kNone || op.end_ns > device.operations[last.longest].end_ns)
      last.longest = i;
  }
  return order;
}

}  // namespace perfgate::analysis
