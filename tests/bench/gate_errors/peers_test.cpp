// The re-implemented rules give the error rates that were measured for them before, and perfgate's
// schedule of looks those of its table: 4,000 draws, fixed seeds, four standard errors either way.
#include "tests/bench/gate_errors/peers.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "gates/statistics.h"
#include "tests/bench/gate_errors/otava.h"

namespace perfgate::bench {
namespace {

using testing::NoiseChain;
using testing::NoiseShape;
using testing::Random;

constexpr int kDraws = 4000;
constexpr double kWithinCv = 0.005;

double rate(const std::function<bool(Random&)>& draw, std::uint64_t seed) {
  int count = 0;
  for (int i = 0; i < kDraws; ++i) {
    Random random(testing::mixed_seed(seed, static_cast<std::uint64_t>(i)));
    count += draw(random) ? 1 : 0;
  }
  return static_cast<double>(count) / kDraws;
}

/// Four standard errors of both: the published figure comes out of 4,000 draws too.
void expect_rate(double found, double published, const char* what) {
  const double p = std::max(published, 0.001);
  EXPECT_NEAR(found, published, 4.0 * std::sqrt(2.0 * p * (1.0 - p) / kDraws) + 0.0005) << what;
}

/// Iterations of one process.
std::vector<double> process(double between_cv, std::size_t iterations, Random& random) {
  const double level = 1.0 + between_cv * random.normal();
  std::vector<double> values;
  for (std::size_t i = 0; i < iterations; ++i) {
    values.push_back(level * (1.0 + kWithinCv * random.normal()));
  }
  return values;
}

std::vector<double> series(std::size_t count, double cv, Random& random) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(1.0 + cv * random.normal());
  return values;
}

TEST(Peers, MannWhitneyHasTheExactDistribution) {
  // Smallest reachable two-sided p values of benchstat's table.
  const std::vector<double> low{1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> high{11, 12, 13, 14, 15, 16, 17};
  const auto p = [&](std::size_t n) {
    return MannWhitney(n, n).p_value(std::span(low).first(n), std::span(high).first(n));
  };
  EXPECT_NEAR(p(4), 0.0286, 0.00005);
  EXPECT_NEAR(p(5), 0.0079, 0.00005);
  EXPECT_NEAR(p(6), 0.0022, 0.00005);
  EXPECT_NEAR(p(7), 0.00058, 0.000005);
}

TEST(Peers, OneProcessPerSideFailsUnchangedCodeHalfOfTheTimeWhereProcessesDiffer) {
  struct Row {
    double between_cv, ten, twenty, nvbench, with_floor;
  };
  const MannWhitney ten(10, 10);
  const MannWhitney twenty(20, 20);
  for (const Row& row :
       {Row{0, .039, .001, 0, 0}, Row{.0025, .25, .18, .19, 0}, Row{.005, .51, .46, .50, 0},
        Row{.01, .73, .70, .73, .001}, Row{.02, .87, .86, .87, .076}}) {
    const auto flagged = [&](std::size_t n, const auto& rule) {
      return rate(
          [&](Random& random) {
            const auto base = process(row.between_cv, n, random);
            return rule(base, process(row.between_cv, n, random)) != Flag::none;
          },
          n);
    };
    expect_rate(flagged(10, [&](auto& base, auto head) { return ten.flags(base, head); }), row.ten,
                "Mann-Whitney, 0.05, ten iterations");
    expect_rate(flagged(20, [&](auto& base, auto head) { return twenty.flags(base, head, 0.002); }),
                row.twenty, "Mann-Whitney, 0.002, twenty iterations");
    expect_rate(
        flagged(10, [&](auto& base, auto head) { return ten.flags(base, head, 0.05, 0.05); }),
        row.with_floor, "Mann-Whitney and 5 %");
    expect_rate(flagged(100, [&](auto& base, auto head) { return nvbench_min_noise(base, head); }),
                row.nvbench, "nvbench");
  }
}

TEST(Peers, AFenceOnTheHistoryErrsAsMeasuredBefore) {
  const double bencher = rate(
      [&](Random& random) {
        const auto history = series(10, 0.01, random);
        return bencher_t(history, 1.0 + 0.01 * random.normal()) != Flag::none;
      },
      1);
  expect_rate(bencher, 0.010, "Bencher");
  const double rustc = rate(
      [&](Random& random) {
        const auto history = series(31, 0.01, random);
        return rustc_fence(history, 1.0 + 0.01 * random.normal()) != Flag::none;
      },
      2);
  expect_rate(rustc, 0.001, "rustc-perf");
}

TEST(Peers, TheBaselineOfTensorRtLlmErrsMoreTheNoisierThePast) {
  struct Row {
    double cv, at_5, at_10;
  };
  for (const Row& row : {Row{.02, .050, 0}, Row{.03, .20, .0055}, Row{.05, .43, .115}}) {
    const auto drops = [&](double limit) {
      return rate(
          [&](Random& random) {
            const auto history = series(90, row.cv, random);
            return tensorrt_p95_drops(history, 1.0 + row.cv * random.normal(), limit);
          },
          3);
    };
    expect_rate(drops(0.05), row.at_5, "5 %");
    expect_rate(drops(0.10), row.at_10, "10 %");
  }
}

TEST(Peers, PerfherderNeedsThreeStandardDeviationsAndTwelveLaterPoints) {
  struct Row {
    double step, found;
  };
  for (const Row& row : {Row{0.0, 0.0}, Row{0.02, 0.24}, Row{0.03, 0.87}}) {
    const double found = rate(
        [&](Random& random) {
          auto values = series(94, 0.01, random);
          for (std::size_t i = 70; i < values.size(); ++i) values[i] += row.step;
          return perfherder_alerts(values, kPerfherderLeastBack);
        },
        4);
    expect_rate(found, row.found, "Perfherder");
  }
}

TEST(Peers, OtavaSeesChangePointsInAHundredEqualPoints) {
  const auto any = [](double max_p) {
    return rate(
        [&](Random& random) {
          return !otava_change_points(series(100, 0.01, random), max_p).empty();
        },
        7);
  };
  expect_rate(any(0.001), 0.056, "as shipped");
  expect_rate(any(0.0001), 0.003, "p 0.0001");
}

TEST(Peers, ClickHouseFindsTenPercentAndNoNoise) {
  const auto found = [&](double ratio) {
    int count = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
      Random random(testing::mixed_seed(5, i));
      const auto base = process(0.01, 10, random);
      auto head = process(0.01, 10, random);
      for (double& value : head) value *= ratio;
      count += clickhouse(base, head, random, 1000) == Flag::slower ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(found(1.0), 0);
  EXPECT_GE(found(1.1), 39);
}

}  // namespace
}  // namespace perfgate::bench
