/// Starts the processes of one session one after another and keeps what each left behind: record,
/// notes, what it cost. Which ones run, and in which order, is decided by measure.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "runner/measure/measure.h"

namespace perfgate::measure {

/// What a process is run for.
struct Place {
  ProcessRole role = ProcessRole::timing;
  Arm arm = Arm::head;
  Stage stage = Stage::screen;
};

/// "5 processes", "1 traced pair".
[[nodiscard]] std::string counted(int count, const std::string& one, const std::string& several);

/// Lives for one call of `measure`. Errors are those of `measure`; a process that ends badly is
/// none, `failed` says so.
class Launcher {
 public:
  Launcher(const SessionPlan& plan, const Ports& ports, Progress& progress);

  /// Checks what could not work later, and takes the run folder.
  [[nodiscard]] Status begin();

  /// One process of `place`. A timing process that was disturbed runs again, twice at most, and a
  /// control follows it.
  [[nodiscard]] Status run(const Place& place);

  /// Of the process before it are `arm` and `stage`. A control that fails tells nothing about the
  /// workload: it is noted, and no more controls run.
  [[nodiscard]] Status run_control(Arm arm, Stage stage);

  /// The last process of the workload ended badly: nothing more is to be launched.
  [[nodiscard]] bool failed() const { return failed_; }

  void note(const std::string& text);
  void note_once(const std::string& text);

  [[nodiscard]] double elapsed_s() const;
  /// What one `run` of this role took in the mean, its repeats and control included; before the
  /// first of the role, what one of any role took.
  [[nodiscard]] double mean_s(ProcessRole role) const;

  /// With the controls' readings and the time up to now.
  [[nodiscard]] const Measurement& so_far();
  /// The same, and the end of this object's use.
  [[nodiscard]] Measurement finish();

 private:
  struct Spent {
    double seconds = 0.0;
    int runs = 0;
  };

  [[nodiscard]] Status launch(const Place& place);
  [[nodiscard]] Status run_until_undisturbed(const Place& place);
  [[nodiscard]] Status keep(const Subject& subject, const platform::ProcessOutcome& outcome,
                            double timeout_s, std::int64_t started_ns, ProcessRecord& record);
  [[nodiscard]] const Subject& subject_of(Arm arm) const;
  [[nodiscard]] std::string name_of(Arm arm) const;
  [[nodiscard]] Error of_arm_error(Error error, Arm arm) const;
  void note_left_running(int count);
  [[nodiscard]] const ProcessRecord& last() const { return measurement_.processes.back(); }

  const SessionPlan& plan_;
  const Ports& ports_;
  Progress& progress_;
  const std::string run_folder_;
  const std::string& gpu_uuid_;
  const std::int64_t start_ns_;
  Measurement measurement_;
  std::array<Spent, 4> spent_{};  ///< by role
  bool failed_ = false;
  bool controls_work_ = true;
};

}  // namespace perfgate::measure
