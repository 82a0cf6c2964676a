// perfgate validate and perfgate schema: workload files, and the file of accepts beside them,
// without running anything; against a store, what their gates will see.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/outlook/against_store.h"
#include "runner/cli/outlook/ahead_report.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"
#include "runner/platform/interrupt.h"
#include "runner/platform/process.h"
#include "workloads/spec/accepts_file.h"
#include "workloads/spec/diagnostic.h"
#include "workloads/spec/schema.h"

namespace perfgate::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  bool json = false;
  bool against_store = false;
  std::string store;
  std::string branch;
  std::string gpu;  ///< empty = this machine is not asked
};

Json to_json(const workloads::Diagnostic& diagnostic, const std::string& path) {
  return {{"file", path},
          {"line", diagnostic.at.line},
          {"column", diagnostic.at.column},
          {"severity", workloads::to_string(diagnostic.severity)},
          {"message", diagnostic.message},
          {"hint", diagnostic.hint}};
}

/// Of a file of either kind.
struct Checked {
  std::vector<workloads::Diagnostic> errors;
  std::vector<workloads::Diagnostic> warnings;
  std::optional<WorkloadSpec> workload{};  ///< without errors, of a workload file
};

Checked check(const std::string& path, const std::string& source,
              const platform::FileSystem& files) {
  if (!names_accepts(path)) {
    auto workload = workloads::check_workload(source, path, parse_options());
    return {std::move(workload.errors), std::move(workload.warnings), std::move(workload.spec)};
  }
  const platform::SystemClock clock;
  workloads::AcceptsOptions options = accepts_options(today_utc(clock));
  options.workloads = workloads_of(files, path.substr(0, path.rfind('/') + 1));
  auto accepts = workloads::check_accepts(source, options);
  return {std::move(accepts.errors), std::move(accepts.warnings)};
}

/// The files that were named, and behind them the files of accepts that lie beside workloads.
std::vector<std::string> with_accepts(std::vector<std::string> paths,
                                      const platform::FileSystem& files) {
  const std::vector<std::string> named = paths;
  for (const std::string& path : named) {
    const std::string beside = accepts_beside(path);
    const bool is_there = std::ranges::find(paths, beside) != paths.end();
    if (!is_there && files.exists(path) && files.exists(beside)) paths.push_back(beside);
  }
  return paths;
}

/// What is said of all files: text and, for --json, rows.
struct Said {
  std::string text;
  Json problems = Json::array();
  Json outlooks = Json::array();
  std::vector<int> codes;
};

/// Says what there is to say about one file; its workload if it has no error.
Result<std::optional<WorkloadSpec>> validate_one(const std::string& path,
                                                 const platform::FileSystem& files, Said& said) {
  PG_ASSIGN_OR_RETURN(const std::string source, files.read(path));
  Checked checked = check(path, source, files);
  for (const auto& error : checked.errors) said.problems.push_back(to_json(error, path));
  for (const auto& warning : checked.warnings) said.problems.push_back(to_json(warning, path));
  const std::string name = shown(path);
  said.text += workloads::render(checked.errors, source, name);
  said.text += workloads::render(checked.warnings, source, name);
  if (checked.errors.empty()) said.text += name + ": ok\n";
  said.codes.push_back(checked.errors.empty() ? kExitPass : kExitUsage);
  return std::move(checked.workload);
}

Result<WorkloadAhead> ahead_of(const WorkloadSpec& spec, const ValidateOptions& options,
                               const platform::Environment& environment,
                               const platform::FileSystem& files) {
  const platform::SystemClock clock;
  platform::Cancellation cancellation;
  platform::SystemProcessRunner processes(clock, cancellation);
  AheadRequest request{.store = store_location(environment, options.store),
                       .branch = baseline_branch(environment, options.branch)};
  request.ancestry = find_ancestry(environment, processes, request.branch);
  if (!options.gpu.empty()) {
    PG_ASSIGN_OR_RETURN(request.machine,
                        machine_fingerprint(options.gpu, spec, environment, files));
  }
  PG_ASSIGN_OR_RETURN(WorkloadAhead ahead, look_ahead(spec, request));
  ahead.gpu = options.gpu;
  return ahead;
}

int validate(const ValidateOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  const render::TerminalStyle style{context.console.colour, context.console.width,
                                    context.console.unicode};
  Said said;
  for (const std::string& path : with_accepts(options.files, files)) {
    const auto workload = validate_one(path, files, said);
    if (!workload.ok()) {
      print_error(context.console, workload.error());
      said.codes.push_back(kExitUsage);
    } else if (options.against_store && workload.value()) {
      const auto ahead = ahead_of(*workload.value(), options, environment, files);
      if (ahead.ok()) {
        said.outlooks.push_back(ahead_json(ahead.value()));
        said.text += "\n" + ahead_text(ahead.value(), style) + "\n";
      } else {
        print_error(context.console, ahead.error());
        said.codes.push_back(exit_code(ahead.error().code));
      }
    }
  }
  if (options.json) {
    said.text = json_text(options.against_store
                              ? Json{{"problems", said.problems}, {"outlooks", said.outlooks}}
                              : said.problems);
  }
  const Status printed = print(said.text);
  if (!printed.ok()) {
    print_error(context.console, printed.error());
    return exit_code(printed.error().code);
  }
  return worst_exit_code(said.codes);
}

/// The options that say something with --against-store only.
std::vector<CLI::Option*> add_store_options(CLI::App& app, ValidateOptions& options) {
  std::vector<CLI::Option*> own{
      app.add_option("--store", options.store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
          ->type_name("PATH"),
      app.add_option("--branch", options.branch,
                     "the baseline's (the pull request's base, else main)")
          ->type_name("NAME"),
      app.add_option("--gpu", options.gpu, "auto, an index, a UUID, none (else the newest run's)")
          ->type_name("GPU")};
  for (CLI::Option* option : own) option->group("With --against-store");
  return own;
}

/// Without --against-store they would be taken in silence.
Status check_store_options(const ValidateOptions& options, const std::vector<CLI::Option*>& own) {
  if (options.against_store) return {};
  for (const CLI::Option* option : own) {
    if (option->count() == 0) continue;
    return Error{
        .code = ErrorCode::usage,
        .message = option->get_name() + " is of the store, and --against-store is not there",
        .hint = "perfgate validate FILE --against-store " + option->get_name(),
        .context = {}};
  }
  return {};
}

}  // namespace

void setup_validate(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  app.add_option("FILE", options->files, "workload files, or perfgate-accepts.yaml")
      ->required()
      ->type_name("");
  app.add_flag("--json", options->json, "print the problems as JSON, with the outlook if asked");
  app.add_flag("--against-store", options->against_store,
               "what each gate will see against the stored runs");
  const auto own = add_store_options(app, *options);
  app.callback([options, own, &context, &action] {
    action = [options, own, &context] {
      const Status sound = check_store_options(*options, own);
      if (sound.ok()) return validate(*options, context);
      print_error(context.console, sound.error());
      return exit_code(sound.error().code);
    };
  });
}

void setup_schema(CLI::App& app, Context& context, Action& action) {
  auto accepts = std::make_shared<bool>(false);
  app.add_flag("--accepts", *accepts, "that of perfgate-accepts.yaml instead");
  app.callback([&context, &action, accepts] {
    action = [&context, accepts] {
      const Status printed =
          print(*accepts ? workloads::accepts_json_schema() : workloads::json_schema());
      if (printed.ok()) return kExitPass;
      print_error(context.console, printed.error());
      return exit_code(printed.error().code);
    };
  });
}

}  // namespace perfgate::cli
