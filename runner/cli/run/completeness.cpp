#include "runner/cli/run/completeness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runner/analysis/metric_catalog.h"
#include "runner/cli/run/assess.h"
#include "runner/cli/run/assess_arm.h"
#include "runner/cli/version.h"
#include "runner/device/throttle.h"
#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "runner/platform/sha256.h"

namespace perfgate::cli {
namespace {

using Processes = std::span<const ProcessRecord>;

std::string process_name(const ProcessRecord& record) {
  return "process " + std::to_string(record.index) + " (" + std::string(to_string(record.role)) +
         ")";
}

/// "5, 8 or 12".
std::string looks_in_words(const std::vector<int>& looks) {
  std::string text;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    text += i == 0 ? "" : i + 1 == looks.size() ? " or " : ", ";
    text += std::to_string(looks[i]);
  }
  return text;
}

std::string gap_in_sequence(Processes processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].index == static_cast<int>(i)) continue;
    return "process " + std::to_string(i) + " is missing";
  }
  return {};
}

std::string off_every_look(const std::vector<int>& looks, std::ptrdiff_t count, const char* kind) {
  if (std::ranges::find(looks, count) != looks.end()) return {};
  return "it has " + std::to_string(count) + " " + kind + (count == 1 ? " process" : " processes") +
         ", and its workload.yaml asks for " + looks_in_words(looks);
}

std::ptrdiff_t count_of(const Measurement& measurement, ProcessRole role, Arm arm, Stage stage) {
  return std::ranges::count_if(measurement.processes, [&](const ProcessRecord& process) {
    const bool counts =
        role == ProcessRole::timing ? measure::counts_as_sample(process) : process.role == role;
    return counts && process.arm == arm && process.stage == stage;
  });
}

/// Pairs are whole, be they of the looks or fresh ones.
std::string half_a_pair(const Measurement& measurement, ProcessRole role) {
  for (const Stage stage : {Stage::screen, Stage::confirm}) {
    const auto base = count_of(measurement, role, Arm::base, stage);
    const auto head = count_of(measurement, role, Arm::head, stage);
    if (base == head || (stage == Stage::screen && base == 0)) continue;
    return "it has " + std::to_string(base) + " " + std::string(to_string(role)) +
           " processes of the base and " + std::to_string(head) + " of the head";
  }
  return {};
}

/// A look ends with all of its processes, whether the budget or a decision ended the run there.
std::string missing_processes(const WorkloadSpec& spec, const Measurement& measurement) {
  const auto looked = [&](ProcessRole role) {
    return count_of(measurement, role, Arm::head, Stage::screen);
  };
  std::string missing =
      off_every_look(spec.timing.processes, looked(ProcessRole::timing), "timing");
  if (missing.empty()) missing = half_a_pair(measurement, ProcessRole::timing);
  if (missing.empty()) missing = half_a_pair(measurement, ProcessRole::trace);
  if (!missing.empty()) return missing;
  const auto traced = looked(ProcessRole::trace);
  if (traced == 0 && !wants_traces(spec, measurement.fingerprint)) return {};
  return off_every_look(spec.trace.processes, traced, "traced");
}

/// One number of a JSON output stands for all steps, and a program that opens an NVTX range a step
/// has no start after its last one.
std::string missing_steps(const WorkloadSpec& spec, Processes processes) {
  const ResultsSource source = measure::results_source(spec);
  const int least = std::max(1, spec.steps.measure - (source == ResultsSource::nvtx ? 1 : 0));
  for (const ProcessRecord& process : processes) {
    if (!measure::counts_as_sample(process)) continue;
    const auto steps = static_cast<std::int64_t>(process.results->steps.size());
    const bool is_mean = source == ResultsSource::json && steps == 1;
    if (steps >= least || is_mean) continue;
    return process_name(process) + " has " + std::to_string(steps) + " steps, and the " +
           "workload.yaml asks for " + std::to_string(spec.steps.measure);
  }
  return {};
}

/// The GPU was asked before and after each process, or there was none to ask.
std::string missing_samples(const Measurement& measurement) {
  const auto is_sampled = [](const ProcessRecord& process) {
    return process.before.has_value() || process.after.has_value();
  };
  if (std::ranges::none_of(measurement.processes, is_sampled)) return {};
  const auto blind = std::ranges::find_if_not(measurement.processes, is_sampled);
  if (blind == measurement.processes.end()) return {};
  // A driver that did not answer was noted.
  const std::string why = device::disturbance(blind->before, blind->after).why;
  const auto& notes = measurement.notes;
  if (std::ranges::find(notes, why) != notes.end()) return {};
  return process_name(*blind) + " has no device.jsonl, and others have one";
}

/// A process is repeated for a disturbance that its samples show, and the next one takes its place.
std::string needless_repeat(Processes processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const ProcessRecord& process = processes[i];
    if (!process.repeated) continue;
    const auto found = device::disturbance(process.before, process.after);
    if (found.state != device::Disturbance::State::disturbed) {
      return process_name(process) + " is marked as repeated, and nothing disturbed it";
    }
    if (i + 1 == processes.size() || processes[i + 1].role != ProcessRole::timing)
      return process_name(process) + " is marked as repeated, and no other took its place";
  }
  return {};
}

std::string same_thing(const ProcessRecord& a, const ProcessRecord& b, const char* what) {
  return process_name(a) + " and " + process_name(b) + " have the same " + what +
         ": one is a copy of the other's";
}

/// No two processes begin and end their block in the same nanoseconds.
std::string copied_results(Processes processes) {
  std::map<std::pair<std::int64_t, std::int64_t>, const ProcessRecord*> seen;
  for (const ProcessRecord& process : processes) {
    if (!process.results) continue;
    const auto block = std::pair(process.results->block_start_ns, process.results->block_end_ns);
    const auto [first, is_new] = seen.emplace(block, &process);
    if (!is_new) return same_thing(*first->second, process, "results");
  }
  return {};
}

Result<std::string> copied_captures(Processes processes, const std::string& folder,
                                    const platform::FileSystem& files) {
  std::map<std::string, const ProcessRecord*> seen;
  for (const ProcessRecord& process : processes) {
    // A capture of another process is an error of the reader's.
    if (const auto own = measure::load_captures(files, folder, process); !own.ok())
      return own.error();
    for (const std::string& file : process.capture_files) {
      PG_ASSIGN_OR_RETURN(const std::string bytes, files.read(platform::join_path(folder, file)));
      const auto [first, is_new] = seen.emplace(platform::sha256_hex(bytes), &process);
      if (!is_new && first->second != &process)
        return same_thing(*first->second, process, "capture");
    }
  }
  return std::string();
}

/// What a double may lose on its way through text.
constexpr double kRounding = 1e-9;

bool equal(double a, double b) { return std::abs(a - b) <= kRounding * std::abs(a); }

/// `said`: by result.json of this arm. What the base's floor was is not kept, so that its metrics
/// without one are those of the steps alone.
Result<std::string> other_times(const WorkloadSpec& spec, const RunResult& result, Arm arm,
                                std::span<const MetricValue> said) {
  const Processes all = result.measurement.processes;
  const std::vector<ProcessRecord> processes = measure::of_arm(all, arm);
  const TimingSamples timing =
      measure::timing_samples(spec, processes, measure::step_basis(spec, all));
  PG_ASSIGN_OR_RETURN(
      const analysis::MetricSet own,
      analysis::compute_metrics({.spec = spec,
                                 .timing = timing,
                                 .analysis = arm == Arm::head ? result.analysis : Analysis{},
                                 .work = work_of(processes),
                                 .processes = processes}));
  for (const MetricValue& metric : said) {
    if (metric.kind != MetricKind::timed) continue;
    const auto found = std::ranges::find(own.values, metric.id, &MetricValue::id);
    if (found == own.values.end()) {
      if (arm == Arm::base) continue;
      return "its processes have no " + metric.id + ", and its result.json has";
    }
    if (!equal(found->value, metric.value) || found->unit != metric.unit ||
        !std::ranges::equal(found->samples, metric.samples, equal)) {
      return "its processes say another " + metric.id + " than its result.json";
    }
  }
  return std::string();
}

}  // namespace

Result<std::string> missing_part(const WorkloadSpec& spec, const Measurement& measurement,
                                 const std::string& folder, const platform::FileSystem& files) {
  const Processes processes = measurement.processes;
  const auto failed = [](const ProcessRecord& process) {
    return process.role != ProcessRole::control && process.state != ProcessState::ok;
  };
  if (std::ranges::any_of(processes, failed)) return std::string();
  for (std::string missing : {gap_in_sequence(processes), needless_repeat(processes),
                              missing_processes(spec, measurement), missing_steps(spec, processes),
                              missing_samples(measurement), copied_results(processes)}) {
    if (!missing.empty()) return missing;
  }
  return copied_captures(processes, folder, files);
}

Result<std::string> edited_part(const WorkloadSpec& spec, const RunResult& result) {
  if (result.workload_name != spec.name) {
    return "its result.json is of the workload " + result.workload_name +
           ", its workload.yaml of " + spec.name;
  }
  PG_ASSIGN_OR_RETURN(std::string other, other_times(spec, result, Arm::head, result.metrics));
  if (!other.empty() || !result.base_arm) return other;
  return other_times(spec, result, Arm::base, result.base_arm->metrics);
}

namespace {

/// `said`: by result.json of this arm; `figures`: out of its captures.
std::string other_traces(std::span<const MetricValue> said, const ArmFigures& figures) {
  for (const MetricValue& metric : said) {
    if (metric.kind == MetricKind::timed) continue;
    const auto found = std::ranges::find(figures.metrics, metric.id, &MetricValue::id);
    if (found == figures.metrics.end())
      return "its captures have no " + metric.id + ", and its result.json has";
    if (!equal(found->value, metric.value) || found->unit != metric.unit ||
        !std::ranges::equal(found->samples, metric.samples, equal)) {
      return "its captures say another " + metric.id + " than its result.json";
    }
  }
  return {};
}

}  // namespace

Result<std::string> edited_traces(const WorkloadSpec& spec, const RunResult& result,
                                  const std::string& folder, const platform::FileSystem& files) {
  const Processes all = result.measurement.processes;
  const bool traced = std::ranges::any_of(
      all, [](const ProcessRecord& process) { return !process.capture_files.empty(); });
  if (!traced || result.identity.tool_version != kVersion) return std::string();
  const auto& environment = result.measurement.fingerprint.environment;
  const auto gpu = environment.find("gpu");
  for (const Arm arm : {Arm::head, Arm::base}) {
    if (arm == Arm::base && !result.base_arm) break;
    PG_ASSIGN_OR_RETURN(const ArmFigures figures,
                        assess_arm({.spec = spec,
                                    .processes = measure::of_arm(all, arm),
                                    .run_folder = files.absolute(folder),
                                    .gpu = gpu == environment.end() ? std::string() : gpu->second,
                                    .calibration = std::nullopt,
                                    .basis = measure::step_basis(spec, all)},
                                   files));
    if (figures.analysis.rules_hash != result.analysis.rules_hash) break;
    const Validity validity = figures.analysis.capture.validity;
    if (arm == Arm::head && validity != result.analysis.capture.validity) {
      return "its captures are " + std::string(to_string(validity)) +
             ", and its result.json says " +
             std::string(to_string(result.analysis.capture.validity));
    }
    std::string other =
        other_traces(arm == Arm::head ? result.metrics : result.base_arm->metrics, figures);
    if (!other.empty()) return other;
  }
  return std::string();
}

}  // namespace perfgate::cli
