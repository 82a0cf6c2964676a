#include "gates/gpu_spread.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gates/noise.h"

namespace perfgate::gates {
namespace {

/// The runs of each GPU as a store of their own.
std::map<std::string, BaselineSeries> by_gpu(const BaselineSeries& series,
                                             const std::string& head_instance) {
  std::map<std::string, BaselineSeries> gpus;
  for (const BaselinePoint& point : series.points) {
    BaselineSeries& of_gpu = gpus[point.instance];
    of_gpu.points.push_back(point);
    of_gpu.calibrated_sd_ratio = series.calibrated_sd_ratio;
    of_gpu.aa_occasions = series.aa_occasions;
  }
  if (gpus.size() > 1) gpus.erase("");
  const auto own = gpus.find(head_instance);
  if (own != gpus.end() && own->second.points.size() >= kRunsToFail) {
    std::erase_if(gpus, [&](const auto& gpu) { return gpu.first != head_instance; });
  }
  return gpus;
}

}  // namespace

RunSpread calibrated_spread(const BaselineSeries& series, Scale scale, Gpus gpus) {
  if (!series.calibrated_sd_ratio || scale != Scale::log) return {};
  const RunSpread total{*series.calibrated_sd_ratio, kCalibrationDegrees};
  if (gpus == Gpus::several) return total;
  const RunNoise noise = run_noise_on_one_gpu(series.aa_occasions);
  // Values of zero have no ratio, and an occasion of one run each shows nothing within itself.
  if (noise.scale != Scale::log || noise.runs - noise.gpus < kLeastSpreadDegrees) return total;
  return {.sd = noise.sd,
          .degrees = std::min<double>(noise.occasions - noise.gpus, kCalibrationDegrees)};
}

RunSpread spread_on_one_gpu(const BaselineSeries& series, const std::string& head_instance,
                            Scale scale, double margin_ratio) {
  double squares = 0.0;
  RunSpread seen;
  for (const auto& [gpu, runs] : by_gpu(series, head_instance)) {
    const auto level = store_level(runs, gpu, scale, margin_ratio);
    if (!level) continue;
    const double degrees = level->runs - 1.0;
    squares += level->seen_sd * level->seen_sd * degrees;
    seen.degrees += degrees;
  }
  if (seen.degrees > 0.0) seen.sd = std::sqrt(squares / seen.degrees);
  const RunSpread calibrated = calibrated_spread(series, scale, Gpus::one);
  return {.sd = std::max(seen.sd, calibrated.sd),
          .degrees = std::max(seen.degrees, calibrated.degrees)};
}

}  // namespace perfgate::gates
