#include "gates/trend_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace perfgate::gates {
namespace {

using Points = std::vector<BaselinePoint>;

std::map<std::string, int> runs_by_gpu(const Points& points) {
  std::map<std::string, int> runs;
  for (const BaselinePoint& point : points) ++runs[point.instance];
  return runs;
}

/// No run of this GPU came while the newest one's had enough to serve alone.
bool is_retired(const Points& points, const std::string& gpu) {
  const std::string& newest = points.back().instance;
  if (gpu == newest) return false;
  int since = 0;
  for (auto point = points.rbegin(); point != points.rend() && point->instance != gpu; ++point) {
    since += point->instance == newest ? 1 : 0;
  }
  return since >= kRunsToFail;
}

std::string gpu_to_watch(const TrendInput& input, const std::map<std::string, int>& runs) {
  const Points& points = input.history.points;
  const std::string& pinned = input.history.pinned_instance;
  if (input.history.pinned && !pinned.empty()) {
    const auto of_pin = runs.find(pinned);
    if (of_pin != runs.end() && of_pin->second >= kRunsToFail && !is_retired(points, pinned))
      return pinned;
  }
  return points.back().instance;
}

std::optional<std::size_t> find_run(const Points& points, std::int64_t run) {
  const auto found = std::ranges::find(points, run, &BaselinePoint::run);
  if (run == 0 || found == points.end()) return std::nullopt;
  return static_cast<std::size_t>(found - points.begin());
}

/// Of the pin, by its run's place, else by date.
Anchor anchor_of_pin(const TrendPin& pin, double value, const TrendInput& input,
                     const ServingRuns& runs) {
  Anchor anchor{.accepted = {.value = value, .pinned = true, .at = pin.at, .reason = pin.reason}};
  if (const auto place = place_of(pin.at.run, input, runs)) {
    anchor.at = *place;
    anchor.exact = find_run(runs.series.points, pin.at.run).has_value();
    return anchor;
  }
  const std::string& utc = pin.at.utc.empty() ? pin.set_utc : pin.at.utc;
  const Points& points = runs.series.points;
  const auto next = std::ranges::find_if(
      points, [&](const BaselinePoint& point) { return point.recorded_utc > utc; });
  anchor.at = static_cast<std::size_t>(next - points.begin());
  anchor.exact = false;
  anchor.in_view = anchor.at > 0;
  return anchor;
}

std::string words_of(const Anchor& anchor) {
  return (anchor.accepted.pinned ? "pinned: " : "accepted: ") + anchor.accepted.reason;
}

}  // namespace

TrendRun run_of(const BaselinePoint& point) {
  return {.run = point.run, .commit = point.commit, .utc = point.recorded_utc};
}

ServingRuns serving_runs(const TrendInput& input) {
  ServingRuns runs;
  runs.series = input.history;
  const Points& all = input.history.points;
  if (all.empty()) return runs;
  const std::map<std::string, int> by_gpu = runs_by_gpu(all);
  runs.instance = gpu_to_watch(input, by_gpu);
  runs.gpus = 1;
  const bool alone = by_gpu.size() == 1 || by_gpu.at(runs.instance) >= kRunsToFail;
  runs.several = !alone && by_gpu.size() >= kInstancesToJudge;
  runs.mixed = !alone && !runs.several;
  if (runs.several) runs.gpus = static_cast<int>(by_gpu.size());
  runs.series.points.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!runs.several && all[i].instance != runs.instance) continue;
    runs.series.points.push_back(all[i]);
    runs.place.push_back(i);
  }
  runs.other_gpu_runs = static_cast<int>(all.size() - runs.place.size());
  if (runs.several) runs.instance = all.back().instance;
  return runs;
}

std::optional<std::size_t> place_of(std::int64_t first_run, const TrendInput& input,
                                    const ServingRuns& runs) {
  const auto place = find_run(input.history.points, first_run);
  if (!place) return std::nullopt;
  const auto next = std::ranges::lower_bound(runs.place, *place);
  return static_cast<std::size_t>(next - runs.place.begin());
}

Accepted accepted_of(const TrendInput& input, const ServingRuns& runs) {
  Accepted found;
  if (input.history.pinned && input.pin) {
    const std::string& gpu = input.history.pinned_instance;
    found.elsewhere = !runs.several && !gpu.empty() && gpu != runs.instance;
    if (!found.elsewhere)
      found.anchor = anchor_of_pin(*input.pin, *input.history.pinned, input, runs);
  }
  for (const TrendMark& mark : input.marks) {
    const auto place = place_of(mark.first_run, input, runs);
    if (!place || *place == runs.series.points.size()) continue;
    if (found.anchor && found.anchor->at >= *place && found.anchor->in_view) continue;
    found.anchor = Anchor{.at = *place,
                          .accepted = {.value = 0.0,
                                       .pinned = false,
                                       .at = run_of(runs.series.points[*place]),
                                       .reason = mark.reason}};
    found.elsewhere = false;
  }
  return found;
}

std::vector<TrendChange> changes_of(const std::vector<ChangePoint>& steps, Scale scale,
                                    const TrendInput& input, const ServingRuns& runs,
                                    const std::optional<Anchor>& anchor) {
  const Points& points = runs.series.points;
  std::vector<TrendChange> changes;
  for (const ChangePoint& step : steps) {
    TrendChange change{.last = run_of(points[step.at - 1]),
                       .first = run_of(points[step.at]),
                       .before = from_scale(step.before, scale),
                       .after = from_scale(step.after, scale),
                       .worse = (step.after > step.before) == (input.better == Better::lower)};
    for (const TrendMark& mark : input.marks) {
      const auto place = place_of(mark.first_run, input, runs);
      if (!place) continue;
      const std::size_t distance = *place > step.at ? *place - step.at : step.at - *place;
      if (distance < kLeastSegment) change.accepted = "accepted: " + mark.reason;
    }
    // What was accepted at a later run was accepted with this step in it.
    if (change.accepted.empty() && anchor && anchor->in_view && anchor->at >= step.at)
      change.accepted = words_of(*anchor);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace perfgate::gates
