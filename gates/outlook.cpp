#include "gates/outlook.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gates/bounds.h"
#include "gates/gate_catalog.h"
#include "gates/gpu_spread.h"
#include "gates/honest_tolerance.h"
#include "gates/judge.h"
#include "gates/paired_times.h"
#include "gates/rules/counted_exact.h"
#include "gates/store_level.h"
#include "gates/values.h"

namespace perfgate::gates {
namespace {

/// As MetricCase has them: beyond these, "more" is no honest advice.
constexpr int kMostProcesses = 200;
constexpr int kMostRuns = 30;

bool is_zero(double value) { return value == 0.0; }

bool has_zero(const BaselineSeries& base) {
  return std::ranges::any_of(base.points, [](const BaselinePoint& point) {
    return is_zero(point.value) || std::ranges::any_of(point.samples, is_zero);
  });
}

const std::vector<int>& looks_of(const OutlookCase& gate) {
  return gate.kind == MetricKind::timed ? gate.spec.timing.processes : gate.spec.trace.processes;
}

GateQuestion question_of(const OutlookCase& gate) {
  for (const GateRule& rule : gate_rules()) {
    if (!rule.needs_baseline || !rule.applies(gate.gate, gate.kind)) continue;
    return rule.judge == judge_counted ? GateQuestion::counts : GateQuestion::times;
  }
  return GateQuestion::limits;
}

void look_at_counts(const OutlookCase& gate, Outlook& out) {
  if (gate.base.points.empty()) {
    out.fail_obstacle = out.pass_obstacle = Unsettled::few_runs;
    out.runs_to_fail = 1;
    return;
  }
  const BaselinePoint& newest = gate.base.points.back();
  out.level = newest.value;
  const bool agree = std::ranges::all_of(
      newest.samples, [&](double sample) { return sample == newest.samples.front(); });
  if (!agree) out.pass_obstacle = Unsettled::counts_disagree;
}

/// A gate on times over a level that is known.
class Times {
 public:
  /// `all`: the level with the runs that lie apart, which a FAIL must stand too.
  /// `on_one_gpu`: what an automatic margin in session is formed of.
  Times(const OutlookCase& gate, const StoreLevel& level, const StoreLevel& all,
        const RunSpread& on_one_gpu, Frame frame)
      : gate_(gate),
        level_(level),
        all_(all),
        on_one_gpu_(on_one_gpu.known() ? on_one_gpu : RunSpread{level.run_sd, level.degrees}),
        frame_(std::move(frame)),
        look_level_(pocock_level(static_cast<int>(looks_of(gate).size()))) {}

  void fill(Outlook& out) {
    const int last = std::max(out.processes, 1);
    set_bounds_of(out);
    out.run_sd = extent(level_.run_sd);
    out.process_sd = extent(level_.process_sd);
    const TestStage look = stage_against(level_, last, look_level_ / 2.0);
    out.honest_tolerance = extent(honest_tolerance(level_, last, look_level_));
    out.passes_unchanged = found_probability({&look, 1}, frame_.tolerance);
    out.suspects_from = found(frame_, {&look, 1});
    set_fails(last, out);
    const Frame session = session_frame();
    out.session_from = found(session, session_stages(session, last));
    if (out.passes_unchanged >= kFoundProbability) return;
    out.pass_obstacle = Unsettled::wide_interval;
    set_to_pass(last, out);
  }

 private:
  [[nodiscard]] Extent extent(double worse) const {
    const double moved =
        from_scale(on_scale(frame_.base, frame_.scale) + frame_.direction * worse, frame_.scale);
    return {.ratio = as_ratio(frame_, worse), .amount = std::abs(moved - frame_.base)};
  }

  [[nodiscard]] std::optional<Extent> found(const Frame& frame,
                                            std::span<const TestStage> stages) const {
    const Extent from = extent(frame.margin + found_beyond_margin(stages));
    return std::isfinite(from.ratio) ? std::optional(from) : std::nullopt;
  }

  void set_bounds_of(Outlook& out) {
    Comparison row;
    set_bounds(gate_.gate, level_.run_sd, frame_, row);
    out.margin = extent(frame_.margin);
    out.tolerance = extent(frame_.tolerance);
  }

  /// With the margin that this gate has in session.
  [[nodiscard]] Frame session_frame() const {
    Frame frame = frame_;
    Comparison row;
    set_bounds(gate_.gate, on_one_gpu_.sd, frame, row);
    return frame;
  }

  void set_fails(int last, Outlook& out) const {
    out.fail_obstacle = level_.restraint;
    if (level_.restraint == Unsettled::few_runs) {
      out.runs_to_fail = kRunsToFail - level_.runs;
    }
    if (level_.restraint == Unsettled::other_gpu) out.runs_to_fail = kRunsToFail - level_.own_runs;
    if (level_.restraint != Unsettled::no) return;
    const double single =
        report_level_of_look(gate_.spec) / static_cast<double>(gate_.spec.gates.size());
    const TestStage test = stage_against(all_, last, std::min(look_level_ / 2.0, single));
    out.fails_from = found(frame_, {&test, 1});
  }

  /// Runs of one process do not tell their spread from that of whole runs: the larger is taken.
  [[nodiscard]] std::array<TestStage, 2> session_stages(const Frame& frame, int last) const {
    const bool apart = level_.process_sd > 0.0;
    const double process = apart ? level_.process_sd : on_one_gpu_.sd;
    const double seen = std::sqrt(2.0) * process;
    const double least = least_pair_sd(frame, on_one_gpu_.sd);
    const double sd = std::max(seen, least);
    const int fresh = gate_.kind == MetricKind::timed ? kConfirmTimingPairs : kConfirmTracePairs;
    std::array stages{stage_of_mean(sd, std::max(last, 2), look_level_ / 2.0),
                      stage_of_mean(sd, fresh, kReportLevel)};
    if (seen <= least) return stages;
    for (TestStage& stage : stages) {
      stage.known_degrees =
          apart ? level_.runs * (level_.processes_per_run - 1.0) : on_one_gpu_.degrees;
    }
    return stages;
  }

  [[nodiscard]] bool is_honest(const StoreLevel& level, int processes) const {
    const TestStage look = stage_against(level, processes, look_level_ / 2.0);
    return found_probability({&look, 1}, frame_.tolerance) >= kFoundProbability;
  }

  void set_to_pass(int last, Outlook& out) const {
    for (int n = last + 1; n <= kMostProcesses && out.processes_to_pass == 0; ++n) {
      if (is_honest(level_, n)) out.processes_to_pass = n;
    }
    // Where instances are the replicate, runs alone do not narrow.
    if (level_.extra_head_variance > 0.0) return;
    StoreLevel longer = level_;
    for (int runs = level_.runs + 1; runs <= kMostRuns; ++runs) {
      longer.level_variance = level_.level_variance * level_.runs / runs;
      longer.degrees = std::max(level_.degrees, runs - 1.0);
      if (!is_honest(longer, last)) continue;
      out.runs_to_pass = runs;
      return;
    }
  }

  const OutlookCase& gate_;
  StoreLevel level_;
  StoreLevel all_;
  RunSpread on_one_gpu_;
  Frame frame_;
  double look_level_;
};

/// What the file itself says of a bound, while no spread is known.
void set_declared(const OutlookCase& gate, Outlook& out) {
  const auto declared = [&](std::optional<double> ratio) {
    return ratio ? std::optional(Extent{*ratio, *ratio * out.level}) : std::nullopt;
  };
  out.margin = declared(gate.gate.margin_ratio);
  out.tolerance = declared(gate.gate.tolerance_ratio);
}

std::string problem_of(const OutlookCase& gate) {
  if (gate.base.points.empty()) return {};
  if (gate.kind == MetricKind::timed && has_zero(gate.base)) {
    return gate.gate.metric + ": a timed value of zero is not a measurement";
  }
  MetricValue head;
  head.id = gate.gate.metric;
  head.value = 1.0;
  head.samples = {1.0};
  return value_problem(head, gate.base);
}

void look_at_times(const OutlookCase& gate, Outlook& out) {
  out.margin_auto = !gate.gate.margin_ratio;
  out.tolerance_auto = !gate.gate.tolerance_ratio;
  out.problem = problem_of(gate);
  if (!out.problem.empty()) return;
  const Scale scale = has_zero(gate.base) ? Scale::linear : Scale::log;
  const double margin = gate.gate.margin_ratio.value_or(kLeastAutoMargin);
  const auto level = store_level(gate.base, gate.head_instance, scale, margin);
  if (!level) {
    out.fail_obstacle = out.pass_obstacle = Unsettled::few_runs;
    out.runs_to_fail = kRunsToFail;
    set_declared(gate, out);
    return;
  }
  out.runs = level->runs;
  out.since_run = level->since_run;
  out.apart = level->apart;
  out.level = from_scale(level->level, scale);
  const bool no_ratio = scale == Scale::linear && !gate.gate.at_least && out.level > 0.0;
  if (no_ratio || level->degrees <= 0.0) {
    out.pass_obstacle = no_ratio ? Unsettled::zero_ratio : Unsettled::no_spread;
    out.fail_obstacle = level->restraint;
    out.runs_to_fail = level->restraint == Unsettled::few_runs ? kRunsToFail - level->runs : 0;
    set_declared(gate, out);
    return;
  }
  Comparison row;
  row.metric = gate.gate.metric;
  row.unit = gate.base.unit;
  row.better = gate.gate.better.value_or(gate.better);
  Frame frame = frame_of(row, scale);
  frame.base = out.level;
  const auto all = store_level(gate.base, gate.head_instance, scale, margin, Serving::all);
  const RunSpread on_one_gpu = spread_on_one_gpu(gate.base, gate.head_instance, scale, margin);
  Times(gate, *level, *all, on_one_gpu, frame).fill(out);
}

}  // namespace

std::string_view to_string(GateQuestion question) {
  switch (question) {
    case GateQuestion::times: return "times";
    case GateQuestion::counts: return "counts";
    case GateQuestion::limits: return "limits";
  }
  return "limits";
}

Outlook outlook_of(const OutlookCase& gate) {
  const std::vector<int>& looks = looks_of(gate);
  Outlook out{.metric = gate.gate.metric,
              .kind = gate.kind,
              .unit = gate.base.unit,
              .question = question_of(gate),
              .runs = static_cast<int>(gate.base.points.size()),
              .processes = looks.empty() ? 0 : looks.back()};
  if (out.question == GateQuestion::counts) look_at_counts(gate, out);
  if (out.question == GateQuestion::times) look_at_times(gate, out);
  return out;
}

}  // namespace perfgate::gates
