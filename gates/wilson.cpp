#include "gates/wilson.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>

namespace perfgate::gates {

Share wilson_interval(int hits, int trials, double confidence) {
  if (trials <= 0) return {};
  const double z =
      boost::math::quantile(boost::math::normal_distribution<double>(), 0.5 + confidence / 2.0);
  const double n = trials;
  const double share = hits / n;
  const double squeeze = 1.0 + z * z / n;
  const double middle = (share + z * z / (2.0 * n)) / squeeze;
  const double half = z / squeeze * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
  // Rounding must not leave the ends of what is possible.
  return {.share = share,
          .low = hits == 0 ? 0.0 : std::max(0.0, middle - half),
          .high = hits == trials ? 1.0 : std::min(1.0, middle + half)};
}

}  // namespace perfgate::gates
