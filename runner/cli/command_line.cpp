#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/cli/command.h"
#include "runner/cli/version.h"
#include "runner/model/nearest_word.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

constexpr std::string_view kAbout =
    "Performance-regression gate for GPU programs: measures a workload in fresh\n"
    "processes, explains it from short traces, and compares it with a baseline.";

constexpr std::string_view kExitCodes =
    "Exit codes:\n"
    "  0 pass, 1 fail, 2 usage or configuration, 3 not judged (no baseline,\n"
    "  inconclusive, not comparable, suspected), 4 invalid measurement, device or\n"
    "  store, 130 Ctrl-C\n\n"
    "Example:\n"
    "  perfgate run workloads/decode_8b.yaml";

std::string_view to_view(const char* argument) { return argument; }

/// The deepest command that was understood.
const CLI::App& understood(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : understood(*parsed.front());
}

/// A word where one of the commands of `app` was due; empty if there is none.
std::string unknown_command(const CLI::App& app) {
  if (app.get_subcommands([](const CLI::App*) { return true; }).empty()) return {};
  const std::vector<std::string> rest = app.remaining();
  // Behind an unknown option a word may be its value.
  return rest.empty() || rest.front().starts_with('-') ? std::string() : rest.front();
}

Error no_such_command(const CLI::App& app, const std::string& word) {
  const auto known = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  for (const CLI::App* command : known) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string parent = app.get_parent() == nullptr ? "" : app.get_name() + " ";
  return {.code = ErrorCode::usage,
          .message = "there is no command '" + parent + word + "'",
          .hint = suggest(word, views),
          .context = {}};
}

/// The first option of these arguments that neither the command nor one above it has; empty = none.
/// The parser takes the words behind it for others, and names those.
std::string unknown_option(const CLI::App& command, std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument.size() < 2 || argument.front() != '-') continue;
    std::string name(argument.substr(0, argument.find('=')));
    bool known = false;
    for (const CLI::App* app = &command; app != nullptr && !known; app = app->get_parent())
      known = app->get_option_no_throw(name) != nullptr;
    // "-1" is a value.
    const bool is_number = argument[1] >= '0' && argument[1] <= '9';
    if (!known && !is_number) return name;
  }
  return {};
}

Error no_such_option(const CLI::App& command, const std::string& option) {
  std::string name = command.get_name();
  for (const CLI::App* app = command.get_parent(); app != nullptr && app->get_parent() != nullptr;
       app = app->get_parent())
    name = app->get_name() + " " + name;
  return {.code = ErrorCode::usage,
          .message = name + " has no option " + option,
          .hint = "perfgate " + name +
                  " --help lists those it has; options of the command itself "
                  "stand after --",
          .context = {}};
}

/// CLI11 answers a wrong command line with its own codes; ours is always 2. `ours`: the arguments
/// before `--`.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error, const Context& context,
                       std::span<const char* const> ours) {
  const CLI::App& command = understood(app);
  if (const std::string word = unknown_command(command); !word.empty()) {
    print_error(context.console, no_such_command(command, word));
    return kExitUsage;
  }
  if (error.get_exit_code() == 0) {  // --help, --version
    std::ostringstream text;
    app.exit(error, text, text);
    const Status printed = print(text.str());
    if (printed.ok()) return kExitPass;
    print_error(context.console, printed.error());
    return exit_code(printed.error().code);
  }
  const bool after_dashes = context.after_dashes &&
                            error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (after_dashes) {
    if (const std::string option = unknown_option(command, ours); !option.empty()) {
      print_error(context.console, no_such_option(command, option));
      return kExitUsage;
    }
  }
  print_error(context.console,
              {.code = ErrorCode::usage,
               .message = error.what(),
               .hint = after_dashes ? "a command after -- stands alone, without a file"
                                    : "perfgate --help, or perfgate COMMAND --help",
               .context = {}});
  return kExitUsage;
}

bool is_blank(const std::string& value) {
  return value.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// An unset variable in a script (`--base "$BASE"`) is a value that nobody meant: it never stands
/// for the default. The words of a command after -- are its own.
void refuse_blank_values(CLI::App& app, const Context& context) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const bool is_word = option->get_positional();
    option->check([is_word, &context](const std::string& value) {
      const bool allowed = is_word && context.after_dashes.has_value();
      return allowed || !is_blank(value) ? std::string() : "its value is empty";
    });
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_blank_values(*command, context);
}

}  // namespace

int run_command_line(int argc, const char* const* argv, Context& context) {
  CLI::App app{std::string(kAbout), "perfgate"};
  app.set_version_flag("--version", "perfgate " + std::string(kVersion));
  app.footer(std::string(kExitCodes));
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  const auto dashes = std::ranges::find(arguments, "--", to_view);
  if (dashes != arguments.end())
    context.after_dashes = static_cast<std::size_t>(arguments.end() - dashes) - 1;
  Action action;
  for (const CommandRow& row : commands()) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
    command->footer(std::string("Example:\n  ") + std::string(row.example));
    row.setup(*command, context, action);
  }
  refuse_blank_values(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::size_t before = static_cast<std::size_t>(dashes - arguments.begin());
    return report_parse_error(app, error, context, arguments.first(before));
  }
  return action();
}

}  // namespace perfgate::cli
