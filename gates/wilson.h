/// The interval of a share that was counted: 3 of 70. Pure.
#pragma once

namespace perfgate::gates {

struct Share {
  double share = 0.0;
  double low = 0.0;
  double high = 1.0;
};

/// Wilson's score interval (1927) at `confidence`, two-sided; it stays inside 0 to 1 and is honest
/// for none and for all of a few. No trials: nothing is known, 0 to 1. Preconditions: 0 <= hits <=
/// trials, 0 < confidence < 1. The trials are taken to be independent.
[[nodiscard]] Share wilson_interval(int hits, int trials, double confidence = 0.95);

}  // namespace perfgate::gates
