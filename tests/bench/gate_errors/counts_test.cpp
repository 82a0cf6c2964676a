#include "tests/bench/gate_errors/counts.h"

#include <gtest/gtest.h>

#include "tests/bench/gate_errors/experiments.h"

namespace perfgate::bench {
namespace {

TEST(Counts, AreToldWithTheirInterval) {
  // Newcombe 1998, table I: 81 of 263 and 0 of 20.
  EXPECT_EQ(text({.count = 81, .total = 263}), "30.8 [25.5, 36.6]");
  EXPECT_EQ(text({.count = 0, .total = 20}), "0.0 [0.0, 16.1]");
  EXPECT_EQ(text({.count = 0, .total = 0}), "-");
}

TEST(Counts, CallOpenWhatTheDrawsCannotTell) {
  EXPECT_EQ(answer({.count = 0, .total = 1000}, Bound::at_most, 0.01), "met");
  EXPECT_EQ(answer({.count = 0, .total = 100}, Bound::at_most, 0.01), "open");
  EXPECT_EQ(answer({.count = 50, .total = 1000}, Bound::at_most, 0.01), "**missed**");
  EXPECT_EQ(answer({.count = 990, .total = 1000}, Bound::at_least, 0.95), "met");
}

TEST(Counts, DoNotDependOnTheNumberOfThreads) {
  const Setting setting{.shape = testing::NoiseShape::bimodal, .process_cv = 0.02};
  const auto counted = [&](int threads) {
    const Effort effort{.draws = 4, .threads = threads, .seed = 5};
    const GateCounts store = count_store(setting, 10, Margins::automatic, true, effort);
    const GateCounts session = count_session(setting, Margins::declared, true, effort);
    return std::vector{store.null_pass.count,   store.found[3].count,   store.fail.total,
                       session.null_pass.count, session.found[3].count, session.fail.total};
  };
  EXPECT_EQ(counted(1), counted(3));
  EXPECT_EQ(counted(1).back(), 4);
}

TEST(Counts, ALargeChangeOnQuietProcessesIsFoundInEveryDrawAndNothingElseIs) {
  const Setting quiet{.process_cv = 0.0005, .run_ratio = 0.3};
  const Effort effort{.draws = 5, .threads = 1, .seed = 6};
  for (const GateCounts& counts :
       {count_store(quiet, 10, Margins::declared, true, effort),
        count_session(quiet, Margins::declared, true, effort),
        count_store_then_pairs(quiet, Margins::declared, true, effort)}) {
    EXPECT_EQ(counts.found.back().count, 5);
    EXPECT_EQ(counts.false_beside.back().count, 0);
    EXPECT_EQ(counts.fail.count, 0);
    EXPECT_EQ(counts.null_pass.count, 5 * static_cast<std::int64_t>(kMetrics));
  }
}

}  // namespace
}  // namespace perfgate::bench
