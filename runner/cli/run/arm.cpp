#include "runner/cli/run/arm.h"

#include <filesystem>
#include <utility>

#include <wordexp.h>

namespace perfgate::cli {
namespace {

Error usage(std::string message, std::string hint) {
  return {.code = ErrorCode::usage,
          .message = std::move(message),
          .hint = std::move(hint),
          .context = {}};
}

const char* split_problem(int code) {
  switch (code) {
    case WRDE_BADCHAR: return "it has an unquoted | & ; < > ( ) { } or a line end";
    case WRDE_BADVAL: return "it names a variable that is not set";
    case WRDE_CMDSUB: return "it has a command substitution";
    case WRDE_SYNTAX: return "a quote is not closed";
    default: return "it cannot be split into words";
  }
}

/// By the C library, as a shell would, but for running anything.
Result<std::vector<std::string>> split_words(const std::string& option, const std::string& text) {
  wordexp_t words{};
  const int code = ::wordexp(text.c_str(), &words, WRDE_NOCMD | WRDE_UNDEF);
  std::vector<std::string> argv;
  if (code == 0) argv.assign(words.we_wordv, words.we_wordv + words.we_wordc);
  // Words may have been made before it ran out of memory; on other errors there is nothing to free.
  if (code == 0 || code == WRDE_NOSPACE) ::wordfree(&words);
  if (code != 0) {
    return usage(option + " '" + text + "': " + split_problem(code),
                 "name a folder or a command line; for a pipe or a redirection, " + option +
                     " \"sh -c '...'\"");
  }
  if (argv.empty()) {
    return usage(option + " is empty", "name a folder or a command line");
  }
  return argv;
}

bool is_folder(const platform::FileSystem& files, const std::string& path) {
  return files.list(path).ok();
}

/// The folder that holds the workload file; of a workload without one, the present.
std::string folder_of_file(const WorkloadSpec& spec, const platform::FileSystem& files) {
  const std::filesystem::path own =
      std::filesystem::path(files.absolute(spec.path.empty() ? "." : spec.path));
  return (spec.path.empty() ? own : own.parent_path()).string();
}

/// Where the workload runs when `tree` stands for the folder in which perfgate was started.
Result<std::string> folder_in_tree(const ArmChoice& choice, const WorkloadSpec& spec,
                                   const std::string& cwd, const platform::FileSystem& files) {
  const std::string run_folder =
      platform::join_path(folder_of_file(spec, files), cwd.empty() ? "." : cwd);
  const std::string inside = std::filesystem::path(files.absolute(run_folder))
                                 .lexically_relative(files.absolute("."))
                                 .string();
  if (inside.empty() || inside.starts_with("..")) {
    return usage("the workload runs in " + run_folder + ", which is outside of the folder that " +
                     choice.how + " stands for",
                 "start perfgate at the top of the tree that holds the workload file");
  }
  std::string folder = files.absolute(platform::join_path(choice.tree, inside));
  if (is_folder(files, folder)) return folder;
  return usage(choice.how + ": there is no folder " + folder,
               "name the top of a tree like the one perfgate is started in");
}

Result<ArmProgram> in_tree(const ArmChoice& choice, ArmProgram program,
                           const platform::FileSystem& files) {
  if (auto* command = std::get_if<CommandRun>(&program.spec.run)) {
    PG_ASSIGN_OR_RETURN(command->cwd, folder_in_tree(choice, program.spec, command->cwd, files));
    return program;
  }
  program.workload_program = platform::join_path(choice.tree, "bin/perfgate-workload");
  if (files.is_program(program.workload_program)) return program;
  return usage(choice.how + ": there is no program " + program.workload_program,
               "a built-in workload is compared between two installed trees of perfgate: name one "
               "(cmake --install build/release --prefix DIR)");
}

/// One word with a slash names a place. A program's is seen from where the workload runs.
Status check_place(const ArmChoice& choice, const WorkloadSpec& spec, const std::string& cwd,
                   const platform::FileSystem& files) {
  const std::string& word = choice.argv.front();
  if (choice.argv.size() > 1 || word.find('/') == std::string::npos) return {};
  const std::string run_folder = platform::join_path(folder_of_file(spec, files), cwd);
  if (files.exists(word) || files.exists(platform::join_path(run_folder, word))) return {};
  return usage(choice.how + ": no such folder, and no such program",
               "name the top of a tree like the one perfgate is started in, or a command line");
}

}  // namespace

Result<ArmChoice> parse_arm(const std::string& option, const std::string& text,
                            const platform::FileSystem& files) {
  if (text.empty()) return ArmChoice{};
  ArmChoice choice{.how = option + " " + text};
  if (is_folder(files, text)) {
    choice.kind = ArmChoice::Kind::tree;
    choice.tree = files.absolute(text);
    return choice;
  }
  PG_ASSIGN_OR_RETURN(choice.argv, split_words(option, text));
  choice.kind = ArmChoice::Kind::command;
  if (choice.argv.size() > 1) choice.how = option + " '" + text + "'";
  return choice;
}

Result<ArmProgram> program_of(const ArmChoice& choice, const WorkloadSpec& spec,
                              const std::string& installed, const platform::FileSystem& files) {
  ArmProgram program{.spec = spec, .workload_program = installed};
  if (choice.kind == ArmChoice::Kind::tree) return in_tree(choice, std::move(program), files);
  if (choice.kind == ArmChoice::Kind::as_is) return program;
  auto* command = std::get_if<CommandRun>(&program.spec.run);
  if (command == nullptr) {
    PG_TRY(check_place(choice, spec, "", files));
    return usage(choice.how + ": " + spec.name + " is a built-in workload, which has no command",
                 "name the installed tree of another perfgate: it runs DIR/bin/perfgate-workload");
  }
  PG_TRY(check_place(choice, spec, command->cwd, files));
  command->argv = choice.argv;
  return program;
}

}  // namespace perfgate::cli
