#include "reporters/render/certainty.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/change_facts.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/session_words.h"
#include "reporters/render/sight.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

// The looks among which Pocock (1977) shares out 5 %, by what one of them has; 0: another level.
int looks_of(double interval_level) {
  static constexpr std::array<std::pair<int, double>, 4> kLevels{
      {{2, 0.0294}, {3, 0.0221}, {4, 0.0182}, {5, 0.0158}}};
  const auto level = std::ranges::find_if(kLevels, [&](const auto& each) {
    return std::abs(1.0 - interval_level - each.second) < 1e-6;
  });
  return level == kLevels.end() ? 0 : level->first;
}

std::string sure_words(const Comparison& row) {
  const std::string interval = format_change_interval(row.ci_low_ratio, row.ci_high_ratio);
  if (row.interval_level <= 0.0) return "interval " + interval;
  const int looks = looks_of(row.interval_level);
  return fmt::format("{:.4g} % interval{} {}", row.interval_level * 100.0,
                     looks == 0 ? "" : fmt::format(" (one of {} looks)", looks), interval);
}

// "; all 355 kernels of a step have the same code and launch in base and head".
std::string same_work_part(const RunResult& result) {
  const std::string words = result.ledger ? same_work_words(*result.ledger) : "";
  if (words.empty()) return {};
  if (result.verdict.outcome == Outcome::pass) return "; " + words;
  return fmt::format("; {}: {}", words, kSameWorkCauses);
}

}  // namespace

std::string certainty_of(const RunResult& result, const Comparison* row) {
  if (row == nullptr || result.verdict.outcome == Outcome::no_baseline) return {};
  if (result.verdict.outcome == Outcome::invalid && !row->interval_known) return {};
  if (only_limit_broken(*row)) {
    return fmt::format("compared with the limit of the workload file as it is; {} process{}",
                       row->n_head, row->n_head == 1 ? "" : "es");
  }
  // The sentence has said already why nothing was compared.
  if (result.verdict.outcome == Outcome::not_comparable && !row->interval_known) return {};
  const bool traced = row->kind == MetricKind::counted;
  if (traced || row->unsettled == Unsettled::better_count) {
    return fmt::format("counted exactly in {}{} process{}", row->n_head, traced ? " traced" : "",
                       row->n_head == 1 ? "" : "es");
  }
  if (!row->interval_known)
    return !result.verdict.reasons.empty() && row->reason == result.verdict.reasons.front().text
               ? ""
               : row->reason;
  std::string text = sure_words(*row);
  if (result.verdict.outcome == Outcome::pass && row->excludes_above_ratio > 0.0) {
    text += fmt::format("; {} above {} is excluded", worse_words(*row),
                        format_percent(row->excludes_above_ratio));
  }
  if (const std::string sight = sight_words(*row); !sight.empty()) text += "; " + sight;
  return text + (row->confirmed ? "; confirmed on " : "; ") + sample_words(*row) +
         same_work_part(result);
}

}  // namespace perfgate::render
