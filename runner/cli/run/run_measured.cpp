#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/progress.h"
#include "runner/cli/run/ready_subject.h"
#include "runner/cli/run/recording.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/run/run_request.h"
#include "runner/cli/store_access.h"
#include "runner/device/calibration.h"
#include "runner/device/device_query.h"
#include "runner/measure/measure.h"
#include "runner/platform/gpu_lock.h"
#include "runner/platform/process.h"

namespace perfgate::cli {
namespace {

/// What a person can do on a machine without a GPU.
Error without_gpu(Error error, const RunRequest& request) {
  if (error.code != ErrorCode::unavailable) return error;
  const WorkloadSpec& spec = request.spec;
  if (std::holds_alternative<BuiltinRun>(spec.run)) {
    error.hint = request.replays
                     ? "--replay auto judges a recorded run of this workload, without a GPU"
                     : "call it on a machine with a GPU: a built-in workload needs one";
  } else {
    error.hint = std::string("--gpu none measures a program that needs no GPU") +
                 (request.replays ? "; --replay DIR judges a recorded run" : "");
  }
  if (spec.path.empty()) {
    error.hint += "; perfgate's own options stand before `--`: perfgate run --gpu none -- CMD";
  }
  error.hint += "; perfgate doctor examines the driver";
  return error;
}

Result<std::optional<device::GpuInfo>> find_gpu(const RunRequest& request,
                                                const device::DeviceQuery& device) {
  if (request.gpu == "none") return std::optional<device::GpuInfo>();
  const auto gpus = device.gpus();
  if (!gpus.ok()) return without_gpu(gpus.error(), request);
  auto gpu = device::choose_gpu(request.gpu, gpus.value());
  if (!gpu.ok()) return without_gpu(std::move(gpu).error(), request);
  return std::optional<device::GpuInfo>(std::move(gpu).value());
}

Result<std::optional<platform::GpuLock>> lock_gpu(const std::optional<device::GpuInfo>& gpu,
                                                  const Context& context, const RunPorts& ports) {
  if (!gpu) return std::optional<platform::GpuLock>();
  PG_ASSIGN_OR_RETURN(const std::string folder, platform::lock_folder(ports.environment));
  const auto waiting = [&](const std::string& holder, double waited_s) {
    show_progress(context.console, "waiting for the GPU: " + holder + " holds it (" +
                                       std::to_string(static_cast<int>(waited_s)) + " s)");
  };
  PG_ASSIGN_OR_RETURN(
      platform::GpuLock lock,
      platform::GpuLock::acquire(folder, gpu->uuid, ports.clock, ports.cancellation, waiting));
  return std::optional<platform::GpuLock>(std::move(lock));
}

std::optional<device::Calibration> stored_calibration(const RunRequest& request,
                                                      const std::string& uuid,
                                                      const std::string& driver,
                                                      const platform::FileSystem& files) {
  const auto text = files.read(
      platform::join_path(request.calibration_folder, device::calibration_file_name(uuid, driver)));
  if (!text.ok()) return std::nullopt;
  auto calibration = device::read_calibration(text.value());
  if (!calibration.ok()) return std::nullopt;
  return std::move(calibration).value();
}

RunIdentity identity_of(const RunRequest& request, const Ancestry& ancestry,
                        platform::ProcessRunner& processes, const RunPorts& ports) {
  RunIdentity identity = form_identity(ports.environment, processes, ports.clock);
  // Off the branch's line a run belongs to the branch that is checked out, whatever it was compared
  // with.
  identity.series_branch = ancestry.head_is_beyond ? identity.branch : request.branch;
  // Outside CI the run folder tells two runs of one second apart.
  if (identity.run_id.empty())
    identity.run_id = std::filesystem::path(request.run_folder).filename().string();
  return identity;
}

/// What the base is beside the head, for the report: its own fingerprint, and the command line
/// where that is what differs (the program may be the same interpreter).
std::optional<BaseArm> describe_base(const RunRequest& request, const ReadySubject* base,
                                     ReadySubject& head) {
  if (base == nullptr) return std::nullopt;
  BaseArm arm{.how = request.base.how, .subject = base->options.fingerprint.subject, .metrics = {}};
  if (arm.how.empty()) arm.how = "the same program";
  const auto* base_command = std::get_if<CommandRun>(&base->spec.run);
  const auto* head_command = std::get_if<CommandRun>(&head.spec.run);
  if (base_command == nullptr || head_command == nullptr) return arm;
  const auto words = [](const CommandRun& command) {
    return fmt::format("{}", fmt::join(command.argv, " "));
  };
  if (words(*base_command) == words(*head_command)) return arm;
  arm.subject["command"] = words(*base_command);
  head.options.fingerprint.subject["command"] = words(*head_command);
  return arm;
}

/// Stops that nobody is told otherwise: why no more processes were measured.
class Asking {
 public:
  using Judged = std::function<AssessInput(const Measurement&)>;
  Asking(Judged judged, const platform::FileSystem& files)
      : judged_(std::move(judged)), files_(files) {}

  [[nodiscard]] measure::Questions questions() {
    return {.need_more =
                [this](const Measurement& so_far, ProcessRole role) {
                  const gates::LookAdvice advice = look_again(judged_(so_far), role, files_);
                  // What goes on is noted by the measuring itself.
                  if (advice.processes == 0 && !advice.why.empty()) stops_.push_back(advice.why);
                  return advice.processes > 0;
                },
            .confirm =
                [this](const Measurement& so_far) {
                  return plan_confirmation(judged_(so_far), files_);
                }};
  }
  [[nodiscard]] const std::vector<std::string>& stops() const { return stops_; }

 private:
  Judged judged_;
  const platform::FileSystem& files_;
  std::vector<std::string> stops_;
};

/// A store that can judge screens the head alone: half the processes.
measure::Screen screen_of(const RunRequest& request, const BaselineChoice& choice) {
  const bool store_judges = choice.exists && choice.comparability.environment.empty();
  return request.pairs || !store_judges ? measure::Screen::pairs : measure::Screen::alone;
}

}  // namespace

Result<Assessed> run_measured(const RunRequest& request, Context& context, const RunPorts& ports) {
  PG_TRY(check_parts(request, context));
  platform::SystemProcessRunner processes(ports.clock, ports.cancellation);
  const Ancestry ancestry = find_ancestry(ports.environment, processes, request.branch);
  const RunIdentity identity = identity_of(request, ancestry, processes, ports);
  if (request.record) PG_TRY(check_line_for_recording(ancestry, request.branch, identity.branch));
  const std::unique_ptr<device::DeviceQuery> device =
      device::open_device_query(ports.clock, device::pid_view());
  Machine machine;
  PG_ASSIGN_OR_RETURN(machine.gpu, find_gpu(request, *device));
  PG_ASSIGN_OR_RETURN(const std::optional<platform::GpuLock> lock,
                      lock_gpu(machine.gpu, context, ports));
  machine.driver = device->driver();

  PG_ASSIGN_OR_RETURN(ReadySubject head,
                      ready_subject(request, request.head, machine, context, ports));
  std::optional<ReadySubject> base;
  if (request.in_session) {
    auto ready = ready_subject(request, request.base, machine, context, ports);
    if (!ready.ok()) {
      Error error = std::move(ready).error();
      error.message = "base: " + error.message;
      return error;
    }
    base = std::move(ready).value();
  }
  const std::optional<BaseArm> base_arm = describe_base(request, base ? &*base : nullptr, head);
  PG_ASSIGN_OR_RETURN(
      const baselines::Selection baseline,
      select_baseline({.store = request.store, .branch = request.branch, .ancestry = ancestry},
                      request.spec, head.options.fingerprint));
  const auto calibration =
      stored_calibration(request, head.options.gpu_uuid, machine.driver.driver, ports.files);
  const auto judged_so_far = [&](const Measurement& measurement) {
    return AssessInput{.spec = head.spec,
                       .measurement = measurement,
                       .run_folder = request.run_folder,
                       .identity = identity,
                       .source = RunSource::measured,
                       .baseline = baseline,
                       .calibration = calibration,
                       .base_arm = base_arm,
                       .accepts = request.accepts,
                       .today_utc = today_utc(ports.clock),
                       .problem = {},
                       .is_recording = request.record};
  };
  PG_TRY(ignore_in_git(ports.files, request.run_folder));
  ConsoleProgress progress(context.console, request.spec.name);
  Asking asking(judged_so_far, ports.files);
  measure::SessionPlan plan{.head = {head.spec, head.options}, .base = {}};
  if (base) plan.base.emplace(measure::Subject{base->spec, base->options});
  if (base) {
    plan.screen = screen_of(request, baseline.choice);
    plan.confirm_timing_pairs = gates::kConfirmTimingPairs;
  }
  PG_ASSIGN_OR_RETURN(Measurement measurement,
                      measure::measure(plan, {processes, ports.clock, ports.files, *device},
                                       progress, asking.questions()));
  measurement.notes.insert(measurement.notes.end(), asking.stops().begin(), asking.stops().end());
  if (head.spec.trace.processes.front() == 0) {
    measurement.notes.emplace_back(
        "judged on time alone: no GPU was asked for, and no gate needs a trace");
  }
  return assess(judged_so_far(measurement), ports.files);
}

}  // namespace perfgate::cli
