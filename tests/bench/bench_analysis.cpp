// How long a capture of 1,000,000 GPU records and 1,001,000 API records takes from the file's bytes
// to the Analysis, and two of them to the ledger of one against the other and its named causes.
//
// Counters: peak_rss_MB is the process's peak so far (VmHWM), reset after the file was made where
// the kernel allows it. Each benchmark runs on one thread.
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "runner/analysis/analyze.h"
#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/analysis/ledger.h"
#include "runner/capture/decoder.h"
#include "tests/support/synthetic_capture.h"

namespace {

using perfgate::Capture;

perfgate::testing::SyntheticCaptureOptions options(bool graph) {
  auto million = perfgate::testing::million_record_options();
  million.graph = graph;
  return million;
}

/// Only the bytes are kept: the captures they were made from must not count towards the peak.
const std::vector<std::byte>& file(bool graph) {
  static const std::vector<std::byte> kEager = perfgate::testing::synthetic_capture_file(
      perfgate::testing::synthetic_capture(options(false)));
  static const std::vector<std::byte> kGraph = perfgate::testing::synthetic_capture_file(
      perfgate::testing::synthetic_capture(options(true)));
  return graph ? kGraph : kEager;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_rss_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024.0 / 1e6;
  }
  return 0.0;
}

perfgate::Analysis analysis_of(const Capture& capture) {
  perfgate::WorkloadSpec spec;
  spec.steps.range = "decode*";
  const perfgate::TimingSamples timing;
  const std::vector<perfgate::analysis::TracedInput> traced{
      {.process = 1, .captures = {&capture}, .traced_step_ms = {}, .first_captured_step = 0}};
  auto result = perfgate::analysis::analyze(
      {.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
  return result.ok() ? std::move(result).value() : perfgate::Analysis{};
}

bool analyse(const Capture& capture) {
  const perfgate::Analysis analysis = analysis_of(capture);
  benchmark::DoNotOptimize(analysis.traced.data());
  return !analysis.traced.empty() && analysis.traced[0].devices[0].steps > 0;
}

void decode_and_analyse(benchmark::State& state, bool graph) {
  const auto& bytes = file(graph);
  reset_peak();
  for (auto _ : state) {
    const auto capture = perfgate::capture::decode(bytes);
    if (!capture.ok() || !analyse(capture.value())) state.SkipWithError("no analysis");
  }
  state.counters["peak_rss_MB"] = peak_rss_mb();
}

void analyse_only(benchmark::State& state, bool graph) {
  const auto capture = perfgate::capture::decode(file(graph));
  for (auto _ : state) {
    if (!capture.ok() || !analyse(capture.value())) state.SkipWithError("no analysis");
  }
}

/// Two captures from their bytes to the ledger and the named causes. The head is the base with
/// every seventh kernel a fifth longer.
void explain_two(benchmark::State& state, bool graph) {
  const auto& bytes = file(graph);
  reset_peak();
  for (auto _ : state) {
    const auto base = perfgate::capture::decode(bytes);
    auto head = perfgate::capture::decode(bytes);
    if (!base.ok() || !head.ok()) return state.SkipWithError("no capture");
    for (std::size_t i = 0; i < head.value().kernels.size(); i += 7) {
      auto& kernel = head.value().kernels[i];
      kernel.end_ns += (kernel.end_ns - kernel.start_ns) / 5;
    }
    const perfgate::Analysis before = analysis_of(base.value());
    const perfgate::Analysis after = analysis_of(head.value());
    const auto ledger = perfgate::analysis::make_ledger({.analysis = &before, .step_ms = {1.0}},
                                                        {.analysis = &after, .step_ms = {1.1}});
    const auto named = perfgate::analysis::diagnose({.ledger = ledger, .head = &after});
    if (ledger.rows.empty()) state.SkipWithError("no ledger");
    benchmark::DoNotOptimize(named.data());
  }
  state.counters["peak_rss_MB"] = peak_rss_mb();
}

/// A program that never closes `open` ranges: one is left open in each of as many steps, around all
/// later ones. Time and peak are in proportion to their number.
Capture left_open(int open) {
  perfgate::testing::SyntheticCaptureOptions small;
  small.steps = open;
  small.kernels_per_step = 4;
  small.graph = false;
  Capture capture = perfgate::testing::synthetic_capture(small);
  const auto steps = capture.ranges;
  for (const auto& step : steps) {
    const auto name = static_cast<perfgate::StringId>(capture.strings.size());
    capture.strings.push_back("request " + std::to_string(name));
    capture.ranges.push_back({.start_ns = step.end_ns - 1, .name = name, .thread = step.thread});
  }
  return capture;
}

void ranges_left_open(benchmark::State& state) {
  const Capture capture = left_open(static_cast<int>(state.range(0)));
  reset_peak();
  for (auto _ : state) {
    if (!analyse(capture)) state.SkipWithError("no analysis");
  }
  state.counters["peak_rss_MB"] = peak_rss_mb();
}

// The peak of the process is that of the largest so far: these go first, the small ones before.
BENCHMARK(ranges_left_open)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain_two, eager, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(explain_two, graph, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(decode_and_analyse, eager, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(decode_and_analyse, graph, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(analyse_only, eager, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(analyse_only, graph, true)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
