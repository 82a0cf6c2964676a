// perfgate explain and compare: where the change of a step went, of one result or between two runs.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reporters/render/explanation.h"
#include "runner/cli/commands.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/compare_runs.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

struct ExplainOptions {
  std::string result;
  std::string base;
  std::string head;
  std::string format = "terminal";
};

int fail(const Console& console, const Error& error) {
  print_error(console, error);
  return exit_code(error.code);
}

int print_explanation(const render::Explanation& explanation, const ExplainOptions& options,
                      const Console& console) {
  const render::ExplanationFormat* format = render::find_explanation_format(options.format);
  const Status printed =
      print(format->render(explanation, {console.colour, console.width, console.unicode}));
  return printed.ok() ? kExitPass : fail(console, printed.error());
}

int explain(const ExplainOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const auto result = read_judged_result(files, options.result);
  if (!result.ok()) return fail(context.console, result.error());
  return print_explanation(render::explain(result.value()), options, context.console);
}

int compare(const ExplainOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const auto explanation = compare_runs(files, options.base, options.head);
  if (!explanation.ok()) return fail(context.console, explanation.error());
  return print_explanation(explanation.value(), options, context.console);
}

void add_format(CLI::App& app, ExplainOptions& options) {
  std::vector<std::string> names;
  std::string listed;
  for (const render::ExplanationFormat& format : render::explanation_formats()) {
    names.emplace_back(format.name);
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  app.add_option("--format", options.format, "how to render it: " + listed)
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME")
      ->capture_default_str();
}

}  // namespace

void setup_explain(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("RESULT", options->result, "a run folder or its result.json")
      ->required()
      ->type_name("");
  add_format(app, *options);
  app.callback([options, &context, &action] {
    action = [options, &context] { return explain(*options, context); };
  });
}

void setup_compare(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("BASE", options->base,
                 "folder of a measured run, or a recording;\nof two programs (ab): FOLDER:base, "
                 "FOLDER:head")
      ->required()
      ->type_name("");
  app.add_option("HEAD", options->head, "likewise: what is compared with it")
      ->required()
      ->type_name("");
  add_format(app, *options);
  app.callback([options, &context, &action] {
    action = [options, &context] { return compare(*options, context); };
  });
}

}  // namespace perfgate::cli
