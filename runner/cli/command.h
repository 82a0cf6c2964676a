/// One subcommand: a row in the catalogue, a file runner/cli/NAME_command.cpp, a golden `--help`.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/cli/console.h"
#include "runner/cli/installation.h"

namespace CLI {
class App;
}

namespace perfgate::cli {

/// What every command works with. Lives as long as the process.
struct Context {
  Console console;
  Installation installation;
  /// How many arguments stand behind `--`: they are one command, not a list of files. The parser
  /// does not tell. Empty: there is no `--`.
  std::optional<std::size_t> after_dashes{};
};

/// Runs after parsing; returns the exit code. Errors are printed by the command.
using Action = std::function<int()>;

struct CommandRow {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< shown below the options
  /// Adds the options to `app` and stores what is to run in `action`.
  void (*setup)(CLI::App& app, Context& context, Action& action);
};

[[nodiscard]] std::span<const CommandRow> commands();

/// The whole command line; returns the exit code.
[[nodiscard]] int run_command_line(int argc, const char* const* argv, Context& context);

}  // namespace perfgate::cli
