#include "runner/analysis/api_calls.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace perfgate::analysis {
namespace {

using Calls = std::vector<const ApiRecord*>;

/// Those that lie in no other of the list.
Calls outermost(Calls calls) {
  const auto order = [](const ApiRecord* a, const ApiRecord* b) {
    return std::tie(a->thread, a->start_ns, b->end_ns) <
           std::tie(b->thread, b->start_ns, a->end_ns);
  };
  if (!std::ranges::is_sorted(calls, order)) std::ranges::stable_sort(calls, order);
  Calls outer;
  for (const ApiRecord* call : calls) {
    const bool inside = !outer.empty() && outer.back()->thread == call->thread &&
                        call->end_ns <= outer.back()->end_ns;
    if (!inside) outer.push_back(call);
  }
  return outer;
}

}  // namespace

void add_api_calls(const Capture& capture, const HostSpan& span, std::vector<ApiCallStat>& stats) {
  std::map<ApiClass, Calls> by_class;
  for (const ApiRecord& call : capture.api_calls) {
    if (call.api_class != ApiClass::other && span.contains(call.start_ns))
      by_class[call.api_class].push_back(&call);
  }
  std::map<std::pair<ApiClass, StringId>, ApiCallStat> found;
  for (auto& [api_class, calls] : by_class) {
    for (const ApiRecord* call : outermost(std::move(calls))) {
      ApiCallStat& stat = found[{api_class, call->name}];
      ++stat.calls;
      stat.total_ns += call->end_ns - call->start_ns;
    }
  }
  for (const auto& [key, counted] : found) {
    const std::string& name = text_of(capture, key.second);
    const auto known = std::ranges::find_if(stats, [&](const ApiCallStat& stat) {
      return stat.api_class == key.first && stat.name == name;
    });
    ApiCallStat& stat = known != stats.end() ? *known : stats.emplace_back();
    stat.api_class = key.first;
    stat.name = name;
    stat.calls += counted.calls;
    stat.total_ns += counted.total_ns;
  }
  std::ranges::sort(stats, [](const ApiCallStat& a, const ApiCallStat& b) {
    return std::tie(a.api_class, a.name) < std::tie(b.api_class, b.name);
  });
}

}  // namespace perfgate::analysis
