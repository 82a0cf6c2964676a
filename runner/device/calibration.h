/// What this GPU really reaches, measured by `perfgate calibrate`: the ceilings that floors are
/// held against.
///
/// Pure. Stored as a small text file per GPU and driver ("key value" lines, strict reader).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/model/timing.h"

namespace perfgate::device {

/// Metrics of `perfgate-workload control`: bytes/s read, bytes/s read plus written, flop/s.
inline constexpr std::string_view kReadStreamMetric = "read_stream";
inline constexpr std::string_view kCopyStreamMetric = "copy_stream";
inline constexpr std::string_view kGemmMetric = "bf16_gemm";

struct Calibration {
  std::string gpu_uuid;
  std::string driver;
  double read_bytes_per_s = 0.0;
  double copy_bytes_per_s = 0.0;  ///< bytes read plus bytes written
  double bf16_flop_per_s = 0.0;
  std::string utc;  ///< ISO 8601
};

/// The median of each metric over the control runs. Error `invalid_measurement` if one of the three
/// was never reported.
[[nodiscard]] Result<Calibration> form_calibration(std::span<const ProcessResults> controls,
                                                   std::string gpu_uuid, std::string driver,
                                                   std::string utc);

[[nodiscard]] std::string write_calibration(const Calibration& calibration);
/// Error `corrupt` (naming the line) for anything that write_calibration does not write.
[[nodiscard]] Result<Calibration> read_calibration(std::string_view text);
/// "calibration-GPU-1234-580.159.04.txt"; characters other than letters, digits, '.' and '-' become
/// '_'.
[[nodiscard]] std::string calibration_file_name(std::string_view gpu_uuid, std::string_view driver);

}  // namespace perfgate::device
