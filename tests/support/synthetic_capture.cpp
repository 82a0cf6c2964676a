#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "runner/capture/encoder.h"

namespace perfgate::testing {
namespace {

constexpr std::uint32_t kProcess = 4242;
constexpr std::uint32_t kThread = 4242;
constexpr std::uint32_t kContext = 1;
constexpr std::uint32_t kMainStream = 7;
constexpr std::uint32_t kCaptureGraph = 1;
constexpr std::uint32_t kExecutableGraph = 2;
constexpr std::uint64_t kCaptureNodes = std::uint64_t{kCaptureGraph} << 32U;
constexpr std::uint64_t kExecutableNodes = std::uint64_t{kExecutableGraph} << 32U;
constexpr std::int64_t kLaunchLatencyNs = 3'000;
constexpr std::int64_t kSyncReturnNs = 1'500;
constexpr std::uint64_t kCopyBytes = 64;
constexpr std::uint64_t kMemsetBytes = 4096;
constexpr int kSideStreamEvery = 8;

struct KernelShape {
  std::string_view name;
  std::int64_t duration_percent;  // of SyntheticCaptureOptions::kernel_ns
  std::array<std::uint32_t, 3> grid;
  std::uint32_t registers;
  std::uint32_t shared_bytes;
};

// A layer of a decode step; names as such kernels are called by today's libraries.
constexpr std::array<KernelShape, 12> kLayer{{
    {"void rms_norm_kernel<__nv_bfloat16>(__nv_bfloat16 const*, __nv_bfloat16*, int)",
     30,
     {16, 1, 1},
     32,
     128},
    {"nvjet_tst_64x16_64x16_4x1_v_bz_TNT", 220, {132, 1, 1}, 168, 213'000},
    {"void rope_kernel<__nv_bfloat16>(__nv_bfloat16*, int const*)", 25, {16, 40, 1}, 24, 0},
    {"void reshape_and_cache_flash_kernel<__nv_bfloat16>(__nv_bfloat16 const*)",
     25,
     {16, 1, 1},
     32,
     0},
    {"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, "
     "4>>(Flash_fwd_params)",
     180,
     {1, 8, 128},
     255,
     81'920},
    {"void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, "
     "4>>(Flash_fwd_params)",
     30,
     {128, 1, 1},
     40,
     2'048},
    {"nvjet_tst_64x16_64x16_4x1_v_bz_splitK_TNT", 150, {132, 1, 1}, 168, 213'000},
    {"void add_residual_kernel<__nv_bfloat16>(__nv_bfloat16*, __nv_bfloat16 const*)",
     20,
     {64, 1, 1},
     16,
     0},
    {"void rms_norm_kernel<__nv_bfloat16>(__nv_bfloat16 const*, __nv_bfloat16*, int)",
     30,
     {16, 1, 1},
     32,
     128},
    {"nvjet_tst_128x16_64x11_2x1_v_bz_TNT", 400, {264, 1, 1}, 168, 221'000},
    {"void silu_and_mul_kernel<__nv_bfloat16>(__nv_bfloat16*, __nv_bfloat16 const*)",
     30,
     {16, 4, 1},
     28,
     0},
    {"nvjet_tst_64x16_64x16_4x1_v_bz_TNT", 240, {132, 1, 1}, 168, 213'000},
}};
constexpr KernelShape kCommunication{
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    120,
    {16, 1, 1},
    96,
    40'000};

// splitmix64: the same numbers on every machine, unlike the standard's distributions.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  // A duration within 3 % of `nominal`.
  std::int64_t around(std::int64_t nominal) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
    const auto per_mille = static_cast<std::int64_t>((mixed ^ (mixed >> 31U)) % 61) - 30;
    return std::max<std::int64_t>(1, nominal + nominal * per_mille / 1000);
  }

 private:
  std::uint64_t state_;
};

class Loop {
 public:
  explicit Loop(const SyntheticCaptureOptions& options)
      : options_(options),
        noise_(options.seed),
        host_ns_(options.start_ns),
        free_at_ns_(static_cast<std::size_t>(std::max(1, options.streams)), options.start_ns) {}

  Capture run() {
    describe_process();
    if (options_.graph) describe_graph();
    for (int step = 0; step < options_.steps; ++step) run_step();
    close_process();
    return std::move(capture_);
  }

 private:
  StringId text(std::string_view words) {
    const StringId id = ids_.intern(words);
    if (id == capture_.strings.size()) capture_.strings.emplace_back(words);
    return id;
  }

  void describe_process() {
    capture_.format_version = capture::kFormatVersion;
    capture_.pid = kProcess;
    capture_.parent_pid = 1;
    capture_.process_start_ticks = 1;
    capture_.cupti_version = "130001";
    capture_.cupti_path_kind = "toolkit";
    capture_.devices = {{.ordinal = 0,
                         .uuid = "GPU-00000000-0000-0000-0000-000000000000",
                         .name = "Synthetic GPU"}};
    add_clock_pair();
    host_ns_ += 1'000;
  }

  void add_clock_pair() {
    const std::int64_t since_start = host_ns_ - options_.start_ns;
    capture_.clocks.push_back({.realtime_ns = host_ns_,
                               .monotonic_ns = 1'000'000'000 + since_start,
                               .cupti_ns = host_ns_ + 20});
  }

  void close_process() {
    const std::int64_t last = *std::ranges::max_element(free_at_ns_);
    host_ns_ = std::max(host_ns_, last) + 1'000;
    capture_.windows = {{.opened_ns = options_.start_ns,
                         .closed_ns = host_ns_,
                         .opened_by = text("nvtx decode#20")}};
    add_clock_pair();
    capture_.dropped = 0;
    capture_.complete = true;
  }

  // The capture-time nodes with their NVTX place, and their clones in the executable graph.
  void describe_graph() {
    std::uint64_t node = 0;
    const auto add = [&](GraphNodeKind kind, const std::string& path) {
      capture_.graph_nodes.push_back({.node = kCaptureNodes + node,
                                      .graph = kCaptureGraph,
                                      .nvtx_path = text(path),
                                      .kind = kind});
      capture_.graph_nodes.push_back({.node = kExecutableNodes + node,
                                      .original_node = kCaptureNodes + node,
                                      .graph = kExecutableGraph,
                                      .kind = kind});
      ++node;
    };
    for (int i = 0; i < options_.memsets_per_step; ++i) add(GraphNodeKind::memset, "capture");
    for (int i = 0; i < options_.kernels_per_step; ++i) {
      add(GraphNodeKind::kernel, "capture/layer " + std::to_string(layer_of(i)));
    }
    for (int i = 0; i < options_.copies_per_step; ++i) add(GraphNodeKind::copy, "capture");
  }

  [[nodiscard]] int layer_of(int kernel) const {
    return kernel / std::max(1, options_.kernels_per_layer);
  }

  void run_step() {
    const std::int64_t began = host_ns_;
    next_node_ = 0;
    if (options_.graph) call("cudaGraphLaunch", ApiClass::graph_launch);
    for (int i = 0; i < options_.memsets_per_step; ++i) add_memset();
    int layer = -1;
    std::int64_t layer_began = host_ns_;
    for (int i = 0; i < options_.kernels_per_step; ++i) {
      if (layer_of(i) != layer) {
        close_layer(layer, layer_began);
        layer = layer_of(i);
        layer_began = host_ns_;
      }
      add_kernel(i);
    }
    close_layer(layer, layer_began);
    for (int i = 0; i < options_.copies_per_step; ++i) add_copy();
    if (options_.wait_each_step) wait_for_device();
    capture_.ranges.push_back(
        {.start_ns = began, .end_ns = host_ns_, .name = text("decode"), .thread = kThread});
    host_ns_ += noise_.around(options_.host_gap_ns);
  }

  void close_layer(int layer, std::int64_t began) {
    if (layer < 0 || options_.graph || !options_.layer_ranges) return;
    capture_.ranges.push_back({.start_ns = began,
                               .end_ns = host_ns_,
                               .name = text("layer " + std::to_string(layer)),
                               .thread = kThread});
  }

  // An API call of the launching thread; GPU work that follows belongs to it.
  void call(std::string_view name, ApiClass api_class) {
    called_ns_ = host_ns_;
    host_ns_ += noise_.around(options_.launch_call_ns);
    capture_.api_calls.push_back({.start_ns = called_ns_,
                                  .end_ns = host_ns_,
                                  .name = text(name),
                                  .thread = kThread,
                                  .correlation = ++correlation_,
                                  .api_class = api_class});
    host_ns_ += 100;
  }

  void wait_for_device() {
    const std::int64_t idle = *std::ranges::max_element(free_at_ns_);
    capture_.api_calls.push_back({.start_ns = host_ns_,
                                  .end_ns = std::max(host_ns_, idle) + kSyncReturnNs,
                                  .name = text("cudaStreamSynchronize"),
                                  .thread = kThread,
                                  .correlation = ++correlation_,
                                  .api_class = ApiClass::synchronise});
    host_ns_ = capture_.api_calls.back().end_ns;
  }

  // Fills what all GPU records share and moves the stream's clock. Side streams fork off the main
  // one.
  template <typename Record>
  void place(Record& record, std::size_t stream, std::int64_t duration_ns) {
    const std::int64_t ready = std::max(free_at_ns_[stream], free_at_ns_[0]) + options_.gap_ns;
    record.start_ns = std::max(called_ns_ + kLaunchLatencyNs, ready);
    record.end_ns = record.start_ns + noise_.around(duration_ns);
    free_at_ns_[stream] = record.end_ns;
    record.context = kContext;
    record.stream = kMainStream + static_cast<std::uint32_t>(stream);
    record.correlation = correlation_;
    if (options_.graph) {
      record.graph = kExecutableGraph;
      record.graph_node = kExecutableNodes + next_node_++;
    }
  }

  void add_memset() {
    if (!options_.graph) call("cudaMemsetAsync", ApiClass::memset);
    MemsetRecord record{.bytes = kMemsetBytes};
    place(record, 0, options_.kernel_ns / 4);
    capture_.memsets.push_back(record);
  }

  void add_copy() {
    if (!options_.graph) call("cudaMemcpyAsync", ApiClass::copy);
    CopyRecord record{.bytes = kCopyBytes, .kind = CopyKind::device_to_host};
    place(record, 0, options_.kernel_ns / 4);
    capture_.copies.push_back(record);
  }

  void add_kernel(int index) {
    if (!options_.graph) call("cudaLaunchKernel", ApiClass::kernel_launch);
    const bool aside = free_at_ns_.size() > 1 && index % kSideStreamEvery == kSideStreamEvery - 1;
    const auto turn = static_cast<std::size_t>(index / kSideStreamEvery);
    const std::size_t stream = aside ? 1 + turn % (free_at_ns_.size() - 1) : 0;
    const auto place_in_layer =
        static_cast<std::size_t>(index % std::max(1, options_.kernels_per_layer));
    const KernelShape& shape = aside ? kCommunication : kLayer[place_in_layer % kLayer.size()];
    KernelRecord record{.code_hash = 0x1000 + place_in_layer,
                        .name = text(shape.name),
                        .grid = shape.grid,
                        .block = {128, 1, 1},
                        .registers_per_thread = shape.registers,
                        .dynamic_shared_bytes = shape.shared_bytes};
    place(record, stream, options_.kernel_ns * shape.duration_percent / 100);
    capture_.kernels.push_back(record);
  }

  SyntheticCaptureOptions options_;
  Noise noise_;
  Capture capture_;
  capture::Encoder ids_;
  std::int64_t host_ns_;
  std::int64_t called_ns_ = 0;
  std::vector<std::int64_t> free_at_ns_;
  std::uint32_t correlation_ = 0;
  std::uint64_t next_node_ = 0;
};

}  // namespace

Capture synthetic_capture(const SyntheticCaptureOptions& options) { return Loop(options).run(); }

SyntheticCaptureOptions million_record_options() {
  return {.steps = 1000,
          .kernels_per_step = 997,
          .copies_per_step = 2,
          .memsets_per_step = 1,
          .graph = false,
          .streams = 2};
}

namespace {

class FileBuilder {
 public:
  explicit FileBuilder(std::size_t records_per_batch)
      : batch_(std::max<std::size_t>(1, records_per_batch)) {}

  void add(const capture::Bytes& bytes) { file_.insert(file_.end(), bytes.begin(), bytes.end()); }

  template <typename Record, typename Encode>
  void batches(const std::vector<Record>& records, Encode encode) {
    for (std::size_t at = 0; at < records.size(); at += batch_) {
      add(encode(std::span(records).subspan(at, std::min(batch_, records.size() - at))));
    }
  }

  std::vector<std::byte> take() && { return std::move(file_); }

 private:
  std::size_t batch_;
  std::vector<std::byte> file_;
};

}  // namespace

std::vector<std::byte> synthetic_capture_file(const Capture& capture,
                                              std::size_t records_per_batch) {
  capture::Encoder encoder;
  FileBuilder file(records_per_batch);
  file.add(encoder.begin({.pid = capture.pid,
                          .parent_pid = capture.parent_pid,
                          .process_start_ticks = capture.process_start_ticks}));
  for (const std::string& words : capture.strings) static_cast<void>(encoder.intern(words));
  file.add(encoder.take_strings());
  file.add(encoder.cupti(capture.cupti_version, capture.cupti_path_kind));
  file.add(encoder.devices(capture.devices));
  file.batches(capture.clocks, [&](auto part) { return encoder.clocks(part); });
  file.batches(capture.graph_nodes, [&](auto part) { return encoder.graph_nodes(part); });
  file.batches(capture.kernels, [&](auto part) { return encoder.kernels(part); });
  file.batches(capture.copies, [&](auto part) { return encoder.copies(part); });
  file.batches(capture.memsets, [&](auto part) { return encoder.memsets(part); });
  file.batches(capture.api_calls, [&](auto part) { return encoder.api_calls(part); });
  file.batches(capture.overheads, [&](auto part) { return encoder.overheads(part); });
  file.batches(capture.ranges, [&](auto part) { return encoder.ranges(part); });
  file.batches(capture.windows, [&](auto part) { return encoder.windows(part); });
  for (const std::string& reason : capture.reasons) file.add(encoder.reason(reason));
  if (capture.complete) file.add(encoder.end(capture.dropped));
  return std::move(file).take();
}

}  // namespace perfgate::testing
