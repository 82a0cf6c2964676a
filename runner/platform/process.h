/// Runs a child program to its end and says how it ended.
///
/// The child is the leader of its own session and process group, reads nothing (stdin is
/// /dev/null), gets exactly the environment given, and dies with us, and so does all that it
/// started: a process between us sees to that even where we are killed (keeper.h). When the child
/// ends, times out or we are cancelled, the whole group is ended (SIGTERM, grace, SIGKILL) and the
/// child reaped: no zombies. What has left the group by setsid is adopted by us (children.h), ended
/// and counted. While it runs we only wake when it prints, ends or time is up, so that we do not
/// disturb what is measured.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runner/model/result.h"
#include "runner/platform/clock.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"
#include "runner/platform/interrupt.h"

namespace perfgate::platform {

/// What the terminal and reports show of a child's output.
inline constexpr std::size_t kTailBytes = 4096;
/// What is kept of each stream on disk; more is read and dropped so that the child never blocks or
/// gets SIGPIPE.
inline constexpr std::size_t kOutputFileBytes = std::size_t{8} << 20U;

struct ProcessRequest {
  std::vector<std::string> argv;  ///< argv[0] as find_program takes it
  Variables environment;          ///< exactly this
  std::string cwd;                ///< empty = ours
  double timeout_s = 600.0;
  double grace_s = 5.0;     ///< between SIGTERM and SIGKILL
  std::string stdout_path;  ///< files to write; empty = keep the tail only
  std::string stderr_path;
};

struct ProcessOutcome {
  enum class End { exited, signalled, timed_out, interrupted } end = End::exited;
  int exit_code = 0;  ///< exited only
  int signal = 0;     ///< signalled, or what ended it after a time-out or interrupt
  double wall_s = 0.0;
  std::string stdout_tail;  ///< sanitised, at most kTailBytes
  std::string stderr_tail;
  bool stdout_cut = false;  ///< it was longer than kOutputFileBytes, and its end was not kept
  int left_running = 0;     ///< processes that had left the group and outlived it; ended
  int output_error = 0;     ///< errno of the first failed write of an output file; 0 = none
};

class ProcessRunner {
 public:
  ProcessRunner() = default;
  ProcessRunner(const ProcessRunner&) = delete;
  ProcessRunner& operator=(const ProcessRunner&) = delete;
  virtual ~ProcessRunner() = default;
  /// Error: the program could not be started (`not_found`, `io`), an output file could not be made
  /// (`io`), or cancelled before the start (`interrupted`).
  [[nodiscard]] virtual Result<ProcessOutcome> run(const ProcessRequest& request) = 0;
};

class SystemProcessRunner final : public ProcessRunner {
 public:
  /// Both must outlive this object. The thread that calls `run` must not be cancelled: the keeper
  /// hears of a death once, that of the thread (PDEATHSIG).
  SystemProcessRunner(const Clock& clock, const Cancellation& cancellation)
      : clock_(clock), cancellation_(cancellation) {}
  [[nodiscard]] Result<ProcessOutcome> run(const ProcessRequest& request) override;

 private:
  const Clock& clock_;
  const Cancellation& cancellation_;
};

/// Hands each request to a function and keeps it.
class FakeProcessRunner final : public ProcessRunner {
 public:
  using Handler = std::function<Result<ProcessOutcome>(const ProcessRequest&)>;
  explicit FakeProcessRunner(Handler handler) : handler_(std::move(handler)) {}
  [[nodiscard]] Result<ProcessOutcome> run(const ProcessRequest& request) override {
    requests.push_back(request);
    return handler_(request);
  }
  std::vector<ProcessRequest> requests;

 private:
  Handler handler_;
};

/// Where `name` is: a name with a slash is a path relative to `cwd`; else PATH (of `environment`)
/// is searched, then `cwd`. Absolute result. Errors: `not_found` with where was looked, `io` if it
/// is there but not executable.
[[nodiscard]] Result<std::string> find_program(const std::string& name, const std::string& cwd,
                                               const Variables& environment,
                                               const FileSystem& files);

}  // namespace perfgate::platform
