// What a workload measures, as one short text: two runs with different digests measured different
// things.
//
// In it: the run (kind with every parameter, defaults filled in, and faults; or argv, cwd, env and
// where the results come from), steps, timing.rounds, and the traced window (trace.steps,
// trace.window). Not in it, because none of these changes what a process does or which steps are
// compared: name, texts, gates, owner, gpus, the looks (timing.processes, trace.processes), budget,
// time-outs, counters, and floor and families, which only say how a measurement is read.
#include <array>
#include <cstdint>
#include <utility>

#include "workloads/kinds/kind_catalog.h"
#include "workloads/spec/readers.h"

namespace perfgate::workloads {
namespace {

__extension__ using Wide = unsigned __int128;

/// FNV-1a with 128 bits (http://www.isthe.com/chongo/tech/comp/fnv): stable, not cryptographic.
std::string fnv1a_128(std::string_view text) {
  static constexpr Wide kPrime = (Wide{1} << 88U) + 0x13BU;
  Wide hash = (Wide{0x6C62272E07BB0142U} << 64U) | Wide{0x62B821756295C58DU};
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kPrime;
  }
  std::string hex;
  for (unsigned shift = 128; shift > 0; shift -= 4) {
    hex += "0123456789abcdef"[static_cast<std::size_t>((hash >> (shift - 4U)) & 0xFU)];
  }
  return hex;
}

/// Lines of "key length:value": the length keeps a value with a line break from looking like two
/// lines.
class Lines {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += key;
    text_ += ' ' + std::to_string(value.size()) + ':';
    text_ += value;
    text_ += '\n';
  }
  void add(std::string_view key, std::int64_t value) { add(key, std::to_string(value)); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct ParameterText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return value; }
};

void add_run(const BuiltinRun& run, Lines& lines) {
  lines.add("builtin", run.kind);
  std::map<std::string, std::string> parameters;
  if (const KindInfo* kind = find_kind(run.kind)) {
    for (const ParameterInfo& parameter : kind->parameters) {
      parameters[std::string{parameter.name}] = parameter.default_text;
    }
  }
  for (const auto& [name, value] : run.with) parameters[name] = std::visit(ParameterText{}, value);
  for (const auto& [name, value] : parameters) {
    lines.add("parameter", name);
    lines.add("value", value);
  }
  std::map<std::string, double> faults;
  for (const Fault& fault : run.inject) faults[fault.fault] = fault.size;
  for (const auto& [fault, size] : faults) {
    lines.add("fault", fault);
    lines.add("size", number_text(size));
  }
}

void add_run(const CommandRun& run, Lines& lines) {
  for (const std::string& argument : run.argv) lines.add("argument", argument);
  lines.add("cwd", run.cwd);
  for (const auto& [name, value] : run.env) {
    lines.add("variable", name);
    lines.add("value", value);
  }
  lines.add("results", static_cast<std::int64_t>(run.results));
  lines.add("results_argument", run.results_argument);
}

}  // namespace

std::string workload_digest(const WorkloadSpec& spec) {
  Lines lines;
  lines.add("version", spec.version);
  std::visit([&](const auto& run) { add_run(run, lines); }, spec.run);
  lines.add("range", spec.steps.range);
  lines.add("domain", spec.steps.domain);
  lines.add("warmup", spec.steps.warmup);
  lines.add("measure", spec.steps.measure);
  lines.add("rounds", 1);  // timing.rounds, of which this version has one
  lines.add("trace_steps", spec.trace.steps);
  lines.add("trace_window", spec.trace.window);
  return fnv1a_128(lines.text());
}

}  // namespace perfgate::workloads
