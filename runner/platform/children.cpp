#include "runner/platform/children.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/platform/files.h"

namespace perfgate::platform {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(2);
constexpr int kMostLooks = 2500;

/// Of the whole process, as the kernel's setting is.
struct Adoption {
  std::mutex mutex;
  int scopes = 0;
  int former_setting = 0;
  std::set<pid_t> before;  ///< our children when the first scope began
};

Adoption& adoption() {
  static Adoption only;
  return only;
}

struct Child {
  pid_t pid = -1;
  pid_t group = -1;
  bool ended = false;
};

/// /proc/PID/stat: "PID (NAME) STATE PARENT GROUP ...", where the name may hold anything.
std::optional<Child> our_child(pid_t pid) {
  const auto stat = DiskFileSystem{}.read("/proc/" + std::to_string(pid) + "/stat");
  if (!stat.ok()) return std::nullopt;
  const std::string_view text = stat.value();
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 4 >= text.size()) return std::nullopt;
  const char state = text[name_end + 2];
  const char* const end = text.data() + text.size();
  pid_t parent = -1;
  const auto parent_read = std::from_chars(text.data() + name_end + 4, end, parent);
  if (parent_read.ec != std::errc{} || parent_read.ptr == end) return std::nullopt;
  Child child{.pid = pid, .group = -1, .ended = state == 'Z' || state == 'X'};
  const auto group_read = std::from_chars(parent_read.ptr + 1, end, child.group);
  if (group_read.ec != std::errc{} || parent != ::getpid()) return std::nullopt;
  return child;
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

std::vector<Child> our_children() {
  std::vector<Child> children;
  if (!has_children()) return children;  // nearly always: spares the walk over all processes
  std::error_code failure;
  std::filesystem::directory_iterator entry("/proc", failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = -1;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc{} || read.ptr != name.data() + name.size()) continue;
    if (const auto child = our_child(pid)) children.push_back(*child);
  }
  return children;
}

/// Only our own children are signalled: nobody else reaps them, so that their pids are theirs.
/// Their children become ours when they end, and are met at the next look.
int end_all(const std::set<pid_t>& spared, pid_t ended_group) {
  std::set<pid_t> met;
  for (int look = 0; look < kMostLooks; ++look) {
    bool any = false;
    for (const Child& child : our_children()) {
      if (spared.contains(child.pid)) continue;
      any = true;
      if (!child.ended) {
        if (child.group != ended_group) met.insert(child.pid);
        ::kill(child.pid, SIGKILL);
      }
      ::waitpid(child.pid, nullptr, WNOHANG);
    }
    if (!any) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return static_cast<int>(met.size());
}

}  // namespace

AdoptionScope::AdoptionScope() {
  Adoption& shared = adoption();
  const std::lock_guard lock(shared.mutex);
  if (++shared.scopes > 1) return;
  ::prctl(PR_GET_CHILD_SUBREAPER, &shared.former_setting);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  shared.before.clear();
  for (const Child& child : our_children()) shared.before.insert(child.pid);
}

AdoptionScope::~AdoptionScope() { end_adopted(-1); }

int AdoptionScope::end_adopted(pid_t ended_group) {
  if (!open_) return 0;
  open_ = false;
  Adoption& shared = adoption();
  const std::lock_guard lock(shared.mutex);
  if (--shared.scopes > 0) return 0;
  const int ended = end_all(shared.before, ended_group);
  ::prctl(PR_SET_CHILD_SUBREAPER, shared.former_setting);
  return ended;
}

}  // namespace perfgate::platform
