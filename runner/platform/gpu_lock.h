/// One lock per GPU for all perfgate jobs of a machine: two measurements on one GPU spoil each
/// other.
///
/// flock(2) on FOLDER/gpu-UUID.lock, released by the kernel when the holder ends in any way. The
/// folder is world-writable with the sticky bit, so that jobs of different users share it.
/// Containers share the lock only if they share the folder (PERFGATE_LOCK_DIR).
#pragma once

#include <functional>
#include <string>

#include "runner/model/result.h"
#include "runner/platform/clock.h"
#include "runner/platform/descriptor.h"
#include "runner/platform/environment.h"
#include "runner/platform/interrupt.h"

namespace perfgate::platform {

/// PERFGATE_LOCK_DIR; else the first of /run/lock/perfgate and /tmp/perfgate-locks that exists;
/// else the first of them that can be made. Makes the folder if need be. Error `io` if none can be
/// used.
[[nodiscard]] Result<std::string> lock_folder(const Environment& environment);

class GpuLock {
 public:
  /// Called when the lock is not free at once, then about once a second.
  /// `holder`: "pid 4711 since 2026-11-29T20:23:04Z", or "another job" where its file does not say.
  using OnWait = std::function<void(const std::string& holder, double waited_s)>;

  /// Blocks until the lock is held. Errors: `interrupted`, `io`.
  [[nodiscard]] static Result<GpuLock> acquire(const std::string& folder,
                                               const std::string& gpu_uuid, const Clock& clock,
                                               const Cancellation& cancellation,
                                               const OnWait& on_wait);

 private:
  explicit GpuLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;  ///< closing it releases the lock
};

}  // namespace perfgate::platform
