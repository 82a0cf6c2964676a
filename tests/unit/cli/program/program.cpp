#include "tests/unit/cli/program/program.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfgate::testing {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

void redirect(const std::string& path, int to) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(126);
}

/// In the child: everything that Call asks for, then perfgate.
[[noreturn]] void become_perfgate(const Call& call, const std::string& folder,
                                  const std::string& out, const std::string& err) {
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  redirect(err, STDERR_FILENO);
  if (call.closed_pipe) {
    int ends[2];
    if (::pipe(ends) != 0 || ::close(ends[0]) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0)
      ::_exit(126);
  } else {
    redirect(call.stdout_path.empty() ? out : call.stdout_path, STDOUT_FILENO);
  }
  if (call.as_nobody && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(126);
  const rlimit limit{call.file_size_limit, call.file_size_limit};
  if (call.file_size_limit != RLIM_INFINITY && ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
  for (int stream = 0; call.closed_streams && stream <= STDERR_FILENO; ++stream) ::close(stream);
  const std::string program = call.program.empty() ? PERFGATE_PROGRAM : call.program;
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  for (const auto& [name, value] : call.environment) environment.push_back(name + "=" + value);
  ::execve(program.c_str(), pointers(argv).data(), pointers(environment).data());
  ::_exit(126);
}

int shell_code(int state) {
  if (WIFEXITED(state)) return WEXITSTATUS(state);
  return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : -1;
}

}  // namespace

Said Program::run(const Call& call) {
  const TemporaryFolder outputs;  // not in the working folder: a test may fill or close that
  const std::string out = outputs / "out";
  const std::string err = outputs / "err";
  const pid_t pid = ::fork();
  if (pid == 0) become_perfgate(call, folder.path(), out, err);
  if (call.meanwhile) call.meanwhile(pid);
  int state = 0;
  ::waitpid(pid, &state, 0);
  Said said{shell_code(state), contents(out), contents(err)};
  // Messages are for people: PERFGATE_SHOW=1 prints each, so that one can look at them.
  if (::getenv("PERFGATE_SHOW") != nullptr) {
    std::string line = "perfgate";
    for (const std::string& argument : call.arguments) line += " " + argument;
    std::printf("$ %s\n%s%s[exit %d]\n\n", line.c_str(), said.out.c_str(), said.err.c_str(),
                said.code);
  }
  return said;
}

Said Program::run_child(const std::vector<std::string>& child, std::vector<std::string> more) {
  std::vector<std::string> arguments{"run", "--gpu", "none", "--out", "run"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--", PERFGATE_FAKE_CHILD});
  arguments.insert(arguments.end(), child.begin(), child.end());
  return run(arguments);
}

void Program::write(const std::string& name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
}

std::string Program::read(const std::string& name) const { return contents(folder / name); }

bool Program::exists(const std::string& name) const { return fs::exists(folder / name); }

void Program::write_workload(const std::string& name, const std::string& mode,
                             const std::string& command_keys, const std::string& more) {
  write(name + ".yaml", "perfgate: 1\nname: " + name +
                            "\nrun:\n  command:\n    argv: [" PERFGATE_FAKE_CHILD ", " + mode +
                            "]\n" + command_keys +
                            "steps: {warmup: 1, measure: 5}\ntiming: {processes: [2]}\n"
                            "trace: {processes: [1], steps: 2}\n" +
                            more);
}

std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string line = '\0' + contents(entry.path().string() + "/cmdline");
    if (line.find('\0' + word + '\0') != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace perfgate::testing
