// run: the built-in workload with its parameters, or the command with its results.
#include <algorithm>
#include <array>
#include <limits>

#include "runner/model/nearest_word.h"
#include "workloads/kinds/kind_catalog.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// Variables that perfgate sets itself in every child or in the traced ones.
constexpr std::array<std::string_view, 3> kReserved{
    "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_VISIBLE_DEVICES"};

void read_parameter(const KindInfo& kind, const YamlEntry& entry, Problems& problems,
                    BuiltinRun& run) {
  const ParameterInfo* parameter = find_parameter(kind, entry.key);
  if (parameter == nullptr) {
    std::vector<std::string_view> names;
    for (const ParameterInfo& known : kind.parameters) names.push_back(known.name);
    Position at = entry.at;
    at.width = std::max(1, static_cast<int>(entry.key.size()));
    problems.error(
        at, "'" + std::string{kind.name} + "' has no parameter '" + excerpt_of(entry.key) + "'",
        names.empty() ? "it has no parameters" : suggest(entry.key, names));
    return;
  }
  const std::string path = "run.with." + entry.key;
  KeyInfo info;
  info.path = path;
  if (parameter->type == ParameterType::boolean) {
    info.type = KeyType::boolean;
    if (const auto value = read_boolean(info, entry.value, problems)) run.with[entry.key] = *value;
  } else if (parameter->type == ParameterType::integer) {
    info.type = KeyType::integer;
    info.min = static_cast<double>(parameter->min);
    info.max = static_cast<double>(parameter->max);
    if (const auto value = read_integer(info, entry.value, problems)) run.with[entry.key] = *value;
  } else if (auto value = read_text(info, entry.value, problems)) {
    if (std::ranges::find(parameter->choices, std::string_view{*value}) ==
        parameter->choices.end()) {
      problems.error(entry.value.at, path + ": unknown word '" + excerpt_of(*value) + "'",
                     suggest(*value, parameter->choices));
      return;
    }
    run.with[entry.key] = std::move(*value);
  }
}

void read_inject(const Section& run, BuiltinRun& builtin) {
  for (const Section& entry : run.sections("inject")) {
    Fault fault;
    entry.read("size", fault.size);
    if (!entry.read("fault", fault.fault)) continue;
    if (!is_plain_name(fault.fault)) {
      run.problems().error(
          entry.at("fault"),
          "run.inject.fault must be a word, found '" + excerpt_of(fault.fault) + "'",
          "letters, digits and '_', for example graphs_off");
      continue;
    }
    const auto same = [&](const Fault& other) { return other.fault == fault.fault; };
    if (std::ranges::any_of(builtin.inject, same)) {
      run.problems().error(entry.at("fault"), "the fault '" + fault.fault + "' is planted twice",
                           "keep one of the two");
    }
    builtin.inject.push_back(std::move(fault));
  }
}

BuiltinRun read_builtin(const Section& run) {
  BuiltinRun builtin;
  if (!run.read("builtin", builtin.kind)) return builtin;
  const KindInfo* kind = find_kind(builtin.kind);
  if (kind == nullptr) {
    std::vector<std::string_view> names;
    for (const KindInfo& known : kinds()) names.push_back(known.name);
    run.problems().error(run.at("builtin"),
                         "there is no built-in workload '" + excerpt_of(builtin.kind) + "'",
                         suggest(builtin.kind, names));
  }
  if (const YamlEntry* with = run.entry("with")) {
    if (with->value.kind != YamlNode::Kind::mapping) {
      report_type(*find_key("run.with"), with->value, run.problems());
    } else if (kind != nullptr) {
      for (const YamlEntry& entry : with->value.entries) {
        read_parameter(*kind, entry, run.problems(), builtin);
      }
    }
  }
  read_inject(run, builtin);
  return builtin;
}

bool is_environment_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, inner);
}

void check_environment(const Section& command, const CommandRun& run) {
  const YamlEntry* env = command.entry("env");
  for (const auto& [name, value] : run.env) {
    const Position at = env->value.find(name)->at;
    if (!is_environment_name(name)) {
      command.problems().error(
          at, "'" + excerpt_of(name) + "' cannot be the name of an environment variable",
          "letters, digits and '_', not starting with a digit");
    } else if (name == "CUDA_VISIBLE_DEVICES") {
      command.problems().error(at, "perfgate sets CUDA_VISIBLE_DEVICES itself",
                               "choose the GPU with --gpu");
    } else if (name.starts_with("PERFGATE") ||
               std::ranges::find(kReserved, name) != kReserved.end()) {
      command.problems().error(at, "perfgate sets " + excerpt_of(name) + " itself", "remove it");
    }
    if (value.find('\0') != std::string::npos) {
      command.problems().error(at, "the value of " + excerpt_of(name) + " holds a NUL character",
                               "remove the '\\0'");
    }
  }
}

void check_argv(const Section& command, const CommandRun& run) {
  if (run.argv.empty()) return;
  const YamlNode& list = command.entry("argv")->value;
  const std::string& program = run.argv.front();
  if (program.empty()) {
    command.problems().error(list.items.front().at, "run.command.argv starts with an empty text",
                             "its first entry is the program");
  } else if (program.find(' ') != std::string::npos && run.argv.size() == 1) {
    command.problems().warning(list.items.front().at, "the program's name has a space in it",
                               "no shell splits it: write each argument as an entry of its own");
  }
  for (std::size_t i = 0; i < run.argv.size(); ++i) {
    if (run.argv[i].find('\0') == std::string::npos) continue;
    command.problems().error(list.items[i].at, "run.command.argv holds a NUL character",
                             "remove the '\\0'");
  }
}

bool is_json_pointer(std::string_view pointer) {
  if (!pointer.starts_with('/')) return false;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] != '~') continue;
    if (i + 1 == pointer.size() || (pointer[i + 1] != '0' && pointer[i + 1] != '1')) return false;
  }
  return true;
}

void read_results_mapping(const Section& command, const YamlEntry& entry, CommandRun& run) {
  Problems& problems = command.problems();
  const std::size_t before = problems.errors.size();
  const Section results{&entry.value, "run.command.results", problems};
  if (entry.value.entries.size() != 1) {
    if (problems.errors.size() > before) return;
    problems.error(entry.value.at, "run.command.results must have exactly one of json and regex");
    return;
  }
  const Position at = entry.value.entries.front().value.at;
  if (results.read("json", run.results_argument)) {
    run.results = ResultsSource::json;
    if (!is_json_pointer(run.results_argument)) {
      problems.error(at, "run.command.results.json is not a JSON pointer",
                     "it starts with '/', for example /steps/0/ms");
    }
  } else if (results.read("regex", run.results_argument)) {
    run.results = ResultsSource::regex;
    const int groups = check_regex(run.results_argument, "run.command.results.regex", at, problems);
    if (groups >= 0 && groups != 1) {
      problems.error(
          at,
          "run.command.results.regex must have exactly one group, found " + std::to_string(groups),
          "the group is the step time in ms, for example 'step ([0-9.]+) ms'; (?:...) groups "
          "without counting");
    }
  }
}

void read_results(const Section& command, CommandRun& run) {
  const YamlEntry* entry = command.entry("results");
  if (entry == nullptr) return;
  if (entry->value.kind == YamlNode::Kind::mapping) {
    read_results_mapping(command, *entry, run);
    return;
  }
  if (entry->value.kind != YamlNode::Kind::scalar) {
    report_type(*find_key("run.command.results"), entry->value, command.problems());
    return;
  }
  std::string word;
  if (!command.read("results", word)) return;
  run.results = word == "nvtx" ? ResultsSource::nvtx : ResultsSource::results_file;
}

CommandRun read_command(const Section& run) {
  CommandRun command_run;
  const Section command = run.section("command");
  if (!command.present()) return command_run;
  command.read("argv", command_run.argv);
  check_argv(command, command_run);
  if (command.read("cwd", command_run.cwd) && command_run.cwd.starts_with('/')) {
    command.problems().warning(command.at("cwd"), "an absolute folder exists on this machine alone",
                               "name it relative to the workload file");
  }
  command.read("env", command_run.env);
  check_environment(command, command_run);
  command.read("timeout", command_run.timeout_s);
  read_results(command, command_run);
  return command_run;
}

}  // namespace

void read_run(const Section& root, WorkloadSpec& spec) {
  const Section run = root.section("run");
  if (!run.present()) return;
  Problems& problems = run.problems();
  const YamlEntry* builtin = run.entry("builtin");
  const YamlEntry* command = run.entry("command");
  if (run.entry("server") != nullptr) return;  // not built, and said so
  if (builtin != nullptr && command != nullptr) {
    problems.error(
        std::max(builtin->at, command->at, [](Position a, Position b) { return a.line < b.line; }),
        "run has both builtin and command", "keep one; a file holds one workload");
    return;
  }
  if (builtin != nullptr) {
    spec.run = read_builtin(run);
    return;
  }
  if (command == nullptr) {
    problems.error(
        run.at(), "run has neither builtin nor command",
        "for example builtin: transformer_decode, or command: {argv: [python, bench.py]}");
    return;
  }
  for (const std::string_view key : {"with", "inject"}) {
    const YamlEntry* entry = run.entry(key);
    if (entry == nullptr) continue;
    problems.error(entry->at, "run." + std::string{key} + " is for built-in workloads only",
                   key == "with" ? "give a command its parameters in argv or env" : "remove it");
  }
  spec.run = read_command(run);
}

}  // namespace perfgate::workloads
