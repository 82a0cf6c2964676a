/// How much the gate's own statistic varies from run to run when nothing was changed (A/A). Pure.
///
/// Runs of one occasion (one call, one hour of one machine) share that occasion's luck: its clocks,
/// its temperature, where its memory lies. So the spread within an occasion is not all of it. With
/// x_ij the value of run j of occasion i, one-way random effects:
///
///   x_ij = mu + o_i + e_ij,      SD of one run = sqrt(var o + var e)
///
/// by the method of moments (ANOVA; Searle, Casella & McCulloch, Variance Components, 1992, ch. 3),
/// for N runs on k occasions of n_i runs each:
///
///   MSE = sum (x_ij - x_i)^2 / (N - k)          MSO = sum n_i (x_i - x)^2 / (k - 1)
///   n0 = (N - sum n_i^2 / N) / (k - 1)          var e = MSE,  var o = max(0, (MSO - MSE) / n0)
///
/// On the log scale where all values are above zero: the SD is then a ratio.
///
/// GPUs of one model differ too (three H200s by 0.8 %), and a program that is judged on one GPU
/// does not scatter by that. Within one GPU, occasions vary about the mean of their own GPU (the
/// nested design; Searle et al., ch. 3.6): with a GPUs, N_g the runs of one of them,
///
///   MSO = sum n_i (x_i - x_g)^2 / (k - a)       n0 = (N - sum_g sum_i n_i^2 / N_g) / (k - a)
///
/// which is the above where a = 1. With one occasion a GPU var o cannot be told from the GPU's
/// part; the SD is then the part within occasions: less than the truth, never more.
#pragma once

#include <span>
#include <vector>

#include "gates/store_level.h"
#include "runner/model/comparison.h"

namespace perfgate::gates {

/// Below this the spread between occasions is hardly known.
inline constexpr int kLeastOccasions = 3;

struct RunNoise {
  Scale scale = Scale::log;
  int runs = 0;
  int occasions = 0;
  int gpus = 0;
  double level = 0.0;             ///< mean over all runs, in the metric's unit
  double within_variance = 0.0;   ///< from run to run within an occasion, on the scale
  double between_variance = 0.0;  ///< of the occasions; 0 where it cannot be seen
  double sd = 0.0;                ///< of one run on an occasion to come, on the scale
};

/// `occasions`: the finite values of each; occasions without a value do not count. Linear scale
/// where a value is zero or below.
[[nodiscard]] RunNoise run_noise(std::span<const std::vector<double>> occasions);
/// The same within one GPU. Occasions on an unknown one do not count.
[[nodiscard]] RunNoise run_noise_on_one_gpu(std::span<const AaOccasion> occasions);

/// The margin that a gate with `margin: auto` has on top of this noise (two_bound.h); 0 on the
/// linear scale around a level of zero, where a ratio means nothing.
[[nodiscard]] double auto_margin_ratio(const RunNoise& noise);

}  // namespace perfgate::gates
