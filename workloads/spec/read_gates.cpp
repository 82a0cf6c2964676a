// gates: what is judged, and by which bounds.
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// The unit of a metric by its id: quantities of a gate are kept in it.
struct MetricUnit {
  std::string_view name;  ///< empty: a plain number
  std::span<const UnitFactor> units;
  double base = 1.0;  ///< the metric's unit in the units' base
};

/// More than any metric has, in its own unit.
constexpr double kLargest = 1e18;

constexpr std::array kPercent{UnitFactor{"%", 1.0}};

MetricUnit unit_of(std::string_view metric) {
  const std::string_view base = metric.substr(0, metric.find('/'));
  if (base.ends_with("_us")) return {"us", second_units(), 1e-6};
  if (base.ends_with("_ms") || base.starts_with("step_time")) return {"ms", second_units(), 1e-3};
  if (base.ends_with("_bytes_per_s") || base.ends_with("bandwidth"))
    return {"GB/s", bandwidth_units(), 1.0};
  if (base.ends_with("_flop_per_s")) return {"TFLOP/s", rate_units(), 1.0};
  if (base.ends_with("_bytes") || base.starts_with("bytes")) return {"MB", byte_units(), 1.0};
  if (base.ends_with("_percent") || base.starts_with("percent")) return {"%", kPercent, 1.0};
  return {};
}

void report_quantity(const Section& gate, std::string_view key, const YamlNode& node,
                     const MetricUnit& unit, std::string_view metric) {
  const std::string path = "gates." + std::string{key};
  const auto measure = split_measure(node.text);
  if (!measure || node.kind != YamlNode::Kind::scalar) {
    report_type(*find_key("gates[]." + std::string{key}), node, gate.problems());
  } else if (unit.name.empty()) {
    gate.problems().error(
        node.at,
        path + ": '" + excerpt_of(metric) + "' has no unit, found " + excerpt_of(node.text),
        "write '" + number_text(measure->value) + "'");
  } else if (measure->unit.empty()) {
    gate.problems().error(node.at, path + " needs a unit, found " + describe(node),
                          "write '" + excerpt_of(node.text) + " " + std::string{unit.name} + "'");
  } else {
    gate.problems().error(node.at, path + ": unknown unit '" + std::string{measure->unit} + "'",
                          "units of this metric: " + list_units(unit.units));
  }
}

/// A quantity in the metric's own unit: "0.05 ms" of a metric in ms is 0.05.
void read_quantity(const Section& gate, std::string_view key, std::string_view metric,
                   std::optional<double>& out) {
  const YamlEntry* entry = gate.entry(key);
  if (entry == nullptr) return;
  const YamlNode& node = entry->value;
  const MetricUnit unit = unit_of(metric);
  const auto measure =
      node.kind == YamlNode::Kind::scalar ? split_measure(node.text) : std::nullopt;
  std::optional<double> factor;
  if (measure && unit.name.empty() && measure->unit.empty()) factor = 1.0;
  if (measure && !unit.name.empty()) factor = factor_of(measure->unit, unit.units);
  if (!factor) {
    report_quantity(gate, key, node, unit, metric);
    return;
  }
  // Dividing the factors first keeps 0.05 ms of a metric in ms at 0.05.
  const double value = measure->value * (*factor / unit.base);
  if (!(value >= 0.0) || !std::isfinite(value) || (key == "at_least" && value == 0.0)) {
    gate.problems().error(
        node.at, "gates." + std::string{key} + " must be above 0, found " + excerpt_of(node.text));
    return;
  }
  if (value > kLargest) {
    gate.problems().error(node.at, "gates." + std::string{key} + " must be at most " +
                                       number_text(kLargest) + ", found " + excerpt_of(node.text));
    return;
  }
  out = value;
}

/// True if the metric may be asked further: it is there, as far as is known.
bool check_metric(const Section& entry, const std::string& metric, const ParseOptions& options) {
  Problems& problems = entry.problems();
  const Position at = entry.at("metric");
  static constexpr std::string_view kKernel = "kernel_us/";
  if (metric.ends_with('/')) {
    problems.error(at, "gates.metric: '" + excerpt_of(metric) + "' ends after the '/'",
                   metric == kKernel
                       ? "name the kernels by a regular expression: 'kernel_us/nvjet.*'"
                       : "name what is meant, for example family_ms/attention");
    return false;
  }
  if (metric.starts_with(kKernel)) {
    Position pattern_at = at;
    const int groups = check_regex(std::string_view{metric}.substr(kKernel.size()), "gates.metric",
                                   pattern_at, problems);
    if (groups < 0) return false;
  } else if (metric.find_first_of(" \t\n") != std::string::npos) {
    problems.error(at, "gates.metric: a metric id has no spaces",
                   "for example step_time_p50 or family_ms/attention");
    return false;
  }
  if (!options.metric_check) return true;
  if (const auto hint = options.metric_check(metric)) {
    problems.error(at, "there is no metric '" + excerpt_of(metric) + "'", *hint);
    return false;
  }
  return true;
}

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
    const bool exists = check_metric(entry, gate.metric, options);
    check_bounds(entry, gate);
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
