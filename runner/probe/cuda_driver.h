/// The few driver functions that the probe calls itself, from the libcuda that the process has
/// already loaded.
#pragma once

#include <vector>

#include "runner/model/capture.h"

namespace perfgate::probe {

/// Ordinal, name and UUID of the devices visible to the process; empty before cuInit or without
/// libcuda.
[[nodiscard]] std::vector<CaptureDevice> cuda_devices();

/// While alive, driver calls of this thread do not disturb a stream capture of another one: the
/// thread's capture mode is "relaxed" (CUPTI allocates when a kind is enabled, which "global"
/// captures forbid to all threads).
class RelaxedCaptureMode {
 public:
  RelaxedCaptureMode();
  ~RelaxedCaptureMode();
  RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
  RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;

 private:
  int before_ = -1;
};

}  // namespace perfgate::probe
