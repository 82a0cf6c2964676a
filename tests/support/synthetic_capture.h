/// Deterministic synthetic captures for tests and benchmarks: a decode-like loop as the probe would
/// record it.
///
/// Nothing here was measured. Each step launches layers of kernels, eagerly (one API call a kernel)
/// or as one graph launch, then a memset and copies, and waits for the GPU. The captures are sound
/// by construction: no kernel starts before its launch, streams never overlap themselves, each
/// graph launch runs every node once, nothing is dropped. The same options give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/model/capture.h"

namespace perfgate::testing {

struct SyntheticCaptureOptions {
  int steps = 12;  ///< recorded steps, so two more than an analysis has whole periods
  int kernels_per_step = 96;
  int kernels_per_layer = 12;
  int copies_per_step = 1;   ///< device to host, after the kernels
  int memsets_per_step = 1;  ///< before the kernels
  bool graph = true;         ///< false: eager, a cudaLaunchKernel call per kernel
  int streams = 1;           ///< with more, every eighth kernel is communication on a side stream
  bool layer_ranges =
      false;  ///< an NVTX range per layer; eager only, as a graph launch has no layers
  bool wait_each_step =
      true;  ///< cudaStreamSynchronize at the end of each step; else the host queues ahead
  std::int64_t start_ns = 1'760'000'000'000'000'000;
  std::int64_t kernel_ns = 8'000;  ///< about; the slowest kernels take four times as long
  std::int64_t gap_ns = 700;       ///< between kernels of a stream
  std::int64_t launch_call_ns = 2'500;
  std::int64_t host_gap_ns = 4'000;  ///< host work between steps
  std::uint64_t seed = 1;            ///< of the few per cent by which durations vary
};

/// One process on one device, complete, its window open from before the first step to after the
/// last.
[[nodiscard]] Capture synthetic_capture(const SyntheticCaptureOptions& options = {});

/// Eager options that give 1,000,000 GPU records (kernels, copies, memsets) and 1,001,000 API
/// records.
[[nodiscard]] SyntheticCaptureOptions million_record_options();

/// `capture` as a file, in batches as the probe flushes them; an absent `complete` leaves the end
/// block out.
[[nodiscard]] std::vector<std::byte> synthetic_capture_file(const Capture& capture,
                                                            std::size_t records_per_batch = 8192);

}  // namespace perfgate::testing
