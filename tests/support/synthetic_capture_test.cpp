// What tests and benchmarks stand on: the synthetic captures keep what they promise.
#include "tests/support/synthetic_capture.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "runner/capture/decoder.h"
#include "tests/unit/capture/sample_capture.h"

namespace perfgate::testing {
namespace {

TEST(SyntheticCapture, SurvivesTheFileUnchanged) {
  for (const bool graph : {false, true}) {
    const Capture capture = synthetic_capture({.graph = graph, .streams = 3, .layer_ranges = true});
    const auto decoded = capture::decode(synthetic_capture_file(capture, 100));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    EXPECT_EQ(capture::dump(decoded.value()), capture::dump(capture));
  }
}

TEST(SyntheticCapture, TheSameOptionsGiveTheSameBytesAndAnotherSeedDoesNot) {
  const auto bytes = synthetic_capture_file(synthetic_capture());
  EXPECT_EQ(bytes, synthetic_capture_file(synthetic_capture()));
  EXPECT_NE(bytes, synthetic_capture_file(synthetic_capture({.seed = 2})));
}

TEST(SyntheticCapture, HasTheCountsThatTheOptionsAskFor) {
  const Capture eager = synthetic_capture({.steps = 5,
                                           .kernels_per_step = 30,
                                           .copies_per_step = 2,
                                           .memsets_per_step = 3,
                                           .graph = false});
  EXPECT_EQ(eager.kernels.size(), 150U);
  EXPECT_EQ(eager.copies.size(), 10U);
  EXPECT_EQ(eager.memsets.size(), 15U);
  EXPECT_EQ(eager.api_calls.size(), 180U);
  EXPECT_EQ(eager.ranges.size(), 5U);
  const Capture graph = synthetic_capture({.steps = 5, .kernels_per_step = 30});
  EXPECT_EQ(graph.api_calls.size(), 10U) << "a graph launch and a wait per step";
  EXPECT_EQ(graph.graph_nodes.size(), 2U * 32U);
}

TEST(SyntheticCapture, NoKernelStartsBeforeItsLaunchAndNoStreamOverlapsItself) {
  for (const bool graph : {false, true}) {
    const Capture capture = synthetic_capture({.graph = graph, .streams = 2});
    std::map<std::uint32_t, std::int64_t> launched_ns;
    for (const ApiRecord& call : capture.api_calls) launched_ns[call.correlation] = call.start_ns;
    std::map<std::uint32_t, std::int64_t> ended_ns;
    for (const KernelRecord& kernel : capture.kernels) {
      ASSERT_TRUE(launched_ns.contains(kernel.correlation));
      EXPECT_GT(kernel.start_ns, launched_ns[kernel.correlation]);
      EXPECT_GT(kernel.end_ns, kernel.start_ns);
      EXPECT_GE(kernel.start_ns, ended_ns[kernel.stream]);
      ended_ns[kernel.stream] = kernel.end_ns;
    }
    EXPECT_EQ(ended_ns.size(), 2U);
  }
}

TEST(SyntheticCapture, EveryGraphLaunchRunsEveryNodeOnce) {
  const Capture capture = synthetic_capture({.steps = 4, .kernels_per_step = 20});
  std::map<std::uint32_t, std::set<std::uint64_t>> nodes;
  for (const KernelRecord& k : capture.kernels) {
    EXPECT_TRUE(nodes[k.correlation].insert(k.graph_node).second);
  }
  for (const CopyRecord& c : capture.copies) nodes[c.correlation].insert(c.graph_node);
  for (const MemsetRecord& m : capture.memsets) nodes[m.correlation].insert(m.graph_node);
  ASSERT_EQ(nodes.size(), 4U);
  for (const auto& [correlation, launched] : nodes) EXPECT_EQ(launched, nodes.begin()->second);
  EXPECT_EQ(nodes.begin()->second.size(), 22U);
}

}  // namespace
}  // namespace perfgate::testing
