#include "gates/store_level.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "gates/gpu_spread.h"
#include "gates/lone_run.h"
#include "gates/outlying.h"

namespace perfgate::gates {
namespace {

using Points = std::vector<const BaselinePoint*>;

struct ProcessSpread {
  double sd = 0.0;
  double per_run = 1.0;
};

/// Pooled within-run variance and the harmonic mean of the processes a run.
ProcessSpread process_spread(const Points& points, Scale scale) {
  double squares = 0.0;
  double degrees = 0.0;
  double inverse = 0.0;
  for (const BaselinePoint* point : points) {
    std::vector<double> values;
    values.reserve(point->samples.size());
    for (const double sample : point->samples) values.push_back(on_scale(sample, scale));
    const double count = static_cast<double>(std::max<std::size_t>(values.size(), 1));
    inverse += 1.0 / count;
    const double sd = sample_sd(values);
    squares += sd * sd * (count - 1.0);
    degrees += count - 1.0;
  }
  return {.sd = degrees > 0.0 ? std::sqrt(squares / degrees) : 0.0,
          .per_run = static_cast<double>(points.size()) / inverse};
}

std::map<std::string, std::vector<double>> by_instance(const Points& points, Scale scale) {
  std::map<std::string, std::vector<double>> groups;
  for (const BaselinePoint* point : points) {
    groups[point->instance].push_back(on_scale(point->value, scale));
  }
  return groups;
}

void level_of_runs(StoreLevel& level, const std::vector<double>& values, double least_sd) {
  const double runs = static_cast<double>(values.size());
  level.level = mean(values);
  level.seen_sd = sample_sd(values);
  level.run_sd = std::max(level.seen_sd, least_sd);
  level.correlation = lag_correlation(values);
  const double effective_runs = runs * (1.0 - level.correlation) / (1.0 + level.correlation);
  level.level_variance = level.run_sd * level.run_sd / effective_runs;
  level.degrees = runs - 1.0;
}

/// One-way random effects: the instance is the replicate. A new run is one run of one instance, so
/// it varies by the instance's part and by a whole run's part; an instance's mean holds only 1/r of
/// the latter.
void level_of_instances(StoreLevel& level, const std::map<std::string, std::vector<double>>& groups,
                        double least_sd) {
  std::vector<double> means;
  double squares = 0.0;
  double degrees = 0.0;
  double inverse = 0.0;
  for (const auto& [name, values] : groups) {
    means.push_back(mean(values));
    const double sd = sample_sd(values);
    const double count = static_cast<double>(values.size());
    squares += sd * sd * (count - 1.0);
    degrees += count - 1.0;
    inverse += 1.0 / count;
  }
  const double instances = static_cast<double>(means.size());
  const double within = std::max(degrees > 0.0 ? squares / degrees : 0.0, least_sd * least_sd);
  level.level = mean(means);
  level.seen_sd = sample_sd(means);
  level.run_sd = std::max(level.seen_sd, least_sd);
  level.level_variance = level.run_sd * level.run_sd / instances;
  level.extra_head_variance = within * (1.0 - inverse / instances);
  level.degrees = instances - 1.0;
}

Points points_of(const BaselineSeries& series) {
  Points points;
  for (const BaselinePoint& point : series.points) points.push_back(&point);
  return points;
}

/// A step of fewer SDs is what an automatic margin takes for noise.
constexpr double kStepSds = 3.0;
constexpr double kStepMargins = 0.5;

std::vector<double> values_of(const Points& points, Scale scale) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const BaselinePoint* point : points) values.push_back(on_scale(point->value, scale));
  return values;
}

double on_scale_of(double margin_ratio, std::span<const double> values, Scale scale) {
  return scale == Scale::log ? std::log1p(margin_ratio) : margin_ratio * std::abs(mean(values));
}

/// Leaves the runs since the newest step, for points of one instance.
void keep_newest_level(Points& points, StoreLevel& level, double margin_ratio, double least_sd) {
  const auto steps =
      level_changes(values_of(points, level.scale), level.scale, margin_ratio, least_sd);
  if (steps.empty()) return;
  const auto first = static_cast<std::ptrdiff_t>(steps.back().at);
  points.erase(points.begin(), points.begin() + first);
  level.since_run = points.front()->run;
  level.since_step = steps.back().after - steps.back().before;
}

/// SD of a run's value as far as its processes explain it.
double explained_sd(const ProcessSpread& spread) {
  const int processes = static_cast<int>(std::lround(spread.per_run));
  return spread.sd * std::sqrt(median_variance_factor(processes) / spread.per_run);
}

/// Takes out the runs that lie apart, for points of one level.
void keep_settled(Points& points, StoreLevel& level, double margin_ratio, double least_sd) {
  const std::vector<double> values = values_of(points, level.scale);
  const double explained = explained_sd(process_spread(points, level.scale));
  const auto apart =
      outlying(values, {.least_distance = on_scale_of(margin_ratio, values, level.scale),
                        .least_sds = kStepSds,
                        .least_sd = std::max(least_sd, explained)});
  for (auto place = apart.rbegin(); place != apart.rend(); ++place) {
    const std::size_t newest = values.size() - 1 - static_cast<std::size_t>(level.newest_apart);
    if (*place == newest) {
      level.newest_level += values[*place];
      ++level.newest_apart;
    }
    level.apart.insert(level.apart.begin(), points[*place]->run);
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  if (level.newest_apart > 0) level.newest_level /= level.newest_apart;
}

}  // namespace

double on_scale(double value, Scale scale) { return scale == Scale::log ? std::log(value) : value; }
double from_scale(double value, Scale scale) {
  return scale == Scale::log ? std::exp(value) : value;
}

std::vector<ChangePoint> level_changes(std::span<const double> values, Scale scale,
                                       double margin_ratio, double least_sd) {
  if (values.empty()) return {};
  const double margin = on_scale_of(margin_ratio, values, scale);
  return change_points(values, {.least_step = std::max(kStepMargins * margin, kStepSds * least_sd),
                                .least_sds = kStepSds});
}

std::optional<StoreLevel> store_level(const BaselineSeries& series,
                                      const std::string& head_instance, Scale scale,
                                      double margin_ratio, Serving serving) {
  if (series.points.empty()) return std::nullopt;
  Points points = points_of(series);
  Points own = points;
  std::erase_if(own, [&](const BaselinePoint* point) {
    return head_instance.empty() || point->instance != head_instance;
  });
  const int own_runs = static_cast<int>(own.size());
  const bool own_only = own.size() == points.size() || own.size() >= kRunsToFail;
  const int other_runs = own_only ? static_cast<int>(points.size()) - own_runs : 0;
  if (own_only) points = own;

  const auto groups = by_instance(points, scale);
  StoreLevel level{.scale = scale,
                   .instances = static_cast<int>(groups.size()),
                   .own_runs = own_runs,
                   .own_alone = own_only,
                   .other_runs = other_runs};
  const RunSpread calibrated =
      calibrated_spread(series, scale, own_only ? Gpus::one : Gpus::several);
  const double least_sd = calibrated.sd;
  if (groups.size() == 1) {
    keep_newest_level(points, level, margin_ratio, least_sd);
    if (serving == Serving::settled) keep_settled(points, level, margin_ratio, least_sd);
  }
  level.runs = static_cast<int>(points.size());
  if (!own_only && level.instances >= kInstancesToJudge) {
    level_of_instances(level, groups, least_sd);
  } else {
    level_of_runs(level, values_of(points, scale), least_sd);
    if (!own_only) {
      level.restraint = head_instance.empty() ? Unsettled::unknown_gpu : Unsettled::other_gpu;
    }
  }
  if (level.restraint == Unsettled::no && recorded_runs(level) < kRunsToFail) {
    level.restraint = Unsettled::few_runs;
  }
  level.degrees = std::max(level.degrees, calibrated.degrees);
  const ProcessSpread spread = process_spread(points, scale);
  level.process_sd = spread.sd;
  level.processes_per_run = spread.per_run;
  std::vector<std::int64_t> runs;
  runs.reserve(points.size());
  for (const BaselinePoint* point : points) runs.push_back(point->run);
  level.distances =
      run_distances(values_of(points, scale), runs, std::max(least_sd, explained_sd(spread)));
  return level;
}

int recorded_runs(const StoreLevel& level) {
  return level.runs + static_cast<int>(level.apart.size());
}

StoreLevel level_of_newest(const StoreLevel& level) {
  StoreLevel newest = level;
  newest.level = level.newest_level;
  newest.level_variance = level.run_sd * level.run_sd / level.newest_apart;
  newest.runs = level.newest_apart;
  return newest;
}

double head_variance(const StoreLevel& level, int n_head, double head_process_sd) {
  const double n = static_cast<double>(std::max(n_head, 1));
  const double per_head = median_variance_factor(n_head) / n;
  const double per_run =
      median_variance_factor(static_cast<int>(std::lround(level.processes_per_run))) /
      level.processes_per_run;
  const double process_variance = level.process_sd * level.process_sd;
  const double from_store = level.run_sd * level.run_sd + level.extra_head_variance +
                            process_variance * (per_head - per_run);
  const double seen = std::max(process_variance, head_process_sd * head_process_sd) * per_head;
  return std::max(from_store, seen);
}

Interval head_interval(const StoreLevel& level, double head, int n_head, double head_process_sd,
                       double alpha) {
  const double variance = level.level_variance + head_variance(level, n_head, head_process_sd);
  return t_interval(head - level.level, std::sqrt(variance), level.degrees, alpha);
}

int processes_for_width(const StoreLevel& level, const WantedWidth& wanted, int n_now,
                        double head_process_sd, int most) {
  // The degrees are the store's, whatever the head has: one quantile serves all (it is what costs).
  const double t = student_t_quantile(1.0 - wanted.alpha / 2.0, level.degrees);
  for (int n = n_now + 1; n <= most; ++n) {
    const double variance = level.level_variance + head_variance(level, n, head_process_sd);
    if (t * std::sqrt(variance) <= wanted.half_width) return n;
  }
  return 0;
}

int runs_for_width(const StoreLevel& level, const WantedWidth& wanted, int n_head,
                   double head_process_sd, int most) {
  if (level.extra_head_variance > 0.0) return 0;
  const double per_level = level.level_variance * level.runs;
  StoreLevel longer = level;
  for (int runs = level.runs + 1; runs <= most; ++runs) {
    longer.level_variance = per_level / runs;
    longer.degrees = std::max(level.degrees, runs - 1.0);
    const Interval interval =
        head_interval(longer, level.level, n_head, head_process_sd, wanted.alpha);
    if (interval.half_width <= wanted.half_width) return runs;
  }
  return 0;
}

}  // namespace perfgate::gates
