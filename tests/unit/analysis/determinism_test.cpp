// Two analyses of one capture agree to the byte, in whatever order the records arrived.
#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/synthetic_capture.h"
#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

void dump(std::ostringstream& out, const DeviceWindow& device) {
  out << device.uuid << ' ' << device.window_ns << ' ' << device.busy_ns << ' ' << device.steps
      << ' ' << device.operations << ' ' << device.same_stream_overlaps << ' ' << device.steps_from
      << '\n';
  for (const auto ns : device.step_period_ns) out << ns << ' ';
  for (const auto ns : device.step_busy_ns) out << ns << ' ';
  for (const FamilyTime& f : device.families) {
    out << f.family << ' ' << f.wall_ns << ' ' << f.sum_ns << ' ' << f.count << '\n';
    for (const auto& [detail, ns] : f.detail_wall_ns) out << "  " << detail << ' ' << ns << '\n';
  }
  for (const IdleTime& i : device.idle) {
    out << to_string(i.cause) << ' ' << i.total_ns << ' ' << i.pieces << ' ' << i.median_ns << '\n';
  }
  for (const GapSite& g : device.gap_sites) {
    out << to_string(g.cause) << g.before << g.after << g.host_range << g.total_ns << ' ' << g.count
        << '\n';
  }
  for (const KernelStat& k : device.kernels) {
    out << k.name << k.family << k.calls << ' ' << k.total_ns << ' ' << k.median_ns << ' '
        << k.min_ns << ' ' << k.max_ns << ' ' << k.grid[0] << ' ' << k.block[0] << '\n';
  }
  for (const RangeStat& r : device.ranges) {
    out << r.path << r.instances << ' ' << r.gpu_wall_ns << ' ' << r.operations << r.by_time
        << '\n';
  }
}

std::string dump(const Analysis& analysis) {
  std::ostringstream out;
  out << analysis.rules_hash << ' ' << to_string(analysis.capture.validity) << '\n';
  for (const std::string& reason : analysis.capture.reasons) out << reason << '\n';
  for (const TracedProcess& process : analysis.traced) {
    out << process.records << ' ' << process.kernel_launches << ' ' << process.api_launches << ' '
        << process.graph_launches << ' ' << process.copies << ' ' << process.traced_step_ms << '\n';
    for (const DeviceWindow& device : process.devices) dump(out, device);
  }
  return out.str();
}

TEST(Determinism, TwoAnalysesAgreeToTheByteInAnyOrderOfRecords) {
  for (const bool graph : {false, true}) {
    perfgate::testing::SyntheticCaptureOptions options;
    options.graph = graph;
    options.streams = 2;
    options.layer_ranges = !graph;
    Capture capture = perfgate::testing::synthetic_capture(options);
    const std::string first = dump(analyze_one(capture, step_spec()));
    EXPECT_EQ(dump(analyze_one(capture, step_spec())), first);
    EXPECT_GT(first.size(), 500U);
    std::mt19937 random(3);
    std::ranges::shuffle(capture.kernels, random);
    std::ranges::shuffle(capture.copies, random);
    std::ranges::shuffle(capture.api_calls, random);
    std::ranges::shuffle(capture.ranges, random);
    EXPECT_EQ(dump(analyze_one(capture, step_spec())), first);
  }
}

}  // namespace
}  // namespace perfgate::analysis
