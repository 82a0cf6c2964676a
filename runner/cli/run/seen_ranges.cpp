#include "runner/cli/run/seen_ranges.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace perfgate::cli {
namespace {

struct NameFacts {
  std::int64_t count = 0;
  std::set<std::pair<std::size_t, std::uint32_t>> threads;  ///< (capture, thread)
  std::vector<std::int64_t> periods_ns;
  bool nested = false;
};

using ThreadRanges = std::map<std::uint32_t, std::vector<const NvtxRange*>>;

ThreadRanges by_thread(const Capture& capture) {
  ThreadRanges threads;
  for (const NvtxRange& range : capture.ranges) threads[range.thread].push_back(&range);
  for (auto& [thread, ranges] : threads) {
    // The outer one first where two start together.
    std::ranges::sort(ranges, [](const NvtxRange* a, const NvtxRange* b) {
      return std::pair(a->start_ns, -a->end_ns) < std::pair(b->start_ns, -b->end_ns);
    });
  }
  return threads;
}

void add_thread(const Capture& capture, std::size_t process, std::uint32_t thread,
                const std::vector<const NvtxRange*>& ranges,
                std::map<std::string, NameFacts>& names) {
  std::map<std::string, std::int64_t> last_start_ns;
  std::int64_t open_until_ns = 0;
  for (const NvtxRange* range : ranges) {
    const std::string& name = capture.strings[range->name];
    NameFacts& facts = names[name];
    ++facts.count;
    facts.threads.insert({process, thread});
    facts.nested = facts.nested || range->start_ns < open_until_ns;
    const auto last = last_start_ns.find(name);
    if (last != last_start_ns.end()) facts.periods_ns.push_back(range->start_ns - last->second);
    last_start_ns[name] = range->start_ns;
    open_until_ns = std::max(open_until_ns, range->end_ns);
  }
}

std::int64_t quantile(const std::vector<std::int64_t>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

workloads::SeenRange summary(const std::string& name, NameFacts& facts) {
  workloads::SeenRange seen;
  seen.name = name;
  seen.count = facts.count;
  seen.threads = static_cast<std::int64_t>(facts.threads.size());
  seen.is_outermost = !facts.nested;
  if (facts.periods_ns.empty()) return seen;
  std::ranges::sort(facts.periods_ns);
  seen.median_period_ns = quantile(facts.periods_ns, 0.5);
  if (seen.median_period_ns > 0) {
    seen.period_spread_ratio =
        static_cast<double>(quantile(facts.periods_ns, 0.9) - quantile(facts.periods_ns, 0.1)) /
        static_cast<double>(seen.median_period_ns);
  }
  return seen;
}

}  // namespace

std::vector<workloads::SeenRange> seen_ranges(std::span<const Capture> captures) {
  std::map<std::string, NameFacts> names;
  for (std::size_t process = 0; process < captures.size(); ++process) {
    for (const auto& [thread, ranges] : by_thread(captures[process])) {
      add_thread(captures[process], process, thread, ranges, names);
    }
  }
  std::vector<workloads::SeenRange> seen;
  for (auto& [name, facts] : names) seen.push_back(summary(name, facts));
  return seen;
}

}  // namespace perfgate::cli
