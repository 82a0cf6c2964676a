#include "runner/probe/record_parse.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/probe/api_table.h"
#include "runner/probe/arrival.h"

namespace perfgate::probe {
namespace {

class TableInterner : public Interner {
 public:
  StringId intern(std::string_view text) override {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i] == text) return static_cast<StringId>(i);
    }
    texts.emplace_back(text);
    return static_cast<StringId>(texts.size() - 1);
  }
  std::vector<std::string> texts{""};
};

struct Parsed {
  ParseOutcome outcome = ParseOutcome::ignored;
  ParsedBatch batch;
  TableInterner interner;
};

template <typename Record>
Parsed parse(const Record& record, std::uint32_t version = 130001,
             std::size_t available = sizeof(Record)) {
  Parsed parsed;
  parsed.outcome = parse_record(reinterpret_cast<const CUpti_Activity*>(&record), available,
                                version, parsed.interner, parsed.batch);
  return parsed;
}

template <typename Kernel>
Kernel some_kernel() {
  Kernel kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = 1000;
  kernel.end = 1900;
  kernel.deviceId = 1;
  kernel.contextId = 2;
  kernel.streamId = 3;
  kernel.correlationId = 4;
  kernel.gridX = 5;
  kernel.gridY = 6;
  kernel.gridZ = 7;
  kernel.blockX = 8;
  kernel.blockY = 9;
  kernel.blockZ = 10;
  kernel.clusterX = 11;
  kernel.clusterY = 12;
  kernel.clusterZ = 13;
  kernel.registersPerThread = 64;
  kernel.staticSharedMemory = 100;
  kernel.dynamicSharedMemory = 200;
  kernel.graphNodeId = 0x500000001;
  kernel.graphId = 15;
  kernel.name = "_Z6kernelv";
  return kernel;
}

void expect_some_kernel(const Parsed& parsed) {
  ASSERT_EQ(parsed.outcome, ParseOutcome::kept);
  ASSERT_EQ(parsed.batch.kernels.size(), 1U);
  const KernelRecord& kernel = parsed.batch.kernels[0];
  EXPECT_EQ(kernel.start_ns, 1000);
  EXPECT_EQ(kernel.end_ns, 1900);
  EXPECT_EQ(kernel.device, 1U);
  EXPECT_EQ(kernel.context, 2U);
  EXPECT_EQ(kernel.stream, 3U);
  EXPECT_EQ(kernel.correlation, 4U);
  EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{5, 6, 7}));
  EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{8, 9, 10}));
  EXPECT_EQ(kernel.cluster, (std::array<std::uint32_t, 3>{11, 12, 13}));
  EXPECT_EQ(kernel.registers_per_thread, 64U);
  EXPECT_EQ(kernel.static_shared_bytes, 100U);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 200U);
  EXPECT_EQ(kernel.graph_node, 0x500000001U);
  EXPECT_EQ(kernel.graph, 15U);
  EXPECT_EQ(parsed.interner.texts.at(kernel.name), "_Z6kernelv");
}

TEST(RecordParse, ReadsAKernelOfCuda12) {
  expect_some_kernel(parse(some_kernel<CUpti_ActivityKernel9>(), 24));
}

TEST(RecordParse, ReadsAKernelOfCuda13) {
  expect_some_kernel(parse(some_kernel<CUpti_ActivityKernel10>()));
}

TEST(RecordParse, ReadsAKernelOfALaterCudaThatAppendsFields) {
  struct Longer {
    CUpti_ActivityKernel10 known;
    std::uint64_t appended[4];
  };
  Longer longer{some_kernel<CUpti_ActivityKernel10>(), {1, 2, 3, 4}};
  expect_some_kernel(parse(longer, 130400));
}

TEST(RecordParse, ARecordWithoutTimesIsLostAndRemembersItsLaunch) {
  auto kernel = some_kernel<CUpti_ActivityKernel10>();
  kernel.end = 0;
  const Parsed parsed = parse(kernel);
  EXPECT_EQ(parsed.outcome, ParseOutcome::lost);
  EXPECT_TRUE(parsed.batch.kernels.empty());
  EXPECT_EQ(parsed.batch.lost, std::vector<std::uint32_t>{4});
}

TEST(RecordParse, ARecordCutByTheEndOfTheBufferIsNotRead) {
  const auto kernel = some_kernel<CUpti_ActivityKernel9>();
  for (std::size_t available = 0; available < 180; available += 4) {
    EXPECT_EQ(parse(kernel, 24, available).outcome, ParseOutcome::cut) << available;
  }
}

TEST(RecordParse, AKernelWithoutANameGetsTheEmptyOne) {
  auto kernel = some_kernel<CUpti_ActivityKernel10>();
  kernel.name = nullptr;
  EXPECT_EQ(parse(kernel).batch.kernels.at(0).name, 0U);
}

template <typename Copy>
void expect_copy_is_read(std::uint32_t version) {
  Copy copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.bytes = 4096;
  copy.start = 10;
  copy.end = 20;
  copy.streamId = 7;
  copy.correlationId = 9;
  copy.graphNodeId = 33;
  copy.graphId = 2;
  const Parsed parsed = parse(copy, version);
  ASSERT_EQ(parsed.batch.copies.size(), 1U);
  EXPECT_EQ(parsed.batch.copies[0].bytes, 4096U);
  EXPECT_EQ(parsed.batch.copies[0].kind, CopyKind::device_to_host);
  EXPECT_EQ(parsed.batch.copies[0].graph_node, 33U);
  EXPECT_EQ(parsed.batch.copies[0].correlation, 9U);
  EXPECT_EQ(parsed.batch.copies[0].stream, 7U);
}

TEST(RecordParse, ReadsCopiesOfBothLayouts) {
  expect_copy_is_read<CUpti_ActivityMemcpy5>(22);
  expect_copy_is_read<CUpti_ActivityMemcpy6>(130001);
}

TEST(RecordParse, ReadsPeerCopiesWhoseNodeLiesElsewhere) {
  CUpti_ActivityMemcpyPtoP4 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  copy.bytes = 64;
  copy.start = 10;
  copy.end = 20;
  copy.graphNodeId = 44;
  const Parsed parsed = parse(copy);
  ASSERT_EQ(parsed.batch.copies.size(), 1U);
  EXPECT_EQ(parsed.batch.copies[0].kind, CopyKind::peer_to_peer);
  EXPECT_EQ(parsed.batch.copies[0].graph_node, 44U);
}

TEST(RecordParse, ReadsMemsets) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.bytes = 512;
  record.start = 1;
  record.end = 2;
  record.graphId = 8;
  const Parsed parsed = parse(record);
  ASSERT_EQ(parsed.batch.memsets.size(), 1U);
  EXPECT_EQ(parsed.batch.memsets[0].bytes, 512U);
  EXPECT_EQ(parsed.batch.memsets[0].graph, 8U);
}

TEST(RecordParse, NamesAndClassesApiCallsAndLeavesOutTheOthers) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000;
  call.start = 5;
  call.end = 6;
  call.threadId = 1234;
  call.correlationId = 77;
  call.returnValue = 2;
  const Parsed launch = parse(call);
  ASSERT_EQ(launch.batch.api_calls.size(), 1U);
  EXPECT_EQ(launch.interner.texts.at(launch.batch.api_calls[0].name), "__cudaLaunchKernel");
  EXPECT_EQ(launch.batch.api_calls[0].api_class, ApiClass::kernel_launch);
  EXPECT_EQ(launch.batch.api_calls[0].thread, 1234U);
  EXPECT_EQ(launch.batch.api_calls[0].result, 2);
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  call.cbid = CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent;
  EXPECT_EQ(parse(call).outcome, ParseOutcome::ignored);
}

template <typename Overhead>
void expect_overhead_is_read(std::uint32_t version) {
  Overhead overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.threadId = 88;
  overhead.start = 3;
  overhead.end = 9;
  const Parsed parsed = parse(overhead, version);
  ASSERT_EQ(parsed.batch.overheads.size(), 1U);
  EXPECT_EQ(parsed.interner.texts.at(parsed.batch.overheads[0].kind), "buffer flush");
  EXPECT_EQ(parsed.batch.overheads[0].thread, 88U);
  EXPECT_EQ(parsed.batch.overheads[0].end_ns, 9);
}

TEST(RecordParse, ReadsOverheadsOfAllThreeLayouts) {
  expect_overhead_is_read<CUpti_ActivityOverhead>(20);
  expect_overhead_is_read<CUpti_ActivityOverhead2>(21);
  expect_overhead_is_read<CUpti_ActivityOverhead3>(22);
}

TEST(RecordParse, TakesOverheadDetailsOnlyWhereTheLayoutHasThem) {
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  overhead.start = 3;
  overhead.end = 9;
  int details = 0;
  overhead.overheadData = &details;
  EXPECT_EQ(parse(overhead, 22).batch.owned, std::vector<void*>{&details});
  EXPECT_TRUE(parse(overhead, 21).batch.owned.empty());
}

TEST(RecordParse, IgnoresKindsThatWereNotAskedFor) {
  CUpti_ActivityMarker2 marker{};
  marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
  EXPECT_EQ(parse(marker).outcome, ParseOutcome::ignored);
}

TEST(ApiTable, IsSortedByIdSoThatLookUpsFindEveryEntry) {
  for (const ApiEntry& entry : runtime_calls())
    EXPECT_EQ(find_runtime_call(entry.id), &entry) << entry.name;
  for (const ApiEntry& entry : driver_calls())
    EXPECT_EQ(find_driver_call(entry.id), &entry) << entry.name;
  EXPECT_EQ(find_runtime_call(0), nullptr);
  EXPECT_EQ(find_driver_call(100000), nullptr);
}

TEST(ApiTable, HoldsEveryFormOfALaunchWithItsClass) {
  for (const std::uint32_t id : {211U, 214U, 430U, 431U, 269U, 270U, 505U, 506U}) {
    ASSERT_NE(find_runtime_call(id), nullptr) << id;
    EXPECT_EQ(find_runtime_call(id)->api_class, ApiClass::kernel_launch) << id;
  }
  for (const std::uint32_t id : {307U, 442U, 652U, 653U, 477U, 478U}) {
    ASSERT_NE(find_driver_call(id), nullptr) << id;
    EXPECT_EQ(find_driver_call(id)->api_class, ApiClass::kernel_launch) << id;
  }
  for (const std::uint32_t id : {311U, 312U}) {
    EXPECT_EQ(find_runtime_call(id)->api_class, ApiClass::graph_launch);
  }
  for (const std::uint32_t id : {514U, 515U}) {
    EXPECT_EQ(find_driver_call(id)->api_class, ApiClass::graph_launch);
  }
}

TEST(ApiTable, ClassesCoverWhatAGapIsExplainedBy) {
  const auto driver = [](std::uint32_t id) { return find_driver_call(id)->api_class; };
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize), ApiClass::synchronise);
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2), ApiClass::copy);
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async), ApiClass::memset);
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync), ApiClass::allocation);
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData), ApiClass::module_load);
  EXPECT_EQ(driver(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags), ApiClass::graph_build);
}

TEST(ApiTable, PlainNamesHaveNoVersionAndNoStreamForm) {
  EXPECT_EQ(plain_api_name("cudaGraphLaunch_v10000"), "cudaGraphLaunch");
  EXPECT_EQ(plain_api_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_api_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
  EXPECT_EQ(plain_api_name("cuLaunchKernel"), "cuLaunchKernel");
}

ApiRecord launch_at(std::int64_t start_ns, std::uint32_t correlation) {
  ApiRecord call;
  call.start_ns = start_ns;
  call.correlation = correlation;
  call.api_class = ApiClass::kernel_launch;
  return call;
}

KernelRecord kernel_of(std::uint32_t correlation, std::uint32_t stream) {
  KernelRecord kernel;
  kernel.correlation = correlation;
  kernel.stream = stream;
  return kernel;
}

TEST(Arrival, IsCompleteOnceEveryStreamOfTheWindowDeliveredLaterWork) {
  ArrivalTracker tracker;
  ParsedBatch batch;
  batch.api_calls = {launch_at(10, 1), launch_at(20, 2), launch_at(110, 3), launch_at(120, 4)};
  batch.kernels = {kernel_of(1, 7), kernel_of(2, 8), kernel_of(3, 7)};
  tracker.add(batch);
  EXPECT_FALSE(tracker.all_arrived(100));
  batch.clear();
  batch.kernels = {kernel_of(4, 8)};
  tracker.add(batch);
  EXPECT_TRUE(tracker.all_arrived(100));
}

TEST(Arrival, IsNotCompleteBeforeALaterLaunchWasSeen) {
  ArrivalTracker tracker;
  ParsedBatch batch;
  batch.api_calls = {launch_at(10, 1)};
  batch.kernels = {kernel_of(1, 7)};
  tracker.add(batch);
  EXPECT_FALSE(tracker.all_arrived(100));
}

TEST(Arrival, OnlyLostRecordsOfTheWindowCount) {
  ArrivalTracker tracker;
  ParsedBatch batch;
  batch.api_calls = {launch_at(10, 1), launch_at(20, 2), launch_at(110, 3)};
  batch.lost = {2, 3};
  tracker.add(batch);
  EXPECT_EQ(tracker.lost_in_window(100), 1U);
  EXPECT_EQ(tracker.lost_in_window(0), 2U);
}

ApiRecord call_of(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t correlation) {
  ApiRecord call = launch_at(start_ns, correlation);
  call.end_ns = end_ns;
  call.thread = 1;
  return call;
}

TEST(Arrival, ARuntimeCallAndTheDriverCallInsideItAreOneLaunch) {
  ParsedBatch batch;
  // Records come as calls end: the driver's first. The kernel has the id of one of the two.
  batch.api_calls = {call_of(11, 14, 2), call_of(10, 15, 1), call_of(21, 24, 4),
                     call_of(20, 25, 3)};
  batch.kernels = {kernel_of(1, 7), kernel_of(4, 7)};
  ArrivalTracker whole;
  whole.add(batch);
  EXPECT_EQ(whole.missing_before(100), 0U);
  batch.kernels = {kernel_of(1, 7)};
  ArrivalTracker cut;
  cut.add(batch);
  EXPECT_EQ(cut.missing_before(100), 1U) << "two calls without a record, one launch";
}

TEST(Arrival, CallsOfTwoThreadsOrOneAfterTheOtherAreTwoLaunches) {
  ParsedBatch batch;
  batch.api_calls = {call_of(10, 15, 1), call_of(11, 14, 2), call_of(15, 16, 3)};
  batch.api_calls[1].thread = 2;
  ArrivalTracker tracker;
  tracker.add(batch);
  EXPECT_EQ(tracker.missing_before(100), 3U);
  EXPECT_EQ(tracker.missing_before(15), 2U) << "the third began when the window was closed";
}

TEST(Arrival, AFailedLaunchOwesNoRecord) {
  ParsedBatch batch;
  batch.api_calls = {call_of(10, 15, 1), call_of(11, 14, 2)};
  batch.api_calls[1].result = 1;
  ArrivalTracker tracker;
  tracker.add(batch);
  EXPECT_EQ(tracker.missing_before(100), 0U);
}

}  // namespace
}  // namespace perfgate::probe
