#include <utility>

#include <re2/re2.h>

#include "runner/analysis/metrics/metrics.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis::metrics {
namespace {

/// The median of the group medians, each counted as often as its kernel was called: exact for one
/// kernel and shape, and within the middle group's own spread for several.
double typical_us(std::vector<Weighted> groups) {
  return static_cast<double>(weighted_median(std::move(groups))) / 1e3;
}

}  // namespace

Samples kernel_us(const MetricInput& input, std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 expression(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!expression.ok()) {
    return Error{.code = ErrorCode::invalid_config,
                 .message = "kernel_us/" + std::string(pattern) +
                            ": not a regular expression: " + expression.error(),
                 .hint = "write it in RE2 syntax; it is searched in the normalised kernel name",
                 .context = {}};
  }
  MetricSamples result;
  for (const TracedProcess& process : input.analysis.traced) {
    std::vector<Weighted> groups;
    for (const DeviceWindow& device : process.devices) {
      for (const KernelStat& kernel : device.kernels) {
        if (RE2::PartialMatch(kernel.name, expression))
          groups.push_back({kernel.median_ns, kernel.calls});
      }
    }
    if (!groups.empty()) result.samples.push_back(typical_us(std::move(groups)));
  }
  if (result.samples.empty()) {
    result.missing =
        "no kernel name matches '" + std::string(pattern) + "'; `perfgate kernels` lists the names";
  }
  return result;
}

}  // namespace perfgate::analysis::metrics
