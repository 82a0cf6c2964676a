// Eager launches leave one record each, so a lost one shows by its correlation id alone.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/analysis/launch_calls.h"
#include "runner/analysis/validity.h"

namespace perfgate::analysis {
namespace {

struct Missing {
  std::int64_t count = 0;
  std::int64_t first_ns = kForever;
  std::uint32_t first = kNone;     ///< index of the first one
  std::uint32_t previous = kNone;  ///< the call before it on its thread that has a record
};

class LaunchCheck {
 public:
  LaunchCheck(const Evidence& evidence, std::uint16_t process, VerdictBuilder& verdict)
      : evidence_(evidence),
        process_(process),
        capture_(*evidence.timeline.processes[process].capture),
        verdict_(verdict) {}

  void run() {
    const auto edges = edges_of_window();
    if (!edges || capture_.api_calls.empty()) return;
    join();
    check_failed_calls(*edges);
    check_calls(*edges);
    check_kernels(*edges);
  }

 private:
  /// What must be whole: the counted steps, or the window where there are none. Empty: the window
  /// has no known edges, which check_file tells.
  [[nodiscard]] std::optional<HostSpan> edges_of_window() const {
    if (capture_.windows.size() != 1 || capture_.windows[0].closed_ns == 0) return std::nullopt;
    const HostSpan steps = host_span(evidence_.steps[process_]);
    return HostSpan{.start_ns = std::max(steps.start_ns, capture_.windows[0].opened_ns),
                    .end_ns = std::min(steps.end_ns, capture_.windows[0].closed_ns)};
  }

  template <typename Visit>
  void each_operation(Visit&& visit) const {
    for (const DeviceEvidence& device : evidence_.devices) {
      for (const Operation& op : device.timeline->operations) {
        if (op.process == process_) visit(op);
      }
    }
  }

  void join() {
    joined_.assign(capture_.api_calls.size(), false);
    each_operation([&](const Operation& op) {
      if (op.launch != kNone) joined_[op.launch] = true;
    });
  }

  /// Launches into a stream under capture make graph nodes, not GPU work. Another thread may make
  /// them, so that nothing is asked of any thread meanwhile.
  [[nodiscard]] std::vector<HostSpan> stream_captures() const {
    std::vector<const ApiRecord*> borders;
    for (const ApiRecord& call : capture_.api_calls) {
      if (call.api_class == ApiClass::graph_build && (begins(call) || ends(call)))
        borders.push_back(&call);
    }
    std::ranges::sort(borders, {}, &ApiRecord::start_ns);
    std::vector<HostSpan> captures;
    HostSpan open{.start_ns = 0, .end_ns = 0};  // one may be open when the window opens
    bool is_open = false;
    for (const ApiRecord* call : borders) {
      if (begins(*call)) {
        if (!is_open) open.start_ns = call->start_ns;
        is_open = true;
      } else {
        // Of captures that overlap, the last end counts.
        captures.push_back({.start_ns = open.start_ns, .end_ns = call->end_ns});
        is_open = false;
      }
    }
    if (is_open) captures.push_back({.start_ns = open.start_ns, .end_ns = kForever});
    return captures;
  }

  [[nodiscard]] std::string_view name_of(const ApiRecord& call) const {
    return call.name < capture_.strings.size() ? std::string_view(capture_.strings[call.name])
                                               : std::string_view();
  }
  [[nodiscard]] bool begins(const ApiRecord& call) const {
    return name_of(call).find("StreamBeginCapture") != std::string_view::npos;
  }
  [[nodiscard]] bool ends(const ApiRecord& call) const {
    return name_of(call).find("StreamEndCapture") != std::string_view::npos;
  }

  [[nodiscard]] bool owes_a_record(std::uint32_t call) const {
    const ApiRecord& record = capture_.api_calls[call];
    return record.api_class == ApiClass::kernel_launch && record.result == 0;
  }

  /// A program that goes on after a launch that failed does less than its steps say.
  void check_failed_calls(const HostSpan& edges) {
    const ApiRecord* first = nullptr;
    std::int64_t count = 0;
    for (const ApiRecord& call : capture_.api_calls) {
      const bool is_launch =
          call.api_class == ApiClass::kernel_launch || call.api_class == ApiClass::graph_launch;
      if (!is_launch || call.result == 0 || !edges.contains(call.start_ns)) continue;
      ++count;
      if (first == nullptr || call.start_ns < first->start_ns) first = &call;
    }
    if (first == nullptr) return;
    verdict_.raise(Validity::suspect,
                   std::to_string(count) + (count == 1 ? " launch call" : " launch calls") +
                       " in the window failed; the first is " + std::string(name_of(*first)) +
                       ", which returned " + std::to_string(first->result));
  }

  void check_calls(const HostSpan& edges) {
    bool any = false;
    for (std::uint32_t i = 0; i < joined_.size() && !any; ++i) {
      any = !joined_[i] && owes_a_record(i) && edges.contains(capture_.api_calls[i].start_ns);
    }
    if (!any) return;
    const std::vector<HostSpan> captures = stream_captures();
    const LaunchCalls launches(capture_, edges);
    Missing missing;
    std::uint32_t previous = kNone;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const std::uint32_t outer = launches[i].front();
      const ApiRecord& call = capture_.api_calls[outer];
      const auto with_record =
          std::ranges::find_if(launches[i], [&](std::uint32_t each) { return joined_[each]; });
      if (with_record != launches[i].end()) {
        previous = *with_record;
        continue;
      }
      const bool is_captured = std::ranges::any_of(
          captures, [&](const HostSpan& span) { return span.contains(call.start_ns); });
      if (!std::ranges::all_of(launches[i], [&](auto each) { return owes_a_record(each); }) ||
          is_captured)
        continue;
      ++missing.count;
      if (call.start_ns >= missing.first_ns) continue;
      const bool same_thread =
          previous != kNone && capture_.api_calls[previous].thread == call.thread;
      missing = {missing.count, call.start_ns, outer, same_thread ? previous : kNone};
    }
    if (missing.count > 0) tell(missing, launches.size());
  }

  void tell(const Missing& missing, std::size_t launches) {
    std::string text = std::to_string(missing.count) + " of " + std::to_string(launches) +
                       " launch calls in the window left no GPU record; the first is " +
                       std::string(name_of(capture_.api_calls[missing.first]));
    if (missing.previous != kNone) {
      each_operation([&](const Operation& op) {
        if (op.launch == missing.previous) last_ = op.name;
      });
      text += " after '" + evidence_.timeline.names[last_].text + "'";
    }
    verdict_.raise(Validity::partial, std::move(text));
  }

  /// A kernel whose id is below all recorded calls was launched before the window opened.
  void check_kernels(const HostSpan& edges) {
    const std::uint32_t lowest =
        std::ranges::min(capture_.api_calls, {}, &ApiRecord::correlation).correlation;
    std::int64_t kernels = 0;
    Missing missing;
    each_operation([&](const Operation& op) {
      if (op.kind != OperationKind::kernel || !edges.contains(op.start_ns)) return;
      ++kernels;
      if (op.launch != kNone || op.correlation < lowest) return;
      ++missing.count;
      if (op.start_ns >= missing.first_ns) return;
      missing.first_ns = op.start_ns;
      missing.first = op.name;
    });
    if (missing.count == 0) return;
    verdict_.raise(Validity::partial,
                   std::to_string(missing.count) + " of " + std::to_string(kernels) +
                       " kernels in the window have no record of the call that launched them; "
                       "the first is '" +
                       evidence_.timeline.names[missing.first].text + "'");
  }

  const Evidence& evidence_;
  std::uint16_t process_;
  const Capture& capture_;
  VerdictBuilder& verdict_;
  std::vector<bool> joined_;  ///< per API call: a GPU record has its id
  std::uint32_t last_ = 0;
};

}  // namespace

void check_launch_records(const Evidence& evidence, VerdictBuilder& verdict) {
  for (std::size_t process = 0; process < evidence.timeline.processes.size(); ++process) {
    LaunchCheck(evidence, static_cast<std::uint16_t>(process), verdict).run();
  }
}

}  // namespace perfgate::analysis
