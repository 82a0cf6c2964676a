#include "runner/measure/samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace perfgate::measure {

ResultsSource results_source(const WorkloadSpec& spec) {
  const auto* command = std::get_if<CommandRun>(&spec.run);
  return command == nullptr ? ResultsSource::results_file : command->results;
}

bool counts_as_sample(const ProcessRecord& record) {
  return record.role == ProcessRole::timing && record.state == ProcessState::ok &&
         !record.repeated && record.results.has_value();
}

std::optional<double> block_mean_ms(const WorkloadSpec& spec, const ProcessRecord& record) {
  if (!counts_as_sample(record) || results_source(spec) != ResultsSource::results_file) return {};
  const ProcessResults& results = *record.results;
  if (results.boundary != ProcessResults::Boundary::host || results.steps.empty()) return {};
  const double block_ms = static_cast<double>(results.block_end_ns - results.block_start_ns) / 1e6;
  if (!(block_ms > 0.0)) return {};
  return block_ms / static_cast<double>(results.steps.size());
}

StepBasis step_basis(const WorkloadSpec& spec, std::span<const ProcessRecord> processes) {
  const auto disagrees = [&](const ProcessRecord& record) {
    const std::optional<double> mean_ms = block_mean_ms(spec, record);
    if (!mean_ms) return false;
    double sum_ms = 0.0;
    for (const StepSample& step : record.results->steps) sum_ms += step.ms;
    const double block_ms = *mean_ms * static_cast<double>(record.results->steps.size());
    return std::abs(sum_ms - block_ms) > kHostMarkTolerance * block_ms;
  };
  return std::ranges::any_of(processes, disagrees) ? StepBasis::block_mean : StepBasis::marks;
}

TimingSamples timing_samples(const WorkloadSpec& spec, std::span<const ProcessRecord> processes,
                             StepBasis basis) {
  const bool means = basis == StepBasis::block_mean;
  TimingSamples samples;
  for (const ProcessRecord& record : processes) {
    if (!counts_as_sample(record)) continue;
    const std::optional<double> mean_ms = means ? block_mean_ms(spec, record) : std::nullopt;
    ProcessTiming timing{.process = record.index, .step_ms = {}};
    for (const StepSample& step : record.results->steps)
      timing.step_ms.push_back(mean_ms.value_or(step.ms));
    samples.processes.push_back(std::move(timing));
  }
  return samples;
}

TimingSamples timing_samples(const WorkloadSpec& spec, std::span<const ProcessRecord> processes) {
  return timing_samples(spec, processes, step_basis(spec, processes));
}

std::vector<ProcessRecord> of_arm(std::span<const ProcessRecord> processes, Arm arm,
                                  std::optional<Stage> stage) {
  std::vector<ProcessRecord> records;
  std::ranges::copy_if(processes, std::back_inserter(records), [&](const ProcessRecord& record) {
    return record.arm == arm && (!stage || record.stage == *stage);
  });
  return records;
}

std::vector<ControlReading> control_readings(std::span<const ProcessRecord> processes) {
  std::vector<ControlReading> readings;
  for (const ProcessRecord& record : processes) {
    if (record.role != ProcessRole::control || !record.results) continue;
    for (const ReportedMetric& metric : record.results->metrics) {
      auto found = std::ranges::find(readings, metric.name, &ControlReading::name);
      if (found == readings.end()) {
        readings.push_back({.name = metric.name, .unit = metric.unit, .readings = {}});
        found = std::prev(readings.end());
      }
      found->readings.push_back(metric.value);
    }
  }
  return readings;
}

}  // namespace perfgate::measure
