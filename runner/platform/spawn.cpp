#include "runner/platform/spawn.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/platform/files.h"
#include "runner/platform/keeper.h"

namespace perfgate::platform {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// All descriptors close on exec: what the child keeps is said by dup2.
Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return file_error("open", "a pipe", errno);
  return Pipe{.read = Descriptor(ends[0]), .write = Descriptor(ends[1])};
}

/// What the keeper and the program say before the program runs: its pid, or what failed.
struct Report {
  pid_t program = 0;
  int error_number = 0;
  int in_chdir = 0;
};

struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* cwd;  ///< null = stay
  int null_fd;
  int out_fd;
  int error_fd;
  int report_fd;
  pid_t parent;
};

void send(const ChildPlan& plan, const Report& report) {
  [[maybe_unused]] const ssize_t ignored = ::write(plan.report_fd, &report, sizeof report);
}

[[noreturn]] void report_and_exit(const ChildPlan& plan, bool in_chdir) {
  send(plan, {.program = 0, .error_number = errno, .in_chdir = in_chdir ? 1 : 0});
  ::_exit(127);
}

/// Signals as a fresh program expects them: ours may be handled, ignored (SIGPIPE) or blocked.
void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void become_program(const ChildPlan& plan) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the parent died before prctl
  reset_signals();
  // Told by the program itself, before it is one: it may kill the keeper at once.
  send(plan, {.program = ::getpid(), .error_number = 0, .in_chdir = 0});
  if (::dup2(plan.null_fd, 0) < 0 || ::dup2(plan.out_fd, 1) < 0 || ::dup2(plan.error_fd, 2) < 0) {
    report_and_exit(plan, false);
  }
#ifdef SYS_close_range
  // Descriptors that a library of ours opened without O_CLOEXEC. 4 = CLOSE_RANGE_CLOEXEC
  // (Linux 5.11); on older kernels nothing happens.
  ::syscall(SYS_close_range, 3U, ~0U, 4U);
#endif
  if (plan.cwd != nullptr && ::chdir(plan.cwd) != 0) report_and_exit(plan, true);
  ::execve(plan.program, plan.argv, plan.environment);
  report_and_exit(plan, false);
}

/// Runs in the fork of ours: async-signal-safe calls only.
[[noreturn]] void become_parent_of_program(ChildPlan plan) {
  const pid_t perfgate = plan.parent;
  if (!become_keeper(perfgate)) ::_exit(127);
  plan.parent = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) report_and_exit(plan, false);
  if (program == 0) become_program(plan);
  keep(program, perfgate);
}

/// The fork starts with all signals blocked: no handler of ours runs there.
pid_t fork_with_signals_blocked() {
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  const pid_t pid = ::fork();
  if (pid != 0) ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
  return pid;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Waits until exec and the keeper closed the report pipe.
Report read_report(int fd) {
  Report all;
  while (true) {
    Report one;
    const ssize_t count = ::read(fd, &one, sizeof one);
    if (count < 0 && errno == EINTR) continue;
    if (count != static_cast<ssize_t>(sizeof one)) break;
    if (one.program != 0) all.program = one.program;
    if (one.error_number != 0) {
      all.error_number = one.error_number;
      all.in_chdir = one.in_chdir;
    }
  }
  // Without a pid the keeper was killed before there was a program.
  if (all.program == 0 && all.error_number == 0) all.error_number = ECHILD;
  return all;
}

void reap(pid_t pid) {
  while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Error start_error(const Report& failure, const std::string& program, const std::string& cwd) {
  if (failure.in_chdir != 0) return file_error("change into the folder", cwd, failure.error_number);
  Error error = file_error("start", program, failure.error_number);
  if (failure.error_number == ENOEXEC) {
    error.hint =
        "a script needs a first line such as #!/bin/sh; a binary must be built for this machine";
  }
  if (failure.error_number == ENOENT) {
    error.hint =
        "the file is there, so the interpreter of its first line or its dynamic loader is missing";
  }
  return error;
}

int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
#else
  static_cast<void>(pid);
  return -1;
#endif
}

}  // namespace

Result<SpawnedProcess> spawn(const std::string& program, const std::vector<std::string>& argv,
                             const Variables& environment, const std::string& cwd) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> settings;
  settings.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    settings.emplace_back(name).append("=").append(value);
  }
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> setting_pointers = pointers_to(settings);

  PG_ASSIGN_OR_RETURN(Pipe out, make_pipe());
  PG_ASSIGN_OR_RETURN(Pipe error, make_pipe());
  PG_ASSIGN_OR_RETURN(Pipe report, make_pipe());
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.valid()) return file_error("open", "/dev/null", errno);

  const ChildPlan plan{.program = program.c_str(),
                       .argv = argument_pointers.data(),
                       .environment = setting_pointers.data(),
                       .cwd = cwd.empty() ? nullptr : cwd.c_str(),
                       .null_fd = null.get(),
                       .out_fd = out.write.get(),
                       .error_fd = error.write.get(),
                       .report_fd = report.write.get(),
                       .parent = ::getpid()};
  const pid_t keeper = fork_with_signals_blocked();
  if (keeper < 0) return file_error("start", program, errno);
  if (keeper == 0) become_parent_of_program(plan);

  report.write.reset();
  const Report told = read_report(report.read.get());
  if (told.error_number != 0) {
    reap(keeper);
    reap(told.program);
    return start_error(told, program, cwd);
  }
  ::fcntl(out.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(error.read.get(), F_SETFL, O_NONBLOCK);
  return SpawnedProcess{.pid = told.program,
                        .keeper = keeper,
                        .standard_out = std::move(out.read),
                        .standard_error = std::move(error.read),
                        .pidfd = Descriptor(open_pidfd(keeper))};
}

}  // namespace perfgate::platform
