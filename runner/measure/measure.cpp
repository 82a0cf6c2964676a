#include "runner/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/device/throttle.h"
#include "runner/measure/launcher.h"

namespace perfgate::measure {
namespace {

std::string seconds(double value) { return std::to_string(static_cast<long>(value)) + " s"; }

/// What the looks of a role count: processes of the head, or pairs.
std::string rounds(int count, ProcessRole role, Screen screen) {
  const std::string kind = role == ProcessRole::trace ? "traced " : "";
  return screen == Screen::pairs ? counted(count, kind + "pair", kind + "pairs")
                                 : counted(count, kind + "process", kind + "processes");
}

/// Base first in every other pair: a drift within a pair helps neither.
std::vector<Arm> arms_of(Screen screen, int round) {
  if (screen == Screen::alone) return {Arm::head};
  if (round % 2 == 0) return {Arm::base, Arm::head};
  return {Arm::head, Arm::base};
}

/// One run; lives for one call of `measure`.
class Session {
 public:
  Session(const SessionPlan& plan, const Ports& ports, Progress& progress,
          const Questions& questions)
      : plan_(plan),
        spec_(plan.head.spec),
        screen_(plan.base ? plan.screen : Screen::alone),
        questions_(questions),
        progress_(progress),
        launcher_(plan, ports, progress) {}

  Result<Measurement> run() {
    PG_TRY(launcher_.begin());
    PG_TRY(launcher_.run_control(Arm::head, Stage::screen));
    PG_TRY(run_looks(ProcessRole::timing, spec_.timing.processes));
    if (!launcher_.failed() && spec_.trace.processes.front() > 0 && can_trace())
      PG_TRY(run_looks(ProcessRole::trace, spec_.trace.processes));
    PG_TRY(confirm());
    note_power_cap();
    return launcher_.finish();
  }

 private:
  [[nodiscard]] int per_round() const { return screen_ == Screen::pairs ? 2 : 1; }

  Status run_round(ProcessRole role, Stage stage, Screen screen, int round) {
    for (const Arm arm : arms_of(screen, round)) {
      PG_TRY(launcher_.run({.role = role, .arm = arm, .stage = stage}));
      if (launcher_.failed()) return {};
    }
    return {};
  }

  Status run_looks(ProcessRole role, const std::vector<int>& looks) {
    int done = 0;
    for (std::size_t look = 0; look < looks.size(); ++look) {
      progress_.phase(to_string(role), looks[look] * per_round());
      for (; done < looks[look]; ++done) {
        PG_TRY(run_round(role, Stage::screen, screen_, done));
        if (launcher_.failed()) return {};
        if (role == ProcessRole::timing && done == 0) warn_about_budget(looks.front());
      }
      const bool last_look = look + 1 == looks.size();
      if (last_look || !more_would_help(role)) return {};
      if (!fits_budget(role, looks[look + 1], done)) return {};
      note("after " + rounds(done, role, screen_) + " undecided: going on to " +
           std::to_string(looks[look + 1]));
    }
    return {};
  }

  bool more_would_help(ProcessRole role) {
    return questions_.need_more && questions_.need_more(launcher_.so_far(), role);
  }

  /// When `wanted` rounds of this role will have ended. After timing processes there are traced
  /// ones still to come: as many as their first look has, each about as long.
  [[nodiscard]] double expected_end_s(ProcessRole role, int wanted, int done) const {
    const int traced = role == ProcessRole::timing ? spec_.trace.processes.front() : 0;
    return launcher_.elapsed_s() + launcher_.mean_s(role) * per_round() * (wanted - done + traced);
  }

  /// What the pairs would take that may have to confirm a suspect.
  [[nodiscard]] double confirm_s() const {
    return launcher_.mean_s(ProcessRole::timing) * 2 * plan_.confirm_timing_pairs;
  }

  /// The first look always runs: without it there is nothing to judge.
  void warn_about_budget(int first_look) {
    const double expected_s = expected_end_s(ProcessRole::timing, first_look, 1);
    if (expected_s > spec_.timing.budget_s) {
      note("the first look will take about " + seconds(expected_s) + ", more than " + budget());
    } else if (expected_s + confirm_s() > spec_.timing.budget_s) {
      note("the first look and the " +
           rounds(plan_.confirm_timing_pairs, ProcessRole::timing, Screen::pairs) +
           " that a suspect needs will take about " + seconds(expected_s + confirm_s()) +
           ", more than " + budget() + ": a suspect will stay SUSPECTED");
    }
  }

  bool fits_budget(ProcessRole role, int wanted, int done) {
    const double budget_s = spec_.timing.budget_s;
    const double expected_s = expected_end_s(role, wanted, done);
    // No room is kept for pairs that do not fit any more: a further look may still clear the gates.
    const bool keeps_room = expected_end_s(role, done, done) + confirm_s() <= budget_s;
    if (expected_s + (keeps_room ? confirm_s() : 0.0) <= budget_s) return true;
    note("stopped at " + rounds(done, role, screen_) + ": " + std::to_string(wanted) +
         (expected_s <= budget_s ? " and the pairs that a suspect needs" : "") + " would exceed " +
         budget());
    return false;
  }

  [[nodiscard]] std::string budget() const {
    return "timing.budget (" + seconds(spec_.timing.budget_s) + ")";
  }

  bool can_trace() {
    const bool there = !plan_.head.options.probe_library.empty() &&
                       !(plan_.base && plan_.base->options.probe_library.empty());
    if (!there) launcher_.note_once("no traced processes: libperfgate_probe.so is not installed");
    return there;
  }

  Status confirm() {
    if (!plan_.base || !questions_.confirm || launcher_.failed()) return {};
    const ConfirmPlan wanted = questions_.confirm(launcher_.so_far());
    PG_TRY(confirm_by(ProcessRole::timing, wanted.timing_pairs, wanted.why));
    if (wanted.trace_pairs > 0 && !launcher_.failed() && can_trace())
      PG_TRY(confirm_by(ProcessRole::trace, wanted.trace_pairs, wanted.why));
    return {};
  }

  /// All pairs or none: fewer than asked for would settle nothing.
  Status confirm_by(ProcessRole role, int pairs, const std::string& why) {
    if (pairs <= 0) return {};
    const std::string how_many = rounds(pairs, role, Screen::pairs);
    const double expected_s = launcher_.mean_s(role) * 2 * pairs;
    const double left_s = spec_.timing.budget_s - launcher_.elapsed_s();
    const std::string begin = why.empty() ? "" : why + "; ";
    if (expected_s > left_s) {
      note(begin + "not confirmed: " + how_many + " would take about " +
           seconds(std::ceil(expected_s)) + ", and " + seconds(std::max(left_s, 0.0)) + " of " +
           budget() + " are left; a larger timing.budget settles it");
      return {};
    }
    note(begin + "confirming with " + how_many + " of fresh processes");
    progress_.phase("confirm " + std::string(to_string(role)), 2 * pairs);
    for (int pair = 0; pair < pairs && !launcher_.failed(); ++pair)
      PG_TRY(run_round(role, Stage::confirm, Screen::pairs, pair));
    return {};
  }

  /// Normal under load and no reason to repeat anything, but it explains a slower clock.
  void note_power_cap() {
    int held = 0;
    int seen = 0;
    std::uint64_t longest_us = 0;
    for (const ProcessRecord& record : launcher_.so_far().processes) {
      const auto us = device::power_cap_growth_us(record.before, record.after);
      if (record.role != ProcessRole::timing || !us) continue;
      ++seen;
      if (*us > 0) ++held;
      longest_us = std::max(longest_us, *us);
    }
    if (held == 0) return;
    note("the power cap held the clocks back in " + std::to_string(held) + " of " +
         counted(seen, "timing process", "timing processes") + ", for " +
         std::to_string(longest_us / 1000) + " ms at most");
  }

  void note(const std::string& text) { launcher_.note(text); }

  const SessionPlan& plan_;
  const WorkloadSpec& spec_;  ///< the head's, whose looks and budget count
  const Screen screen_;
  const Questions& questions_;
  Progress& progress_;
  Launcher launcher_;
};

}  // namespace

Result<Measurement> measure(const SessionPlan& plan, const Ports& ports, Progress& progress,
                            const Questions& questions) {
  return Session(plan, ports, progress, questions).run();
}

}  // namespace perfgate::measure
