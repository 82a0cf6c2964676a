/// The control connection: a unix stream socket of the parent (PERFGATE_CONTROL) with one JSON
/// object a line.
///
/// The probe connects, says {"hello":1,"pid":N}, and from then on
/// {"state":"waiting"|"open"|"closing"|"done"} at each change and {"reason":"..."} for what it met.
/// The parent sends {"window":"open"} and {"window":"close"}. A thread with all signals blocked
/// reads; a lost connection closes an open window and is not an error of the program.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::probe {

enum class ControlRequest { none, open, close };

/// One line of the parent; anything else than the two requests is none.
[[nodiscard]] ControlRequest parse_control_line(std::string_view line);

class ControlSocket {
 public:
  /// `on_request` runs on the reading thread; `close` also when the parent hangs up. Never
  /// destroyed before exit.
  static Result<std::unique_ptr<ControlSocket>> connect(
      const std::string& path, std::function<void(ControlRequest)> on_request);
  void send_state(std::string_view state);
  void send_reason(std::string_view text);

 private:
  ControlSocket(int descriptor, std::function<void(ControlRequest)> on_request);
  void read_lines();
  void send_line(const std::string& line);

  int descriptor_;
  std::function<void(ControlRequest)> on_request_;
  std::mutex send_mutex_;
};

}  // namespace perfgate::probe
