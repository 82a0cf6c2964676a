// The screen in pairs gives the error rates of the schedule that it was designed from: looks at 5,
// 8 and 12 pairs, margin 1 %, tolerance 3 %, AR(0.9) drift of 1 % added to every process (40,000
// repetitions there).
#include "gates/looks.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gates/pairs.h"
#include "runner/model/median.h"
#include "tests/support/noise_shapes.h"

namespace perfgate::bench {
namespace {

using testing::NoiseChain;
using testing::NoiseShape;
using testing::Random;

constexpr int kDraws = 1500;
constexpr std::size_t kPairs = 12;

struct Arms {
  std::vector<double> base;
  std::vector<double> head;
};

Arms drawn(double cv, double change, Random& random) {
  NoiseChain chain(NoiseShape::drift, cv, random);
  Arms arms;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const double first = std::exp(chain.next(random));
    const double second = std::exp(chain.next(random));
    arms.base.push_back(pair % 2 == 0 ? first : second);
    arms.head.push_back((1.0 + change) * (pair % 2 == 0 ? second : first));
  }
  return arms;
}

MetricValue value_of(const std::vector<double>& samples, int count) {
  MetricValue value;
  value.id = "step_time_p50";
  value.unit = "ms";
  value.samples.assign(samples.begin(), samples.begin() + count);
  value.value = median(value.samples);
  return value;
}

Outcome screened(const WorkloadSpec& spec, const Arms& arms) {
  gates::GateOutput output;
  const std::vector<int>& looks = spec.timing.processes;
  for (int next = looks.front(); next > 0;) {
    const std::vector<MetricValue> base{value_of(arms.base, next)};
    const std::vector<MetricValue> head{value_of(arms.head, next)};
    const CaptureVerdict valid{.validity = Validity::valid, .reasons = {}};
    output = gates::screen_pairs({.spec = spec,
                                  .base = {.metrics = base, .capture = valid},
                                  .head = {.metrics = head, .capture = valid}});
    next = gates::next_look(output, looks, next, false).processes;
  }
  return output.comparisons.front().outcome;
}

struct Row {
  double cv, change, beyond, pass;
};

TEST(Looks, InPairsErrAsTheirTableSays) {
  WorkloadSpec spec;
  GateSpec gate;
  gate.metric = "step_time_p50";
  gate.margin_ratio = 0.01;
  gate.tolerance_ratio = 0.03;
  spec.gates.push_back(gate);
  for (const Row& row :
       {Row{.005, 0, 0, 1.0}, Row{.005, .02, .65, .34}, Row{.005, .03, .999, .001},
        Row{.01, 0, .0002, .9997}, Row{.01, .02, .41, .36}, Row{.01, .03, .955, .014},
        Row{.01, .05, 1.0, 0}, Row{.02, 0, .003, .83}, Row{.02, .02, .15, .15},
        Row{.02, .03, .48, .024}, Row{.02, .05, .97, 0}, Row{.02, .10, 1.0, 0}}) {
    int beyond = 0;
    int pass = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Random random(testing::mixed_seed(6, i));
      const Outcome outcome = screened(spec, drawn(row.cv, row.change, random));
      beyond += outcome == Outcome::suspected ? 1 : 0;
      pass += outcome == Outcome::pass ? 1 : 0;
    }
    const auto near = [&](int count, double published) {
      const double p = std::clamp(published, 0.002, 0.998);
      EXPECT_NEAR(count / static_cast<double>(kDraws), published,
                  4.0 * std::sqrt(p * (1.0 - p) / kDraws) + 0.005)
          << "CV " << row.cv << ", change " << row.change;
    };
    near(beyond, row.beyond);
    near(pass, row.pass);
  }
}

}  // namespace
}  // namespace perfgate::bench
