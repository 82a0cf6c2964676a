// perfgate trend: what the runs of a store show over weeks, for the night.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "baselines/store.h"
#include "reporters/render/trend.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/store_access.h"
#include "runner/cli/trend/trend_report.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"
#include "runner/platform/interrupt.h"
#include "runner/platform/process.h"

namespace perfgate::cli {
namespace {

/// As many as ancestors are asked for (git.h).
constexpr int kMostRuns = static_cast<int>(kMostAncestors);

struct TrendOptions {
  std::vector<std::string> files;
  std::vector<std::string> workloads;
  std::string store;
  std::string branch;
  int last = 200;
  std::string format = "terminal";
  std::string on_alert;
  std::string on_not_judged;
};

int code_by(const std::string& policy, int otherwise) {
  if (policy.empty()) return otherwise;
  return policy == "pass" ? kExitPass : kExitFail;
}

/// An alert is 1, what could not be judged 3; a policy that decides is named in the report.
int judge_report(const TrendOptions& options, TrendReport& report) {
  const TrendCounts counts = count(report);
  std::vector<int> codes{kExitPass};
  if (counts.alerts > 0) {
    codes.push_back(code_by(options.on_alert, kExitFail));
    if (!options.on_alert.empty()) report.policies.push_back("--on-alert " + options.on_alert);
  }
  if (counts.not_judged > 0) {
    codes.push_back(code_by(options.on_not_judged, kExitNotJudged));
    if (!options.on_not_judged.empty())
      report.policies.push_back("--on-not-judged " + options.on_not_judged);
  }
  return worst_exit_code(codes);
}

Result<TrendReport> report_of(const TrendOptions& options) {
  const platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  const platform::SystemClock clock;
  const std::string path = store_location(environment, options.store);
  TrendRequest request{.store = path == kDefaultStore ? std::string() : path,
                       .branch = baseline_branch(environment, options.branch),
                       .workloads = options.workloads,
                       .last = options.last,
                       .now_utc = platform::format_utc(clock.realtime_ns())};
  for (const std::string& file : options.files) {
    PG_ASSIGN_OR_RETURN(WorkloadSpec spec, read_workload(files, file));
    request.specs.push_back(std::move(spec));
  }
  PG_ASSIGN_OR_RETURN(
      const baselines::Store store,
      baselines::Store::open(path, baselines::OpenMode::read, store_options(environment)));
  platform::Cancellation cancellation;
  platform::SystemProcessRunner processes(clock, cancellation);
  request.ancestry = find_ancestry(environment, processes, request.branch);
  return form_trend(request, store);
}

int trend(const TrendOptions& options, const Console& console) {
  Result<TrendReport> report = report_of(options);
  if (!report.ok()) {
    print_error(console, report.error());
    const ErrorCode code = report.error().code;
    // A store that is not there was named wrongly, as `baseline` has it.
    return code == ErrorCode::not_found ? kExitUsage : exit_code(code);
  }
  const int code = judge_report(options, report.value());
  const render::TerminalStyle style{console.colour, console.width, console.unicode};
  const std::string text = options.format == "md" ? render::render_trend_markdown(report.value())
                           : options.format == "json"
                               ? render::render_trend_json(report.value(), code)
                               : render::render_trend(report.value(), style);
  const Status printed = print(text);
  if (printed.ok()) return code;
  print_error(console, printed.error());
  return exit_code(printed.error().code);
}

void add_policy(CLI::App& app, const char* name, std::string& place, const char* what) {
  app.add_option(name, place, what)
      ->check(CLI::IsMember({"pass", "fail"}).description(""))
      ->type_name("pass|fail");
}

}  // namespace

void setup_trend(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<TrendOptions>();
  app.add_option("FILE", options->files, "workload files, whose gates are watched")->type_name("");
  app.add_option("--workload", options->workloads, "only these (default: all of the store)")
      ->type_name("NAME");
  app.add_option("--store", options->store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
      ->type_name("PATH");
  app.add_option("--branch", options->branch, "whose runs (the pull request's base, else main)")
      ->type_name("NAME");
  app.add_option("--last", options->last, "the newest runs of each workload")
      ->check(CLI::Range(1, kMostRuns).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--format", options->format, "terminal, md, json")
      ->check(CLI::IsMember({"terminal", "md", "json"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  add_policy(app, "--on-alert", options->on_alert, "exit 0 or 1 (default: 1) on an alert");
  add_policy(app, "--on-not-judged", options->on_not_judged,
             "exit 0 or 1 instead of 3 where too little is known");
  app.callback([options, &context, &action] {
    action = [options, &context] { return trend(*options, context.console); };
  });
}

}  // namespace perfgate::cli
