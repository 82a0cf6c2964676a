#include "tests/support/noise_shapes.h"

#include <bit>
#include <cmath>

namespace perfgate::testing {
namespace {

constexpr double kCorrelation = 0.5;
constexpr double kDriftCorrelation = 0.9;
constexpr double kSkew = 0.75;
constexpr double kModeChange = 0.1;
constexpr double kModePart = 0.95;  // the rest of the variance is noise within a mode
constexpr double kSpikeShare = 0.03;
constexpr double kSpikeSds = 8.0;

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

double autoregressive(double before, double correlation, Random& random) {
  return correlation * before + std::sqrt(1.0 - correlation * correlation) * random.normal();
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = splitmix(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double scale = std::sqrt(-2.0 * std::log(square) / square);
  spare_ = y * scale;
  has_spare_ = true;
  return x * scale;
}

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed ^ (stream * 0xD1B54A32D192ED03U);
  (void)splitmix(state);
  return splitmix(state);
}

std::string_view to_string(NoiseShape shape) {
  switch (shape) {
    case NoiseShape::normal: return "normal";
    case NoiseShape::correlated: return "AR(.5)";
    case NoiseShape::drift: return "drift 1 %";
    case NoiseShape::lognormal: return "log-normal";
    case NoiseShape::bimodal: return "bimodal";
    case NoiseShape::spikes: return "spikes";
  }
  return "unknown";
}

NoiseChain::NoiseChain(NoiseShape shape, double sd, Random& random) : shape_(shape), sd_(sd) {
  if (shape == NoiseShape::bimodal) {
    state_ = random.uniform() < 0.5 ? -1.0 : 1.0;
  } else if (shape == NoiseShape::correlated || shape == NoiseShape::drift) {
    state_ = random.normal();
  }
}

void NoiseChain::new_session(Random& random) {
  if (shape_ == NoiseShape::drift) state_ = random.normal();
}

double NoiseChain::standard(Random& random) {
  switch (shape_) {
    case NoiseShape::normal:
    case NoiseShape::drift: return random.normal();
    case NoiseShape::correlated: return state_ = autoregressive(state_, kCorrelation, random);
    case NoiseShape::lognormal: {
      static const double kVariance = std::exp(kSkew * kSkew);
      static const double kMean = std::sqrt(kVariance);
      static const double kSd = kMean * std::sqrt(kVariance - 1.0);
      return (std::exp(kSkew * random.normal()) - kMean) / kSd;
    }
    case NoiseShape::bimodal: {
      static const double kMode = std::sqrt(kModePart);
      static const double kWithin = std::sqrt(1.0 - kModePart);
      if (random.uniform() < kModeChange) state_ = -state_;
      return kMode * state_ + kWithin * random.normal();
    }
    case NoiseShape::spikes:
      return random.normal() + (random.uniform() < kSpikeShare ? kSpikeSds : 0.0);
  }
  return 0.0;
}

double NoiseChain::next(Random& random) {
  const double value = sd_ * standard(random);
  if (shape_ != NoiseShape::drift) return value;
  state_ = autoregressive(state_, kDriftCorrelation, random);
  return value + kDriftSd * state_;
}

}  // namespace perfgate::testing
