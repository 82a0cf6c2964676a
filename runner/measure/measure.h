/// Measures one program, or two in one session: fresh untraced processes for the times, then traced
/// ones for the explanation, then where suspects are to be confirmed fresh pairs of both.
///
/// Order: control, timing processes (a control after each where a GPU is used), traced processes.
/// Both kinds have looks (timing.processes, trace.processes): after each but the last the caller is
/// asked whether more would help, and timing.budget bounds the whole. The first look of timing
/// processes runs in any case, and so does the first of traced ones: without them nothing is
/// judged.
///
/// Two programs run in pairs, base head, head base, base head, ...: what drifts hits both alike. A
/// disturbed process is repeated before the other one of its pair runs, and no pair is begun that
/// the budget would cut. With `Screen::pairs` a look counts pairs; with `Screen::alone` only the
/// head runs there, and the base where something is to be confirmed. The processes of both are in
/// one Measurement, and so are the controls' readings; samples.h takes one arm out of it.
///
/// Each process is recorded in the run folder the moment it ends (run_folder.h), so that nothing is
/// lost by what comes later.
///
/// A crash, a hang, an out-of-memory, a silent child or too few steps ends the launching: the
/// Measurement comes back with the failing record as its last one, and the caller judges it
/// invalid. Its `problem` begins with "base: " or "head: " where there are two programs. Errors are
/// only what is not the workload's doing: `interrupted` (Ctrl-C), `not_found` or `io` (the program
/// or a file cannot be had), `unavailable` (another injector in the environment).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runner/device/device_query.h"
#include "runner/model/run_result.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"
#include "runner/platform/process.h"

namespace perfgate::measure {

/// Step times out of a command's standard output (`results: json | regex`). Given by the
/// caller, since this room has neither JSON nor regular expressions.
using ResultsExtractor =
    std::function<Result<ProcessResults>(const CommandRun& command, std::string_view stdout_text)>;

struct MeasureOptions {
  std::string run_folder;        ///< made, or taken if empty (claim_folder.h)
  std::string workload_program;  ///< path of perfgate-workload; empty = not installed (no
                                 ///< built-ins, no controls)
  std::string
      probe_library;  ///< path of libperfgate_probe.so; empty = not installed (no traced processes)
  std::string gpu_uuid;  ///< empty = no GPU: no CUDA_VISIBLE_DEVICES, no samples, no controls
  platform::Variables environment;  ///< perfgate's own, which children inherit
  bool controls = true;
  /// Set (0 too): the NVTX half of the probe is in the timing processes whatever `results` says,
  /// and makes the host wait this long at the start of each step, in timing and traced processes
  /// (runner/probe/step_delay.h). Needs steps.range.
  std::optional<double> step_delay_us{};
  double grace_s = 5.0;              ///< between SIGTERM and SIGKILL of a child that must end
  ResultsExtractor extract_results;  ///< may be empty if the workload needs none
  Fingerprint fingerprint;           ///< goes into the Measurement as it is
};

/// One of the programs: what is run, and how. Borrowed; both must outlive the call.
struct Subject {
  const WorkloadSpec& spec;
  const MeasureOptions& options;
};

/// How the looks of the plan are run.
enum class Screen : std::uint8_t {
  alone,  ///< the head by itself: what is stored is what it is held against
  pairs,  ///< both programs in pairs; needs a base
};

/// The looks, the budget, the run folder, the GPU, the controls and the fingerprint are the head's.
struct SessionPlan {
  Subject head;
  std::optional<Subject> base;  ///< empty = one program
  Screen screen = Screen::alone;
  /// Timing pairs that may have to confirm a suspect: a further look is not begun if it would leave
  /// no room for them in timing.budget. 0 = none will be asked for.
  int confirm_timing_pairs = 0;
};

/// All borrowed; must outlive the call.
struct Ports {
  platform::ProcessRunner& processes;
  const platform::Clock& clock;
  platform::FileSystem& files;
  const device::DeviceQuery& device;
};

/// What a person watches. Every function is called from the thread that measures.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// "timing", "trace", "confirm timing", "confirm trace". `planned`: processes of this phase as
  /// far as is known, of both programs.
  virtual void phase(std::string_view name, int planned) = 0;
  /// `arm` is empty where there is one program.
  virtual void process_started(int index, ProcessRole role, std::optional<Arm> arm) = 0;
  virtual void process_finished(const ProcessRecord& record) = 0;
  /// Also kept in Measurement::notes.
  virtual void note(std::string_view text) = 0;
};

/// Called after each look but the last with everything measured so far, controls included: would
/// more processes of this role (timing or trace) settle a gate?
using NeedMore = std::function<bool(const Measurement& so_far, ProcessRole role)>;

/// What is to run afresh, in pairs, for suspects that the looks found.
struct ConfirmPlan {
  int timing_pairs = 0;  ///< 0 = none of this kind
  int trace_pairs = 0;
  std::string why;  ///< begins the notes on it: "step_time_p50 is suspected"; may be empty
};

/// Asked of the caller while it is measured; each may be empty.
struct Questions {
  /// Empty: the first look is the last.
  NeedMore need_more;
  /// Asked once after all looks, where there is a base and nothing failed. All pairs of a kind run,
  /// or none if timing.budget has no room for them: a note says then what it would have taken.
  std::function<ConfirmPlan(const Measurement& screened)> confirm;
};

[[nodiscard]] Result<Measurement> measure(const SessionPlan& plan, const Ports& ports,
                                          Progress& progress, const Questions& questions);

}  // namespace perfgate::measure
