#include "runner/cli/workload_input.h"

#include <optional>
#include <utility>

#include "runner/analysis/metric_catalog.h"
#include "workloads/spec/template.h"

namespace perfgate::cli {
namespace {

/// Empty: the metric exists. A family or cause of the user's own file is checked again when
/// computed.
std::optional<std::string> metric_problem(std::string_view id) {
  if (analysis::is_known_metric(id)) return std::nullopt;
  return "did you mean '" + analysis::nearest_metric(id) + "'?";
}

}  // namespace

workloads::ParseOptions parse_options() { return {.metric_check = metric_problem}; }

Result<WorkloadSpec> read_workload(const platform::FileSystem& files, const std::string& path) {
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  return workloads::parse_workload(text, path, parse_options());
}

Result<WorkloadSpec> workload_of_command(const std::vector<std::string>& argv,
                                         const std::string& step_range) {
  std::string text = "perfgate: 1\nname: " + workloads::plain_name(argv.front()) +
                     "\nrun:\n  command:\n    argv:\n";
  for (const std::string& argument : argv) {
    text += "      - " + workloads::yaml_scalar(argument, "\xEF\xBF\xBD") + "\n";
  }
  text += "    cwd: .\n";
  if (!step_range.empty()) {
    text += "    results: nvtx\nsteps: {range: " + workloads::yaml_scalar(step_range, "?") + "}\n";
  }
  PG_ASSIGN_OR_RETURN(WorkloadSpec spec,
                      workloads::parse_workload(text, "(command line)", parse_options()));
  spec.path.clear();
  return spec;
}

}  // namespace perfgate::cli
