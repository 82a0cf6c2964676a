#include "gates/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gates/wording.h"

namespace perfgate::gates {

Frame frame_of(const Comparison& row, Scale scale) {
  return {.metric = row.metric,
          .unit = row.unit,
          .scale = scale,
          .direction = row.better == Better::lower ? 1.0 : -1.0,
          .head = row.head};
}

void set_bounds(const GateSpec& gate, double run_sd, Frame& frame, Comparison& row) {
  const double sd_ratio = frame.scale == Scale::log ? run_sd
                          : frame.base > 0.0        ? run_sd / frame.base
                                                    : 0.0;
  row.margin_auto = !gate.margin_ratio.has_value();
  row.margin_ratio = gate.margin_ratio.value_or(
      std::clamp(kAutoMarginSds * sd_ratio, kLeastAutoMargin, kMostAutoMargin));
  row.tolerance_auto = !gate.tolerance_ratio.has_value();
  row.tolerance_ratio = gate.tolerance_ratio.value_or(kAutoToleranceMargins * row.margin_ratio);
  place_bounds(gate, row, frame);
}

void place_bounds(const GateSpec& gate, Comparison& row, Frame& frame) {
  const double at_least = row.at_least = gate.at_least.value_or(0.0);
  if (frame.scale == Scale::linear) {
    frame.margin = std::max(row.margin_ratio * frame.base, at_least);
    frame.tolerance = std::max(row.tolerance_ratio * frame.base, at_least);
    return;
  }
  // Lower is better: the head rises by at_least. Higher is better: it falls by at_least, and a fall
  // of the whole value or more cannot happen.
  const double share = at_least / frame.base;
  const double least = frame.direction > 0.0 ? std::log1p(share)
                       : share < 1.0         ? -std::log1p(-share)
                                             : std::numeric_limits<double>::infinity();
  frame.margin = std::max(std::log1p(row.margin_ratio), least);
  frame.tolerance = std::max(std::log1p(row.tolerance_ratio), least);
}

void fill_interval(const Frame& frame, const Interval& worse, Comparison& row) {
  const double ends[2] = {frame.direction * worse.low(), frame.direction * worse.high()};
  const auto [low, high] = std::minmax(ends[0], ends[1]);
  if (frame.scale == Scale::log) {
    row.ci_low_ratio = std::expm1(low);
    row.ci_high_ratio = std::expm1(high);
    row.interval_known = true;
  } else if (frame.base > 0.0) {
    row.ci_low_ratio = low / frame.base;
    row.ci_high_ratio = high / frame.base;
    row.interval_known = true;
  }
}

double as_ratio(const Frame& frame, double worse) {
  if (frame.scale == Scale::log) return std::expm1(worse);
  return frame.base > 0.0 ? worse / frame.base : 0.0;
}

std::string as_text(const Frame& frame, double worse) {
  if (frame.base > 0.0) return percent(as_ratio(frame, worse));
  return quantity(worse, frame.unit);
}

double p_beyond(const Interval& worse, double margin) {
  const double beyond = worse.estimate - margin;
  const double t = worse.standard_error > 0.0 ? beyond / worse.standard_error
                   : beyond > 0.0             ? std::numeric_limits<double>::infinity()
                                              : -std::numeric_limits<double>::infinity();
  return student_t_upper_tail(t, worse.degrees);
}

double found_ratio(const Frame& frame, std::span<const TestStage> stages) {
  const double found = as_ratio(frame, frame.margin + found_beyond_margin(stages));
  return std::isfinite(found) ? found : 0.0;
}

std::string movement(const Frame& frame, const Interval& worse) {
  const double shift = frame.direction * worse.estimate;
  Comparison ends;
  fill_interval(frame, worse, ends);
  const std::string text = frame.metric + " " + quantity(frame.head, frame.unit) + " against " +
                           quantity(frame.base, frame.unit) + ": ";
  if (!(frame.base > 0.0)) return text + "a change of " + quantity(shift, frame.unit);
  const double delta = frame.scale == Scale::log ? std::expm1(shift) : shift / frame.base;
  return text + signed_percent(delta) + " [" + signed_percent(ends.ci_low_ratio) + ", " +
         signed_percent(ends.ci_high_ratio) + "]";
}

void set_pass(const Frame& frame, const Interval& worse, Comparison& row) {
  row.outcome = Outcome::pass;
  row.excludes_above_ratio = std::max(0.0, as_ratio(frame, worse.high()));
  row.improved = worse.high() < -frame.margin;
  row.reason = movement(frame, worse);
  if (row.improved) {
    row.reason += "; better by more than the margin of " + as_text(frame, frame.margin);
  } else if (worse.high() <= 0.0) {
    row.reason += "; any change for the worse is excluded";
  } else {
    row.reason += std::string(frame.direction > 0.0 ? "; a rise" : "; a drop") + " above " +
                  as_text(frame, worse.high()) + " is excluded";
  }
}

void set_suspect(const Frame& frame, const Interval& worse, Comparison& row) {
  row.outcome = Outcome::suspected;
  row.reason =
      movement(frame, worse) + "; worse by more than the margin of " + as_text(frame, frame.margin);
}

double set_inconclusive(const Frame& frame, const Interval& worse, Comparison& row) {
  row.outcome = Outcome::inconclusive;
  row.unsettled = Unsettled::wide_interval;
  row.passing_tolerance_ratio = std::max(0.0, as_ratio(frame, worse.high()));
  row.reason = movement(frame, worse) + "; it lies neither above the margin of " +
               as_text(frame, frame.margin) + " nor below the tolerance of " +
               as_text(frame, frame.tolerance);
  return std::max(frame.tolerance - worse.estimate, worse.estimate - frame.margin);
}

}  // namespace perfgate::gates
