/// One workload file, parsed and checked. Made by workloads/spec; every field holds a usable value.
///
/// Units are in the names. "auto" of the file is an empty optional here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace perfgate {

/// A scalar below `run.builtin.with`.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// A planted slowdown of a built-in workload: `inject: [{fault: graphs_off, size: 1}]`.
struct Fault {
  std::string fault;
  double size = 1.0;
};

struct BuiltinRun {
  std::string kind;  ///< a row of the built-in catalogue: transformer_decode, stream, ...
  std::map<std::string, ParameterValue> with;
  std::vector<Fault> inject;
};

/// Where a command's untraced step times come from.
enum class ResultsSource {
  results_file,  ///< the JSON lines file named by PERFGATE_RESULTS
  nvtx,          ///< ranges seen by the NVTX half of the probe, without CUPTI
  json,          ///< a JSON pointer into standard output; `argument` is the pointer
  regex,         ///< an RE2 with one group over standard output; `argument` is the pattern
};

struct CommandRun {
  std::vector<std::string> argv;  ///< never empty; argv[0] is looked up in PATH, then in cwd
  std::string cwd;                ///< relative to the workload file; empty = its folder
  std::map<std::string, std::string> env;
  double timeout_s = 600.0;
  ResultsSource results = ResultsSource::results_file;
  std::string results_argument;
};

struct StepsSpec {
  std::string
      range;  ///< glob over NVTX range names; one matching range is one step; empty = none named
  std::string domain;  ///< NVTX domain; empty = the default domain
  int warmup = 20;     ///< steps run and discarded
  int measure = 200;   ///< steps measured
};

struct TimingSpec {
  std::vector<int> processes{5, 8, 12};  ///< looks, rising; fresh processes in all at each look
  double budget_s = 600.0;
};

struct TraceSpec {
  std::vector<int> processes{3, 5};
  int steps = 10;
  std::string window;  ///< as PERFGATE_WINDOW; empty = from `steps`
};

enum class CountersMode { automatic, off };

/// What the step must do at least. Empty optionals are `auto`: taken from the results file's work
/// line.
struct FloorSpec {
  bool declared = false;  ///< false: no `floor` key, no floor is computed or asked for
  std::optional<double> weights_bytes;
  std::optional<double> kv_cache_bytes;
  std::optional<double> bytes_per_step;  ///< `bytes`: replaces weights + kv_cache
  std::optional<double> flops_per_step;
  std::optional<double>
      bandwidth_bytes_per_s;  ///< the file's own figure instead of the datasheet's
  std::optional<double> rate_flop_per_s;
};

struct FamilyRuleSpec {
  std::string name;
  std::string match;  ///< RE2, checked at parse time
};

enum class Better { lower, higher };

struct GateSpec {
  std::string metric;  ///< metric id of runner/analysis' catalogue, e.g. "family_ms/attention"
  std::optional<double> margin_ratio;     ///< 0.03 = 3 %; empty = auto
  std::optional<double> tolerance_ratio;  ///< empty = auto (3 x margin)
  std::optional<double> at_least;  ///< smallest absolute change that counts, in the metric's unit
  bool exact = false;              ///< counts must agree exactly
  std::optional<double> slack;     ///< largest accepted rise of a count
  std::optional<double> max;       ///< absolute ceiling, in the metric's unit
  std::optional<double> min;
  std::optional<Better> better;
  int line = 0;  ///< in the workload file, for messages; 0 = implied
};

struct WorkloadSpec {
  int version = 1;
  std::string name;
  std::string description;
  std::variant<BuiltinRun, CommandRun> run;
  StepsSpec steps;
  TimingSpec timing;
  TraceSpec trace;
  CountersMode counters_dram = CountersMode::automatic;
  FloorSpec floor;
  std::vector<FamilyRuleSpec> families;
  std::vector<GateSpec> gates;  ///< never empty: `step_time_p50` is implied
  std::string owner;            ///< who is asked when it regresses; reports name it

  std::string path;         ///< as the user named it; empty for `run -- CMD`
  std::string source_text;  ///< the file's bytes, copied to the run folder
  /// Digest over the file normalised without gates, names and texts: two runs with different
  /// digests measured different things and are not comparable.
  std::string workload_digest;
};

}  // namespace perfgate
