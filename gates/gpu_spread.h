/// How runs of one GPU vary, out of a store whose runs may be of several. Pure.
///
/// GPUs of one model differ (three H200s by 0.8 %). What runs on one GPU and is compared with runs
/// on that GPU does not vary by that, and a margin of three SDs that hold it hides changes as
/// large.
///
///   runs of the store    s^2 = sum (R_g - 1) s_g^2 / sum (R_g - 1), over the GPUs g with runs; s_g
///                        about the settled level of that GPU alone (store_level.h), so that a
///                        merged step or a run that lies apart is no spread. The head's own GPU
///                        alone where it has `kRunsToFail` runs. Runs of an unknown GPU do not
///                        count, unless there are no others.
///   A/A runs             as run_noise_on_one_gpu (noise.h) has it; the larger of both counts.
#pragma once

#include <cstdint>
#include <string>

#include "gates/store_level.h"
#include "runner/model/comparison.h"

namespace perfgate::gates {

/// Fewer degrees of freedom say nothing of a spread.
inline constexpr double kLeastSpreadDegrees = 2.0;

struct RunSpread {
  double sd = 0.0;  ///< on the scale
  double degrees = 0.0;
  [[nodiscard]] bool known() const { return degrees >= kLeastSpreadDegrees; }
};

enum class Gpus : std::uint8_t { one, several };

/// What is calibrated of a series: the least that runs are taken to vary by. For runs of one GPU
/// without the difference between GPUs, where the A/A runs say which GPU was theirs; else with it.
/// No degrees where nothing is calibrated, on the linear scale, or where the occasions do not show
/// how far whole occasions lie apart: then `sd` is less than the truth, and a floor only.
[[nodiscard]] RunSpread calibrated_spread(const BaselineSeries& series, Scale scale, Gpus gpus);

/// From run to run on one GPU. Preconditions and `margin_ratio`: those of store_level.
[[nodiscard]] RunSpread spread_on_one_gpu(const BaselineSeries& series,
                                          const std::string& head_instance, Scale scale,
                                          double margin_ratio);

}  // namespace perfgate::gates
