/// Ctrl-C as a value: a flag that blocking calls of this room can wait on.
///
/// `Cancellation` is level-triggered and stays set. `InterruptScope` turns SIGINT, SIGTERM,
/// SIGHUP and SIGQUIT into it for its lifetime and restores the former handlers; one scope at a
/// time.
#pragma once

#include <array>
#include <atomic>
#include <csignal>

#include "runner/platform/descriptor.h"

namespace perfgate::platform {

class Cancellation {
 public:
  Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Async-signal-safe; may be called from any thread, more than once.
  void cancel() noexcept;
  [[nodiscard]] bool cancelled() const noexcept { return set_.load(); }
  /// Readable once cancelled, for poll(2); never read it. -1 if the kernel gave none (callers then
  /// poll the flag).
  [[nodiscard]] int fd() const noexcept { return event_.get(); }

 private:
  std::atomic<bool> set_{false};
  Descriptor event_;
};

class InterruptScope {
 public:
  explicit InterruptScope(Cancellation& cancellation);
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> former_{};
};

}  // namespace perfgate::platform
