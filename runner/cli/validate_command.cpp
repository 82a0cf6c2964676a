// perfgate validate and perfgate schema: workload files without running anything.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"
#include "runner/platform/files.h"
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

/// Says what there is to say about one file; true if it has no error.
Result<bool> validate_one(const std::string& path, const platform::FileSystem& files, Json* rows,
                          std::string& text) {
  PG_ASSIGN_OR_RETURN(const std::string source, files.read(path));
  const workloads::CheckedWorkload checked =
      workloads::check_workload(source, path, parse_options());
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
  for (const std::string& path : options.files) {
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
  app.add_option("FILE", options->files, "workload files")->required()->type_name("");
  app.add_flag("--json", options->json, "print the problems as JSON");
  app.callback([options, &context, &action] {
    action = [options, &context] { return validate(*options, context); };
  });
}

void setup_schema(CLI::App& app, Context& context, Action& action) {
  app.callback([&context, &action] {
    action = [&context] {
      const Status printed = print(workloads::json_schema());
      if (printed.ok()) return kExitPass;
      print_error(context.console, printed.error());
      return exit_code(printed.error().code);
    };
  });
}

}  // namespace perfgate::cli
