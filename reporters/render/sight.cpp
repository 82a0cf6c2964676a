#include "reporters/render/sight.h"

#include <algorithm>

#include <fmt/format.h>

#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

bool has_bounds(const Comparison& row) {
  return row.kind != MetricKind::counted && (row.margin_ratio > 0.0 || row.at_least > 0.0);
}

// The gate's at_least is more than this share of the level.
bool is_at_least(const Comparison& row, double ratio) {
  return row.at_least > 0.0 && row.at_least > ratio * row.base;
}

std::string bound(const Comparison& row, double ratio, bool automatic) {
  if (is_at_least(row, ratio)) return "at_least " + format_value(row.at_least, row.unit);
  return format_percent(ratio) + (automatic ? " (auto)" : "");
}

std::string margin_of(const Comparison& row) {
  return bound(row, row.margin_ratio, row.margin_auto);
}
std::string tolerance_of(const Comparison& row) {
  return bound(row, row.tolerance_ratio, row.tolerance_auto);
}

struct Ends {
  double low;
  double high;
};
// The interval, turned so that larger is worse.
Ends worse_ends(const Comparison& row) {
  if (row.better == Better::higher) return {-row.ci_high_ratio, -row.ci_low_ratio};
  return {row.ci_low_ratio, row.ci_high_ratio};
}

double margin_reach(const Comparison& row) {
  return is_at_least(row, row.margin_ratio) && row.base > 0.0 ? row.at_least / row.base
                                                              : row.margin_ratio;
}

std::string file_words(const RunResult& result) {
  return result.workload_path.empty() ? "a workload file (perfgate init writes one)"
                                      : "the workload file";
}

// "5 % and 15 % are automatic ..."
std::string sharper_words(const RunResult& result, const Comparison& row) {
  const bool automatic = row.margin_auto || row.tolerance_auto;
  return fmt::format(
      "{} margin and tolerance of {} in {}, quieten the program (perfgate doctor), or end "
      "{}.processes with more",
      automatic ? "set" : "lower", row.metric, file_words(result),
      row.kind == MetricKind::timed ? "timing" : "trace");
}

}  // namespace

std::string bounds_words(const Comparison& row) {
  if (!has_bounds(row)) return {};
  const std::string margin = margin_of(row);
  const std::string tolerance = tolerance_of(row);
  if (margin == tolerance) return "margin and tolerance " + margin;
  return fmt::format("margin {}, tolerance {}", margin, tolerance);
}

std::string_view worse_words(const Comparison& row) {
  return row.metric == "step_time_p50" ? kSlowdown : "a change for the worse";
}

bool is_near_blind(const Comparison& row) { return row.finds_from_ratio >= kNearBlindFrom; }

std::string finds_words(const Comparison& row) {
  if (!(row.finds_from_ratio > 0.0)) return {};
  return fmt::format("finds from {}{}", format_change(row.finds_from_ratio),
                     is_near_blind(row) ? " (near blind)" : "");
}

std::string sight_words(const Comparison& row) {
  const std::string bounds = bounds_words(row);
  const std::string finds = finds_words(row);
  return bounds + (bounds.empty() || finds.empty() ? "" : "; ") + finds;
}

bool is_worse_within(const Comparison& row) {
  return row.outcome == Outcome::pass && row.interval_known && !row.improved &&
         worse_ends(row).low > 0.0;
}

std::string kept_bound(const Comparison& row) {
  const bool margin = worse_ends(row).high <= margin_reach(row);
  return margin ? "within the margin of " + margin_of(row)
                : "within the tolerance of " + tolerance_of(row);
}

Row sight_cells(const Comparison& row) {
  if (!has_bounds(row)) return {"", "", ""};
  std::string finds;
  if (row.finds_from_ratio > 0.0) {
    finds = format_change(row.finds_from_ratio) + (is_near_blind(row) ? ", near blind" : "");
  }
  return {margin_of(row), tolerance_of(row), std::move(finds)};
}

std::vector<std::string> sight_notes(const RunResult& result) {
  std::vector<std::string> notes;
  for (const Comparison& row : result.comparisons) {
    if (!is_near_blind(row)) continue;
    std::string text =
        fmt::format("the gate on {} is near blind: it finds a change for the worse only from {} on",
                    row.metric, format_change(row.finds_from_ratio));
    if (is_at_least(row, row.margin_ratio)) {
      text += fmt::format("; its at_least of {} stands against a level of {}: lower it",
                          format_value(row.at_least, row.unit), format_value(row.base, row.unit));
    } else {
      text += "; " + sharper_words(result, row);
    }
    notes.push_back(std::move(text));
  }
  return notes;
}

std::string after_hidden(const RunResult& result, const Comparison& row) {
  if (is_worse_within(row) && worse_ends(row).high > margin_reach(row)) {
    return fmt::format("The gate lets this {} pass. To have it seen: {}",
                       row.metric == "step_time_p50" ? "slowdown" : "change for the worse",
                       sharper_words(result, row));
  }
  const bool wide = row.tolerance_auto && row.tolerance_ratio >= kWideTolerance &&
                    !is_at_least(row, row.tolerance_ratio);
  if (!wide || row.improved || row.outcome != Outcome::pass || !row.interval_known) return {};
  return fmt::format(
      "Nothing to fix; but the automatic tolerance is wide, and {} up to {} may pass: {}",
      worse_words(row), format_percent(row.tolerance_ratio), sharper_words(result, row));
}

}  // namespace perfgate::render
