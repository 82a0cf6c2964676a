#include "runner/measure/measure.h"

#include <algorithm>
#include <optional>

#include "runner/device/fingerprint.h"
#include "runner/device/throttle.h"
#include "runner/measure/child_request.h"
#include "runner/measure/gather.h"
#include "runner/measure/judge.h"
#include "runner/measure/run_folder.h"

namespace perfgate::measure {
namespace {

/// How often one timing process is run again because the GPU was throttled or shared.
constexpr int kMaxRepeats = 2;

std::string count_of(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "es");
}

/// One run; lives for one call of `measure`.
class Session {
 public:
  Session(const WorkloadSpec& spec, const MeasureOptions& options, const Ports& ports,
          Progress& progress, const NeedMore& need_more)
      : spec_(spec),
        options_(options),
        ports_(ports),
        progress_(progress),
        need_more_(need_more),
        run_folder_(ports.files.absolute(options.run_folder)),
        start_ns_(ports.clock.monotonic_ns()) {}

  Result<Measurement> run() {
    PG_TRY(begin());
    PG_TRY(run_control());
    PG_TRY(run_timing());
    if (!failed_) PG_TRY(run_traced());
    measurement_.controls = control_readings(measurement_.processes);
    measurement_.wall_s = elapsed_s();
    return std::move(measurement_);
  }

 private:
  [[nodiscard]] double elapsed_s() const {
    return static_cast<double>(ports_.clock.monotonic_ns() - start_ns_) / 1e9;
  }
  void note(const std::string& text) {
    measurement_.notes.push_back(text);
    progress_.note(text);
  }

  Status begin() {
    // Checks before anything runs: what cannot work is said at once.
    PG_ASSIGN_OR_RETURN(const auto request,
                        child_request(spec_, options_, ProcessRole::timing, {}));
    PG_ASSIGN_OR_RETURN(const std::string program,
                        platform::find_program(request.argv.front(), request.cwd,
                                               request.environment, ports_.files));
    PG_TRY(ports_.files.make_folders(run_folder_));
    if (!spec_.source_text.empty()) {
      PG_TRY(
          ports_.files.write(platform::join_path(run_folder_, "workload.yaml"), spec_.source_text));
    }
    device::FingerprintInputs inputs{
        .gpu = std::nullopt,
        .driver = ports_.device.driver(),
        .cpu_model = device::read_cpu_model(ports_.files),
        .workload_digest = spec_.workload_digest,
        .program_digest = device::program_digest(program, ports_.files),
        .environment = {options_.environment}};
    const auto gpus = ports_.device.gpus();
    if (gpus.ok()) {
      const auto found = std::ranges::find(gpus.value(), options_.gpu_uuid, &device::GpuInfo::uuid);
      if (found != gpus.value().end()) inputs.gpu = *found;
    }
    measurement_.fingerprint = device::form_fingerprint(inputs);
    return {};
  }

  /// Starts one process, waits for it, keeps everything it left. The record is the last of
  /// `processes` then.
  Status launch(ProcessRole role) {
    ProcessRecord record;
    record.index = static_cast<int>(measurement_.processes.size());
    record.role = role;
    const ProcessPaths paths = process_paths(run_folder_, record.index, role);
    PG_TRY(make_process_folders(ports_.files, paths, loads_probe(spec_, role)));
    PG_ASSIGN_OR_RETURN(const auto request, child_request(spec_, options_, role, paths));
    if (!options_.gpu_uuid.empty()) record.before = ports_.device.sample(options_.gpu_uuid);
    progress_.process_started(record.index, role);
    const std::int64_t started_ns = ports_.clock.realtime_ns();
    const auto outcome = ports_.processes.run(request);
    const Lifetime lifetime{.start_ns = started_ns,
                            .end_ns = std::max(ports_.clock.realtime_ns(), started_ns + 1)};
    if (!options_.gpu_uuid.empty()) record.after = ports_.device.sample(options_.gpu_uuid);
    if (outcome.ok()) {
      judge_end(outcome.value(), request.timeout_s, record);
      PG_TRY(gather(spec_, options_, ports_.files, run_folder_, lifetime, record));
    } else {
      record.state = outcome.error().code == ErrorCode::interrupted ? ProcessState::interrupted
                                                                    : ProcessState::not_started;
      record.problem = outcome.error().message;
    }
    PG_TRY(write_record(ports_.files, run_folder_, record));
    progress_.process_finished(record);
    const bool interrupted = record.state == ProcessState::interrupted;
    measurement_.processes.push_back(std::move(record));
    if (!outcome.ok() && !interrupted) return outcome.error();
    if (interrupted) {
      return Error{.code = ErrorCode::interrupted,
                   .message = "interrupted; the processes were ended",
                   .hint = "what was measured so far is in " + run_folder_,
                   .context = {}};
    }
    return {};
  }

  [[nodiscard]] const ProcessRecord& last() const { return measurement_.processes.back(); }

  /// A control that fails tells nothing about the workload: it is noted, and no more controls run.
  Status run_control() {
    const bool wanted = options_.controls && controls_work_ && !options_.gpu_uuid.empty();
    if (!wanted) return {};
    if (options_.workload_program.empty()) {
      controls_work_ = false;
      note("no controls: perfgate-workload is not installed");
      return {};
    }
    PG_TRY(launch(ProcessRole::control));
    if (last().state == ProcessState::ok) return {};
    controls_work_ = false;
    note("no more controls: " + last().problem);
    return {};
  }

  Status run_timing() {
    const std::vector<int>& looks = spec_.timing.processes;
    progress_.phase("timing", looks.front());
    int done = 0;
    const double timing_start_s = elapsed_s();
    for (std::size_t look = 0; look < looks.size(); ++look) {
      if (look > 0 && !fits_budget(looks[look], done, timing_start_s)) return {};
      for (; done < looks[look]; ++done) {
        PG_TRY(run_timing_process());
        if (failed_) return {};
        PG_TRY(run_control());
        if (done == 0) warn_about_budget(looks.front(), timing_start_s);
      }
      const bool last_look = look + 1 == looks.size();
      if (last_look || !need_more_ || !need_more_(timing_samples(measurement_.processes)))
        return {};
      progress_.phase("timing", looks[look + 1]);
      note("after " + count_of(done, "process") + " undecided: going on to " +
           std::to_string(looks[look + 1]));
    }
    return {};
  }

  Status run_timing_process() {
    for (int repeat = 0;; ++repeat) {
      PG_TRY(launch(ProcessRole::timing));
      if (last().state != ProcessState::ok) {
        failed_ = true;
        return {};
      }
      const auto disturbed = device::disturbance(last().before, last().after);
      if (!disturbed) return {};
      const std::string which = "process " + std::to_string(last().index) + ": " + *disturbed;
      if (repeat == kMaxRepeats) {
        note(which + "; kept after " + std::to_string(kMaxRepeats) + " repeats");
        return {};
      }
      note(which + "; repeated");
      measurement_.processes.back().repeated = true;
      PG_TRY(write_record(ports_.files, run_folder_, last()));
    }
  }

  /// What is still to come if `processes` timing processes run in all, by the mean of those done.
  [[nodiscard]] double expected_end_s(int processes, int done, double timing_start_s) const {
    const double per_process_s = (elapsed_s() - timing_start_s) / std::max(done, 1);
    return elapsed_s() + per_process_s * (processes - done + spec_.trace.processes.front());
  }

  /// The first look always runs: without it there is nothing to judge.
  void warn_about_budget(int first_look, double timing_start_s) {
    const double expected_s = expected_end_s(first_look, 1, timing_start_s);
    if (expected_s <= spec_.timing.budget_s) return;
    note("the first look will take about " + std::to_string(static_cast<long>(expected_s)) +
         " s, more than timing.budget (" +
         std::to_string(static_cast<long>(spec_.timing.budget_s)) + " s)");
  }

  bool fits_budget(int processes, int done, double timing_start_s) {
    if (expected_end_s(processes, done, timing_start_s) <= spec_.timing.budget_s) return true;
    note("stopped at " + count_of(done, "process") + ": " + std::to_string(processes) +
         " would exceed timing.budget (" +
         std::to_string(static_cast<long>(spec_.timing.budget_s)) + " s)");
    return false;
  }

  Status run_traced() {
    const int wanted = spec_.trace.processes.front();
    if (wanted == 0) return {};
    if (options_.probe_library.empty()) {
      note("no traced processes: libperfgate_probe.so is not installed");
      return {};
    }
    progress_.phase("trace", wanted);
    for (int i = 0; i < wanted; ++i) {
      PG_TRY(launch(ProcessRole::trace));
      if (last().state != ProcessState::ok) return {};
    }
    return {};
  }

  const WorkloadSpec& spec_;
  const MeasureOptions& options_;
  const Ports& ports_;
  Progress& progress_;
  const NeedMore& need_more_;
  const std::string run_folder_;
  const std::int64_t start_ns_;
  Measurement measurement_;
  bool failed_ = false;
  bool controls_work_ = true;
};

}  // namespace

Result<Measurement> measure(const WorkloadSpec& spec, const MeasureOptions& options,
                            const Ports& ports, Progress& progress, const NeedMore& need_more) {
  return Session(spec, options, ports, progress, need_more).run();
}

TimingSamples timing_samples(std::span<const ProcessRecord> processes) {
  TimingSamples samples;
  for (const ProcessRecord& record : processes) {
    const bool counts = record.role == ProcessRole::timing && record.state == ProcessState::ok &&
                        !record.repeated && record.results.has_value();
    if (!counts) continue;
    ProcessTiming timing{.process = record.index, .step_ms = {}};
    for (const StepSample& step : record.results->steps) timing.step_ms.push_back(step.ms);
    samples.processes.push_back(std::move(timing));
  }
  return samples;
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
