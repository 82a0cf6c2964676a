#include "runner/platform/keeper.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perfgate::platform {
namespace {

/// Sent when our parent dies; it is blocked, and taken by sigwaitinfo.
constexpr int kParentDied = SIGTERM;
constexpr timespec kBetweenLooks{.tv_sec = 0, .tv_nsec = 2'000'000};
constexpr int kMostLooks = 2500;

void close_descriptors() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard < 3 && null >= 0; ++standard) ::dup2(null, standard);
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
#endif
  const long most = ::sysconf(_SC_OPEN_MAX);
  for (int descriptor = 3; descriptor < most && descriptor < 65536; ++descriptor)
    ::close(descriptor);
}

/// Sends SIGKILL to each child. False: there is none, or the kernel does not list them.
bool kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  std::array<char, 4096> text{};
  const ssize_t count = ::read(list, text.data(), text.size());
  ::close(list);
  bool any = false;
  pid_t pid = 0;
  // Each number ends with a space: one that is cut has none, and is met at the next look.
  for (ssize_t at = 0; at < count; ++at) {
    const char letter = text[static_cast<std::size_t>(at)];
    if (letter >= '0' && letter <= '9') {
      pid = pid * 10 + (letter - '0');
      continue;
    }
    if (pid > 1) any = ::kill(pid, SIGKILL) == 0 || any;
    pid = 0;
  }
  return any;
}

/// The children of what was killed become ours, and are met at the next look.
[[noreturn]] void end_everything(pid_t program) {
  ::kill(-program, SIGKILL);
  for (int look = 0; look < kMostLooks && kill_children(); ++look) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ::nanosleep(&kBetweenLooks, nullptr);
  }
  ::_exit(0);
}

/// Reaps adopted processes. True: the program itself has ended; it is left to our parent.
bool program_ended(pid_t program) {
  while (true) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return errno == ECHILD;
    }
    if (info.si_pid == 0) return false;
    if (info.si_pid == program) return true;
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

}  // namespace

bool become_keeper(pid_t parent) {
  ::setsid();
  ::prctl(PR_SET_NAME, "perfgate-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, kParentDied);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, nullptr);  // an inherited SIG_IGN would reap the program
  return ::getppid() == parent;              // it may have died before prctl
}

void keep(pid_t program, pid_t parent) {
  close_descriptors();
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, kParentDied);
  while (!program_ended(program)) {
    if (::getppid() != parent) end_everything(program);
    ::sigwaitinfo(&awaited, nullptr);
  }
  if (::getppid() != parent) end_everything(program);
  ::_exit(0);
}

}  // namespace perfgate::platform
