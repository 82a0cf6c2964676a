/// Noise as benchmarks have it: offsets on the log scale, value after value in time order. Pure;
/// the same seed gives the same values with every compiler and library.
///
/// Each shape has mean near 0 and SD 1 before it is scaled:
///   normal      independent
///   correlated  AR(1), 0.5 from one value to the next
///   drift       independent, plus AR(1) 0.9 of SD `kDriftSd` (absolute) that starts anew with each
///               session: a machine that wanders while it measures
///   lognormal   independent, skewed to the slow side: exp(0.75 z), standardised
///   bimodal     two modes two SDs apart, each kept for ten values on average, and a little noise
///   spikes      independent, and 3 % of the values are slower by 8 SDs
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace perfgate::testing {

/// xoshiro256++ (Blackman and Vigna, public domain), seeded by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  [[nodiscard]] std::uint64_t next();
  [[nodiscard]] double uniform();  ///< 0 <= u < 1
  [[nodiscard]] double normal();   ///< mean 0, SD 1 (polar method)
  /// 0 <= i < `count`, count > 0; the bias of 2^-64 x count is let be.
  [[nodiscard]] std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// One seed out of several numbers: of a table's cell and a draw in it.
[[nodiscard]] std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t stream);

enum class NoiseShape { normal, correlated, drift, lognormal, bimodal, spikes };
inline constexpr std::array kNoiseShapes{NoiseShape::normal,  NoiseShape::correlated,
                                         NoiseShape::drift,   NoiseShape::lognormal,
                                         NoiseShape::bimodal, NoiseShape::spikes};
[[nodiscard]] std::string_view to_string(NoiseShape shape);

inline constexpr double kDriftSd = 0.01;

/// One source of noise in time order. `Random` is passed in: several chains may share one.
class NoiseChain {
 public:
  /// Starts as if it had run for ever.
  NoiseChain(NoiseShape shape, double sd, Random& random);
  /// What passes between sessions is forgotten (drift) or goes on (modes of a machine).
  void new_session(Random& random);
  [[nodiscard]] double next(Random& random);

 private:
  [[nodiscard]] double standard(Random& random);

  NoiseShape shape_;
  double sd_;
  double state_ = 0.0;  ///< last AR(1) value, or the mode: -1 or 1
};

}  // namespace perfgate::testing
