#include "gates/paired_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gates/bounds.h"
#include "gates/gpu_spread.h"
#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

constexpr double kConfirmInterval = 0.05;
/// The run-to-run SD that the least auto margin stands for.
constexpr double kLeastSd = kLeastAutoMargin / kAutoMarginSds;

struct Pairs {
  Frame frame{};
  std::vector<double> worse{};  ///< one a pair, on the scale
  double sd = 0.0;              ///< of one pair, never below what is known of the runs
};

std::vector<double> scaled(const std::vector<double>& samples, Scale scale) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const double sample : samples) values.push_back(on_scale(sample, scale));
  return values;
}

bool has_zero(const MetricValue& metric) {
  return metric.value == 0.0 || std::ranges::find(metric.samples, 0.0) != metric.samples.end();
}

/// Run to run on one GPU, of the gate's statistic, out of the store; 0 = the store does not know.
double stored_sd(const PairCase& pair, Scale scale) {
  const BaselineSeries* history = pair.history;
  if (history == nullptr || !value_problem(pair.head, *history).empty()) return 0.0;
  const bool zero = std::ranges::any_of(history->points, [](const BaselinePoint& point) {
    return point.value == 0.0 || std::ranges::find(point.samples, 0.0) != point.samples.end();
  });
  if (zero && scale == Scale::log) return 0.0;
  const RunSpread spread = spread_on_one_gpu(*history, pair.head_instance, scale,
                                             pair.gate.margin_ratio.value_or(kLeastAutoMargin));
  return spread.known() ? spread.sd : 0.0;
}

/// The same out of the processes of both arms, for a median over those of the first look.
double sd_of_processes(const PairCase& pair, Scale scale) {
  const double base = sample_sd(scaled(pair.base.samples, scale));
  const double head = sample_sd(scaled(pair.head.samples, scale));
  const int n = std::max(pair.first_look, 1);
  return std::sqrt(0.5 * (base * base + head * head) * median_variance_factor(n) / n);
}

void set_levels(const PairCase& pair, Pairs& pairs, Comparison& row) {
  Frame& frame = pairs.frame;
  const std::vector<double> base = scaled(pair.base.samples, frame.scale);
  const std::vector<double> head = scaled(pair.head.samples, frame.scale);
  for (std::size_t i = 0; i < base.size(); ++i) {
    pairs.worse.push_back(frame.direction * (head[i] - base[i]));
  }
  frame.base = row.base = from_scale(mean(base), frame.scale);
  frame.head = row.head = from_scale(mean(head), frame.scale);
  row.delta_ratio = row.base > 0.0 ? row.head / row.base - 1.0 : 0.0;
}

/// Empty: the row says why nothing can be compared. `screened`: whose bounds hold; nullptr = formed
/// here.
std::optional<Pairs> pairs_of(const PairCase& pair, const Comparison* screened, Comparison& row) {
  row.reason = pairs_problem(pair.head, pair.base);
  if (!row.reason.empty()) return std::nullopt;
  const bool zero = has_zero(pair.head) || has_zero(pair.base);
  if (zero && row.kind == MetricKind::timed) {
    row.reason = row.metric + ": a timed value of zero is not a measurement";
    return std::nullopt;
  }
  Pairs pairs{.frame = frame_of(row, zero ? Scale::linear : Scale::log)};
  set_levels(pair, pairs, row);
  const double stored = stored_sd(pair, pairs.frame.scale);
  if (screened != nullptr) {
    row.margin_auto = screened->margin_auto;
    row.tolerance_auto = screened->tolerance_auto;
    row.margin_ratio = screened->margin_ratio;
    row.tolerance_ratio = screened->tolerance_ratio;
    Frame fixed = pairs.frame;
    if (screened->base > 0.0) fixed.base = screened->base;
    place_bounds(pair.gate, row, fixed);
    pairs.frame.margin = fixed.margin;
    pairs.frame.tolerance = fixed.tolerance;
  } else {
    const double run_sd = stored > 0.0 ? stored : sd_of_processes(pair, pairs.frame.scale);
    set_bounds(pair.gate, run_sd, pairs.frame, row);
  }
  pairs.sd = std::max(sample_sd(pairs.worse), least_pair_sd(pairs.frame, stored));
  if (zero && !pair.gate.at_least && (row.base > 0.0 || row.head > 0.0)) {
    row.outcome = Outcome::inconclusive;
    row.unsettled = Unsettled::zero_ratio;
    row.reason = row.metric +
                 " is zero in some processes, and a ratio to zero means nothing; give the gate an "
                 "at_least in " +
                 row.unit;
    return std::nullopt;
  }
  if (pairs.worse.size() < 2) {
    row.outcome = Outcome::inconclusive;
    row.unsettled = Unsettled::no_spread;
    row.processes_to_settle = 1;
    row.reason = row.metric + " " + quantity(row.head, row.unit) + " against " +
                 quantity(row.base, row.unit) + " (" + signed_percent(row.delta_ratio) +
                 "): one pair shows no spread";
    return std::nullopt;
  }
  return pairs;
}

Interval interval_of(const Pairs& pairs, double level) {
  const double count = static_cast<double>(pairs.worse.size());
  return t_interval(mean(pairs.worse), pairs.sd / std::sqrt(count), count - 1.0, level);
}

/// Figures and a process part of 1: everything that widens the interval shrinks with more pairs.
void fill(const PairCase& pair, const Pairs& pairs, const Interval& worse,
          MetricDecision& decision) {
  Comparison& row = decision.comparison;
  fill_interval(pairs.frame, worse, row);
  row.p_value = p_beyond(worse, pairs.frame.margin);
  const int last = std::max({pair.last_look, row.n_head, 2});
  const std::array stages{stage_of_mean(pairs.sd, last, pair.look_level / 2.0),
                          stage_of_mean(pairs.sd, std::max(pair.confirm_pairs, 2), kReportLevel)};
  row.finds_from_ratio = found_ratio(pairs.frame, stages);
  decision.process_part = pairs.sd > 0.0 ? 1.0 : 0.0;
}

void settle_inconclusive(const PairCase& pair, const Pairs& pairs, double level, Comparison& row) {
  const double wanted = set_inconclusive(pairs.frame, interval_of(pairs, level), row);
  for (int count = row.n_head + 1; count <= pair.most_pairs; ++count) {
    const TestStage stage = stage_of_mean(pairs.sd, std::max(count, 2), level / 2.0);
    if (stage.critical * stage.standard_error > wanted) continue;
    row.processes_to_settle = count - row.n_head;
    row.reason += "; " + count_of(row.processes_to_settle, "more pair") + " would settle it";
    return;
  }
  row.reason += "; " + std::to_string(pair.most_pairs) + " pairs would not settle it";
}

const char* screen_said(const Comparison& screened) {
  return screened.outcome == Outcome::inconclusive ? "the store left it open"
                                                   : "the screen suspected it";
}

}  // namespace

double least_pair_sd(const Frame& frame, double stored) {
  const double unit = frame.scale == Scale::log ? 1.0 : frame.base;
  return std::min(stored > 0.0 ? stored : kLeastSd * unit, frame.margin / 3.0);
}

MetricDecision judge_paired_times(const PairCase& pair) {
  MetricDecision decision{.comparison = outline_pairs(pair.gate, pair.head, pair.base)};
  Comparison& row = decision.comparison;
  const std::optional<Pairs> pairs = pairs_of(pair, nullptr, row);
  if (!pairs) return decision;
  const Interval worse = interval_of(*pairs, pair.look_level);
  row.interval_level = 1.0 - pair.look_level;
  fill(pair, *pairs, worse, decision);
  if (worse.low() > pairs->frame.margin) {
    set_suspect(pairs->frame, worse, row);
    row.unsettled = Unsettled::unconfirmed;
    row.reason += "; suspected, not failed: no fresh pairs have shown it again";
  } else if (passes(pairs->frame, worse)) {
    set_pass(pairs->frame, worse, row);
  } else {
    settle_inconclusive(pair, *pairs, pair.look_level, row);
  }
  return decision;
}

MetricDecision retest_paired_times(const PairCase& fresh, const Comparison& screened,
                                   const Evidence& evidence) {
  MetricDecision decision{.comparison = outline_pairs(fresh.gate, fresh.head, fresh.base)};
  Comparison& row = decision.comparison;
  const std::optional<Pairs> pairs = pairs_of(fresh, &screened, row);
  if (!pairs) return decision;
  const Interval worse = interval_of(*pairs, kConfirmInterval);
  row.interval_level = 1.0 - kConfirmInterval;
  fill(fresh, *pairs, worse, decision);
  const std::string count = count_of(row.n_head, "fresh pair");
  if (evidence.reached) {
    set_suspect(pairs->frame, worse, row);
    row.outcome = Outcome::fail;
    row.confirmed = true;
    row.reason += "; confirmed: " + count + " that no look had seen show it again";
  } else if (worse.low() > pairs->frame.margin) {
    set_suspect(pairs->frame, worse, row);
    row.unsettled = Unsettled::weak_evidence;
    row.reason += "; suspected, not failed: the evidence of " + count +
                  " does not reach 1 % over the " + count_of(evidence.suspects, "suspect") +
                  " of the report";
  } else if (passes(pairs->frame, worse)) {
    set_pass(pairs->frame, worse, row);
    decision.code = "not_shown_again";
    row.reason += std::string("; ") + screen_said(screened) + ", " + count + " do not show it";
  } else {
    settle_inconclusive(fresh, *pairs, kConfirmInterval, row);
    decision.code = "not_shown_again";
    row.reason += std::string("; ") + screen_said(screened) + ", and " + count + " leave it open";
  }
  return decision;
}

}  // namespace perfgate::gates
