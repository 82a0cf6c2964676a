/// Runs the built perfgate as a user would: arguments, exit code, what it prints where.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::testing {

struct Said {
  int code = -1;  ///< 130 also for a process that SIGINT ended, as a shell shows it
  std::string out;
  std::string err;
};

struct Call {
  std::vector<std::string> arguments{};
  std::map<std::string, std::string> environment{};  ///< beside PATH
  rlim_t file_size_limit = RLIM_INFINITY;            ///< bytes
  bool as_nobody = false;                            ///< needs root
  std::string stdout_path{};                         ///< empty = kept in Said::out
  std::string program{};                             ///< empty = the perfgate that was built
  bool closed_pipe = false;     ///< standard output is a pipe that nobody reads
  bool closed_streams = false;  ///< as `<&- >&- 2>&-`: nothing is open on 0, 1 and 2
  /// Called with the pid while perfgate runs; it may wait for something, then send a signal.
  std::function<void(pid_t)> meanwhile{};
};

/// A working folder of its own for each test; perfgate runs in it.
class Program : public ::testing::Test {
 protected:
  Said run(const Call& call);
  Said run(std::vector<std::string> arguments) {
    return run(Call{.arguments = std::move(arguments)});
  }
  /// `run --gpu none --out run` with the fake child in this mode, as a workload without a file.
  Said run_child(const std::vector<std::string>& child, std::vector<std::string> more = {});

  void write(const std::string& name, const std::string& text);
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  /// A workload of the fake child in this mode, two processes of five steps.
  void write_workload(const std::string& name, const std::string& mode,
                      const std::string& command_keys = "", const std::string& more = "");

  TemporaryFolder folder;
};

/// Pids of processes with `word` as one of their arguments.
[[nodiscard]] std::vector<pid_t> processes_with(const std::string& word);
/// Polls until `condition` holds, for half a minute at most; false if it never did.
[[nodiscard]] bool wait_until(const std::function<bool()>& condition);

}  // namespace perfgate::testing
