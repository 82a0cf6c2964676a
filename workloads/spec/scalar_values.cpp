// Single values: text, boolean, numbers and amounts with a unit.
#include <algorithm>
#include <array>
#include <cmath>

#include "runner/model/nearest_word.h"
#include "workloads/spec/section.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

bool is_scalar(const YamlNode& node) { return node.kind == YamlNode::Kind::scalar; }

std::string range_words(const KeyInfo& info) {
  if (info.min == info.max) return number_text(info.min);
  return "between " + number_text(info.min) + " and " + number_text(info.max);
}

std::string_view base_unit(KeyType type) {
  switch (type) {
    case KeyType::duration: return " seconds";
    case KeyType::bytes:
    case KeyType::bytes_or_auto: return " bytes";
    case KeyType::flops: return " FLOP";
    case KeyType::bandwidth: return " B/s";
    case KeyType::rate: return " FLOP/s";
    default: return {};
  }
}

/// True if the value is inside the row's limits, or the row has none.
bool check_range(const KeyInfo& info, double value, const YamlNode& node, Problems& problems) {
  if (info.min == info.max && info.min == 0.0) return true;
  if (value >= info.min && value <= info.max) return true;
  problems.error(node.at, shown_path(info.path) + " must be " + range_words(info) +
                              std::string{base_unit(info.type)} + ", found " +
                              excerpt_of(node.text));
  return false;
}

std::string octal_hint(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of("+-0"), text.size() - 1);
  const std::string digits{text.substr(first)};
  const bool octal = digits.find_first_of("89") == std::string::npos;
  return "write " + digits + (octal ? ", or 0o" + digits + " if octal is meant" : "") +
         ": YAML versions disagree about a leading 0";
}

/// Why a plain text is no number, where people often write one.
std::string number_hint(std::string_view text) {
  if (text.find('_') != std::string_view::npos) return "write the digits without '_'";
  if (text.find(',') != std::string_view::npos) return "write the digits without ','";
  return {};
}

bool refuse_octal(const KeyInfo& info, const YamlNode& node, Problems& problems) {
  if (!is_scalar(node) || !looks_octal(node.text)) return false;
  problems.error(
      node.at,
      shown_path(info.path) + ": '" + excerpt_of(node.text) + "' looks like an octal number",
      octal_hint(node.text));
  return true;
}

struct AmountRule {
  std::span<const UnitFactor> units;
  bool plain_number;         ///< a number without unit is in the base unit
  std::string_view example;  ///< a unit to show
};

AmountRule rule_of(KeyType type) {
  switch (type) {
    case KeyType::duration: return {second_units(), true, "s"};
    case KeyType::bytes:
    case KeyType::bytes_or_auto: return {byte_units(), true, "GB"};
    case KeyType::flops: return {flop_units(), true, "GFLOP"};
    case KeyType::bandwidth: return {bandwidth_units(), false, "TB/s"};
    default: return {rate_units(), false, "TFLOP/s"};
  }
}

struct Respelling {
  std::string_view wrong;
  std::string_view right;
};

/// Units that people write and that are ambiguous or mean another quantity.
constexpr std::array kRespellings{Respelling{"m", "min"},
                                  Respelling{"minutes", "min"},
                                  Respelling{"minute", "min"},
                                  Respelling{"mins", "min"},
                                  Respelling{"sec", "s"},
                                  Respelling{"secs", "s"},
                                  Respelling{"seconds", "s"},
                                  Respelling{"second", "s"},
                                  Respelling{"hours", "h"},
                                  Respelling{"hour", "h"},
                                  Respelling{"K", "kB"},
                                  Respelling{"M", "MB"},
                                  Respelling{"G", "GB"},
                                  Respelling{"T", "TB"},
                                  Respelling{"gb", "GB"},
                                  Respelling{"mb", "MB"},
                                  Respelling{"TFLOPS", "TFLOP/s"},
                                  Respelling{"TFLOPs", "TFLOP/s"},
                                  Respelling{"GFLOPS", "GFLOP/s"},
                                  Respelling{"GFLOPs", "GFLOP/s"},
                                  Respelling{"GBps", "GB/s"},
                                  Respelling{"TBps", "TB/s"},
                                  Respelling{"TFLOPS/s", "TFLOP/s"}};

std::string unit_hint(const Measure& measure, const AmountRule& rule) {
  if (measure.unit == "KB") {
    const std::string value = number_text(measure.value);
    return "write '" + value + " kB' (1000 bytes each) or '" + value + " KiB' (1024 bytes each)";
  }
  const auto* known = std::ranges::find(kRespellings, measure.unit, &Respelling::wrong);
  if (known != kRespellings.end() && factor_of(known->right, rule.units)) {
    return "write '" + number_text(measure.value) + " " + std::string{known->right} + "'";
  }
  if (measure.unit.starts_with(':')) return "write it in one unit, for example '90 s'";
  return "units: " + list_units(rule.units);
}

std::string percent_hint(double value) {
  const double percent = std::abs(value) < 0.5 ? value * 100.0 : value;
  return "write '" + number_text(std::round(percent * 1e6) / 1e6) + "%'";
}

std::optional<double> read_percent(const KeyInfo& info, const YamlNode& node, Problems& problems) {
  const auto measure = split_measure(node.text);
  if (!measure || (measure->unit != "%" && !measure->unit.empty())) {
    report_type(info, node, problems);
    return std::nullopt;
  }
  if (measure->unit.empty()) {
    problems.error(node.at,
                   shown_path(info.path) + " needs a '%': is '" + excerpt_of(node.text) +
                       "' a ratio or a percentage?",
                   percent_hint(measure->value));
    return std::nullopt;
  }
  if (measure->value <= 0.0 || measure->value > 100.0) {
    problems.error(node.at, shown_path(info.path) + " must be above 0% and at most 100%, found " +
                                excerpt_of(node.text));
    return std::nullopt;
  }
  return measure->value / 100.0;
}

}  // namespace

std::string shown_path(std::string_view path) {
  std::string shown;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i).starts_with("[]")) {
      ++i;
    } else {
      shown += path[i];
    }
  }
  return shown;
}

void report_type(const KeyInfo& info, const YamlNode& node, Problems& problems, std::string hint) {
  if (node.kind == YamlNode::Kind::null) {
    problems.error(node.at, shown_path(info.path) + " has no value",
                   hint.empty()
                       ? "write " + std::string{type_words(info.type)} + ", or remove the key"
                       : std::move(hint));
    return;
  }
  problems.error(node.at,
                 shown_path(info.path) + " must be " + std::string{type_words(info.type)} +
                     ", found " + describe(node),
                 std::move(hint));
}

std::optional<std::string> read_text(const KeyInfo& info, const YamlNode& node,
                                     Problems& problems) {
  if (!is_scalar(node)) {
    const bool list = node.kind == YamlNode::Kind::sequence;
    report_type(info, node, problems, list ? "put quotes around a text that starts with '['" : "");
    return std::nullopt;
  }
  if (node.text.find_first_not_of(" \n") == std::string::npos) {
    problems.error(node.at, shown_path(info.path) + " is empty", "write a text, or remove the key");
    return std::nullopt;
  }
  if (node.text.find('\0') != std::string::npos) {
    problems.error(node.at, shown_path(info.path) + " holds a NUL character", "remove the '\\0'");
    return std::nullopt;
  }
  return node.text;
}

std::optional<bool> read_boolean(const KeyInfo& info, const YamlNode& node, Problems& problems) {
  if (is_scalar(node) && node.plain && node.text == "true") return true;
  if (is_scalar(node) && node.plain && node.text == "false") return false;
  std::string hint;
  if (is_scalar(node)) {
    static constexpr std::array kTrue{"yes", "Yes",  "YES",  "on",   "On", "ON",
                                      "y",   "True", "TRUE", "true", "1"};
    static constexpr std::array kFalse{"no", "No",    "NO",    "off",   "Off", "OFF",
                                       "n",  "False", "FALSE", "false", "0"};
    if (std::ranges::find(kTrue, node.text) != kTrue.end()) hint = "write true, without quotes";
    if (std::ranges::find(kFalse, node.text) != kFalse.end()) hint = "write false, without quotes";
  }
  report_type(info, node, problems, std::move(hint));
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const KeyInfo& info, const YamlNode& node,
                                         Problems& problems) {
  if (refuse_octal(info, node, problems)) return std::nullopt;
  std::optional<std::int64_t> value;
  if (is_scalar(node) && node.plain) value = parse_integer(node.text);
  if (!value) {
    std::string hint;
    if (is_scalar(node)) hint = number_hint(node.text);
    if (is_scalar(node) && !node.plain && parse_integer(node.text))
      hint = "write it without quotes";
    report_type(info, node, problems, std::move(hint));
    return std::nullopt;
  }
  if (!check_range(info, static_cast<double>(*value), node, problems)) return std::nullopt;
  return value;
}

std::optional<double> read_number(const KeyInfo& info, const YamlNode& node, Problems& problems) {
  if (refuse_octal(info, node, problems)) return std::nullopt;
  std::optional<double> value;
  if (is_scalar(node) && node.plain) value = parse_number(node.text);
  if (!value) {
    report_type(info, node, problems, is_scalar(node) ? number_hint(node.text) : std::string{});
    return std::nullopt;
  }
  if (!check_range(info, *value, node, problems)) return std::nullopt;
  return value;
}

std::optional<double> read_amount(const KeyInfo& info, const YamlNode& node, Problems& problems) {
  const bool may_be_auto = info.type == KeyType::bytes_or_auto || info.type == KeyType::percent;
  if (!is_scalar(node)) {
    report_type(info, node, problems);
    return std::nullopt;
  }
  if (may_be_auto && node.text == "auto") return std::nullopt;
  if (refuse_octal(info, node, problems)) return std::nullopt;
  if (info.type == KeyType::percent) return read_percent(info, node, problems);
  const AmountRule rule = rule_of(info.type);
  const auto measure = split_measure(node.text);
  if (!measure) {
    report_type(info, node, problems, number_hint(node.text));
    return std::nullopt;
  }
  if (measure->unit.empty() && !rule.plain_number) {
    problems.error(node.at, shown_path(info.path) + " needs a unit, found " + describe(node),
                   "write '" + excerpt_of(node.text) + " " + std::string{rule.example} +
                       "', or another of: " + list_units(rule.units));
    return std::nullopt;
  }
  const auto factor =
      measure->unit.empty() ? std::optional{1.0} : factor_of(measure->unit, rule.units);
  if (!factor) {
    problems.error(node.at,
                   shown_path(info.path) + ": unknown unit '" + std::string{measure->unit} + "'",
                   unit_hint(*measure, rule));
    return std::nullopt;
  }
  const double value = measure->value * *factor;
  if (!(value > 0.0)) {  // an infinite one is beyond every limit
    problems.error(node.at,
                   shown_path(info.path) + " must be above 0, found " + excerpt_of(node.text));
    return std::nullopt;
  }
  if (!check_range(info, value, node, problems)) return std::nullopt;
  return value;
}

}  // namespace perfgate::workloads
