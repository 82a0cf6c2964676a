#include "runner/analysis/launch_calls.h"

#include <algorithm>
#include <tuple>

namespace perfgate::analysis {

LaunchCalls::LaunchCalls(const Capture& capture, const HostSpan& span) {
  const std::vector<ApiRecord>& calls = capture.api_calls;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (is_launch(calls[i].api_class) && span.contains(calls[i].start_ns)) calls_.push_back(i);
  }
  const auto order = [&](std::uint32_t left, std::uint32_t right) {
    const ApiRecord& a = calls[left];
    const ApiRecord& b = calls[right];
    return std::tie(a.thread, a.start_ns, b.end_ns) < std::tie(b.thread, b.start_ns, a.end_ns);
  };
  if (!std::ranges::is_sorted(calls_, order)) std::ranges::sort(calls_, order);
  const ApiRecord* outer = nullptr;
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    const ApiRecord& call = calls[calls_[i]];
    if (outer != nullptr && outer->thread == call.thread && call.end_ns <= outer->end_ns) continue;
    outer = &call;
    first_.push_back(i);
  }
}

std::span<const std::uint32_t> LaunchCalls::operator[](std::size_t launch) const {
  const std::size_t end = launch + 1 < first_.size() ? first_[launch + 1] : calls_.size();
  return std::span(calls_).subspan(first_[launch], end - first_[launch]);
}

}  // namespace perfgate::analysis
