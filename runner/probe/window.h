/// When a trace window opens and closes. Pure: events in, actions out; the caller does the work.
///
/// `PERFGATE_WINDOW` is one of
/// - `nvtx:GLOB:skip=N,count=M` opens at the start of the (N+1)-th range whose name matches GLOB
///   (glob.h) and closes at the start of the (N+M+1)-th, or when the process ends. GLOB may contain
///   colons. `PERFGATE_NVTX_DOMAIN`, where set, restricts it to the domain of that name (empty: the
///   default domain). A match inside another match of its thread is not counted: GLOB may name a
///   range and its parts, and the outer one is the step.
/// - `profiler`: cudaProfilerStart / cudaProfilerStop
/// - `socket`: the control socket, see control_socket.h
/// - `ranges`, or nothing: no window, but NVTX ranges of the whole process, no GPU activity
///
/// A process has one window: CUPTI's correlation ids of graph launches are wrong in a second one
/// (until 13.1U1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::probe {

enum class WindowTrigger { none, nvtx, profiler, socket };

struct WindowRequest {
  WindowTrigger trigger = WindowTrigger::none;
  std::string glob;  ///< of the steps; `nvtx` alone has it out of PERFGATE_WINDOW
  std::uint64_t skip = 0;
  std::uint64_t count = 0;
};

/// `invalid_config` with the accepted forms when `text` is none of them.
[[nodiscard]] Result<WindowRequest> parse_window(std::string_view text);

enum class WindowStage {
  waiting,  ///< not opened yet
  open,
  closing,  ///< closed by the clock; records of its last launches still arrive
  done      ///< nothing more is recorded
};

enum class WindowAction { none, open, close };

class WindowMachine {
 public:
  explicit WindowMachine(WindowRequest request) : request_(std::move(request)) {}

  /// A range that matches the request starts, outside every other match of its thread.
  [[nodiscard]] WindowAction matching_range_started();
  /// The profiler or the socket asks. A second window is refused by `none`.
  [[nodiscard]] WindowAction open_requested();
  [[nodiscard]] WindowAction close_requested();
  /// All records of the window have arrived, or the wait for them is over.
  void finish() { stage_ = WindowStage::done; }

  [[nodiscard]] WindowStage stage() const { return stage_; }
  [[nodiscard]] const WindowRequest& request() const { return request_; }
  /// Outermost matching ranges so far, those after the window included.
  [[nodiscard]] std::uint64_t matches() const { return matches_; }
  /// Matching ranges that started after the one that closed the window.
  [[nodiscard]] std::uint64_t extra_steps() const { return extra_steps_; }

 private:
  WindowRequest request_;
  WindowStage stage_ = WindowStage::waiting;
  std::uint64_t matches_ = 0;
  std::uint64_t extra_steps_ = 0;
};

}  // namespace perfgate::probe
