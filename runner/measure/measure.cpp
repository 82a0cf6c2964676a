#include "runner/measure/measure.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runner/device/throttle.h"
#include "runner/measure/child_request.h"
#include "runner/measure/claim_folder.h"
#include "runner/measure/gather.h"
#include "runner/measure/judge.h"
#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"

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
    note_power_cap();
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

  void note_once(const std::string& text) {
    if (std::ranges::find(measurement_.notes, text) == measurement_.notes.end()) note(text);
  }

  Status begin() {
    // Checks before anything runs: what cannot work is said at once.
    PG_TRY(program_to_measure(spec_, options_, ports_.files));
    PG_TRY(claim_folder(ports_.files, run_folder_));
    if (!spec_.source_text.empty()) {
      PG_TRY(
          ports_.files.write(platform::join_path(run_folder_, "workload.yaml"), spec_.source_text));
    }
    measurement_.fingerprint = options_.fingerprint;
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
    Ending ending{.start_ns = started_ns,
                  .end_ns = std::max(ports_.clock.realtime_ns(), started_ns + 1)};
    if (!options_.gpu_uuid.empty()) record.after = ports_.device.sample(options_.gpu_uuid);
    if (outcome.ok()) {
      judge_end(outcome.value(), request.timeout_s, record);
      ending.stdout_cut = outcome.value().stdout_cut;
      note_left_running(outcome.value().left_running);
      PG_TRY(gather(spec_, options_, ports_.files, run_folder_, ending, record));
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

  void note_left_running(int count) {
    if (count == 0) return;
    note_once("the program left " + count_of(count, "process") + " running; " +
              (count == 1 ? "it was ended" : "they were ended"));
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

  bool more_would_help(ProcessRole role) {
    if (!need_more_) return false;
    measurement_.controls = control_readings(measurement_.processes);
    measurement_.wall_s = elapsed_s();
    return need_more_(measurement_, role);
  }

  Status run_timing() {
    const std::vector<int>& looks = spec_.timing.processes;
    progress_.phase("timing", looks.front());
    int done = 0;
    const double timing_start_s = elapsed_s();
    for (std::size_t look = 0; look < looks.size(); ++look) {
      if (look > 0 && !fits_budget(looks[look], expected_end_s(looks[look], done, timing_start_s),
                                   count_of(done, "process"))) {
        return {};
      }
      for (; done < looks[look]; ++done) {
        PG_TRY(run_timing_process());
        if (failed_) return {};
        PG_TRY(run_control());
        if (done == 0) warn_about_budget(looks.front(), timing_start_s);
      }
      const bool last_look = look + 1 == looks.size();
      if (last_look || !more_would_help(ProcessRole::timing)) return {};
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
      if (options_.gpu_uuid.empty()) return {};
      const auto found = device::disturbance(last().before, last().after);
      if (found.state == device::Disturbance::State::unknown) note_once(found.why);
      if (found.state != device::Disturbance::State::disturbed) return {};
      const std::string which = "process " + std::to_string(last().index) + ": " + found.why;
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

  bool fits_budget(int processes, double expected_end_s, const std::string& done) {
    if (expected_end_s <= spec_.timing.budget_s) return true;
    note("stopped at " + done + ": " + std::to_string(processes) + " would exceed timing.budget (" +
         std::to_string(static_cast<long>(spec_.timing.budget_s)) + " s)");
    return false;
  }

  Status run_traced() {
    const std::vector<int>& looks = spec_.trace.processes;
    if (looks.front() == 0) return {};
    if (options_.probe_library.empty()) {
      note("no traced processes: libperfgate_probe.so is not installed");
      return {};
    }
    int done = 0;
    const double start_s = elapsed_s();
    for (std::size_t look = 0; look < looks.size(); ++look) {
      const double per_process_s = (elapsed_s() - start_s) / std::max(done, 1);
      const double end_s = elapsed_s() + per_process_s * (looks[look] - done);
      if (look > 0 && !fits_budget(looks[look], end_s, count_of(done, "traced process"))) return {};
      progress_.phase("trace", looks[look]);
      for (; done < looks[look]; ++done) {
        PG_TRY(launch(ProcessRole::trace));
        if (last().state != ProcessState::ok) return {};
      }
      const bool last_look = look + 1 == looks.size();
      if (last_look || !more_would_help(ProcessRole::trace)) return {};
      note("after " + count_of(done, "traced process") + " undecided: going on to " +
           std::to_string(looks[look + 1]));
    }
    return {};
  }

  /// Normal under load and no reason to repeat anything, but it explains a slower clock.
  void note_power_cap() {
    int held = 0;
    int counted = 0;
    std::uint64_t longest_us = 0;
    for (const ProcessRecord& record : measurement_.processes) {
      const auto us = device::power_cap_growth_us(record.before, record.after);
      if (record.role != ProcessRole::timing || !us) continue;
      ++counted;
      if (*us > 0) ++held;
      longest_us = std::max(longest_us, *us);
    }
    if (held == 0) return;
    note("the power cap held the clocks back in " + std::to_string(held) + " of " +
         count_of(counted, "timing process") + ", for " + std::to_string(longest_us / 1000) +
         " ms at most");
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

}  // namespace perfgate::measure
