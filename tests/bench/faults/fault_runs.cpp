#include "tests/bench/faults/fault_runs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "runner/analysis/analyze.h"
#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/analysis/ledger.h"
#include "runner/capture/decoder.h"

namespace perfgate::bench {
namespace {

constexpr int kTracedSteps = 5;
constexpr std::size_t kSteps = 100;

/// Which runs of `set` have nothing planted; a set that was measured on two GPUs has one of each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kBases{
    {{"base", "base0"},
     {"full", "base0"},
     {"small", "base0"},
     {"small", "base8"},
     {"same", "two_base"},
     {"two", "two_base"},
     {"harmless", "two_base"},
     {"eager", "eager_base"},
     {"eager", "eager_base2"},
     {"batch_64", "b64_base"},
     {"batch_64", "b64_base2"},
     {"prefill", "prefill_base"},
     {"torch", "torch_base"}}};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::vector<Capture>> read_captures(const std::filesystem::path& folder,
                                           const std::string& name) {
  std::vector<Capture> captures;
  for (int i = 0;; ++i) {
    const auto path = folder / (name + "." + std::to_string(i) + ".pgcap");
    if (!std::filesystem::exists(path)) return captures;
    const std::string bytes = read_file(path);
    PG_ASSIGN_OR_RETURN(Capture capture,
                        capture::decode(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    captures.push_back(std::move(capture));
  }
}

FaultRun run_of(const nlohmann::json& line) {
  FaultRun run;
  run.name = line.at("run");
  run.file = line.at("file");
  run.planted = line.at("inject");
  run.set = line.at("set");
  run.gpu = line.at("gpu");
  run.step_ms = line.at("step_ms").get<std::vector<double>>();
  for (const auto& sample : line.at("after")) {
    DeviceSample after;
    after.sm_clock_mhz = sample.at("sm_clock_mhz").get<std::uint32_t>();
    after.memory_clock_mhz = sample.at("memory_clock_mhz").get<std::uint32_t>();
    after.power_mw = sample.at("power_mw").get<std::uint32_t>();
    run.after.push_back(after);
  }
  return run;
}

}  // namespace

Status analyse(FaultRun& run) {
  WorkloadSpec spec;
  spec.steps.range = run.file == "prefill" ? "prefill*" : "decode*";
  spec.trace.steps = kTracedSteps;
  TimingSamples timing;
  for (const double ms : run.step_ms) {
    timing.processes.push_back({.process = static_cast<int>(timing.processes.size()),
                                .step_ms = std::vector<double>(kSteps, ms)});
  }
  std::vector<analysis::TracedInput> traced;
  for (const Capture& capture : run.captures) {
    traced.push_back({.process = static_cast<int>(traced.size()),
                      .captures = {&capture},
                      .traced_step_ms = {},
                      .first_captured_step = 0});
  }
  PG_ASSIGN_OR_RETURN(
      run.analysis,
      analysis::analyze(
          {.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}}));
  return {};
}

Result<std::vector<FaultRun>> read_fault_runs(const std::string& folder) {
  std::vector<FaultRun> runs;
  std::ifstream file(std::filesystem::path(folder) / "runs.jsonl");
  for (std::string line; std::getline(file, line);) {
    try {
      runs.push_back(run_of(nlohmann::json::parse(line)));
    } catch (const nlohmann::json::exception& problem) {
      return Error{ErrorCode::corrupt, folder + "/runs.jsonl: " + problem.what(),
                   "tests/gpu/faults/collect.py writes it", ""};
    }
    PG_ASSIGN_OR_RETURN(runs.back().captures, read_captures(folder, runs.back().name));
    PG_TRY(analyse(runs.back()));
  }
  if (runs.empty())
    return Error{ErrorCode::not_found, folder + " has no runs", "run from the source folder", ""};
  return runs;
}

const FaultRun* find_run(const std::vector<FaultRun>& runs, std::string_view name) {
  const auto found = std::ranges::find(runs, name, &FaultRun::name);
  return found == runs.end() ? nullptr : &*found;
}

const FaultRun* base_of(const std::vector<FaultRun>& runs, const FaultRun& run) {
  for (const auto& [set, name] : kBases) {
    const FaultRun* base = set == run.set ? find_run(runs, name) : nullptr;
    if (base != nullptr && base->gpu == run.gpu) return base;
  }
  return nullptr;
}

Explained explain(const FaultRun& base, const FaultRun& head) {
  Explained result;
  result.ledger = analysis::make_ledger(
      {.analysis = &base.analysis, .step_ms = base.step_ms, .samples = base.after},
      {.analysis = &head.analysis, .step_ms = head.step_ms, .samples = head.after});
  result.causes = analysis::diagnose({.ledger = result.ledger, .head = &head.analysis});
  return result;
}

}  // namespace perfgate::bench
