// How fast a million GPU records and a million API records are written and read, beside memcpy and
// zstd alone.
//
// bytes/s counts the records in memory (104 bytes a kernel, 40 an API call), items/s the records.
// Counters: the file's size, and bytes a record in it.
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "runner/capture/decoder.h"
#include "tests/support/synthetic_capture.h"

namespace {

using perfgate::Capture;

const Capture& million() {
  static const Capture kCapture =
      perfgate::testing::synthetic_capture(perfgate::testing::million_record_options());
  return kCapture;
}

const std::vector<std::byte>& million_file() {
  static const std::vector<std::byte> kFile = perfgate::testing::synthetic_capture_file(million());
  return kFile;
}

std::size_t record_count(const Capture& capture) {
  return capture.kernels.size() + capture.copies.size() + capture.memsets.size() +
         capture.api_calls.size() + capture.ranges.size();
}

std::size_t record_bytes(const Capture& capture) {
  return std::span(capture.kernels).size_bytes() + std::span(capture.copies).size_bytes() +
         std::span(capture.memsets).size_bytes() + std::span(capture.api_calls).size_bytes() +
         std::span(capture.ranges).size_bytes();
}

void report(benchmark::State& state, std::size_t file_bytes) {
  const auto rounds = static_cast<std::size_t>(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(rounds * record_bytes(million())));
  state.SetItemsProcessed(static_cast<std::int64_t>(rounds * record_count(million())));
  state.counters["file_MB"] = static_cast<double>(file_bytes) / 1e6;
  state.counters["file_bytes_per_record"] =
      static_cast<double>(file_bytes) / static_cast<double>(record_count(million()));
}

void encode_two_million_records(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(perfgate::testing::synthetic_capture_file(million()));
  }
  report(state, million_file().size());
}

void decode_two_million_records(benchmark::State& state) {
  for (auto _ : state) {
    auto capture = perfgate::capture::decode(million_file());
    if (!capture.ok() || !capture.value().complete) {
      state.SkipWithError("the capture does not decode");
      return;
    }
    benchmark::DoNotOptimize(capture);
  }
  report(state, million_file().size());
}

// The floor of decoding: fresh memory of the same size, filled.
void copy_the_records_by_memcpy(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<perfgate::KernelRecord> kernels(million().kernels);
    std::vector<perfgate::ApiRecord> api_calls(million().api_calls);
    benchmark::DoNotOptimize(kernels.data());
    benchmark::DoNotOptimize(api_calls.data());
  }
  report(state, record_bytes(million()));
}

std::vector<char> plain_records() {
  const auto kernels = std::as_bytes(std::span(million().kernels));
  const auto api_calls = std::as_bytes(std::span(million().api_calls));
  std::vector<char> plain(kernels.size() + api_calls.size());
  std::memcpy(plain.data(), kernels.data(), kernels.size());
  std::memcpy(plain.data() + kernels.size(), api_calls.data(), api_calls.size());
  return plain;
}

std::vector<char> compressed(const std::vector<char>& plain) {
  std::vector<char> packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

// What zstd alone makes of the structs as they lie in memory.
void zstd_compress_plain_structs(benchmark::State& state) {
  const std::vector<char> plain = plain_records();
  std::size_t size = 0;
  for (auto _ : state) {
    const auto packed = compressed(plain);
    benchmark::DoNotOptimize(packed.data());
    size = packed.size();
  }
  report(state, size);
}

void zstd_decompress_plain_structs(benchmark::State& state) {
  std::vector<char> plain = plain_records();
  const std::vector<char> packed = compressed(plain);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size()));
  }
  report(state, packed.size());
}

BENCHMARK(encode_two_million_records)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_two_million_records)->Unit(benchmark::kMillisecond);
BENCHMARK(copy_the_records_by_memcpy)->Unit(benchmark::kMillisecond);
BENCHMARK(zstd_compress_plain_structs)->Unit(benchmark::kMillisecond);
BENCHMARK(zstd_decompress_plain_structs)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
