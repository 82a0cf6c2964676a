// How long the verdict of 72 gated metrics takes from a store of 10,000 runs, warm: opening the
// store, the queries, the judgement.
//
// The store is made first, through baselines::record, in a temporary folder that goes at the end
// (PERFGATE_BENCH_RUNS=N for another size). A run has 72 metrics and two controls of 5 processes
// with 200 steps each, as `perfgate run` records it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "baselines/record.h"
#include "baselines/select.h"
#include "gates/judge.h"
#include "runner/model/median.h"
#include "tests/support/noise_shapes.h"

namespace {

using namespace perfgate;

constexpr int kMetrics = 72;
constexpr int kProcesses = 5;
constexpr int kSteps = 200;
constexpr std::size_t kAncestors = 500;  // what `perfgate run` asks git for
constexpr const char* kWorkload = "decode_8b";
constexpr const char* kDigest = "digest";

int run_count() {
  const char* wanted = std::getenv("PERFGATE_BENCH_RUNS");
  return wanted != nullptr ? std::atoi(wanted) : 10'000;
}

Fingerprint fingerprint() {
  Fingerprint print;
  print.environment = {{"gpu", "NVIDIA H200"}, {"driver", "580.65"}, {"power_limit_w", "700"}};
  print.subject = {{"cuda", "13.0"}, {"program", "3f2a91c"}};
  print.instance = {{"gpu_uuid", "GPU-1"}};
  return print;
}

std::string commit_of(int run) { return "commit" + std::to_string(1'000'000 + run); }

std::string utc_of(int run) {
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:00:00Z", 2020 + run / 8064,
                1 + run / 672 % 12, 1 + run / 24 % 28, run % 24);
  return text;
}

MetricValue metric_of(const std::string& id, testing::Random& random) {
  MetricValue metric;
  metric.id = id;
  metric.unit = "ms";
  for (int i = 0; i < kProcesses; ++i) {
    metric.samples.push_back(4.27 * (1.0 + 0.002 * random.normal()));
  }
  metric.value = median(metric.samples);
  return metric;
}

baselines::StoredRun stored_run(int number, testing::Random& random) {
  baselines::StoredRun run;
  run.identity.tool_version = "0.1.0";
  run.identity.repo = "org/model";
  run.identity.branch = "main";
  run.identity.commit = commit_of(number);
  run.identity.run_id = "run" + std::to_string(number);
  run.identity.started_utc = utc_of(number);
  run.workload_name = kWorkload;
  run.workload_digest = kDigest;
  run.fingerprint = fingerprint();
  for (int i = 0; i < kMetrics; ++i) {
    run.metrics.push_back(metric_of("reported/m" + std::to_string(i), random));
  }
  run.metrics.push_back(metric_of("control/read_stream", random));
  run.metrics.push_back(metric_of("control/bf16_gemm", random));
  for (int process = 0; process < kProcesses; ++process) {
    std::vector<double>& steps = run.process_step_ms[process];
    for (int i = 0; i < kSteps; ++i) steps.push_back(4.27 * (1.0 + 0.01 * random.uniform()));
  }
  run.capture_validity = "valid";
  run.traced_over_untraced = 1.01;
  run.outcome = "pass";
  return run;
}

/// Made once, gone with the process.
class StoreFile {
 public:
  StoreFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "perfgate-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    auto store = baselines::Store::open(path(), baselines::OpenMode::record);
    if (!store.ok()) std::abort();
    testing::Random random(1);
    for (int run = 0; run < run_count(); ++run) {
      if (!baselines::record(store.value(), stored_run(run, random)).ok()) std::abort();
    }
  }
  ~StoreFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;
  [[nodiscard]] std::string path() const { return folder_ + "/perfgate.db"; }

 private:
  std::string folder_;
};

const std::string& store_path() {
  static const StoreFile kStore;
  static const std::string kPath = kStore.path();
  return kPath;
}

baselines::SelectionQuery query_of(bool ancestry) {
  baselines::SelectionQuery query;
  query.workload_name = kWorkload;
  query.workload_digest = kDigest;
  query.branch = "main";
  query.fingerprint = fingerprint();
  if (!ancestry) return query;
  for (int run = run_count() - 1; run >= 0 && query.ancestry.size() < kAncestors; --run) {
    query.ancestry.push_back(commit_of(run));
  }
  return query;
}

/// The run to be judged: 72 gates as they are by default, or so noisy that each stays undecided.
struct Head {
  WorkloadSpec spec;
  std::vector<MetricValue> metrics;
  std::vector<ControlReading> controls;

  explicit Head(bool undecided) {
    testing::Random random(2);
    for (int i = 0; i < kMetrics; ++i) {
      MetricValue metric = metric_of("reported/m" + std::to_string(i), random);
      if (undecided) {
        for (double& sample : metric.samples) sample *= 1.0 + 0.05 * random.normal();
        metric.value = median(metric.samples);
      }
      GateSpec gate;
      gate.metric = metric.id;
      spec.gates.push_back(gate);
      metrics.push_back(std::move(metric));
    }
    for (const char* name : {"read_stream", "bf16_gemm"}) {
      controls.push_back({.name = name, .unit = "ms", .readings = {}});
      for (int i = 0; i < 2 * kProcesses; ++i) {
        controls.back().readings.push_back(4.27 * (1.0 + 0.001 * random.normal()));
      }
    }
  }
};

Outcome judge(const Head& head, const baselines::Selection& selection) {
  return gates::judge({.spec = head.spec,
                       .metrics = head.metrics,
                       .baseline = selection.series,
                       .choice = selection.choice,
                       .capture = {.validity = Validity::valid, .reasons = {}},
                       .traced_over_untraced = 1.01,
                       .base_traced_over_untraced = selection.traced_over_untraced,
                       .controls = head.controls,
                       .head_instance = "GPU-1"})
      .verdict.outcome;
}

void verdict(benchmark::State& state, bool ancestry, bool undecided) {
  const baselines::SelectionQuery query = query_of(ancestry);
  const Head head(undecided);
  const std::string& path = store_path();
  for (auto _ : state) {
    const auto store = baselines::Store::open(path, baselines::OpenMode::read);
    const auto selection = baselines::select(store.value(), query);
    if (!selection.ok() || !selection.value().choice.exists) {
      state.SkipWithError("no baseline");
      return;
    }
    benchmark::DoNotOptimize(judge(head, selection.value()));
  }
  state.counters["runs"] = run_count();
}

void queries_only(benchmark::State& state, bool ancestry) {
  const baselines::SelectionQuery query = query_of(ancestry);
  const auto store = baselines::Store::open(store_path(), baselines::OpenMode::read);
  for (auto _ : state) {
    const auto selection = baselines::select(store.value(), query);
    if (!selection.ok()) state.SkipWithError("no selection");
    benchmark::DoNotOptimize(selection);
  }
}

void judgement_only(benchmark::State& state, bool undecided) {
  const auto store = baselines::Store::open(store_path(), baselines::OpenMode::read);
  const auto selection = baselines::select(store.value(), query_of(false));
  const Head head(undecided);
  for (auto _ : state) benchmark::DoNotOptimize(judge(head, selection.value()));
}

#define PERFGATE_BENCH(...) \
  BENCHMARK_CAPTURE(__VA_ARGS__)->Unit(benchmark::kMillisecond)->UseRealTime()
PERFGATE_BENCH(verdict, newest_runs, false, false);
PERFGATE_BENCH(verdict, newest_runs_undecided, false, true);
PERFGATE_BENCH(verdict, of_ancestors, true, false);
PERFGATE_BENCH(queries_only, newest_runs, false);
PERFGATE_BENCH(queries_only, of_ancestors, true);
PERFGATE_BENCH(judgement_only, passing, false);
PERFGATE_BENCH(judgement_only, undecided, true);

}  // namespace

BENCHMARK_MAIN();
