#include "workloads/builtin/command_line.h"

#include "workloads/builtin/faults.h"
#include "workloads/kinds/kind_catalog.h"

namespace perfgate::builtin {
namespace {

Error usage(std::string message, std::string hint) {
  return Error{ErrorCode::usage, std::move(message), std::move(hint), ""};
}

Action action_of(const std::string& word) {
  if (word == "tune") return Action::tune;
  if (word == "check") return Action::check;
  if (word == "reference") return Action::reference;
  if (word == "list") return Action::list;
  if (word == "help" || word == "--help" || word == "-h") return Action::help;
  return Action::run;
}

std::string range_text(const workloads::ParameterInfo& info) {
  switch (info.type) {
    case workloads::ParameterType::boolean: return "true or false";
    case workloads::ParameterType::integer:
      return std::to_string(info.min) + " to " + std::to_string(info.max);
    case workloads::ParameterType::word: break;
  }
  std::string text;
  for (const std::string_view choice : info.choices) {
    text += std::string(text.empty() ? "" : ", ") + std::string(choice);
  }
  return text;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(width, result.size()), ' ');
  return result;
}

Status check_complete(const CommandLine& command) {
  if (command.action == Action::list || command.action == Action::help) {
    if (command.kind.empty() && command.parameters.empty()) return {};
    return usage("'" + (command.kind.empty() ? command.parameters.front() : command.kind) +
                     "' is one word too many",
                 "see `perfgate-workload help`");
  }
  if (command.kind.empty())
    return usage("the kind of workload is missing", "see `perfgate-workload list`");
  if (command.action == Action::tune && command.tuning.empty()) {
    return usage("tune needs the file to write", "add --tuning FILE");
  }
  const bool takes_faults = command.action == Action::run || command.action == Action::check;
  if (!takes_faults && !command.faults.empty()) {
    return usage("--inject is for measured runs and for check", "drop it");
  }
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(std::span<const std::string> arguments) {
  CommandLine command;
  if (arguments.empty()) return command;
  command.action = action_of(arguments.front());
  std::size_t next = command.action == Action::run ? 0 : 1;
  while (next < arguments.size()) {
    const std::string& word = arguments[next++];
    if (word == "--inject" || word == "--tuning") {
      if (next == arguments.size())
        return usage(word + " needs a value", "see `perfgate-workload help`");
      const std::string& value = arguments[next++];
      if (word == "--inject") {
        command.faults.push_back(value);
      } else if (command.tuning.empty()) {
        command.tuning = value;
      } else {
        return usage("--tuning is given twice", "give it once");
      }
    } else if (word.starts_with("-")) {
      return usage("unknown option " + word,
                   "the options are --inject FAULT=SIZE and --tuning FILE");
    } else if (command.kind.empty() && word.find('=') == std::string::npos) {
      command.kind = word;
    } else {
      command.parameters.push_back(word);
    }
  }
  PG_TRY(check_complete(command));
  return command;
}

std::string help_text() {
  return "Runs one built-in GPU workload and reports its step times.\n\n"
         "  perfgate-workload KIND [name=value ...] [--inject FAULT=SIZE ...] [--tuning FILE]\n"
         "  perfgate-workload tune KIND [name=value ...] --tuning FILE   choose cuBLASLt "
         "algorithms\n"
         "  perfgate-workload check KIND [name=value ...] [--inject ...] compare the GPU with the "
         "CPU\n"
         "  perfgate-workload reference KIND [name=value ...]            the CPU's tokens, without "
         "a GPU\n"
         "  perfgate-workload list                                       kinds, parameters and "
         "faults\n\n"
         "Environment: PERFGATE_WARMUP (20) and PERFGATE_STEPS (200) steps; PERFGATE_RESULTS, the "
         "file to write\n"
         "(without it a summary is printed); PERFGATE_TUNING, as --tuning; PERFGATE_INJECT, "
         "FAULT=SIZE[,FAULT=SIZE],\n"
         "adds faults to a measured run as --inject does.\n"
         "Exit: 0 done, 2 usage, 3 no usable GPU, 4 anything else that went wrong.\n\n"
         "Example: perfgate-workload transformer_decode preset=llama3_8b batch=16 context=1024\n";
}

std::string list_text() {
  std::string text;
  for (const workloads::KindInfo& kind : workloads::kinds()) {
    text += std::string(kind.name) + ": " + std::string(kind.doc) + "\n";
    for (const workloads::ParameterInfo& info : kind.parameters) {
      text += "  " + padded(std::string(info.name) + "=" + std::string(info.default_text), 26) +
              std::string(info.doc) + " (" + range_text(info) + ")\n";
    }
  }
  text += "faults, for --inject FAULT=SIZE:\n";
  for (const FaultInfo& fault : known_faults()) {
    text += "  " + padded(fault.name, 26) + std::string(fault.doc) +
            (fault.size == FaultSize::on_off ? " (0 or 1)\n" : "\n");
  }
  return text;
}

}  // namespace perfgate::builtin
