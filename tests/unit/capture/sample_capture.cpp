#include "tests/unit/capture/sample_capture.h"

#include <limits>
#include <sstream>

namespace perfgate::capture {
namespace {

constexpr std::int64_t kStart = 1'760'000'000'000'000'000;
constexpr auto kLargest32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto kLargest64 = std::numeric_limits<std::uint64_t>::max();

void add_gpu_work(Capture& capture) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    capture.kernels.push_back({.start_ns = kStart + std::int64_t{4000} * i,
                               .end_ns = kStart + std::int64_t{4000} * i + 3000 + i,
                               .graph_node = 0x500000000ULL + i % 3,
                               .code_hash = kLargest64 - i,
                               .name = 1 + i % 2,
                               .device = i % 2,
                               .context = 1,
                               .stream = 7 + i,
                               .correlation = kLargest32 - i,
                               .graph = 3,
                               .grid = {132 + i, 2, 3},
                               .block = {256, 4 + i, 5},
                               .cluster = {2, 1, i},
                               .registers_per_thread = 168,
                               .static_shared_bytes = 1024,
                               .dynamic_shared_bytes = 220000 + i});
  }
  capture.kernels.push_back({});
  capture.copies = {{.start_ns = kStart + 1,
                     .end_ns = kStart + 900,
                     .bytes = kLargest64,
                     .graph_node = 9,
                     .device = 1,
                     .context = 2,
                     .stream = 3,
                     .correlation = 4,
                     .graph = 5,
                     .kind = CopyKind::peer_to_peer},
                    {.start_ns = kStart, .end_ns = kStart, .kind = CopyKind::host_to_device}};
  capture.memsets = {{.start_ns = kStart - 5,
                      .end_ns = kStart + 5,
                      .bytes = 1U << 20U,
                      .graph_node = 1,
                      .device = 2,
                      .context = 3,
                      .stream = 4,
                      .correlation = 5,
                      .graph = 6}};
}

void add_host_work(Capture& capture) {
  capture.api_calls = {{.start_ns = kStart,
                        .end_ns = kStart + 2100,
                        .name = 3,
                        .thread = 4242,
                        .correlation = 17,
                        .result = -1,
                        .api_class = ApiClass::graph_build},
                       {.start_ns = kStart + 5000,
                        .end_ns = kStart + 5001,
                        .name = 4,
                        .result = 700,
                        .api_class = ApiClass::kernel_launch}};
  capture.overheads = {
      {.start_ns = kStart + 10, .end_ns = kStart + 20, .kind = 5, .thread = kLargest32}};
  capture.ranges = {{.start_ns = kStart,
                     .end_ns = kStart + 77,
                     .name = 6,
                     .domain = 7,
                     .thread = 4242,
                     .is_push_pop = false},
                    {.start_ns = kStart + 80, .end_ns = 0, .name = 6}};
  capture.graph_nodes = {{.node = kLargest64,
                          .original_node = 12,
                          .graph = 3,
                          .nvtx_path = 8,
                          .kind = GraphNodeKind::memset}};
}

template <typename Number>
void row(std::ostream& out, const Number& value) {
  out << ' ' << +value;
}

void dump_gpu_work(std::ostream& out, const Capture& capture) {
  for (const KernelRecord& k : capture.kernels) {
    out << "kernel " << k.start_ns << ' ' << k.end_ns << ' ' << k.graph_node << ' ' << k.code_hash
        << ' ' << k.name << ' ' << k.device << ' ' << k.context << ' ' << k.stream << ' '
        << k.correlation << ' ' << k.graph;
    for (const auto& shape : {k.grid, k.block, k.cluster}) {
      for (const std::uint32_t extent : shape) row(out, extent);
    }
    out << ' ' << k.registers_per_thread << ' ' << k.static_shared_bytes << ' '
        << k.dynamic_shared_bytes << '\n';
  }
  for (const CopyRecord& c : capture.copies) {
    out << "copy " << c.start_ns << ' ' << c.end_ns << ' ' << c.bytes << ' ' << c.graph_node << ' '
        << c.device << ' ' << c.context << ' ' << c.stream << ' ' << c.correlation << ' ' << c.graph
        << ' ' << static_cast<int>(c.kind) << '\n';
  }
  for (const MemsetRecord& m : capture.memsets) {
    out << "memset " << m.start_ns << ' ' << m.end_ns << ' ' << m.bytes << ' ' << m.graph_node
        << ' ' << m.device << ' ' << m.context << ' ' << m.stream << ' ' << m.correlation << ' '
        << m.graph << '\n';
  }
}

void dump_host_work(std::ostream& out, const Capture& capture) {
  for (const ApiRecord& a : capture.api_calls) {
    out << "api " << a.start_ns << ' ' << a.end_ns << ' ' << a.name << ' ' << a.thread << ' '
        << a.correlation << ' ' << a.result << ' ' << static_cast<int>(a.api_class) << '\n';
  }
  for (const OverheadRecord& o : capture.overheads) {
    out << "overhead " << o.start_ns << ' ' << o.end_ns << ' ' << o.kind << ' ' << o.thread << '\n';
  }
  for (const NvtxRange& r : capture.ranges) {
    out << "range " << r.start_ns << ' ' << r.end_ns << ' ' << r.name << ' ' << r.domain << ' '
        << r.thread << ' ' << r.is_push_pop << '\n';
  }
  for (const GraphNodeRecord& g : capture.graph_nodes) {
    out << "node " << g.node << ' ' << g.original_node << ' ' << g.graph << ' ' << g.nvtx_path
        << ' ' << static_cast<int>(g.kind) << '\n';
  }
}

}  // namespace

Capture sample_capture() {
  Capture capture;
  capture.format_version = kFormatVersion;
  capture.pid = 4242;
  capture.parent_pid = 4200;
  capture.process_start_ticks = 123456789;
  capture.cupti_version = "130001";
  capture.cupti_path_kind = "toolkit";
  capture.strings = {"",
                     "gemm_bf16",
                     "rms_norm<float, 8>",
                     "cudaGraphLaunch",
                     "cudaLaunchKernel",
                     "buffer flush",
                     "decode#21",
                     "dom\xc3\xa4ne",
                     "decode/layer 3/attention"};
  add_gpu_work(capture);
  add_host_work(capture);
  capture.devices = {
      {.ordinal = 0, .uuid = "GPU-00000000-0000-0000-0000-000000000001", .name = "Synthetic GPU"},
      {.ordinal = 1, .uuid = "", .name = ""}};
  capture.clocks = {{.realtime_ns = kStart, .monotonic_ns = 5, .cupti_ns = kStart + 30},
                    {.realtime_ns = kStart + 1'000'000'000, .monotonic_ns = 1'000'000'005}};
  capture.windows = {{.opened_ns = kStart, .closed_ns = kStart + 99, .opened_by = 6},
                     {.opened_ns = kStart + 200, .closed_ns = 0}};
  capture.dropped = 3;
  capture.complete = true;
  capture.reasons = {"another subscriber is in the process"};
  return capture;
}

std::vector<Bytes> encode_blocks(const Capture& capture) {
  Encoder encoder;
  std::vector<Bytes> blocks{encoder.begin({.pid = capture.pid,
                                           .parent_pid = capture.parent_pid,
                                           .process_start_ticks = capture.process_start_ticks})};
  for (const std::string& text : capture.strings) static_cast<void>(encoder.intern(text));
  blocks.push_back(encoder.take_strings());
  blocks.push_back(encoder.cupti(capture.cupti_version, capture.cupti_path_kind));
  blocks.push_back(encoder.devices(capture.devices));
  blocks.push_back(encoder.kernels(capture.kernels));
  blocks.push_back(encoder.copies(capture.copies));
  blocks.push_back(encoder.memsets(capture.memsets));
  blocks.push_back(encoder.api_calls(capture.api_calls));
  blocks.push_back(encoder.overheads(capture.overheads));
  blocks.push_back(encoder.ranges(capture.ranges));
  blocks.push_back(encoder.graph_nodes(capture.graph_nodes));
  blocks.push_back(encoder.clocks(capture.clocks));
  blocks.push_back(encoder.windows(capture.windows));
  for (const std::string& reason : capture.reasons) blocks.push_back(encoder.reason(reason));
  blocks.push_back(encoder.end(capture.dropped));
  return blocks;
}

Bytes joined(const std::vector<Bytes>& blocks) {
  Bytes file;
  for (const Bytes& block : blocks) file.insert(file.end(), block.begin(), block.end());
  return file;
}

std::string dump(const Capture& capture) {
  std::ostringstream out;
  out << "version " << capture.format_version << " pid " << capture.pid << ' ' << capture.parent_pid
      << ' ' << capture.process_start_ticks << " cupti " << capture.cupti_version << ' '
      << capture.cupti_path_kind << '\n';
  for (const std::string& text : capture.strings) out << "string " << text << '\n';
  for (const CaptureDevice& d : capture.devices) {
    out << "device " << d.ordinal << ' ' << d.uuid << ' ' << d.name << '\n';
  }
  dump_gpu_work(out, capture);
  dump_host_work(out, capture);
  for (const ClockPair& c : capture.clocks) {
    out << "clock " << c.realtime_ns << ' ' << c.monotonic_ns << ' ' << c.cupti_ns << '\n';
  }
  for (const CaptureWindow& w : capture.windows) {
    out << "window " << w.opened_ns << ' ' << w.closed_ns << ' ' << w.opened_by << '\n';
  }
  for (const std::string& reason : capture.reasons) out << "reason " << reason << '\n';
  out << "dropped " << (capture.dropped ? std::to_string(*capture.dropped) : "unknown")
      << (capture.complete ? " complete" : " partial") << '\n';
  return out.str();
}

}  // namespace perfgate::capture
