#include "gates/rules/two_bound.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gates/bounds.h"
#include "gates/gpu_spread.h"
#include "gates/honest_tolerance.h"
#include "gates/outlying.h"
#include "gates/pinned_level.h"
#include "gates/power.h"
#include "gates/store_level.h"
#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

/// The case on one scale, turned so that larger is worse.
struct Turned {
  Frame frame{};
  StoreLevel level{};               ///< settled
  std::optional<StoreLevel> all{};  ///< where runs lie apart: with them
  double head_process_sd = 0.0;
  int n_head = 0;
};

bool has_zero(const MetricCase& metric) {
  const auto zero = [](double value) { return value == 0.0; };
  return zero(metric.head.value) || std::ranges::any_of(metric.head.samples, zero) ||
         std::ranges::any_of(metric.base.points, [&](const BaselinePoint& point) {
           return zero(point.value) || std::ranges::any_of(point.samples, zero);
         });
}

double head_sd(const MetricCase& metric, Scale scale) {
  std::vector<double> values;
  values.reserve(metric.head.samples.size());
  for (const double sample : metric.head.samples) values.push_back(on_scale(sample, scale));
  return sample_sd(values);
}

/// The interval against one level, in the direction that is worse.
Interval turned_interval(const MetricCase& metric, const Turned& turned, const StoreLevel& level) {
  Interval interval = head_interval(level, on_scale(metric.head.value, turned.frame.scale),
                                    turned.n_head, turned.head_process_sd, metric.look_level);
  interval.estimate *= turned.frame.direction;
  return interval;
}

/// How many more processes would narrow the interval enough; if none would, how many more runs. The
/// other way round while the store fills: its first few runs are what is not known.
void set_more(const MetricCase& metric, const Turned& turned, const WantedWidth& wanted,
              Comparison& out) {
  const int runs =
      runs_for_width(turned.level, wanted, turned.n_head, turned.head_process_sd, metric.most_runs);
  if (runs > 0 && turned.level.runs < kRunsToFail) {
    out.runs_to_settle = runs - turned.level.runs;
    return;
  }
  const int processes = processes_for_width(turned.level, wanted, turned.n_head,
                                            turned.head_process_sd, metric.most_processes);
  if (processes > 0) {
    out.processes_to_settle = processes - turned.n_head;
    return;
  }
  if (runs > 0) out.runs_to_settle = runs - turned.level.runs;
}

/// One process that was disturbed, not the program, is what makes this run uncertain: the widest
/// tolerance is no answer to it.
std::string disturbed_text(const MetricCase& metric, const Turned& turned) {
  std::vector<double> values;
  for (const double sample : metric.head.samples) {
    values.push_back(on_scale(sample, turned.frame.scale));
  }
  const auto apart = outlying(values, {.least_distance = turned.frame.margin,
                                       .least_sds = 3.0,
                                       .least_sd = turned.level.process_sd});
  if (apart.size() != 1) return {};
  return "; one process of this run lies apart at " +
         quantity(metric.head.samples[apart.front()], turned.frame.unit);
}

void settle_inconclusive(const MetricCase& metric, const Turned& turned, const Interval& worse,
                         Comparison& out) {
  const double wanted = set_inconclusive(turned.frame, worse, out);
  const std::string disturbed = disturbed_text(metric, turned);
  if (!disturbed.empty()) {
    out.unsettled = Unsettled::lone_process;
    out.passing_tolerance_ratio = 0.0;
    out.reason += disturbed;
    return;
  }
  set_more(metric, turned, {.half_width = wanted, .alpha = metric.look_level}, out);
  if (out.processes_to_settle > 0) {
    out.reason += "; " + count_of(out.processes_to_settle, "more process") + " would settle it";
  } else if (out.runs_to_settle > 0) {
    out.reason += "; " + count_of(out.runs_to_settle, "more run") +
                  " in the store would settle it, more processes would not";
  } else {
    out.reason += "; more processes would not settle it, the spread from run to run is too wide";
  }
}

/// What is missing for a FAIL is set here and taken back where the report as a whole is evidence
/// enough.
void settle_suspect(const MetricCase& metric, const Turned& turned, const Interval& worse,
                    Comparison& out) {
  set_suspect(turned.frame, worse, out);
  out.unsettled = turned.level.restraint;
  switch (turned.level.restraint) {
    case Unsettled::few_runs: out.runs_to_settle = kRunsToFail - turned.level.runs; return;
    case Unsettled::other_gpu: out.runs_to_settle = kRunsToFail - turned.level.own_runs; return;
    case Unsettled::unknown_gpu: return;
    default: break;
  }
  out.unsettled = Unsettled::weak_evidence;
  set_more(
      metric, turned,
      {.half_width = worse.estimate - turned.frame.margin, .alpha = 2.0 * metric.evidence_level},
      out);
}

std::string runs_text(const std::vector<std::int64_t>& runs) {
  std::string text = runs.size() == 1 ? "run " : "runs ";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) text += i + 1 == runs.size() ? " and " : ", ";
    text += std::to_string(runs[i]);
  }
  return text;
}

/// What more it takes until the newest runs, which lie apart, are a level.
int runs_to_level(const StoreLevel& level) {
  return static_cast<int>(kLeastSegment) - level.newest_apart;
}

/// "; run 9 of the store lies apart and is left out".
std::string apart_text(const StoreLevel& level) {
  return "; " + runs_text(level.apart) + " of the store " +
         (level.apart.size() == 1 ? "lies apart and is left out" : "lie apart and are left out");
}

/// A suspect that all runs, with those that lie apart, would not fail.
void restrain(const Turned& turned, MetricDecision& decision) {
  const StoreLevel& level = turned.level;
  decision.restraint = "with " + runs_text(level.apart) +
                       ", which the level leaves out, the store does not show it surely";
  if (level.restraint != Unsettled::no) return;
  if (level.newest_apart > 0) {
    decision.comparison.unsettled = Unsettled::unplaced_level;
    decision.comparison.runs_to_settle = runs_to_level(level);
  }
}

/// As fast as the level, but the newest runs are faster, or the other way round.
void leave_open(const Turned& turned, const Interval& newest, Comparison& out) {
  const StoreLevel& level = turned.level;
  out.outcome = Outcome::inconclusive;
  out.improved = false;
  out.excludes_above_ratio = 0.0;
  out.unsettled = Unsettled::unplaced_level;
  out.runs_to_settle = runs_to_level(level);
  out.reason += ", but not against the newest " + count_of(level.newest_apart, "run") +
                " of the store at " +
                quantity(from_scale(level.newest_level, turned.frame.scale), turned.frame.unit) +
                ": worse than that by " + as_text(turned.frame, newest.estimate) + "; " +
                count_of(out.runs_to_settle, "more run") + " there would be a level of their own";
}

std::string restraint_text(const StoreLevel& level) {
  switch (level.restraint) {
    case Unsettled::few_runs:
      return "the store has " + count_of(level.runs, "comparable run") + ", " +
             std::to_string(kRunsToFail) + " are needed to fail without a base";
    case Unsettled::other_gpu: return "the store's runs come from another GPU than this run's";
    case Unsettled::unknown_gpu: return "which GPU ran is not known";
    default: return {};
  }
}

/// The half-width that the last look reaches with processes as the store's are: how much this run's
/// own differ is no fault of the file. A declared tolerance below it can never pass.
void check_reachable(const MetricCase& metric, const Turned& turned, MetricDecision& decision) {
  const int last = std::max(metric.last_look, turned.n_head);
  // Nor is it that the runs drift: their spread without that is what the file can hope for.
  const StoreLevel steady = without_drift(turned.level, metric.base);
  const Interval best =
      head_interval(steady, steady.level, last, steady.process_sd, metric.look_level);
  // With few runs the level itself is what is not known yet; that is no fault of the file.
  if (turned.level.runs < kRunsToFail) return;
  if (best.half_width < turned.frame.tolerance || !metric.gate.tolerance_ratio) return;
  decision.configuration_error =
      "gate " + metric.gate.metric + ": this gate can never pass: its tolerance is " +
      as_text(turned.frame, turned.frame.tolerance) + ", but with " + count_of(last, "process") +
      " a run is known to +-" + as_text(turned.frame, best.half_width) +
      "; smallest honest tolerance " +
      as_text(turned.frame, honest_tolerance(turned.level, last, metric.look_level));
}

/// Why fewer runs serve than the store has.
std::string since_text(const MetricCase& metric, const Turned& turned) {
  const double step = turned.level.since_step;
  const std::string change = turned.frame.scale == Scale::log ? signed_percent(std::expm1(step))
                                                              : quantity(step, metric.head.unit);
  return "; level since run " + std::to_string(turned.level.since_run) + ": a change of " + change +
         " there";
}

/// Why the runs of other GPUs do not serve.
std::string gpu_text(const StoreLevel& level) {
  return "; " + count_of(level.runs, "run") + " on this GPU, " + count_of(level.other_runs, "run") +
         " of other GPUs " + (level.other_runs == 1 ? "is" : "are") + " left out";
}

/// What the automatic margin is three of.
double margin_sd(const MetricCase& metric, const StoreLevel& level) {
  if (!metric.base_at_hand) return level.run_sd;
  const RunSpread spread = spread_on_one_gpu(metric.base, metric.head_instance, level.scale,
                                             metric.gate.margin_ratio.value_or(kLeastAutoMargin));
  return spread.known() ? spread.sd : level.run_sd;
}

/// A note for whoever did not cause it.
Reason breach_of(const AgainstPinned& pinned) {
  return {.code = "pinned_breach",
          .text = movement(pinned.frame, pinned.worse) +
                  "; above the margin against the pinned level: small changes have added up"};
}

/// The branch's own recording: the row is of the pinned level then. The store's runs strayed from
/// it together, so they are no measure of chance here (lone_run.h).
void fail_by_pinned(const MetricCase& metric, const Turned& turned, const AgainstPinned& pinned,
                    Comparison& out) {
  const int runs = out.n_base;
  out = pinned.row;
  out.n_base = runs;
  fill_interval(pinned.frame, pinned.worse, out);
  out.interval_level = 1.0 - metric.look_level;
  out.p_value = p_beyond(pinned.worse, pinned.frame.margin);
  set_suspect(pinned.frame, pinned.worse, out);
  out.reason += " against the pinned level: small changes have added up since it was accepted";
  out.unsettled = turned.level.restraint;
  if (out.unsettled != Unsettled::no) return;
  if (*out.p_value <= metric.evidence_level) {
    out.outcome = Outcome::fail;
  } else {
    out.unsettled = Unsettled::weak_evidence;
  }
}

/// What a FAIL out of the store alone asks: the interval's low end beyond the margin, and the
/// evidence that Holm's test asks of a single suspect.
TestStage stage_of(const MetricCase& metric, const Interval& worse) {
  const double level = std::min(metric.look_level / 2.0, metric.evidence_level);
  return {.standard_error = worse.standard_error,
          .degrees = worse.degrees,
          .critical = student_t_quantile(1.0 - level, worse.degrees)};
}

/// The head as one more run of the store: its error is without the widening for autocorrelation,
/// which the runs' own distances lack too.
StoreDistances distances_of(const MetricCase& metric, const Turned& turned, const Interval& worse) {
  const StoreLevel& level = turned.all ? *turned.all : turned.level;
  const double head = head_variance(level, turned.n_head, turned.head_process_sd);
  const double independent = (1.0 - level.correlation) / (1.0 + level.correlation);
  return {.runs = level.distances,
          .frame = turned.frame,
          .head_off = worse.estimate,
          .head_error = std::sqrt(head + level.level_variance * independent),
          .test = stage_of(metric, worse)};
}

void decide(const MetricCase& metric, const Turned& turned, MetricDecision& decision) {
  Comparison& out = decision.comparison;
  const Interval worse = turned_interval(metric, turned, turned.level);
  const Interval all = turned.all ? turned_interval(metric, turned, *turned.all) : worse;
  fill_interval(turned.frame, worse, out);
  out.interval_level = 1.0 - metric.look_level;
  const double head_part = head_variance(turned.level, turned.n_head, turned.head_process_sd);
  const double fixed_part =
      head_variance(turned.level, metric.most_processes * 1000, turned.head_process_sd);
  const double variance = worse.standard_error * worse.standard_error;
  decision.process_part = variance > 0.0 ? (head_part - fixed_part) / variance : 0.0;
  out.p_value = std::max(p_beyond(worse, turned.frame.margin), p_beyond(all, turned.frame.margin));
  decision.distances = distances_of(metric, turned, all);
  if (turned.level.restraint == Unsettled::no) {
    out.finds_from_ratio = found_ratio(turned.frame, {&decision.distances.test, 1});
  }
  const bool is_suspect = worse.low() > turned.frame.margin;
  const auto pinned =
      against_pinned(metric, turned.level, turned.frame, turned.n_head, turned.head_process_sd);
  const bool is_breached = pinned && pinned->breached();
  if (is_breached) decision.notes.push_back(breach_of(*pinned));
  if (!is_suspect && is_breached && metric.is_recording) {
    fail_by_pinned(metric, turned, *pinned, out);
    return;
  }
  if (is_suspect) {
    settle_suspect(metric, turned, worse, out);
    if (!(all.low() > turned.frame.margin)) restrain(turned, decision);
  } else if (passes(turned.frame, worse)) {
    set_pass(turned.frame, worse, out);
    if (turned.level.newest_apart > 0) {
      const Interval newest = turned_interval(metric, turned, level_of_newest(turned.level));
      if (!passes(turned.frame, newest)) leave_open(turned, newest, out);
    }
  } else {
    settle_inconclusive(metric, turned, worse, out);
    check_reachable(metric, turned, decision);
    if (!decision.configuration_error.empty()) out.reason += "; " + decision.configuration_error;
  }
  if (turned.level.since_run != 0) out.reason += since_text(metric, turned);
  if (!turned.level.apart.empty()) out.reason += apart_text(turned.level);
  if (turned.level.other_runs > 0) out.reason += gpu_text(turned.level);
}

}  // namespace

MetricDecision judge_two_bound(const MetricCase& metric) {
  MetricDecision decision{.comparison = outline(metric.gate, metric.head, metric.base)};
  Comparison& out = decision.comparison;
  if (const std::string problem = value_problem(metric.head, metric.base); !problem.empty()) {
    out.reason = problem;
    out.n_base = 0;  // no level was formed: the row shows none
    return decision;
  }
  const bool zero = has_zero(metric);
  if (zero && metric.head.kind == MetricKind::timed) {
    out.reason = metric.gate.metric + ": a timed value of zero is not a measurement";
    out.n_base = 0;
    return decision;
  }
  Turned turned{.frame = frame_of(out, zero ? Scale::linear : Scale::log)};
  const double margin = metric.gate.margin_ratio.value_or(kLeastAutoMargin);
  const auto level = store_level(metric.base, metric.head_instance, turned.frame.scale, margin);
  if (!level) {
    out.outcome = Outcome::no_baseline;
    out.reason = metric.gate.metric + ": the store has no value of it to compare with";
    out.unsettled = Unsettled::few_runs;
    out.runs_to_settle = kRunsToFail;
    return decision;
  }
  turned.level = *level;
  if (!level->apart.empty()) {
    turned.all =
        store_level(metric.base, metric.head_instance, turned.frame.scale, margin, Serving::all);
  }
  turned.frame.base = out.base = from_scale(level->level, turned.frame.scale);
  turned.head_process_sd = head_sd(metric, turned.frame.scale);
  turned.n_head = std::max(out.n_head, 1);
  out.n_base = level->runs;
  out.other_gpu_runs = level->other_runs;
  out.delta_ratio = out.base > 0.0 ? out.head / out.base - 1.0 : 0.0;
  decision.restraint = restraint_text(*level);
  set_bounds(metric.gate, margin_sd(metric, *level), turned.frame, out);
  if (zero && !metric.gate.at_least && (out.base > 0.0 || out.head > 0.0)) {
    out.outcome = Outcome::inconclusive;
    out.unsettled = Unsettled::zero_ratio;
    out.reason = metric.gate.metric +
                 " is zero in some runs, and a ratio to zero means nothing; give "
                 "the gate an at_least in " +
                 metric.head.unit;
    return decision;
  }
  if (level->degrees <= 0.0) {
    out.outcome = Outcome::inconclusive;
    out.unsettled = Unsettled::no_spread;
    out.runs_to_settle = 1;
    out.reason = metric.gate.metric + " " + quantity(out.head, out.unit) + " against " +
                 quantity(out.base, out.unit) + " (" + signed_percent(out.delta_ratio) +
                 "): one run in the store shows no spread, record a second one";
    return decision;
  }
  decide(metric, turned, decision);
  return decision;
}

}  // namespace perfgate::gates
