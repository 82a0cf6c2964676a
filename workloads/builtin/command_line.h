/// The command line of perfgate-workload.
///
///   perfgate-workload KIND [name=value ...] [--inject FAULT=SIZE ...] [--tuning FILE]
///   perfgate-workload tune KIND [name=value ...] --tuning FILE
///   perfgate-workload check KIND [name=value ...] [--inject FAULT=SIZE ...] [--tuning FILE]
///   perfgate-workload reference KIND [name=value ...]
///   perfgate-workload list
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::builtin {

enum class Action : std::uint8_t { run, tune, check, reference, list, help };

struct CommandLine {
  Action action = Action::help;
  std::string kind;                     ///< as typed; not looked up yet
  std::vector<std::string> parameters;  ///< name=value
  std::vector<std::string> faults;      ///< FAULT=SIZE
  std::string tuning;                   ///< empty: not given
};

/// Arguments without the program's name. Errors (`usage`): an unknown option, an option without its
/// value, a kind missing, `tune` without --tuning, --inject where neither `run` nor `check` is
/// meant.
[[nodiscard]] Result<CommandLine> parse_command_line(std::span<const std::string> arguments);

/// Usage, kinds and parameters, as text.
[[nodiscard]] std::string help_text();
/// Every kind with its parameters, defaults and the faults.
[[nodiscard]] std::string list_text();

}  // namespace perfgate::builtin
