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

/// What failed in the child before the program ran.
struct ChildFailure {
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

[[noreturn]] void report_and_exit(const ChildPlan& plan, bool in_chdir) {
  const ChildFailure failure{.error_number = errno, .in_chdir = in_chdir ? 1 : 0};
  [[maybe_unused]] const ssize_t ignored = ::write(plan.report_fd, &failure, sizeof failure);
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

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Waits until exec closed the report pipe, or for the failure that the child wrote.
ChildFailure read_failure(int fd) {
  ChildFailure failure;
  while (true) {
    const ssize_t count = ::read(fd, &failure, sizeof failure);
    if (count < 0 && errno == EINTR) continue;
    return count == static_cast<ssize_t>(sizeof failure) ? failure : ChildFailure{};
  }
}

Error start_error(const ChildFailure& failure, const std::string& program, const std::string& cwd) {
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
  const pid_t pid = ::fork();
  if (pid < 0) return file_error("start", program, errno);
  if (pid == 0) become_program(plan);

  report.write.reset();
  const ChildFailure failure = read_failure(report.read.get());
  if (failure.error_number != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return start_error(failure, program, cwd);
  }
  ::fcntl(out.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(error.read.get(), F_SETFL, O_NONBLOCK);
  return SpawnedProcess{.pid = pid,
                        .standard_out = std::move(out.read),
                        .standard_error = std::move(error.read),
                        .pidfd = Descriptor(open_pidfd(pid))};
}

}  // namespace perfgate::platform
