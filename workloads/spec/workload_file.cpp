#include "workloads/spec/workload_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <re2/re2.h>

#include "workloads/spec/format_version.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/template.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

constexpr int kVersion = 1;

void read_name(const Section& root, WorkloadSpec& spec) {
  if (!root.read("name", spec.name) || is_plain_name(spec.name)) return;
  const std::string cleaned = plain_name(spec.name);
  root.problems().error(
      root.at("name"), "the name '" + excerpt_of(spec.name) + "' cannot name a folder",
      "letters, digits, '.', '_' and '-', at most 100, no '.' or '-' in front: write " + cleaned);
}

void read_steps(const Section& root, StepsSpec& steps) {
  const Section section = root.section("steps");
  if (const YamlEntry* range = section.entry("range")) {
    const bool blank = range->value.kind == YamlNode::Kind::null ||
                       (range->value.kind == YamlNode::Kind::scalar &&
                        range->value.text.find_first_not_of(" \n") == std::string::npos);
    if (blank) {
      section.problems().error(
          range->value.at, "steps.range is empty",
          "name the NVTX range that is one step; 'perfgate init -- CMD' lists those it sees");
    } else {
      section.read("range", steps.range);
    }
  }
  section.read("domain", steps.domain);
  section.read("warmup", steps.warmup);
  section.read("measure", steps.measure);
}

bool is_count(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= 1000000U;
}

/// nvtx:GLOB:skip=N,count=M; the glob may hold colons.
bool is_nvtx_window(std::string_view window) {
  static constexpr std::string_view kStart = "nvtx:";
  const std::size_t last = window.rfind(":skip=");
  if (!window.starts_with(kStart) || last == std::string_view::npos || last <= kStart.size())
    return false;
  const std::string_view counts = window.substr(last + 6);
  const std::size_t comma = counts.find(",count=");
  if (comma == std::string_view::npos) return false;
  const std::string_view count = counts.substr(comma + 7);
  return is_count(counts.substr(0, comma)) && is_count(count) && count != "0";
}

void read_trace(const Section& root, WorkloadSpec& spec) {
  const Section trace = root.section("trace");
  trace.read("processes", spec.trace.processes);
  trace.read("steps", spec.trace.steps);
  if (trace.read("window", spec.trace.window)) {
    const std::string& window = spec.trace.window;
    if (window != "profiler" && !is_nvtx_window(window)) {
      trace.problems().error(trace.at("window"),
                             "trace.window must be nvtx:GLOB:skip=N,count=M or profiler, found '" +
                                 excerpt_of(window) + "'",
                             "for example 'nvtx:decode*:skip=20,count=12'");
    }
  }
  if (spec.trace.steps + 2 > spec.steps.measure) {
    // Traced and untraced steps are compared at the same indices.
    const Position at = trace.entry("steps") != nullptr || !root.present() ? trace.at("steps")
                        : root.entry("steps") != nullptr                   ? root.entry("steps")->at
                                                                           : root.at();
    root.problems().error(at,
                          "a trace of " + std::to_string(spec.trace.steps) +
                              " steps and 2 around it does not fit into steps.measure (" +
                              std::to_string(spec.steps.measure) + ")",
                          "raise steps.measure, or write trace: {steps: " +
                              std::to_string(std::max(1, spec.steps.measure - 2)) + "}");
  }
}

void read_families(const Section& root, WorkloadSpec& spec) {
  for (const Section& entry : root.sections("families")) {
    FamilyRuleSpec rule;
    const bool named = entry.read("name", rule.name);
    if (named && !is_plain_name(rule.name)) {
      entry.problems().error(entry.at("name"),
                             "families.name must be a word, found '" + excerpt_of(rule.name) + "'",
                             "letters, digits, '.', '_' and '-', for example my_attention");
    }
    if (entry.read("match", rule.match)) {
      check_regex(rule.match, "families.match", entry.at("match"), entry.problems());
    }
    spec.families.push_back(std::move(rule));
  }
}

void warn_about_steps(const Section& root, const WorkloadSpec& spec) {
  if (!root.present() || root.entry("run") == nullptr) return;
  const auto* command = std::get_if<CommandRun>(&spec.run);
  if (command == nullptr || !spec.steps.range.empty() || !root.problems().errors.empty()) return;
  if (command->results == ResultsSource::nvtx) {
    root.problems().error(
        root.entry("run")->at, "results: nvtx needs steps.range: no NVTX range is named",
        "name the range that is one step; 'perfgate init -- CMD' lists those it sees");
  } else if (spec.trace.window.empty()) {
    root.problems().warning(root.entry("run")->at,
                            "no steps.range: a trace cannot tell one step from the next",
                            "open an NVTX range around each step and name it in steps.range; "
                            "'perfgate init -- CMD' shows which ones it sees, if any");
  }
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  static constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, plain);
}

int check_regex(std::string_view pattern, std::string_view what, Position at, Problems& problems) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (regex.ok()) return regex.NumberOfCapturingGroups();
  // The pattern stands in the source as it is unless quotes escaped something in it.
  const std::string_view line = source_line(problems.source, at.line);
  const std::size_t start = line.find(pattern);
  const std::size_t offset = pattern.find(regex.error_arg());
  if (start != std::string_view::npos && offset != std::string_view::npos &&
      !regex.error_arg().empty()) {
    at.column = count_characters(line.substr(0, start + offset)) + 1;
    at.width = count_characters(regex.error_arg());
  }
  if (regex.error_code() == re2::RE2::ErrorBadPerlOp) {
    problems.error(
        at, std::string{what} + ": RE2 has no '" + regex.error_arg() + "'",
        "it has neither lookaround nor backreferences; write several patterns, or a wider one");
    return -1;
  }
  problems.error(at, std::string{what} + " is not a regular expression: " + regex.error(),
                 "RE2 syntax; put a '\\' before a special character that is meant itself");
  return -1;
}

void read_floor(const Section& root, FloorSpec& floor) {
  const Section section = root.section("floor");
  if (!section.present()) return;
  floor.declared = true;
  section.read("weights", floor.weights_bytes);
  section.read("kv_cache", floor.kv_cache_bytes);
  section.read("bytes", floor.bytes_per_step);
  section.read("flops", floor.flops_per_step);
  section.read("bandwidth", floor.bandwidth_bytes_per_s);
  section.read("rate", floor.rate_flop_per_s);
  if (floor.bytes_per_step && (floor.weights_bytes || floor.kv_cache_bytes)) {
    section.problems().error(
        section.at("bytes"),
        "floor.bytes is the whole, so weights and kv_cache cannot stand beside it",
        "keep bytes, or keep weights and kv_cache");
  }
}

WorkloadSpec read_workload(const YamlNode& node, Problems& problems, const ParseOptions& options) {
  WorkloadSpec spec;
  const Section root{&node, "", problems};
  read_format_version(root, "perfgate", kVersion, spec.version);
  read_name(root, spec);
  root.read("description", spec.description);
  root.read("owner", spec.owner);
  read_run(root, spec);
  read_steps(root, spec.steps);
  const Section timing = root.section("timing");
  timing.read("processes", spec.timing.processes);
  int only_one = 1;
  timing.read("rounds", only_one);
  timing.read("budget", spec.timing.budget_s);
  read_trace(root, spec);
  if (std::string dram; root.section("counters").read("dram", dram)) {
    spec.counters_dram = dram == "auto" ? CountersMode::automatic : CountersMode::off;
  }
  read_floor(root, spec.floor);
  read_families(root, spec);
  read_gates(root, spec, options);
  root.read("gpus", only_one);
  warn_about_steps(root, spec);
  return spec;
}

CheckedWorkload check_workload(std::string_view text, std::string_view path,
                               const ParseOptions& options) {
  CheckedWorkload checked;
  Problems problems;
  if (const auto root = parse_yaml(text, problems)) {
    WorkloadSpec spec = read_workload(*root, problems, options);
    if (problems.errors.empty()) {
      spec.path = path;
      spec.source_text = text;
      spec.workload_digest = workload_digest(spec);
      checked.spec = std::move(spec);
    }
  }
  checked.errors = std::move(problems.errors);
  checked.warnings = std::move(problems.warnings);
  return checked;
}

Error error_of(const std::vector<Diagnostic>& errors, std::string_view text,
               std::string_view path) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Error error{.code = ErrorCode::invalid_config,
              .message = {},
              .hint = {},
              .context = render(errors, text, path)};
  if (errors.size() == 1) {
    error.message = errors.front().message;
  } else {
    error.message = std::to_string(errors.size()) + " problems in " + std::string{path};
  }
  return error;
}

Result<WorkloadSpec> parse_workload(std::string_view text, std::string_view path,
                                    const ParseOptions& options) {
  CheckedWorkload checked = check_workload(text, path, options);
  if (!checked.spec) return error_of(checked.errors, text, path);
  return std::move(*checked.spec);
}

}  // namespace perfgate::workloads
