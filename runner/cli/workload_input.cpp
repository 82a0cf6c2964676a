#include "runner/cli/workload_input.h"

#include <optional>
#include <utility>

#include "gates/gate_catalog.h"
#include "runner/analysis/metric_catalog.h"
#include "workloads/spec/template.h"
#include "workloads/spec/utf8.h"

namespace perfgate::cli {
namespace {

/// Only the program knows which way such a metric is better.
constexpr std::string_view kReported = "reported/";

/// A command is kept as a workload file, which has no more (workloads/spec/yaml_tree.h).
constexpr std::size_t kLongestCommandBytes = std::size_t{1} << 20U;

/// Empty: the metric exists. A family or cause of the user's own file is checked again when
/// computed.
std::optional<std::string> metric_problem(std::string_view id) {
  if (analysis::is_known_metric(id)) return std::nullopt;
  return "did you mean '" + analysis::nearest_metric(id) + "'?";
}

std::optional<workloads::GateProblem> gate_problem(const GateSpec& gate) {
  const analysis::MetricInfo* info = analysis::find_metric(gate.metric);
  if (info == nullptr) return std::nullopt;
  if (gate.better && !gate.metric.starts_with(kReported)) {
    return workloads::GateProblem{
        "better",
        "better is for a metric of the program's own, and of " + gate.metric + " " +
            (info->better == Better::lower ? "lower" : "higher") + " is better",
        "remove it; only reported/NAME may set it"};
  }
  auto misplaced = gates::misplaced_key(gate, info->kind);
  if (!misplaced) return std::nullopt;
  return workloads::GateProblem{std::string(misplaced->key), std::move(misplaced->message),
                                std::move(misplaced->hint)};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = workloads::character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// A run folder keeps the command as YAML, which holds no other bytes than UTF-8.
Status check_arguments(const std::vector<std::string>& argv) {
  for (const std::string& argument : argv) {
    if (is_utf8(argument)) continue;
    return Error{.code = ErrorCode::usage,
                 .message = "an argument of the command is not UTF-8: " +
                            workloads::yaml_scalar(argument, "\xEF\xBF\xBD"),
                 .hint = "put the command into a script and run that",
                 .context = {}};
  }
  return {};
}

/// "workloads/decode_8b.yaml" and "decode_8b" -> .../share/perfgate/workloads/decode_8b.yaml, if it
/// is there; else empty.
std::string installed_workload(const platform::FileSystem& files, const std::string& named,
                               const std::string& folder) {
  if (folder.empty()) return {};
  std::string name = named.substr(named.rfind('/') + 1);  // npos + 1 = 0
  if (!name.ends_with(".yaml")) name += ".yaml";
  const std::string path = platform::join_path(folder, name);
  return files.exists(path) ? path : std::string();
}

}  // namespace

workloads::ParseOptions parse_options() {
  return {.metric_check = metric_problem, .gate_check = gate_problem};
}

Result<WorkloadSpec> read_workload(const platform::FileSystem& files, const std::string& path,
                                   const std::string& installed) {
  auto text = files.read(path);
  if (!text.ok()) {
    Error error = std::move(text).error();
    error.code = ErrorCode::usage;
    error.hint = "name a workload file; a command stands after --: perfgate run -- CMD";
    if (const std::string own = installed_workload(files, path, installed); !own.empty())
      error.hint = "this one comes with perfgate: perfgate run " + own;
    return error;
  }
  return workloads::parse_workload(text.value(), path, parse_options());
}

Result<WorkloadSpec> workload_of_command(const std::vector<std::string>& argv,
                                         const std::string& step_range) {
  PG_TRY(check_arguments(argv));
  std::string text = "perfgate: 1\nname: " + workloads::plain_name(workloads::command_name(argv)) +
                     "\nrun:\n  command:\n    argv:\n";
  for (const std::string& argument : argv) {
    text += "      - " + workloads::yaml_scalar(argument, "\xEF\xBF\xBD") + "\n";
  }
  text += "    cwd: .\n";
  if (!step_range.empty()) {
    text += "    results: nvtx\nsteps: {range: " + workloads::yaml_scalar(step_range, "?") + "}\n";
  }
  if (text.size() > kLongestCommandBytes) {
    return Error{.code = ErrorCode::usage,
                 .message = "the command line is longer than 1 MiB",
                 .hint = "put its arguments into a file or a script and run that",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(WorkloadSpec spec,
                      workloads::parse_workload(text, "(command line)", parse_options()));
  spec.path.clear();
  return spec;
}

}  // namespace perfgate::cli
