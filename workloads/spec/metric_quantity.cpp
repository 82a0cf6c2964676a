#include "workloads/spec/metric_quantity.h"

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "workloads/spec/quantity.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// The unit of a metric by its id: quantities of a gate are kept in it.
struct MetricUnit {
  std::string_view name;  ///< empty: a plain number
  std::span<const UnitFactor> units;
  double base = 1.0;       ///< the metric's unit in the units' base
  std::string_view own{};  ///< as MetricValue::unit has it
};

/// More than any metric has, in its own unit.
constexpr double kLargest = 1e18;

constexpr std::array kPercent{UnitFactor{"%", 1.0}};

MetricUnit unit_of(std::string_view metric) {
  const std::string_view base = metric.substr(0, metric.find('/'));
  if (base.ends_with("_us")) return {"us", second_units(), 1e-6, "us"};
  if (base.ends_with("_ms") || base.starts_with("step_time"))
    return {"ms", second_units(), 1e-3, "ms"};
  if (base.ends_with("_bytes_per_s") || base.ends_with("bandwidth"))
    return {"GB/s", bandwidth_units(), 1.0, "bytes/s"};
  if (base.ends_with("_flop_per_s")) return {"TFLOP/s", rate_units(), 1.0, "flop/s"};
  if (base.ends_with("_bytes") || base.starts_with("bytes"))
    return {"MB", byte_units(), 1.0, "bytes"};
  if (base.ends_with("_percent") || base.starts_with("percent")) return {"%", kPercent, 1.0, "%"};
  return {};
}

void report_quantity(const Section& gate, const KeyInfo& info, const YamlNode& node,
                     const MetricUnit& unit, std::string_view metric) {
  const std::string path = shown_path(info.path);
  const auto measure = split_measure(node.text);
  if (!measure || node.kind != YamlNode::Kind::scalar) {
    report_type(info, node, gate.problems());
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
                          measure->unit.starts_with(',')
                              ? "write a decimal point, not a comma"
                              : "units of this metric: " + list_units(unit.units));
  }
}

}  // namespace

bool tells_unit(std::string_view metric) { return !unit_of(metric).name.empty(); }
std::string_view told_unit(std::string_view metric) { return unit_of(metric).own; }

void read_quantity(const Section& section, std::string_view key, std::string_view metric,
                   std::optional<double>& out) {
  const YamlEntry* entry = section.entry(key);
  if (entry == nullptr) return;
  const YamlNode& node = entry->value;
  const MetricUnit unit = unit_of(metric);
  const KeyInfo& info = section.key_info(key);
  const std::string path = shown_path(info.path);
  const auto measure =
      node.kind == YamlNode::Kind::scalar ? split_measure(node.text) : std::nullopt;
  std::optional<double> factor;
  if (measure && unit.name.empty() && measure->unit.empty()) factor = 1.0;
  if (measure && !unit.name.empty()) factor = factor_of(measure->unit, unit.units);
  if (!factor) {
    report_quantity(section, info, node, unit, metric);
    return;
  }
  // Dividing the factors first keeps 0.05 ms of a metric in ms at 0.05.
  const double value = measure->value * (*factor / unit.base);
  if (!(value >= 0.0) || !std::isfinite(value) || (key == "at_least" && value == 0.0)) {
    section.problems().error(node.at, path + " must be above 0, found " + excerpt_of(node.text));
    return;
  }
  if (value > kLargest) {
    section.problems().error(node.at, path + " must be at most " + number_text(kLargest) +
                                          ", found " + excerpt_of(node.text));
    return;
  }
  out = value;
}

bool check_metric(const Section& section, std::string_view metric, const MetricCheck& known) {
  Problems& problems = section.problems();
  const Position at = section.at("metric");
  const std::string path = shown_path(section.path()) + ".metric";
  static constexpr std::string_view kKernel = "kernel_us/";
  if (metric.ends_with('/')) {
    problems.error(at, path + ": '" + excerpt_of(metric) + "' ends after the '/'",
                   metric == kKernel
                       ? "name the kernels by a regular expression: 'kernel_us/nvjet.*'"
                       : "name what is meant, for example family_ms/attention");
    return false;
  }
  if (metric.starts_with(kKernel)) {
    Position pattern_at = at;
    const int groups = check_regex(metric.substr(kKernel.size()), path, pattern_at, problems);
    if (groups < 0) return false;
  } else if (metric.find_first_of(" \t\n") != std::string::npos) {
    problems.error(at, path + ": a metric id has no spaces",
                   "for example step_time_p50 or family_ms/attention");
    return false;
  }
  if (!known) return true;
  if (const auto hint = known(metric)) {
    problems.error(at, "there is no metric '" + excerpt_of(metric) + "'", *hint);
    return false;
  }
  return true;
}

}  // namespace perfgate::workloads
