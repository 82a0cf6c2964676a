#include "workloads/spec/key_table.h"

#include <algorithm>
#include <array>

namespace perfgate::workloads {
namespace {

using enum KeyType;
using std::string_view_literals::operator""sv;

constexpr std::array kCounters{"auto"sv, "off"sv};
constexpr std::array kResults{"file"sv, "nvtx"sv};
constexpr std::array kBetter{"lower"sv, "higher"sv};

constexpr double kWeek = 7.0 * 24 * 3600;
constexpr double kMillion = 1e6;
// No step moves an exabyte or computes a yottaFLOP; beyond, sums and ratios leave a double's range.
constexpr double kExa = 1e18;
constexpr double kYotta = 1e24;

constexpr KeyInfo key(std::string_view path, KeyType type, std::string_view doc,
                      std::string_view default_text = {}) {
  return {path, type, doc, default_text, false, 0, 0, {}};
}
constexpr KeyInfo required(KeyInfo info) {
  info.required = true;
  return info;
}
constexpr KeyInfo within(KeyInfo info, double min, double max) {
  info.min = min;
  info.max = max;
  return info;
}
constexpr KeyInfo one_of(KeyInfo info, std::span<const std::string_view> choices) {
  info.choices = choices;
  return info;
}

// clang-format off
constexpr std::array kKeys{
    required(within(key("perfgate", integer, "version of the file format"), 1, 1)),
    required(key("name", text, "the workload's name in reports, the store and folders: letters, digits, '.', '_', '-'")),
    key("description", text, "one sentence for people"),
    key("owner", text, "who is asked when it regresses; reports name it"),
    required(key("run", mapping, "what is run, exactly one of builtin and command")),
    key("run.builtin", text, "a built-in workload"),
    key("run.with", parameters, "parameters of the built-in workload"),
    key("run.inject", mapping_list, "planted slowdowns of the built-in workload, to prove that the gate sees them"),
    required(key("run.inject[].fault", text, "name of the fault")),
    within(key("run.inject[].size", number, "how strong", "1"), 0, kMillion),
    key("run.command", mapping, "any program"),
    required(key("run.command.argv", text_list, "program and arguments; no shell is involved")),
    key("run.command.cwd", text, "folder to run in, relative to the workload file; default: its folder"),
    key("run.command.env", text_map, "environment variables to set"),
    within(key("run.command.timeout", duration, "after this long a process is stopped and counts as failed", "600 s"), 0.001, kWeek),
    one_of(key("run.command.results", results, "where the step times come from", "file"), kResults),
    key("run.command.results.json", text, "JSON pointer into standard output: an array with a value (ms) for each measured step, or for each warm-up and measured one (the warm-up is dropped); or one number, the mean of the measured steps"),
    key("run.command.results.regex", text, "RE2 with one group over standard output: a match (ms) for each measured step, or for each warm-up and measured one (the warm-up is dropped)"),
    key("steps", mapping, "what one step is, and how many"),
    key("steps.range", text, "glob over NVTX range names; one matching range is one step"),
    key("steps.domain", text, "NVTX domain of the range; default: the default domain"),
    within(key("steps.warmup", integer, "steps run and discarded in each process", "20"), 0, kMillion),
    within(key("steps.measure", integer, "steps measured in each process", "200"), 5, kMillion),
    key("timing", mapping, "the untraced processes that the step time comes from"),
    within(key("timing.processes", looks, "looks: fresh processes in all at each look; more only while undecided", "[5, 8, 12]"), 2, 1000),
    within(key("timing.rounds", integer, "measured loads within one process; this version has one", "1"), 1, 1),
    within(key("timing.budget", duration, "stop at the last look that fits", "10 min"), 1, kWeek),
    key("trace", mapping, "the traced processes that the explanation comes from"),
    within(key("trace.processes", looks, "traced processes in all at each look", "[3, 5]"), 1, 1000),
    within(key("trace.steps", integer, "steps in the traced window", "10"), 1, 10000),
    key("trace.window", text, "when to trace: nvtx:GLOB:skip=N,count=M or profiler; default: from steps"),
    key("counters", mapping, "hardware counters; this version samples none"),
    one_of(key("counters.dram", choice, "measured DRAM bytes; auto: if they can be had", "auto"), kCounters),
    key("floor", mapping, "the least that a step must move and compute; auto: from the results file's work line"),
    within(key("floor.weights", bytes_or_auto, "bytes of weights read per step", "auto"), 1, kExa),
    within(key("floor.kv_cache", bytes_or_auto, "bytes of KV cache read per step", "auto"), 1, kExa),
    within(key("floor.bytes", bytes, "all bytes per step, instead of weights and kv_cache"), 1, kExa),
    within(key("floor.flops", flops, "floating-point operations per step"), 1, kYotta),
    within(key("floor.bandwidth", bandwidth, "memory bandwidth to compare with, instead of the datasheet's"), kMillion, kExa),
    within(key("floor.rate", rate, "compute rate to compare with, instead of the datasheet's"), kMillion, kYotta),
    key("families", mapping_list, "kernel families of your own; they go before the built-in rules"),
    required(key("families[].name", text, "family that a matching kernel belongs to")),
    required(key("families[].match", text, "RE2 over the demangled kernel name")),
    key("gates", mapping_list, "what is judged; step_time_p50 is always judged"),
    required(key("gates[].metric", text, "metric id: step_time_p50, gpu_idle_ms, family_ms/NAME, kernel_us/REGEX, ...")),
    key("gates[].margin", percent, "a slowdown is a failure if it is surely above this", "auto"),
    key("gates[].tolerance", percent, "a slowdown is a pass if it is surely below this", "auto"),
    key("gates[].at_least", quantity, "smallest absolute change that counts, with its unit"),
    key("gates[].exact", boolean, "a count must not change at all", "false"),
    within(key("gates[].slack", number, "largest accepted rise of a count"), 0, 1e15),
    key("gates[].max", quantity, "absolute ceiling, with its unit"),
    key("gates[].min", quantity, "absolute lower limit, with its unit"),
    one_of(key("gates[].better", choice, "of reported/NAME only: which direction is better; default: what the program reports"), kBetter),
    within(key("gpus", integer, "GPUs of the workload; this version measures one", "1"), 1, 1),
};

constexpr std::array kAcceptsKeys{
    required(within(key("perfgate_accepts", integer, "version of the file format"), 1, 1)),
    required(key("accepts", mapping_list, "the accepted regressions, of all workloads in this folder")),
    required(key("accepts[].workload", text, "name of the workload")),
    required(key("accepts[].metric", text, "metric id, as the workload's gate names it; or work/tokens, work/output")),
    key("accepts[].ceiling", quantity, "the worst value that is accepted, with its unit; a floor where higher is better; none of work/output"),
    required(key("accepts[].reason", text, "why it is accepted, one line")),
    required(key("accepts[].issue", text, "where it is discussed: an address")),
    required(key("accepts[].owner", text, "who answers for it: \"@team\"")),
    required(key("accepts[].expires", date, "the last day that it holds: YYYY-MM-DD")),
};
// clang-format on

}  // namespace

std::string_view KeyInfo::name() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string_view KeyInfo::parent() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::span<const KeyInfo> key_table() { return kKeys; }

std::span<const KeyInfo> accepts_key_table() { return kAcceptsKeys; }

const KeyInfo* find_key(std::string_view path, std::span<const KeyInfo> table) {
  const auto found = std::ranges::find(table, path, &KeyInfo::path);
  return found == table.end() ? nullptr : &*found;
}

std::vector<const KeyInfo*> keys_below(std::string_view parent, std::span<const KeyInfo> table) {
  std::vector<const KeyInfo*> rows;
  for (const KeyInfo& info : table) {
    if (info.parent() == parent) rows.push_back(&info);
  }
  return rows;
}

std::string_view type_words(KeyType type) {
  switch (type) {
    case mapping:
    case text_map:
    case parameters: return "a mapping ({key: value})";
    case mapping_list: return "a list of mappings";
    case KeyType::results: return "file, nvtx, {json: POINTER} or {regex: RE}";
    case text:
    case choice: return "a text";
    case text_list: return "a list of texts";
    case boolean: return "true or false";
    case integer: return "a whole number";
    case number: return "a number";
    case looks: return "a whole number or a list of them";
    case duration: return "a time such as '10 min'";
    case bytes: return "an amount such as '2.1 GB'";
    case bytes_or_auto: return "auto or an amount such as '2.1 GB'";
    case flops: return "an amount such as '16 GFLOP'";
    case bandwidth: return "a bandwidth such as '4.8 TB/s'";
    case rate: return "a rate such as '990 TFLOP/s'";
    case percent: return "auto or a percentage such as '3%'";
    case quantity: return "a number with its unit such as '0.05 ms'";
    case date: return "a date such as '2027-03-31'";
  }
  return "a value";
}

}  // namespace perfgate::workloads
