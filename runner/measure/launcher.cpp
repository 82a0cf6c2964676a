#include "runner/measure/launcher.h"

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

}  // namespace

std::string counted(int count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

Launcher::Launcher(const SessionPlan& plan, const Ports& ports, Progress& progress)
    : plan_(plan),
      ports_(ports),
      progress_(progress),
      run_folder_(ports.files.absolute(plan.head.options.run_folder)),
      gpu_uuid_(plan.head.options.gpu_uuid),
      start_ns_(ports.clock.monotonic_ns()) {}

const Subject& Launcher::subject_of(Arm arm) const {
  return arm == Arm::base ? *plan_.base : plan_.head;
}

/// Begins a sentence about a process. Empty where there is one program.
std::string Launcher::name_of(Arm arm) const {
  return plan_.base ? std::string(to_string(arm)) + ": " : std::string();
}

Error Launcher::of_arm_error(Error error, Arm arm) const {
  error.message = name_of(arm) + error.message;
  return error;
}

double Launcher::elapsed_s() const {
  return static_cast<double>(ports_.clock.monotonic_ns() - start_ns_) / 1e9;
}

double Launcher::mean_s(ProcessRole role) const {
  Spent spent = spent_.at(static_cast<std::size_t>(role));
  if (spent.runs == 0) {
    for (const Spent& other : spent_) {
      spent.seconds += other.seconds;
      spent.runs += other.runs;
    }
  }
  return spent.seconds / std::max(spent.runs, 1);
}

void Launcher::note(const std::string& text) {
  measurement_.notes.push_back(text);
  progress_.note(text);
}

void Launcher::note_once(const std::string& text) {
  if (std::ranges::find(measurement_.notes, text) == measurement_.notes.end()) note(text);
}

void Launcher::note_left_running(int count) {
  if (count == 0) return;
  note_once("the program left " + counted(count, "process", "processes") + " running; " +
            (count == 1 ? "it was ended" : "they were ended"));
}

const Measurement& Launcher::so_far() {
  measurement_.controls = control_readings(measurement_.processes);
  measurement_.wall_s = elapsed_s();
  return measurement_;
}

Measurement Launcher::finish() {
  static_cast<void>(so_far());
  return std::move(measurement_);
}

Status Launcher::begin() {
  for (const Arm arm : {Arm::head, Arm::base}) {
    if (arm == Arm::base && !plan_.base) continue;
    const Subject& subject = subject_of(arm);
    const auto program = program_to_measure(subject.spec, subject.options, ports_.files);
    if (!program.ok()) return of_arm_error(program.error(), arm);
  }
  PG_TRY(claim_folder(ports_.files, run_folder_));
  const std::string& source_text = plan_.head.spec.source_text;
  if (!source_text.empty()) {
    PG_TRY(ports_.files.write(platform::join_path(run_folder_, "workload.yaml"), source_text));
  }
  measurement_.fingerprint = plan_.head.options.fingerprint;
  return {};
}

Status Launcher::keep(const Subject& subject, const platform::ProcessOutcome& outcome,
                      double timeout_s, std::int64_t started_ns, ProcessRecord& record) {
  const Ending ending{.start_ns = started_ns,
                      .end_ns = std::max(ports_.clock.realtime_ns(), started_ns + 1),
                      .stdout_cut = outcome.stdout_cut};
  judge_end(outcome, timeout_s, record);
  note_left_running(outcome.left_running);
  PG_ASSIGN_OR_RETURN(const std::string missing, gather(subject.spec, subject.options, ports_.files,
                                                        run_folder_, ending, record));
  if (!missing.empty()) note_once(name_of(record.arm) + missing);
  return {};
}

/// The record is the last of `processes` then.
Status Launcher::launch(const Place& place) {
  const bool control = place.role == ProcessRole::control;
  // Controls are one program, whatever ran before them.
  const Subject& subject = control ? plan_.head : subject_of(place.arm);
  ProcessRecord record;
  record.index = static_cast<int>(measurement_.processes.size());
  record.role = place.role;
  record.arm = place.arm;
  record.stage = place.stage;
  const ProcessPaths paths = process_paths(run_folder_, record.index, record.role);
  PG_TRY(make_process_folders(ports_.files, paths,
                              loads_probe(subject.spec, subject.options, record.role)));
  PG_ASSIGN_OR_RETURN(const auto request,
                      child_request(subject.spec, subject.options, record.role, paths));
  if (!gpu_uuid_.empty()) record.before = ports_.device.sample(gpu_uuid_);
  progress_.process_started(record.index, record.role,
                            plan_.base ? std::optional(record.arm) : std::nullopt);
  const std::int64_t started_ns = ports_.clock.realtime_ns();
  const auto outcome = ports_.processes.run(request);
  if (!gpu_uuid_.empty()) record.after = ports_.device.sample(gpu_uuid_);
  if (outcome.ok()) {
    PG_TRY(keep(subject, outcome.value(), request.timeout_s, started_ns, record));
  } else {
    record.state = outcome.error().code == ErrorCode::interrupted ? ProcessState::interrupted
                                                                  : ProcessState::not_started;
    record.problem = outcome.error().message;
  }
  const bool interrupted = record.state == ProcessState::interrupted;
  if (record.state != ProcessState::ok && !interrupted && !control)
    record.problem = name_of(record.arm) + record.problem;
  PG_TRY(write_record(ports_.files, run_folder_, record));
  progress_.process_finished(record);
  measurement_.processes.push_back(std::move(record));
  if (!outcome.ok() && !interrupted)
    return control ? outcome.error() : of_arm_error(outcome.error(), place.arm);
  if (interrupted) {
    return Error{.code = ErrorCode::interrupted,
                 .message = "interrupted; the processes were ended",
                 .hint = "what was measured so far is in " + run_folder_,
                 .context = {}};
  }
  return {};
}

Status Launcher::run_until_undisturbed(const Place& place) {
  for (int repeat = 0;; ++repeat) {
    PG_TRY(launch(place));
    failed_ = last().state != ProcessState::ok;
    if (failed_ || gpu_uuid_.empty()) return {};
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

Status Launcher::run(const Place& place) {
  const double start_s = elapsed_s();
  if (place.role == ProcessRole::timing) {
    PG_TRY(run_until_undisturbed(place));
    if (!failed_) PG_TRY(run_control(place.arm, place.stage));
  } else {
    PG_TRY(launch(place));
    failed_ = last().state != ProcessState::ok;
  }
  Spent& spent = spent_.at(static_cast<std::size_t>(place.role));
  spent.seconds += elapsed_s() - start_s;
  ++spent.runs;
  return {};
}

Status Launcher::run_control(Arm arm, Stage stage) {
  const MeasureOptions& options = plan_.head.options;
  if (!options.controls || !controls_work_ || gpu_uuid_.empty()) return {};
  if (options.workload_program.empty()) {
    controls_work_ = false;
    note("no controls: perfgate-workload is not installed");
    return {};
  }
  PG_TRY(launch({.role = ProcessRole::control, .arm = arm, .stage = stage}));
  if (last().state == ProcessState::ok) return {};
  controls_work_ = false;
  note("no more controls: " + last().problem);
  return {};
}

}  // namespace perfgate::measure
