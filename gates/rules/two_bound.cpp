#include "gates/rules/two_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "gates/store_level.h"
#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

/// The case on one scale, turned so that larger is worse.
struct Turned {
  StoreLevel level{};
  Scale scale = Scale::log;
  double direction = 1.0;  ///< -1: higher is better
  double base = 0.0;       ///< level in the metric's unit
  double head_process_sd = 0.0;
  int n_head = 0;
  double margin = 0.0;  ///< bounds on the scale, after at_least
  double tolerance = 0.0;
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

void set_margins(const MetricCase& metric, Turned& turned, Comparison& out) {
  const double sd_ratio = turned.scale == Scale::log ? turned.level.run_sd
                          : turned.base > 0.0        ? turned.level.run_sd / turned.base
                                                     : 0.0;
  out.margin_auto = !metric.gate.margin_ratio.has_value();
  out.margin_ratio = metric.gate.margin_ratio.value_or(
      std::clamp(kAutoMarginSds * sd_ratio, kLeastAutoMargin, kMostAutoMargin));
  out.tolerance_ratio =
      metric.gate.tolerance_ratio.value_or(kAutoToleranceMargins * out.margin_ratio);
  const double at_least = metric.gate.at_least.value_or(0.0);
  if (turned.scale == Scale::linear) {
    turned.margin = std::max(out.margin_ratio * turned.base, at_least);
    turned.tolerance = std::max(out.tolerance_ratio * turned.base, at_least);
    return;
  }
  // Lower is better: the head rises by at_least. Higher is better: it falls by at_least, and a fall
  // of the whole value or more cannot happen.
  const double share = at_least / turned.base;
  const double least = turned.direction > 0.0 ? std::log1p(share)
                       : share < 1.0          ? -std::log1p(-share)
                                              : std::numeric_limits<double>::infinity();
  turned.margin = std::max(std::log1p(out.margin_ratio), least);
  turned.tolerance = std::max(std::log1p(out.tolerance_ratio), least);
}

/// The interval in the direction that is worse.
Interval turned_interval(const MetricCase& metric, const Turned& turned, double alpha) {
  Interval interval = head_interval(turned.level, on_scale(metric.head.value, turned.scale),
                                    turned.n_head, turned.head_process_sd, alpha);
  interval.estimate *= turned.direction;
  return interval;
}

void fill_interval(Comparison& out, const Turned& turned, const Interval& worse) {
  const double ends[2] = {turned.direction * worse.low(), turned.direction * worse.high()};
  const auto [low, high] = std::minmax(ends[0], ends[1]);
  if (turned.scale == Scale::log) {
    out.ci_low_ratio = std::expm1(low);
    out.ci_high_ratio = std::expm1(high);
    out.interval_known = true;
  } else if (turned.base > 0.0) {
    out.ci_low_ratio = low / turned.base;
    out.ci_high_ratio = high / turned.base;
    out.interval_known = true;
  }
}

/// A worsening on the scale as a ratio of the level: what a person calls "a slowdown of".
double as_ratio(const Turned& turned, double worse) {
  if (turned.scale == Scale::log) return std::expm1(worse);
  return turned.base > 0.0 ? worse / turned.base : 0.0;
}

std::string as_text(const MetricCase& metric, const Turned& turned, double worse) {
  if (turned.base > 0.0) return percent(as_ratio(turned, worse));
  return quantity(worse, metric.head.unit);
}

std::string movement(const MetricCase& metric, const Turned& turned, const Interval& worse) {
  const double shift = turned.direction * worse.estimate;
  const bool ratio = turned.base > 0.0;
  Comparison ends;
  fill_interval(ends, turned, worse);
  std::string text = metric.gate.metric + " " + quantity(metric.head.value, metric.head.unit) +
                     " against " + quantity(turned.base, metric.head.unit) + ": ";
  if (!ratio) return text + "a change of " + quantity(shift, metric.head.unit);
  const double delta = turned.scale == Scale::log ? std::expm1(shift) : shift / turned.base;
  return text + signed_percent(delta) + " [" + signed_percent(ends.ci_low_ratio) + ", " +
         signed_percent(ends.ci_high_ratio) + "]";
}

const char* worse_word(const MetricCase& metric) {
  return metric.head.better == Better::lower ? "a rise" : "a drop";
}

void set_pass(const MetricCase& metric, const Turned& turned, const Interval& worse,
              Comparison& out) {
  out.outcome = Outcome::pass;
  out.excludes_above_ratio = std::max(0.0, as_ratio(turned, worse.high()));
  out.improved = worse.high() < -turned.margin;
  out.reason = movement(metric, turned, worse);
  if (out.improved) {
    out.reason += "; better by more than the margin of " + as_text(metric, turned, turned.margin);
  } else if (worse.high() <= 0.0) {
    out.reason += "; any change for the worse is excluded";
  } else {
    out.reason += std::string("; ") + worse_word(metric) + " above " +
                  as_text(metric, turned, worse.high()) + " is excluded";
  }
}

/// How many more processes would narrow the interval enough; if none would, how many more runs.
void set_more(const MetricCase& metric, const Turned& turned, const WantedWidth& wanted,
              Comparison& out) {
  const int processes = processes_for_width(turned.level, wanted, turned.n_head,
                                            turned.head_process_sd, metric.most_processes);
  if (processes > 0) {
    out.processes_to_settle = processes - turned.n_head;
    return;
  }
  const int runs =
      runs_for_width(turned.level, wanted, turned.n_head, turned.head_process_sd, metric.most_runs);
  if (runs > 0) out.runs_to_settle = runs - turned.level.runs;
}

void set_inconclusive(const MetricCase& metric, const Turned& turned, const Interval& worse,
                      Comparison& out) {
  out.outcome = Outcome::inconclusive;
  out.reason = movement(metric, turned, worse) + "; it lies neither above the margin of " +
               as_text(metric, turned, turned.margin) + " nor below the tolerance of " +
               as_text(metric, turned, turned.tolerance);
  out.unsettled = Unsettled::wide_interval;
  out.passing_tolerance_ratio = std::max(0.0, as_ratio(turned, worse.high()));
  const double wanted = std::max(turned.tolerance - worse.estimate, worse.estimate - turned.margin);
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

/// Worse by more than the margin. What is missing for a FAIL is set here and taken back where the
/// report as a whole is evidence enough.
void set_suspect(const MetricCase& metric, const Turned& turned, const Interval& worse,
                 Comparison& out) {
  out.outcome = Outcome::suspected;
  out.reason = movement(metric, turned, worse) + "; worse by more than the margin of " +
               as_text(metric, turned, turned.margin);
  out.unsettled = turned.level.restraint;
  switch (turned.level.restraint) {
    case Unsettled::few_runs: out.runs_to_settle = kRunsToFail - turned.level.runs; return;
    case Unsettled::other_gpu: out.runs_to_settle = kRunsToFail - turned.level.own_runs; return;
    case Unsettled::unknown_gpu: return;
    default: break;
  }
  out.unsettled = Unsettled::weak_evidence;
  set_more(metric, turned,
           {.half_width = worse.estimate - turned.margin, .alpha = 2.0 * metric.evidence_level},
           out);
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

/// The half-width that the last look reaches. A declared tolerance below it can never pass.
void check_reachable(const MetricCase& metric, const Turned& turned, MetricDecision& decision) {
  const int last = std::max(metric.last_look, turned.n_head);
  const Interval best = head_interval(turned.level, turned.level.level, last,
                                      turned.head_process_sd, metric.look_level);
  // With few runs the level itself is what is not known yet; that is no fault of the file.
  if (turned.level.runs < kRunsToFail) return;
  if (best.half_width < turned.tolerance || !metric.gate.tolerance_ratio) return;
  decision.configuration_error =
      "gate " + metric.gate.metric + ": this gate can never pass: its tolerance is " +
      as_text(metric, turned, turned.tolerance) + ", but with " + count_of(last, "process") +
      " a run is known to +-" + as_text(metric, turned, best.half_width) +
      "; smallest honest tolerance " + as_text(metric, turned, 1.01 * best.half_width);
}

/// Why fewer runs serve than the store has.
std::string since_text(const MetricCase& metric, const Turned& turned) {
  const double step = turned.level.since_step;
  const std::string change = turned.scale == Scale::log ? signed_percent(std::expm1(step))
                                                        : quantity(step, metric.head.unit);
  return "; level since run " + std::to_string(turned.level.since_run) + ": a change of " + change +
         " there";
}

void check_pinned(const MetricCase& metric, const Turned& turned, const Interval& worse,
                  MetricDecision& decision) {
  if (!metric.base.pinned || !std::isfinite(*metric.base.pinned) || *metric.base.pinned <= 0.0) {
    return;
  }
  const double pinned = on_scale(*metric.base.pinned, turned.scale);
  const double shift = turned.direction * (turned.level.level - pinned);
  const double low = worse.low() + shift;
  if (!(low > turned.margin)) return;
  decision.notes.push_back({.code = "pinned_breach",
                            .text = metric.gate.metric + " " +
                                    quantity(metric.head.value, metric.head.unit) +
                                    " is above the margin against the pinned level of " +
                                    quantity(*metric.base.pinned, metric.head.unit) +
                                    ": accepted small changes have added up"});
}

void decide(const MetricCase& metric, const Turned& turned, MetricDecision& decision) {
  Comparison& out = decision.comparison;
  const Interval worse = turned_interval(metric, turned, metric.look_level);
  fill_interval(out, turned, worse);
  out.interval_level = 1.0 - metric.look_level;
  const double head_part = head_variance(turned.level, turned.n_head, turned.head_process_sd);
  const double fixed_part =
      head_variance(turned.level, metric.most_processes * 1000, turned.head_process_sd);
  const double variance = worse.standard_error * worse.standard_error;
  decision.process_part = variance > 0.0 ? (head_part - fixed_part) / variance : 0.0;
  const double beyond = worse.estimate - turned.margin;
  const double t = worse.standard_error > 0.0 ? beyond / worse.standard_error
                   : beyond > 0.0             ? std::numeric_limits<double>::infinity()
                                              : -std::numeric_limits<double>::infinity();
  decision.p_value = student_t_upper_tail(t, worse.degrees);
  check_reachable(metric, turned, decision);
  check_pinned(metric, turned, worse, decision);
  if (worse.low() > turned.margin) {
    set_suspect(metric, turned, worse, out);
  } else if (worse.high() < turned.tolerance || worse.high() <= 0.0) {
    set_pass(metric, turned, worse, out);
  } else {
    set_inconclusive(metric, turned, worse, out);
    if (!decision.configuration_error.empty()) out.reason += "; " + decision.configuration_error;
  }
  if (turned.level.since_run != 0) out.reason += since_text(metric, turned);
}

}  // namespace

MetricDecision judge_two_bound(const MetricCase& original) {
  MetricValue head = original.head;
  head.better = original.gate.better.value_or(head.better);
  const MetricCase metric{original.gate,       head,
                          original.base,       original.head_instance,
                          original.look_level, original.evidence_level,
                          original.last_look,  original.most_processes,
                          original.most_runs};
  MetricDecision decision{.comparison = outline(metric.gate, metric.head, metric.base)};
  Comparison& out = decision.comparison;
  if (const std::string problem = value_problem(metric.head, metric.base); !problem.empty()) {
    out.reason = problem;
    return decision;
  }
  const bool zero = has_zero(metric);
  if (zero && metric.head.kind == MetricKind::timed) {
    out.reason = metric.gate.metric + ": a timed value of zero is not a measurement";
    return decision;
  }
  Turned turned{.scale = zero ? Scale::linear : Scale::log,
                .direction = metric.head.better == Better::lower ? 1.0 : -1.0};
  const auto level = store_level(metric.base, metric.head_instance, turned.scale,
                                 metric.gate.margin_ratio.value_or(kLeastAutoMargin));
  if (!level) {
    out.outcome = Outcome::no_baseline;
    out.reason = metric.gate.metric + ": the store has no value of it to compare with";
    out.unsettled = Unsettled::few_runs;
    out.runs_to_settle = kRunsToFail;
    return decision;
  }
  turned.level = *level;
  turned.base = from_scale(level->level, turned.scale);
  turned.head_process_sd = head_sd(metric, turned.scale);
  turned.n_head = std::max(out.n_head, 1);
  out.base = turned.base;
  out.n_base = level->runs;
  out.delta_ratio = turned.base > 0.0 ? out.head / turned.base - 1.0 : 0.0;
  decision.restraint = restraint_text(*level);
  set_margins(metric, turned, out);
  if (zero && !metric.gate.at_least && (turned.base > 0.0 || out.head > 0.0)) {
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
