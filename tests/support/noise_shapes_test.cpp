#include "tests/support/noise_shapes.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace perfgate::testing {
namespace {

struct Moments {
  double mean = 0.0;
  double sd = 0.0;
  double lag = 0.0;  // correlation of one value with the next
};

Moments moments(NoiseShape shape, double sd) {
  constexpr int kValues = 200'000;
  Random random(7);
  NoiseChain chain(shape, sd, random);
  std::vector<double> values;
  values.reserve(kValues);
  for (int i = 0; i < kValues; ++i) values.push_back(chain.next(random));
  Moments found;
  for (const double value : values) found.mean += value / kValues;
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - found.mean) * (values[i] - found.mean);
    if (i > 0) products += (values[i] - found.mean) * (values[i - 1] - found.mean);
  }
  found.sd = std::sqrt(squares / kValues);
  found.lag = products / squares;
  return found;
}

TEST(NoiseShapes, HaveTheSpreadAndTheCorrelationThatTheirNamesSay) {
  for (const NoiseShape shape :
       {NoiseShape::normal, NoiseShape::correlated, NoiseShape::lognormal, NoiseShape::bimodal}) {
    const Moments found = moments(shape, 0.01);
    EXPECT_NEAR(found.mean, 0.0, 0.0003) << to_string(shape);
    EXPECT_NEAR(found.sd, 0.01, 0.0003) << to_string(shape);
  }
  EXPECT_NEAR(moments(NoiseShape::normal, 0.01).lag, 0.0, 0.01);
  EXPECT_NEAR(moments(NoiseShape::correlated, 0.01).lag, 0.5, 0.01);
  EXPECT_NEAR(moments(NoiseShape::bimodal, 0.01).lag, 0.95 * 0.8, 0.02);
}

TEST(NoiseShapes, DriftAndSpikesComeOnTopOfTheSpread) {
  const Moments drift = moments(NoiseShape::drift, 0.01);
  EXPECT_NEAR(drift.sd, 0.01 * std::sqrt(2.0), 0.0003);
  EXPECT_NEAR(drift.lag, 0.45, 0.02);
  const Moments spikes = moments(NoiseShape::spikes, 0.01);
  EXPECT_NEAR(spikes.mean, 0.01 * 0.24, 0.0003);
  EXPECT_GT(spikes.sd, 0.015);
}

TEST(NoiseShapes, TheSameSeedGivesTheSameValuesEverywhere) {
  Random random(42);
  EXPECT_EQ(random.next(), 15021278609987233951U);
  EXPECT_NE(mixed_seed(1, 2), mixed_seed(2, 1));
  EXPECT_EQ(mixed_seed(1, 2), mixed_seed(1, 2));
}

}  // namespace
}  // namespace perfgate::testing
