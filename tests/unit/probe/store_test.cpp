#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "runner/probe/activity_buffers.h"
#include "runner/probe/graph_nodes.h"
#include "runner/probe/nvtx_ranges.h"

namespace perfgate::probe {
namespace {

TEST(GraphNodes, ACloneInheritsKindAndPathAndBelongsToTheExecutableGraph) {
  GraphNodeStore store;
  store.created(1, 10, GraphNodeKind::copy, "step/layer 3");
  store.created(100, 77, GraphNodeKind::kernel, "");
  store.cloned(100, 1, 77, GraphNodeKind::kernel);
  store.created(101, 77, GraphNodeKind::kernel, "");  // the driver's own
  store.instantiated(77);
  const auto taken = store.take_unreported();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].node, 100U);
  EXPECT_EQ(taken[0].original, 1U);
  EXPECT_EQ(taken[0].graph, 77U);
  EXPECT_EQ(taken[0].kind, GraphNodeKind::copy);
  EXPECT_EQ(store.path_text(taken[0].path), "step/layer 3");
  EXPECT_TRUE(store.take_unreported().empty());
}

TEST(GraphNodes, ACreationReportedAfterTheCloneDoesNotHideItsOrigin) {
  GraphNodeStore store;
  store.created(1, 10, GraphNodeKind::kernel, "a");
  store.cloned(100, 1, 11, GraphNodeKind::kernel);
  store.created(100, 11, GraphNodeKind::kernel, "");
  const auto taken = store.take_unreported();
  const auto clone =
      std::find_if(taken.begin(), taken.end(), [](const auto& n) { return n.node == 100; });
  ASSERT_NE(clone, taken.end());
  EXPECT_EQ(clone->original, 1U);
  EXPECT_EQ(store.path_text(clone->path), "a");
}

TEST(GraphNodes, DestroyedNodesLeaveMemoryButNotAnOpenWindow) {
  GraphNodeStore store;
  store.created(1, 10, GraphNodeKind::kernel, "");
  store.destroyed(1);
  EXPECT_EQ(store.size(), 0U);
  EXPECT_TRUE(store.take_unreported().empty());
  store.keep_destroyed(true);
  store.created(2, 10, GraphNodeKind::kernel, "");
  store.destroyed(2);
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.take_unreported().size(), 1U);
}

TEST(BufferPool, HandsOutAlignedBuffersAndTakesThemBack) {
  BufferPool pool(1, 2);
  std::size_t bytes = 0;
  std::uint8_t* first = pool.take(&bytes);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(bytes, BufferPool::kBufferBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 8, 0U);
  EXPECT_TRUE(pool.held_with_records().empty()) << "nothing was written yet";
  first[0] = 1;
  EXPECT_EQ(pool.held_with_records().size(), 1U);
  const ActivityBuffer done = pool.completed(first, 100);
  EXPECT_EQ(done.valid_bytes, 100U);
  EXPECT_FALSE(done.discard);
  EXPECT_EQ(pool.held_with_records().size(), 1U) << "nobody has read it yet";
  pool.release(done);
  EXPECT_TRUE(pool.held_with_records().empty());
  EXPECT_EQ(pool.take(&bytes), first);
}

TEST(BufferPool, BeyondTheLimitGivesSmallOnesAndAtLastSomeThatAreDiscarded) {
  BufferPool pool(1, 1, 1);
  std::size_t bytes = 0;
  ASSERT_NE(pool.take(&bytes), nullptr);
  std::uint8_t* small = pool.take(&bytes);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(bytes, BufferPool::kSmallBytes);
  std::uint8_t* last = pool.take(&bytes);
  EXPECT_EQ(bytes, BufferPool::kSmallBytes);
  EXPECT_TRUE(pool.completed(last, 64).discard);
  const ActivityBuffer done = pool.completed(small, 64);
  EXPECT_FALSE(done.discard);
  pool.release(done);
  EXPECT_EQ(pool.completed(small, 64).data, nullptr) << "its memory is given back";
}

TEST(RangeStore, RangesOfEndedThreadsAreKeptAndCounted) {
  RangeStore store({}, std::nullopt);
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      store.push(0, "work");
      store.pop(0);
    }).join();
  }
  EXPECT_EQ(store.collect().size(), 3U);
  EXPECT_TRUE(store.collect().empty());
  const auto seen = store.seen(10);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].name, "work");
  EXPECT_EQ(seen[0].count, 3U);
}

TEST(RangeStore, HandlesThatWereNeverGivenOutAreNamelessNotFollowed) {
  RangeStore store({}, std::nullopt);
  EXPECT_EQ(store.registered(0), "");
  EXPECT_EQ(store.registered(UINT64_MAX), "");
  const std::uint64_t handle = store.register_string("name");
  EXPECT_EQ(store.registered(handle), "name");
}

TEST(RangeStore, TheSameDomainNameGivesTheSameDomain) {
  RangeStore store({}, std::nullopt);
  EXPECT_EQ(store.domain("a"), store.domain("a"));
  EXPECT_NE(store.domain("a"), store.domain("b"));
  EXPECT_EQ(store.domain(""), 0U);
}

TEST(RangeStore, ARunawayStackIsBoundedAndStillBalanced) {
  RangeStore store({}, std::nullopt);
  store.push(0, "outermost");
  for (std::size_t i = 0; i < RangeStore::kMaxDepth + 100; ++i) store.push(0, "deeper");
  for (std::size_t i = 0; i < RangeStore::kMaxDepth + 100; ++i) store.pop(0);
  store.pop(0);
  EXPECT_EQ(store.collect().size(), RangeStore::kMaxDepth);
  EXPECT_TRUE(store.open_ranges().empty());
}

TEST(RangeStore, ARangeMayEndOnAnotherThread) {
  RangeStore store({}, std::nullopt);
  const RangeStart started = store.start(0, "request");
  EXPECT_NE(started.id, 0U);
  std::thread([&] { store.end(started.id); }).join();
  const auto ranges = store.collect();
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_FALSE(ranges[0].is_push_pop);
  EXPECT_EQ(ranges[0].thread, current_thread_id());
}

TEST(RangeStore, TheOpenPathJoinsTheRangesOfTheThread) {
  RangeStore store({}, std::nullopt);
  EXPECT_EQ(store.open_path(), "");
  store.push(0, "step");
  store.push(0, "layer 1");
  EXPECT_EQ(store.open_path(), "step/layer 1");
}

}  // namespace
}  // namespace perfgate::probe
