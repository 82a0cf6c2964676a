// Under-recorded graph replay is the failure that other tools report as idle time. So nodes are
// counted.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "runner/analysis/validity.h"

namespace perfgate::analysis {
namespace {

/// The records of one launch: how many, and an order-free digest of their node ids.
struct LaunchNodes {
  std::int64_t records = 0;
  std::uint64_t digest = 0;
  std::uint32_t graph = 0;
  std::uint64_t any_node = 0;
};

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

/// What was created for each graph, by the graph id of the node records.
struct Created {
  std::unordered_map<std::uint64_t, std::uint32_t> graph_of_node;
  std::map<std::uint32_t, std::int64_t> working_nodes;  ///< kernel, copy and memset nodes
  std::map<std::uint32_t, std::int64_t> other_nodes;    ///< conditional nodes are among these
};

Created created_nodes(const Capture& capture) {
  Created created;
  for (const GraphNodeRecord& record : capture.graph_nodes) {
    created.graph_of_node.emplace(record.node, record.graph);
    auto& counts =
        record.kind == GraphNodeKind::other ? created.other_nodes : created.working_nodes;
    ++counts[record.graph];
  }
  return created;
}

class GraphCheck {
 public:
  GraphCheck(const Evidence& evidence, std::uint16_t process, VerdictBuilder& verdict)
      : evidence_(evidence),
        process_(process),
        capture_(*evidence.timeline.processes[process].capture),
        created_(created_nodes(capture_)),
        verdict_(verdict) {}

  void run() {
    collect();
    check_silent_launches();
    std::map<std::uint32_t, std::vector<const LaunchNodes*>> by_graph;
    for (const auto& [launch, nodes] : launches_) by_graph[nodes.graph].push_back(&nodes);
    for (const auto& [graph, launches] : by_graph) check_graph(launches);
  }

 private:
  void collect() {
    LaunchNodes* last = nullptr;  // nodes of one launch stand together
    std::uint32_t last_launch = kNone;
    for (const DeviceEvidence& device : evidence_.devices) {
      for (const Operation& op : device.timeline->operations) {
        if (op.process != process_ || op.graph == 0 || op.launch == kNone) continue;
        if (!is_inside(op.launch)) continue;
        if (op.launch != last_launch) {
          last_launch = op.launch;
          last = &launches_[op.launch];
        }
        LaunchNodes& nodes = *last;
        ++nodes.records;
        nodes.digest += mixed(op.node);
        nodes.graph = op.graph;
        nodes.any_node = op.node;
      }
    }
  }

  /// The window's borders may cut the first and the last launch.
  [[nodiscard]] bool is_inside(std::uint32_t launch) {
    if (!have_span_) {
      span_ = host_span(evidence_.steps[process_]);
      if (span_.end_ns == kForever) cut_border_launches();
      have_span_ = true;
    }
    return span_.contains(capture_.api_calls[launch].start_ns);
  }

  void cut_border_launches() {
    std::int64_t first = kForever;
    std::int64_t last = 0;
    for (const ApiRecord& call : capture_.api_calls) {
      if (call.api_class != ApiClass::graph_launch) continue;
      first = std::min(first, call.start_ns);
      last = std::max(last, call.start_ns);
    }
    span_ = {.start_ns = first == kForever ? 0 : first + 1, .end_ns = last};
  }

  void check_silent_launches() {
    std::int64_t silent = 0;
    for (std::uint32_t i = 0; i < capture_.api_calls.size(); ++i) {
      const ApiRecord& call = capture_.api_calls[i];
      if (call.api_class != ApiClass::graph_launch || call.result != 0 || !is_inside(i)) continue;
      if (!launches_.contains(i) && !has_inner_launch(i)) ++silent;
    }
    if (silent > 0) {
      verdict_.raise(Validity::invalid, std::to_string(silent) +
                                            " graph launches left no GPU record: replay is "
                                            "under-recorded");
    }
  }

  /// A runtime launch contains the driver's: the records join with one of them.
  [[nodiscard]] bool has_inner_launch(std::uint32_t outer) const {
    const ApiRecord& call = capture_.api_calls[outer];
    return std::ranges::any_of(launches_, [&](const auto& entry) {
      const ApiRecord& other = capture_.api_calls[entry.first];
      const bool inside = other.start_ns >= call.start_ns && other.end_ns <= call.end_ns;
      const bool around = other.start_ns <= call.start_ns && other.end_ns >= call.end_ns;
      return other.thread == call.thread && (inside || around);
    });
  }

  void check_graph(const std::vector<const LaunchNodes*>& launches) {
    const LaunchNodes& first = *launches.front();
    const auto of_node = created_.graph_of_node.find(first.any_node);
    const bool known = of_node != created_.graph_of_node.end();
    // Conditional and device-launched graphs may run another set of nodes each time.
    const bool conditional = known && created_.other_nodes.contains(of_node->second);
    const Validity severity = conditional ? Validity::partial : Validity::invalid;
    const auto differs = std::ranges::count_if(launches, [&](const LaunchNodes* launch) {
      return launch->digest != first.digest || launch->records != first.records;
    });
    if (differs > 0) {
      verdict_.raise(severity, std::to_string(differs) + " of " + std::to_string(launches.size()) +
                                   " launches of graph " + std::to_string(first.graph) +
                                   " ran other nodes than its first one (" +
                                   std::to_string(first.records) + " records)");
    }
    if (!known) return;
    const std::int64_t expected = created_.working_nodes[of_node->second];
    if (expected != first.records) {
      verdict_.raise(severity, "graph " + std::to_string(first.graph) + " was created with " +
                                   std::to_string(expected) +
                                   " kernel, copy and memset nodes, but a launch has " +
                                   std::to_string(first.records) + " records");
    }
  }

  const Evidence& evidence_;
  std::uint16_t process_;
  const Capture& capture_;
  Created created_;
  VerdictBuilder& verdict_;
  std::map<std::uint32_t, LaunchNodes> launches_;
  HostSpan span_;
  bool have_span_ = false;
};

}  // namespace

void check_graph_launches(const Evidence& evidence, VerdictBuilder& verdict) {
  for (std::size_t process = 0; process < evidence.timeline.processes.size(); ++process) {
    GraphCheck(evidence, static_cast<std::uint16_t>(process), verdict).run();
  }
}

}  // namespace perfgate::analysis
