#include "gates/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gates/bounds.h"
#include "gates/drift.h"
#include "gates/gate_catalog.h"
#include "gates/gpu_spread.h"
#include "gates/outlying.h"
#include "gates/statistics.h"
#include "gates/trend_runs.h"

namespace perfgate::gates {
namespace {

/// As many runs as the gate takes for a level.
constexpr std::size_t kMostLevelRuns = 30;
/// Of all metrics together that a reference is off by more than its uncertainty.
constexpr double kReferenceLevel = 0.05;
constexpr double kBreachLevel = 0.01;
/// An SD by differences is known as well as one of two thirds of the runs.
constexpr double kDifferencesPerDegree = 1.5;
/// Of the value; below it is rounding.
constexpr double kLeastSd = 1e-6;

/// A metric between the two passes: all but what the number of metrics sets.
struct Times {
  const TrendInput* input = nullptr;
  TrendMetric* metric = nullptr;
  ServingRuns runs{};
  std::optional<Anchor> anchor{};
  Scale scale = Scale::log;
  double direction = 1.0;        ///< -1: higher is better
  std::vector<double> values{};  ///< on the scale, turned so that larger is worse
  double sd = 0.0;
  double rho = 0.0;
  double margin = 0.0;  ///< on the scale
  std::vector<TrendChange> changes{};
  std::vector<ChangePoint> steps{};  ///< turned
  double reference = 0.0;            ///< turned
  std::size_t reference_runs = 0;
  std::optional<StoreLevel> level{};
  bool watched = false;
};

bool compares_counts(const TrendInput& input) {
  return std::ranges::any_of(gate_rules(), [&](const GateRule& rule) {
    return rule.name == "counted_exact" && rule.applies(input.gate, input.kind);
  });
}

Scale scale_of(const BaselineSeries& series) {
  const bool zero = (series.pinned && *series.pinned <= 0.0) ||
                    std::ranges::any_of(series.points, [](const BaselinePoint& point) {
                      return point.value <= 0.0 ||
                             std::ranges::any_of(point.samples, [](double x) { return x <= 0.0; });
                    });
  return zero ? Scale::linear : Scale::log;
}

/// The level as the gate forms it for its next run: of the newest runs since the newest mark, and
/// since the newest step, which more runs show better than the gate's alone.
std::optional<StoreLevel> level_now(const Times& times) {
  BaselineSeries newest = times.runs.series;
  std::size_t first = times.steps.empty() ? 0 : times.steps.back().at;
  for (const TrendMark& mark : times.input->marks) {
    const auto place = place_of(mark.first_run, *times.input, times.runs);
    if (place && *place < newest.points.size()) first = std::max(first, *place);
  }
  if (newest.points.size() > kMostLevelRuns)
    first = std::max(first, newest.points.size() - kMostLevelRuns);
  newest.points.erase(newest.points.begin(),
                      newest.points.begin() + static_cast<std::ptrdiff_t>(first));
  return store_level(newest, times.runs.instance, times.scale,
                     times.input->gate.margin_ratio.value_or(kLeastAutoMargin));
}

void set_margin(Times& times, double run_sd) {
  TrendMetric& metric = *times.metric;
  Comparison row;
  Frame frame{.metric = metric.metric,
              .unit = metric.unit,
              .scale = times.scale,
              .direction = times.direction,
              .base = metric.level.value_or(0.0)};
  set_bounds(times.input->gate, run_sd, frame, row);
  times.margin = frame.margin;
  metric.margin_ratio = row.margin_ratio;
  metric.margin_auto = row.margin_auto;
}

void find_steps(Times& times, double least_sd) {
  if (times.runs.several) return;
  std::vector<double> values;
  for (const double value : times.values) values.push_back(times.direction * value);
  const double margin = times.input->gate.margin_ratio.value_or(kLeastAutoMargin);
  const auto steps = level_changes(values, times.scale, margin, least_sd);
  times.metric->changes = changes_of(steps, times.scale, *times.input, times.runs, times.anchor);
  for (ChangePoint step : steps) {
    step.before *= times.direction;
    step.after *= times.direction;
    times.steps.push_back(step);
  }
}

/// The values as if no step had been: what is left is how runs scatter, and creep.
std::vector<double> without_steps(const Times& times) {
  std::vector<double> flat = times.values;
  for (const ChangePoint& step : times.steps) {
    for (std::size_t i = step.at; i < flat.size(); ++i) flat[i] -= step.after - step.before;
  }
  return flat;
}

/// First run of the level that was accepted.
std::size_t begin_of_level(const Times& times) {
  const Anchor& anchor = *times.anchor;
  if (!anchor.accepted.pinned) return anchor.at;
  std::size_t begin = 0;
  for (const TrendMark& mark : times.input->marks) {
    const auto place = place_of(mark.first_run, *times.input, times.runs);
    if (place && *place <= anchor.at) begin = std::max(begin, *place);
  }
  const double pinned = times.direction * on_scale(anchor.accepted.value, times.scale);
  for (const ChangePoint& step : times.steps) {
    if (step.at <= anchor.at) begin = std::max(begin, step.at);
    // Where a step is found is known to a run or two: the pinned value tells on which side it is.
    const bool beside = step.at > anchor.at && step.at - anchor.at < kLeastSegment;
    if (beside && std::abs(pinned - step.after) < std::abs(pinned - step.before)) begin = anchor.at;
  }
  return std::min(begin, times.values.size());
}

/// The runs that tell what was accepted; false: there are too few.
bool set_reference(Times& times) {
  const Anchor& anchor = *times.anchor;
  const double pinned = times.direction * on_scale(anchor.accepted.value, times.scale);
  if (anchor.accepted.pinned && !anchor.in_view) {
    times.reference = pinned;
    times.reference_runs = 1;
    times.metric->runs_wanted = std::max(0, kRunsToFail - static_cast<int>(times.values.size()));
    return times.metric->runs_wanted == 0;
  }
  const std::size_t begin = begin_of_level(times);
  std::size_t end = std::min(times.values.size(), anchor.at + (anchor.exact ? 1 : 0));
  std::size_t first = begin;
  if (end < begin + kRunsToFail) {
    end = begin + kRunsToFail;
    if (end > times.values.size()) {
      times.metric->runs_wanted = static_cast<int>(end - times.values.size());
      return false;
    }
  } else if (end - begin > kMostLevelRuns) {
    first = end - kMostLevelRuns;
  }
  std::vector<double> runs(times.values.begin() + static_cast<std::ptrdiff_t>(first),
                           times.values.begin() + static_cast<std::ptrdiff_t>(end));
  const auto apart = outlying(runs, {.least_distance = times.margin, .least_sds = 3.0});
  for (auto place = apart.rbegin(); place != apart.rend(); ++place)
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(*place));
  times.reference = mean(runs);
  times.reference_runs = runs.size();
  times.sd = std::max(times.sd, sample_sd(runs));
  return true;
}

TrendState unwatched(const Times& times, const Accepted& accepted) {
  if (times.runs.mixed) return TrendState::mixed_gpus;
  if (accepted.elsewhere) return TrendState::pinned_elsewhere;
  return TrendState::not_accepted;
}

/// Worse beyond the margin, accepted by nobody, and the level has not come back.
std::optional<std::size_t> standing_step(const Times& times) {
  if (!times.level) return std::nullopt;
  const double now = times.direction * times.level->level;
  for (std::size_t i = times.steps.size(); i-- > 0;) {
    const TrendChange& change = times.metric->changes[i];
    const ChangePoint& step = times.steps[i];
    if (!change.worse || !change.accepted.empty()) continue;
    if (step.after - step.before > times.margin && now - step.before > times.margin) return i;
  }
  return std::nullopt;
}

void blame(const Times& times, std::size_t step) {
  times.metric->before = times.metric->changes[step].last;
  times.metric->since = times.metric->changes[step].first;
}

/// How far the level lies from what was accepted. A level of few runs began at its mark.
void set_change(Times& times) {
  TrendMetric& metric = *times.metric;
  TrendAccepted& accepted = *metric.accepted;
  if (!accepted.pinned) {
    accepted.value =
        times.watched ? from_scale(times.direction * times.reference, times.scale) : *metric.level;
  }
  if (accepted.value > 0.0) metric.change_ratio = *metric.level / accepted.value - 1.0;
}

/// The first pass.
Times look_at(const TrendInput& input, TrendMetric& metric) {
  Times times{.input = &input, .metric = &metric, .runs = serving_runs(input)};
  metric.gpus = times.runs.gpus;
  metric.other_gpu_runs = times.runs.other_gpu_runs;
  times.scale = scale_of(times.runs.series);
  times.direction = input.better == Better::lower ? 1.0 : -1.0;
  for (const BaselinePoint& point : times.runs.series.points) {
    metric.values.push_back(point.value);
    times.values.push_back(times.direction * on_scale(point.value, times.scale));
  }
  if (metric.values.empty()) return times;
  const Accepted accepted = accepted_of(input, times.runs);
  times.anchor = accepted.anchor;
  if (times.anchor) metric.accepted = times.anchor->accepted;
  metric.state = unwatched(times, accepted);
  if (times.runs.mixed) return times;
  const double calibrated =
      calibrated_spread(input.history, times.scale, times.runs.several ? Gpus::several : Gpus::one)
          .sd;
  find_steps(times, calibrated);
  times.level = level_now(times);
  metric.level = from_scale(times.level->level, times.scale);
  metric.level_runs = times.level->runs;
  const std::vector<double> flat = without_steps(times);
  times.rho = lag_correlation(flat);
  times.sd = std::max(difference_sd(flat, times.rho), calibrated);
  set_margin(times, times.sd);
  if (!times.anchor) {
    const auto step = standing_step(times);
    if (!step) return times;
    metric.state = TrendState::stepped;
    blame(times, *step);
    return times;
  }
  times.watched = set_reference(times);
  metric.state = times.watched ? TrendState::steady : TrendState::few_runs;
  if (times.watched) set_margin(times, times.sd);
  set_change(times);
  return times;
}

double mean_variance(const Times& times, double runs) {
  return times.sd * times.sd * (1.0 + times.rho) / ((1.0 - times.rho) * runs);
}

/// Equal values all along have no SD: no difference is then one beyond rounding.
double sd_of(const Times& times) {
  const double unit = times.scale == Scale::log ? 1.0 : std::abs(times.reference);
  return std::max({times.sd, kLeastSd * unit, std::numeric_limits<double>::min()});
}

double degrees_of(const Times& times) {
  return std::max(1.0, (static_cast<double>(times.values.size()) - 1.0) / kDifferencesPerDegree);
}

bool breaches(const Times& times, int metrics) {
  const StoreLevel& level = *times.level;
  // A level that began a run or two ago is no level yet.
  if (level.runs < static_cast<int>(kLeastSegment)) return false;
  const double shift = times.direction * level.level - times.reference;
  const double error = std::sqrt(mean_variance(times, static_cast<double>(level.runs)) +
                                 mean_variance(times, static_cast<double>(times.reference_runs)));
  const double t = student_t_quantile(1.0 - kBreachLevel / metrics, degrees_of(times));
  return shift - t * error > times.margin;
}

/// Where it began: the largest step that nobody accepted, if that is most of the shift and CUSUM's
/// excursion began there too (of a creep the first half lies before any step that is found in it);
/// else where the excursion began.
void find_beginning(Times& times, std::size_t first, const Drift& found) {
  const double shift = times.direction * times.level->level - times.reference;
  const std::size_t since = first + found.since.value_or(0);
  std::optional<std::size_t> largest;
  const auto size = [&](std::size_t i) { return times.steps[i].after - times.steps[i].before; };
  for (std::size_t i = 0; i < times.steps.size(); ++i) {
    const TrendChange& change = times.metric->changes[i];
    if (!change.worse || !change.accepted.empty() || times.steps[i].at < first) continue;
    if (!largest || size(i) > size(*largest)) largest = i;
  }
  if (largest && 2.0 * size(*largest) >= shift) {
    const bool together = times.steps[*largest].at < since + kLeastSegment;
    if (!found.creeping() || together) return blame(times, *largest);
  }
  const auto& points = times.runs.series.points;
  if (since >= points.size()) return;
  times.metric->since = run_of(points[since]);
  times.metric->before = since > 0 ? run_of(points[since - 1]) : times.metric->accepted->at;
}

/// The second pass.
void judge_drift(Times& times, int metrics) {
  if (!times.watched) return;
  TrendMetric& metric = *times.metric;
  metric.threshold = cusum_threshold(metrics);
  const Anchor& anchor = *times.anchor;
  const bool counts_itself = !anchor.accepted.pinned || !anchor.exact;
  const std::size_t first = std::min(times.values.size(), anchor.at + (counts_itself ? 0 : 1));
  const double t = student_t_quantile(1.0 - kReferenceLevel / metrics, degrees_of(times));
  const double runs = static_cast<double>(times.reference_runs);
  const std::span<const double> since = std::span(times.values).subspan(first);
  const Drift found = drift(since, {.pinned = times.reference,
                                    .sd = sd_of(times),
                                    .margin = times.margin,
                                    .metrics = metrics,
                                    .uncertainty = t * std::sqrt(mean_variance(times, runs)),
                                    .correlation = times.rho});
  metric.sum = std::min(found.sum, std::numeric_limits<double>::max());
  metric.beyond_margin = found.beyond_margin;
  if (found.recent_shift) {
    const double shift = times.direction * *found.recent_shift;
    const double base = times.direction * times.reference;
    if (times.scale == Scale::log) metric.recent_ratio = std::expm1(shift);
    if (times.scale == Scale::linear && base > 0.0) metric.recent_ratio = shift / base;
  }
  if (found.creeping()) metric.state = TrendState::creeping;
  if (breaches(times, metrics)) metric.state = TrendState::breach;
  if (is_alert(metric.state)) find_beginning(times, first, found);
}

}  // namespace

Watched watch(std::span<const TrendInput> inputs) {
  Watched watched;
  watched.metrics.reserve(inputs.size());
  std::vector<Times> times;
  for (const TrendInput& input : inputs) {
    watched.metrics.push_back(compares_counts(input) ? count_metric(input) : outline_trend(input));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (compares_counts(inputs[i])) continue;
    times.push_back(look_at(inputs[i], watched.metrics[i]));
    watched.watched += times.back().watched ? 1 : 0;
  }
  for (Times& each : times) judge_drift(each, std::max(watched.watched, 1));
  return watched;
}

}  // namespace perfgate::gates
