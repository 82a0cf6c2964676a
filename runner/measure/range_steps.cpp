#include "runner/measure/range_steps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "runner/model/glob.h"

namespace perfgate::measure {
namespace {

constexpr std::string_view kSeenPrefix = "range seen: ";
constexpr std::size_t kNamesShown = 10;

std::string_view text_of(const Capture& capture, StringId id) {
  return id < capture.strings.size() ? std::string_view(capture.strings[id]) : std::string_view{};
}

/// The captures' own lines about ranges, where no window opened and none were recorded.
std::vector<std::string> reported_by_probe(std::span<const Capture> captures) {
  std::vector<std::string> names;
  for (const Capture& capture : captures) {
    for (const std::string& reason : capture.reasons) {
      if (reason.starts_with(kSeenPrefix)) names.push_back(reason.substr(kSeenPrefix.size()));
    }
  }
  return names;
}

std::vector<std::string> recorded(std::span<const Capture> captures) {
  std::map<std::string, int> counts;
  for (const Capture& capture : captures) {
    for (const NvtxRange& range : capture.ranges)
      ++counts[std::string(text_of(capture, range.name))];
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& entry) { return entry.second; });
  std::vector<std::string> names;
  names.reserve(sorted.size());
  for (const auto& [name, count] : sorted)
    names.push_back(name + " (x" + std::to_string(count) + ")");
  return names;
}

/// Starts of the ranges of one thread that lie in no other of them, rising. A start/end range
/// belongs to no thread's stack: it is in none, and none is in it.
std::vector<std::int64_t> outermost_starts(std::vector<const NvtxRange*> ranges) {
  const auto end_of = [](const NvtxRange* range) {
    return range->end_ns == 0 ? std::numeric_limits<std::int64_t>::max() : range->end_ns;
  };
  std::ranges::sort(ranges, [&](const NvtxRange* a, const NvtxRange* b) {
    return std::tuple(a->start_ns, end_of(b)) < std::tuple(b->start_ns, end_of(a));
  });
  std::vector<std::int64_t> starts;
  std::int64_t outer_end_ns = std::numeric_limits<std::int64_t>::min();
  for (const NvtxRange* range : ranges) {
    if (range->is_push_pop && range->start_ns < outer_end_ns) continue;
    if (range->is_push_pop) outer_end_ns = end_of(range);
    starts.push_back(range->start_ns);
  }
  return starts;
}

}  // namespace

std::vector<std::int64_t> range_starts(const Capture& capture, const StepsSpec& steps) {
  std::map<std::uint32_t, std::vector<const NvtxRange*>> by_thread;
  for (const NvtxRange& range : capture.ranges) {
    if (text_of(capture, range.domain) == steps.domain &&
        glob_matches(steps.range, text_of(capture, range.name))) {
      by_thread[range.thread].push_back(&range);
    }
  }
  std::vector<std::int64_t> starts;
  for (auto& [thread, matches] : by_thread) {
    auto of_thread = outermost_starts(std::move(matches));
    if (of_thread.size() > starts.size()) starts = std::move(of_thread);
  }
  return starts;
}

Result<ProcessResults> steps_from_ranges(std::span<const Capture> captures, const StepsSpec& steps,
                                         int skip, int count, int wanted) {
  std::vector<std::int64_t> starts;
  for (const Capture& capture : captures) {
    auto of_capture = range_starts(capture, steps);
    if (of_capture.size() > starts.size()) starts = std::move(of_capture);
  }
  const std::size_t needed = static_cast<std::size_t>(skip) + static_cast<std::size_t>(wanted) + 1;
  if (starts.size() < needed) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = starts.empty()
                                ? "no NVTX range matched '" + steps.range +
                                      "'; ranges seen: " + ranges_seen(captures)
                                : std::to_string(starts.size()) + " NVTX ranges matched '" +
                                      steps.range + "', but " + std::to_string(needed) +
                                      " are needed: " + std::to_string(skip) + " to warm up, " +
                                      std::to_string(wanted) + " steps and the start of one more",
                 .hint = starts.empty() ? "set steps.range to the range that is one step"
                                        : "lower steps.measure or let the program run longer",
                 .context = {}};
  }
  ProcessResults results;
  results.boundary = ProcessResults::Boundary::host;
  const auto first = static_cast<std::size_t>(skip);
  const std::size_t periods = std::min(starts.size() - first - 1, static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < periods; ++i) {
    const std::int64_t length_ns = starts[first + i + 1] - starts[first + i];
    if (length_ns <= 0) {
      return Error{
          .code = ErrorCode::invalid_measurement,
          .message = "two NVTX ranges matching '" + steps.range + "' start at the same time",
          .hint = "choose a range that starts once a step",
          .context = {}};
    }
    results.steps.push_back(
        {.step = static_cast<std::int64_t>(i), .ms = static_cast<double>(length_ns) / 1e6});
  }
  results.block_start_ns = starts[first];
  results.block_end_ns = starts[first + periods];
  return results;
}

std::string ranges_seen(std::span<const Capture> captures) {
  std::vector<std::string> names = recorded(captures);
  for (std::string& name : reported_by_probe(captures)) names.push_back(std::move(name));
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamesShown)
    text += ", and " + std::to_string(names.size() - kNamesShown) + " more";
  return text.empty() ? "none" : text;
}

}  // namespace perfgate::measure
