// perfgate validate and perfgate schema: workload files, and the file of accepts beside them,
// without running anything.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"
#include "workloads/spec/accepts_file.h"
#include "workloads/spec/diagnostic.h"
#include "workloads/spec/schema.h"

namespace perfgate::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  bool json = false;
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
};

Checked check(const std::string& path, const std::string& source,
              const platform::FileSystem& files) {
  if (!names_accepts(path)) {
    auto workload = workloads::check_workload(source, path, parse_options());
    return {std::move(workload.errors), std::move(workload.warnings)};
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

/// Says what there is to say about one file; true if it has no error.
Result<bool> validate_one(const std::string& path, const platform::FileSystem& files, Json* rows,
                          std::string& text) {
  PG_ASSIGN_OR_RETURN(const std::string source, files.read(path));
  const Checked checked = check(path, source, files);
  if (rows != nullptr) {
    for (const auto& error : checked.errors) rows->push_back(to_json(error, path));
    for (const auto& warning : checked.warnings) rows->push_back(to_json(warning, path));
  }
  const std::string name = shown(path);
  text += workloads::render(checked.errors, source, name);
  text += workloads::render(checked.warnings, source, name);
  if (checked.errors.empty()) text += name + ": ok\n";
  return checked.errors.empty();
}

int validate(const ValidateOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  Json rows = Json::array();
  std::string text;
  bool all_good = true;
  for (const std::string& path : with_accepts(options.files, files)) {
    const Result<bool> good = validate_one(path, files, options.json ? &rows : nullptr, text);
    if (!good.ok()) print_error(context.console, good.error());
    all_good = all_good && good.ok() && good.value();
  }
  if (options.json) text = json_text(rows);
  const Status printed = print(text);
  if (!printed.ok()) {
    print_error(context.console, printed.error());
    return exit_code(printed.error().code);
  }
  return all_good ? kExitPass : kExitUsage;
}

}  // namespace

void setup_validate(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  app.add_option("FILE", options->files, "workload files, or perfgate-accepts.yaml")
      ->required()
      ->type_name("");
  app.add_flag("--json", options->json, "print the problems as JSON");
  app.callback([options, &context, &action] {
    action = [options, &context] { return validate(*options, context); };
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
