#include "runner/cli/assess.h"

#include <algorithm>
#include <utility>

#include "runner/analysis/analyze.h"
#include "runner/analysis/datasheet.h"
#include "runner/analysis/metric_catalog.h"
#include "runner/analysis/validity.h"
#include "runner/measure/agreement.h"
#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "runner/model/median.h"
#include "runner/model/traced_ratio.h"

namespace perfgate::cli {
namespace {

std::string value_of(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

std::optional<double> control_median(const Measurement& measurement, std::string_view name) {
  for (const ControlReading& control : measurement.controls) {
    if (control.name == name && !control.readings.empty()) return median(control.readings);
  }
  return std::nullopt;
}

/// Datasheet first, then what this GPU was seen to reach: by `calibrate`, and by the controls of
/// this very run.
std::vector<RooflineCeiling> ceilings_of(const AssessInput& input) {
  std::vector<RooflineCeiling> ceilings;
  const std::string gpu = value_of(input.measurement.fingerprint.environment, "gpu");
  if (const auto sheet = analysis::datasheet_ceiling(gpu)) ceilings.push_back(*sheet);
  if (input.calibration) {
    ceilings.push_back({input.calibration->read_bytes_per_s, input.calibration->bf16_flop_per_s,
                        "measured by calibrate"});
  }
  const auto read = control_median(input.measurement, device::kReadStreamMetric);
  const auto gemm = control_median(input.measurement, device::kGemmMetric);
  if (read || gemm) ceilings.push_back({read, gemm, "controls of this run"});
  return ceilings;
}

std::vector<double> step_times(const ProcessRecord& process) {
  std::vector<double> times;
  if (!process.results) return times;
  for (const StepSample& step : process.results->steps) times.push_back(step.ms);
  return times;
}

/// A replayed run may have the note already.
void add_note(Measurement& measurement, std::string text) {
  auto& notes = measurement.notes;
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

/// Where a run's step times come from; only written where it is not the marks themselves.
constexpr const char* kStepTimes = "step_times";
constexpr const char* kBlockMean = "block mean";

/// Marks of the host that are no step times: the processes are shown and judged by their means.
void show_means(const WorkloadSpec& spec, Measurement& measurement) {
  for (ProcessRecord& process : measurement.processes) {
    const auto mean_ms = measure::block_mean_ms(spec, process);
    if (!mean_ms) continue;
    process.summary = StepSummary{.median_ms = *mean_ms,
                                  .n = static_cast<std::int64_t>(process.results->steps.size())};
  }
  measurement.fingerprint.subject[kStepTimes] = kBlockMean;
  add_note(measurement,
           "the step times do not sum up to the block between two waits for the GPU, so they are "
           "no times of steps: the mean over the block stands for each. Wait for the GPU in each "
           "step, or take the times from CUDA events and write \"boundary\":\"device\"");
}

/// A mean is not compared with a median of marks: the choice was made before anything ran, so what
/// the baseline used stands among the differences there.
void compare_bases(measure::StepBasis basis, BaselineChoice& choice) {
  if (!choice.exists) return;
  auto& subject = choice.comparability.subject;
  const auto known = std::ranges::find(subject, kStepTimes, &FingerprintDifference::key);
  const bool base_means = known != subject.end() && known->base == kBlockMean;
  const bool head_means = basis == measure::StepBasis::block_mean;
  if (known != subject.end()) subject.erase(known);
  if (base_means == head_means) return;
  choice.comparability.environment.push_back({.key = kStepTimes,
                                              .base = base_means ? kBlockMean : "marks",
                                              .head = head_means ? kBlockMean : "marks"});
}

/// A traced process with another output did other work: what it shows is not what was timed.
void check_output(Measurement& measurement, Analysis& analysis) {
  const measure::UntracedOutput untraced = measure::untraced_output(measurement.processes);
  if (untraced.state == measure::UntracedOutput::State::differs) {
    add_note(measurement, "output differs between processes; it cannot be compared");
  }
  bool any = false;
  for (TracedProcess& traced : analysis.traced) {
    const auto record =
        std::ranges::find(measurement.processes, traced.process, &ProcessRecord::index);
    if (record == measurement.processes.end()) continue;
    std::string problem = measure::output_disagreement(untraced, *record);
    if (problem.empty()) continue;
    traced.verdict.validity = Validity::invalid;
    traced.verdict.reasons.push_back(std::move(problem));
    any = true;
  }
  if (any) analysis.capture = analysis::joint_verdict(analysis.traced);
}

/// Captures stay alive in `captures` as long as the inputs point to them.
Result<std::vector<analysis::TracedInput>> traced_inputs(
    const AssessInput& input, const platform::FileSystem& files, bool marks_are_steps,
    std::vector<std::vector<Capture>>& captures) {
  std::vector<analysis::TracedInput> traced;
  for (const ProcessRecord& process : input.measurement.processes) {
    if (process.role != ProcessRole::trace || process.state != ProcessState::ok) continue;
    PG_ASSIGN_OR_RETURN(std::vector<Capture> loaded,
                        measure::load_captures(files, input.run_folder, process));
    captures.push_back(std::move(loaded));
    analysis::TracedInput one;
    one.process = process.index;
    for (const Capture& capture : captures.back()) one.captures.push_back(&capture);
    // With a window of the file's own nobody knows which of the measured steps it covers. Marks of
    // the host that are no step times tell nothing about traced steps either: then the periods in
    // the capture, on the GPU's clock, stand against the untraced mean.
    if (input.spec.trace.window.empty() && marks_are_steps)
      one.traced_step_ms = step_times(process);
    traced.push_back(std::move(one));
  }
  return traced;
}

/// The first process of the workload that ended badly; its sentence is the reason of an invalid
/// run. A control that fails says nothing about the workload; a note says that it is missing.
const ProcessRecord* failed_process(const Measurement& measurement) {
  const auto failed = std::ranges::find_if(measurement.processes, [](const ProcessRecord& process) {
    return process.role != ProcessRole::control && process.state != ProcessState::ok;
  });
  return failed == measurement.processes.end() ? nullptr : &*failed;
}

/// The control that limits this workload; empty = unknown, then every control counts.
std::string bounding_control(const Analysis& analysis) {
  if (!analysis.floor || analysis.floor->against.empty()) return {};
  return std::string(analysis.floor->against.front().memory_bound ? device::kReadStreamMetric
                                                                  : device::kGemmMetric);
}

/// Why the measurement cannot be used, in one sentence. Empty: it can.
std::string problem_of(const AssessInput& input, const Measurement& measurement) {
  const ProcessRecord* failed = failed_process(measurement);
  if (failed != nullptr) return failed->problem;
  return input.problem.empty() ? measure::work_disagreement(measurement.processes) : input.problem;
}

gates::GateOutput judge(const AssessInput& input, const RunResult& result) {
  const std::string problem = problem_of(input, result.measurement);
  const bool traces_expected = wants_traces(input.spec, result.measurement.fingerprint);
  const gates::GateInput gate{
      .spec = input.spec,
      .metrics = result.metrics,
      .baseline = input.baseline.series,
      .choice = result.baseline,  // with what compare_bases found
      .capture = result.analysis.capture,
      .capture_expected = traces_expected,
      .traced_over_untraced = traced_ratio(result.analysis).value_or(0.0),
      .base_traced_over_untraced = input.baseline.traced_over_untraced,
      .controls = result.measurement.controls,
      .bounding_control = bounding_control(result.analysis),
      .head_instance = value_of(result.measurement.fingerprint.instance, "gpu_uuid"),
      .measurement_ok = failed_process(result.measurement) == nullptr && problem.empty(),
      .measurement_problem = problem,
  };
  return gates::judge(gate);
}

struct Judged {
  RunResult result;
  /// Its comparisons and verdict are copied into the result.
  gates::GateOutput output;
};

/// Over what was measured, be it all or a part of it.
Result<Judged> judge_measurement(const AssessInput& input, const platform::FileSystem& files) {
  Judged judged;
  RunResult& result = judged.result;
  result.identity = input.identity;
  result.source = input.source;
  result.workload_name = input.spec.name;
  result.workload_path = input.spec.path;
  result.workload_description = input.spec.description;
  result.workload_owner = input.spec.owner;
  result.measurement = input.measurement;
  result.baseline = input.baseline.choice;

  const measure::StepBasis basis = measure::step_basis(input.spec, input.measurement.processes);
  const bool marks_are_steps = basis == measure::StepBasis::marks;
  if (!marks_are_steps) show_means(input.spec, result.measurement);
  compare_bases(basis, result.baseline);
  const TimingSamples timing = measure::timing_samples(input.spec, input.measurement.processes);
  std::vector<std::vector<Capture>> captures;
  captures.reserve(input.measurement.processes.size());  // TracedInput points into the elements
  PG_ASSIGN_OR_RETURN(const std::vector<analysis::TracedInput> traced,
                      traced_inputs(input, files, marks_are_steps, captures));
  const std::optional<WorkDone> work = work_of(input.measurement);
  PG_ASSIGN_OR_RETURN(result.analysis, analysis::analyze({.spec = input.spec,
                                                          .traced = traced,
                                                          .timing = timing,
                                                          .work = work,
                                                          .ceilings = ceilings_of(input)}));
  check_output(result.measurement, result.analysis);
  PG_ASSIGN_OR_RETURN(analysis::MetricSet metrics,
                      analysis::compute_metrics({.spec = input.spec,
                                                 .timing = timing,
                                                 .analysis = result.analysis,
                                                 .work = work,
                                                 .processes = input.measurement.processes}));
  result.metrics = std::move(metrics.values);
  for (const analysis::MissingMetric& missing : metrics.missing) {
    add_note(result.measurement, missing.id + ": " + missing.reason);
  }
  judged.output = judge(input, result);
  result.comparisons = judged.output.comparisons;
  result.observed = judged.output.observed;
  result.verdict = judged.output.verdict;
  return judged;
}

}  // namespace

std::optional<WorkDone> work_of(const Measurement& measurement) {
  for (const ProcessRecord& process : measurement.processes) {
    if (process.role != ProcessRole::timing || !process.results) continue;
    const WorkDone& work = process.results->work;
    if (work.tokens || work.weights_bytes || work.kv_bytes || work.flops ||
        !work.output_hash.empty()) {
      return work;
    }
  }
  return std::nullopt;
}

bool wants_traces(const WorkloadSpec& spec, const Fingerprint& fingerprint) {
  if (value_of(fingerprint.environment, "gpu") != "none") return true;
  return std::ranges::any_of(spec.gates, [](const GateSpec& gate) {
    const analysis::MetricInfo* info = analysis::find_metric(gate.metric);
    return info == nullptr || info->kind != MetricKind::timed;
  });
}

gates::GateOutput judge_result(const WorkloadSpec& spec, const baselines::Selection& baseline,
                               const RunResult& result) {
  return judge({.spec = spec,
                .measurement = result.measurement,
                .run_folder = {},
                .identity = result.identity,
                .source = result.source,
                .baseline = baseline,
                .calibration = std::nullopt},
               result);
}

Result<Assessed> assess(const AssessInput& input, const platform::FileSystem& files) {
  PG_ASSIGN_OR_RETURN(Judged judged, judge_measurement(input, files));
  return Assessed{.result = std::move(judged.result),
                  .configuration_errors = std::move(judged.output.configuration_errors)};
}

gates::LookAdvice look_again(const AssessInput& so_far, ProcessRole role,
                             const platform::FileSystem& files) {
  const auto judged = judge_measurement(so_far, files);
  if (!judged.ok()) return {};  // the same error is reported after the measuring
  const bool traced = role == ProcessRole::trace;
  const auto& looks = traced ? so_far.spec.trace.processes : so_far.spec.timing.processes;
  const auto done = traced ? judged.value().result.analysis.traced.size()
                           : static_cast<std::size_t>(std::ranges::count_if(
                                 so_far.measurement.processes, measure::counts_as_sample));
  const int processes = static_cast<int>(done);
  return gates::next_look(judged.value().output, looks, processes, traced);
}

}  // namespace perfgate::cli
