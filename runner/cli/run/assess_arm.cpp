#include "runner/cli/run/assess_arm.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/analysis/analyze.h"
#include "runner/analysis/datasheet.h"
#include "runner/analysis/metric_catalog.h"
#include "runner/analysis/validity.h"
#include "runner/measure/agreement.h"
#include "runner/measure/run_folder.h"
#include "runner/model/median.h"
#include "runner/model/reason_text.h"

namespace perfgate::cli {
namespace {

std::optional<double> control_median(std::span<const ControlReading> controls,
                                     std::string_view name) {
  for (const ControlReading& control : controls) {
    if (control.name == name && !control.readings.empty()) return median(control.readings);
  }
  return std::nullopt;
}

/// Datasheet first, then what this GPU was seen to reach: by `calibrate`, and by the controls of
/// this very run.
std::vector<RooflineCeiling> ceilings_of(const ArmInput& input,
                                         std::span<const ControlReading> controls) {
  std::vector<RooflineCeiling> ceilings;
  if (const auto sheet = analysis::datasheet_ceiling(input.gpu)) ceilings.push_back(*sheet);
  if (input.calibration) {
    ceilings.push_back({input.calibration->read_bytes_per_s, input.calibration->bf16_flop_per_s,
                        "measured by calibrate"});
  }
  const auto read = control_median(controls, device::kReadStreamMetric);
  const auto gemm = control_median(controls, device::kGemmMetric);
  if (read || gemm) ceilings.push_back({read, gemm, "controls of this run"});
  return ceilings;
}

std::vector<double> step_times(const ProcessRecord& process) {
  std::vector<double> times;
  if (!process.results) return times;
  for (const StepSample& step : process.results->steps) times.push_back(step.ms);
  return times;
}

/// A traced process with another output did other work: what it shows is not what was timed.
void check_output(std::span<const ProcessRecord> processes, ArmFigures& figures) {
  const measure::UntracedOutput untraced = measure::untraced_output(processes);
  if (untraced.state == measure::UntracedOutput::State::differs) {
    figures.notes.emplace_back("output differs between processes; it cannot be compared");
  }
  Analysis& analysis = figures.analysis;
  bool any_known = false;
  for (TracedProcess& traced : analysis.traced) {
    const auto record = std::ranges::find(processes, traced.process, &ProcessRecord::index);
    if (record == processes.end()) continue;
    traced.verdict.output = measure::check_output(untraced, *record);
    any_known = any_known || traced.verdict.output.state != OutputCheck::State::unknown;
    if (traced.verdict.output.state != OutputCheck::State::differs) continue;
    traced.verdict.validity = Validity::invalid;
    traced.verdict.reasons.push_back(text_of(traced.verdict.output));
  }
  if (any_known) analysis.capture = analysis::joint_verdict(analysis.traced);
}

/// Captures stay alive in `captures` as long as the inputs point to them.
Result<std::vector<analysis::TracedInput>> traced_inputs(
    const ArmInput& input, const platform::FileSystem& files,
    std::vector<std::vector<Capture>>& captures) {
  const bool marks_are_steps = input.basis == measure::StepBasis::marks;
  std::vector<analysis::TracedInput> traced;
  for (const ProcessRecord& process : input.processes) {
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

}  // namespace

std::optional<WorkDone> work_of(std::span<const ProcessRecord> processes) {
  for (const ProcessRecord& process : processes) {
    if (process.role != ProcessRole::timing || !process.results) continue;
    const WorkDone& work = process.results->work;
    if (work.tokens || work.weights_bytes || work.kv_bytes || work.flops ||
        !work.output_hash.empty()) {
      return work;
    }
  }
  return std::nullopt;
}

Result<ArmFigures> assess_arm(const ArmInput& input, const platform::FileSystem& files) {
  ArmFigures figures;
  figures.controls = measure::control_readings(input.processes);
  const TimingSamples timing = measure::timing_samples(input.spec, input.processes, input.basis);
  std::vector<std::vector<Capture>> captures;
  captures.reserve(input.processes.size());  // TracedInput points into the elements
  PG_ASSIGN_OR_RETURN(const std::vector<analysis::TracedInput> traced,
                      traced_inputs(input, files, captures));
  const std::optional<WorkDone> work = work_of(input.processes);
  PG_ASSIGN_OR_RETURN(figures.analysis,
                      analysis::analyze({.spec = input.spec,
                                         .traced = traced,
                                         .timing = timing,
                                         .work = work,
                                         .ceilings = ceilings_of(input, figures.controls)}));
  check_output(input.processes, figures);
  PG_ASSIGN_OR_RETURN(analysis::MetricSet metrics,
                      analysis::compute_metrics({.spec = input.spec,
                                                 .timing = timing,
                                                 .analysis = figures.analysis,
                                                 .work = work,
                                                 .processes = input.processes}));
  figures.metrics = std::move(metrics.values);
  for (const analysis::MissingMetric& missing : metrics.missing) {
    figures.notes.push_back(missing.id + ": " + missing.reason);
  }
  return figures;
}

}  // namespace perfgate::cli
