#include "runner/cli/run/missing_metric.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/nearest_word.h"

namespace perfgate::cli {
namespace {

constexpr std::string_view kReported = "reported/";
/// More would hide the sentence that they explain.
constexpr std::size_t kMostNamed = 8;

std::string words_on(std::string_view metric, const std::vector<std::string_view>& reported) {
  if (reported.empty()) return "; the program reported no metric of its own";
  std::string text = "; the program reported ";
  for (std::size_t i = 0; i < std::min(reported.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + std::string(reported[i]);
  if (reported.size() > kMostNamed)
    text += " and " + std::to_string(reported.size() - kMostNamed) + " more";
  const std::string_view nearest = nearest_word(metric, reported);
  return nearest.empty() ? text : text + "; did you mean " + std::string(nearest) + "?";
}

}  // namespace

void name_reported(RunResult& result) {
  std::vector<std::string_view> reported;
  for (const MetricValue& metric : result.metrics)
    if (metric.id.starts_with(kReported)) reported.push_back(metric.id);
  for (Comparison& row : result.comparisons) {
    if (row.outcome != Outcome::invalid || !row.metric.starts_with(kReported)) continue;
    if (std::ranges::find(reported, row.metric) != reported.end()) continue;
    const std::string former = row.reason;
    row.reason += words_on(row.metric, reported);
    for (Reason& reason : result.verdict.reasons)
      if (reason.text == former) reason.text = row.reason;
  }
}

}  // namespace perfgate::cli
