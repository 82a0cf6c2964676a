// gates: what is judged, and by which bounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "workloads/spec/metric_quantity.h"
#include "workloads/spec/quantity.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

std::string percent_text(double ratio) { return number_text(std::round(ratio * 1e8) / 1e6) + "%"; }

void check_bounds(const Section& entry, const GateSpec& gate) {
  Problems& problems = entry.problems();
  if (gate.margin_ratio && gate.tolerance_ratio && *gate.margin_ratio >= *gate.tolerance_ratio) {
    problems.error(
        entry.at("margin"),
        "the margin (" + percent_text(*gate.margin_ratio) + ") must be below the tolerance (" +
            percent_text(*gate.tolerance_ratio) + ")",
        "surely above margin fails, surely below tolerance passes; usual: tolerance = 3 x margin");
  }
  const bool graded = gate.margin_ratio || gate.tolerance_ratio || gate.at_least;
  if (gate.exact && (graded || gate.slack)) {
    problems.error(
        entry.at("exact"),
        "exact allows no change, so margin, tolerance, at_least and slack have no meaning",
        "keep exact: true alone, or remove it");
  } else if (gate.slack && (gate.margin_ratio || gate.tolerance_ratio)) {
    problems.error(entry.at("slack"), "slack is for counts, margin and tolerance are for times",
                   "keep one of the two");
  }
  if (gate.max && gate.min && *gate.max < *gate.min) {
    problems.error(entry.at("max"), "max is below min", "swap them");
  }
}

/// The program alone knows whether its metric is a time; a name that ends like one tells.
void warn_about_exact_time(const Section& entry, const GateSpec& gate) {
  static constexpr std::array<std::string_view, 6> kTimes{"_ms", "_us",      "_ns",
                                                          "_s",  "_seconds", "_time"};
  const auto ends = [&](std::string_view end) { return gate.metric.ends_with(end); };
  if (!gate.exact || !gate.metric.starts_with("reported/") || std::ranges::none_of(kTimes, ends))
    return;
  entry.problems().warning(
      entry.at("exact"),
      "exact is for counts, and the name of '" + excerpt_of(gate.metric) + "' is one of a time",
      "two runs never take the same time; write margin and tolerance, if it is one");
}

}  // namespace

void read_gates(const Section& root, WorkloadSpec& spec, const ParseOptions& options) {
  std::map<std::string, int> first_line;
  for (const Section& entry : root.sections("gates")) {
    GateSpec gate;
    gate.line = entry.at().line;
    const bool named = entry.read("metric", gate.metric);
    entry.read("margin", gate.margin_ratio);
    entry.read("tolerance", gate.tolerance_ratio);
    entry.read("exact", gate.exact);
    entry.read("slack", gate.slack);
    if (std::string better; entry.read("better", better)) {
      gate.better = better == "higher" ? Better::higher : Better::lower;
    }
    if (!named) continue;
    for (const auto& [key, out] :
         {std::pair{"at_least", &gate.at_least}, {"max", &gate.max}, {"min", &gate.min}}) {
      read_quantity(entry, key, gate.metric, *out);
    }
    const bool exists = check_metric(entry, gate.metric, options.metric_check);
    check_bounds(entry, gate);
    warn_about_exact_time(entry, gate);
    if (exists && options.gate_check) {
      if (const auto problem = options.gate_check(gate)) {
        entry.problems().error(entry.at(problem->key), problem->message, problem->hint);
      }
    }
    const auto [first, is_new] = first_line.emplace(gate.metric, gate.line);
    if (!is_new) {
      entry.problems().error(entry.at("metric"),
                             "'" + excerpt_of(gate.metric) + "' is gated twice, first on line " +
                                 std::to_string(first->second),
                             "keep one of the two");
    }
    spec.gates.push_back(std::move(gate));
  }
  if (!first_line.contains("step_time_p50")) {
    GateSpec implied;
    implied.metric = "step_time_p50";
    spec.gates.insert(spec.gates.begin(), std::move(implied));
  }
}

}  // namespace perfgate::workloads
