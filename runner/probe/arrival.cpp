#include "runner/probe/arrival.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace perfgate::probe {
namespace {

bool makes_gpu_work(ApiClass api_class) {
  return api_class == ApiClass::kernel_launch || api_class == ApiClass::graph_launch ||
         api_class == ApiClass::copy || api_class == ApiClass::memset;
}

}  // namespace

template <typename Record>
void ArrivalTracker::add_gpu(const std::vector<Record>& records) {
  for (const Record& record : records) {
    Span& span = streams_[{record.device, record.context, record.stream}];
    span.first = std::min(span.first, record.correlation);
    span.last = std::max(span.last, record.correlation);
    if (arrived_.empty() || arrived_.back() != record.correlation)
      arrived_.push_back(record.correlation);
  }
}

void ArrivalTracker::add(const ParsedBatch& batch) {
  for (const ApiRecord& call : batch.api_calls) {
    if (call.api_class == ApiClass::graph_build) builds_graphs_ = true;
    if (!makes_gpu_work(call.api_class)) continue;
    const bool is_launch =
        call.api_class == ApiClass::kernel_launch || call.api_class == ApiClass::graph_launch;
    launches_.push_back(
        {call.start_ns, call.end_ns, call.thread, call.correlation, is_launch, call.result == 0});
  }
  add_gpu(batch.kernels);
  add_gpu(batch.copies);
  add_gpu(batch.memsets);
  lost_.insert(lost_.end(), batch.lost.begin(), batch.lost.end());
}

std::optional<std::uint32_t> ArrivalTracker::last_correlation_before(std::int64_t closed_ns) const {
  std::optional<std::uint32_t> last;
  for (const Launch& launch : launches_) {
    if (launch.start_ns < closed_ns) last = std::max(last.value_or(0), launch.correlation);
  }
  return last;
}

bool ArrivalTracker::all_arrived(std::int64_t closed_ns) const {
  const bool saw_later_launch =
      std::any_of(launches_.begin(), launches_.end(),
                  [&](const Launch& launch) { return launch.start_ns >= closed_ns; });
  const auto last = last_correlation_before(closed_ns);
  if (!saw_later_launch || !last || streams_.empty()) return false;
  return std::all_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    const Span& span = entry.second;
    return span.first > *last || span.last > *last;
  });
}

std::uint64_t ArrivalTracker::missing_before(std::int64_t closed_ns) const {
  if (builds_graphs_) return 0;
  std::vector<std::uint32_t> known = arrived_;
  known.insert(known.end(), lost_.begin(), lost_.end());
  std::sort(known.begin(), known.end());
  std::vector<Launch> calls;
  std::copy_if(launches_.begin(), launches_.end(), std::back_inserter(calls),
               [](const Launch& launch) { return launch.is_launch; });
  std::sort(calls.begin(), calls.end(), [](const Launch& a, const Launch& b) {
    return std::tie(a.thread, a.start_ns, b.end_ns) < std::tie(b.thread, b.start_ns, a.end_ns);
  });
  std::uint64_t missing = 0;
  for (auto outer = calls.begin(); outer != calls.end();) {
    // The outermost call and those inside it: one launch.
    const auto end = std::find_if(outer + 1, calls.end(), [&](const Launch& call) {
      return call.thread != outer->thread || call.end_ns > outer->end_ns;
    });
    const bool is_missing = std::all_of(outer, end, [&](const Launch& call) {
      return call.succeeded && !std::binary_search(known.begin(), known.end(), call.correlation);
    });
    if (is_missing && outer->start_ns < closed_ns) ++missing;
    outer = end;
  }
  return missing;
}

std::uint64_t ArrivalTracker::lost_in_window(std::int64_t closed_ns) const {
  if (closed_ns == 0) return lost_.size();
  const auto last = last_correlation_before(closed_ns);
  if (!last) return lost_.size();
  return static_cast<std::uint64_t>(std::count_if(
      lost_.begin(), lost_.end(), [&](std::uint32_t correlation) { return correlation <= *last; }));
}

}  // namespace perfgate::probe
