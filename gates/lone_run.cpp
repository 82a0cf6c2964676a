#include "gates/lone_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

constexpr double kLeastAsked = 2.25;
constexpr double kMostAsked = 3.5;
/// Ten runs of one metric say nothing of a tail, and would hold back 3 % of what is found.
constexpr int kLeastDistances = 50;
/// Runs expected beyond the second largest one's median.
constexpr double kBeyondSecond = 1.68;
/// Series quieter than this part of their margin are taken for as noisy: equal values have no SD,
/// and the distance of the first that differs would be infinite.
constexpr double kLeastSdOfMargin = 0.05;

double error_of(double standard_error, double margin) {
  return std::max(standard_error, kLeastSdOfMargin * margin);
}

double head_distance(const StoreDistances& seen) {
  return seen.head_off / error_of(seen.head_error, seen.frame.margin);
}

double asked_of(const StoreDistances& seen, const StoreTail& tail) {
  return asked_distance(tail, static_cast<int>(seen.runs.size()));
}

std::string one_digit(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f", value);
  return buffer.data();
}

std::string text_of(const Stray& stray) {
  return "run " + std::to_string(stray.run) + " by " + one_digit(stray.distance) +
         " standard errors in " + stray.metric;
}

}  // namespace

std::vector<RunDistance> run_distances(std::span<const double> values,
                                       std::span<const std::int64_t> runs, double least_sd) {
  std::vector<RunDistance> distances;
  if (values.size() < 3) return distances;
  const double all = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - all) * (value - all);
  const double others = static_cast<double>(values.size()) - 1.0;
  distances.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Without the run the mean moves by off / n, and the squares lose off^2 n / (n + 1).
    const double off = (values[i] - all) * (others + 1.0) / others;
    const double left = std::max(squares - off * off * others / (others + 1.0), 0.0);
    const double sd = std::max(std::sqrt(left / (others - 1.0)), least_sd);
    distances.push_back(
        {.run = runs[i], .off = off, .standard_error = sd * std::sqrt(1.0 + 1.0 / others)});
  }
  return distances;
}

StoreTail store_tail(std::span<const MetricDecision> decisions) {
  std::map<std::int64_t, Stray> runs;
  StoreTail tail;
  for (const MetricDecision& decision : decisions) {
    const StoreDistances& seen = decision.distances;
    tail.distances += static_cast<int>(seen.runs.size());
    for (const RunDistance& run : seen.runs) {
      if (std::abs(run.off) <= seen.frame.margin) continue;
      const double distance = std::abs(run.off) / error_of(run.standard_error, seen.frame.margin);
      Stray& stray = runs[run.run];
      if (distance > stray.distance) stray = {run.run, distance, decision.comparison.metric};
    }
  }
  for (const auto& [row, stray] : runs) {
    if (!tail.farthest || stray.distance > tail.farthest->distance) {
      tail.second = tail.farthest;
      tail.farthest = stray;
    } else if (!tail.second || stray.distance > tail.second->distance) {
      tail.second = stray;
    }
  }
  return tail;
}

double asked_distance(const StoreTail& tail, int runs) {
  if (!tail.second || tail.distances < kLeastDistances || runs < 3) return 0.0;
  const double beyond = std::min(kBeyondSecond / tail.distances, 1.0);
  const double normal = student_t_quantile(1.0 - beyond / 2.0, runs - 2.0);
  const double asked = normal > 0.0 ? kLeastAsked * tail.second->distance / normal : kMostAsked;
  return tail.second->distance * std::clamp(asked, kLeastAsked, kMostAsked);
}

bool stands_out(const MetricDecision& decision, const StoreTail& tail) {
  return head_distance(decision.distances) >= asked_of(decision.distances, tail);
}

void promise_less(MetricDecision& decision, const StoreTail& tail) {
  Comparison& out = decision.comparison;
  const StoreDistances& seen = decision.distances;
  if (out.finds_from_ratio <= 0.0 || seen.test.standard_error <= 0.0) return;
  TestStage stage = seen.test;
  const double asked = asked_of(seen, tail) * error_of(seen.head_error, seen.frame.margin);
  stage.critical = (asked - seen.frame.margin) / stage.standard_error;
  if (stage.critical <= seen.test.critical) return;
  out.finds_from_ratio = found_ratio(seen.frame, {&stage, 1});
}

void suspect_lone_run(MetricDecision& decision, const StoreTail& tail) {
  Comparison& out = decision.comparison;
  out.unsettled = Unsettled::lone_run;
  out.processes_to_settle = out.runs_to_settle = 0;
  decision.code = "lone_run";
  std::string strays;
  for (const std::optional<Stray>& stray : {tail.farthest, tail.second}) {
    if (stray) strays += (strays.empty() ? "" : ", ") + text_of(*stray);
  }
  out.reason += "; suspected, not failed: runs of this store stray by themselves (" + strays +
                "), so that one run has to lie off by " +
                one_digit(asked_of(decision.distances, tail)) + ", and this one does by " +
                one_digit(head_distance(decision.distances));
}

}  // namespace perfgate::gates
