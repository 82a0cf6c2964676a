#include "reporters/render/summary_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/story.h"
#include "reporters/render/units.h"
#include "runner/model/median.h"
#include "runner/model/traced_ratio.h"

namespace perfgate::render {
namespace {

std::string spread_words(const MetricValue& metric) {
  if (metric.samples.size() < 2 || metric.value <= 0.0) {
    return fmt::format("{} process{}", metric.samples.size(),
                       metric.samples.size() == 1 ? "" : "es");
  }
  const auto [low, high] = std::ranges::minmax(metric.samples);
  return fmt::format("{} processes, spread {}", metric.samples.size(),
                     format_percent((high - low) / metric.value));
}

std::string source_of(const FloorResult::Against& against) {
  return against.ceiling.source.empty() ? "source unknown" : against.ceiling.source;
}

// From here on the table and the untraced step are too far apart to say nothing.
constexpr double kNoteFrom = 0.05;

// What the untraced processes took at the steps that were traced.
std::optional<double> untraced_at_traced_steps(const Analysis& analysis) {
  std::vector<double> steps;
  for (const TracedProcess& process : analysis.traced) {
    const double untraced = process.traced_step_ms / process.traced_over_untraced;
    if (process.traced_over_untraced > 0.0 && std::isfinite(untraced)) steps.push_back(untraced);
  }
  if (steps.empty()) return std::nullopt;
  return median(std::move(steps));
}

std::string dropped_words(const Analysis& analysis) {
  std::uint64_t sum = 0;
  for (const TracedProcess& process : analysis.traced) {
    if (!process.dropped) return "dropped records unknown";
    sum += *process.dropped;
  }
  return fmt::format("{} record{} dropped", format_count(static_cast<double>(sum)),
                     sum == 1 ? "" : "s");
}

}  // namespace

std::string step_line(const RunResult& result) {
  const MetricValue* step = find_metric(result, "step_time_p50");
  if (step == nullptr) return "not measured";
  const Comparison* row = find_comparison(result, "step_time_p50");
  // A judged row in session is over the pairs of one stage, the run's own value over all of them.
  const bool judged = row != nullptr && row->n_base > 0;
  std::string text = format_value(judged ? row->head : step->value, step->unit);
  if (judged) {
    text += fmt::format(" (base {}, {})", format_value(row->base, row->unit),
                        row->interval_known
                            ? format_change_interval(row->ci_low_ratio, row->ci_high_ratio)
                            : format_change(row->delta_ratio));
  }
  return text + "; " + spread_words(*step);
}

std::string floor_line(const RunResult& result) {
  const Analysis& analysis = result.analysis;
  if (!analysis.floor || analysis.floor->against.empty()) {
    if (!analysis.floor_problem.empty()) return "none: " + analysis.floor_problem;
    const bool measured = find_metric(result, "step_time_p50") != nullptr;
    return measured ? "none declared in the workload file" : "not computed without a step time";
  }
  const FloorResult& floor = *analysis.floor;
  const FloorResult::Against& first = floor.against.front();
  std::string text =
      fmt::format("{} ({}), {} % of its speed reached", format_milliseconds(first.floor_ms),
                  source_of(first), format_fixed(first.percent_of_floor, 1));
  if (floor.against.size() > 1) {
    const FloorResult::Against& second = floor.against[1];
    text += fmt::format("; {} ({}), {} %", format_milliseconds(second.floor_ms), source_of(second),
                        format_fixed(second.percent_of_floor, 1));
  }
  text += first.memory_bound
              ? fmt::format("; memory-bound, {} at {}", format_bytes(floor.bytes_per_step),
                            format_bytes_per_s(floor.achieved_bytes_per_s))
              : fmt::format("; compute-bound, {} at {}", format_flops(floor.flops_per_step),
                            format_flops_per_s(floor.achieved_flop_per_s));
  return text;
}

std::string capture_line(const RunResult& result) {
  const Analysis& analysis = result.analysis;
  if (analysis.traced.empty()) {
    const auto& reasons = analysis.capture.reasons;
    return "none: " + (reasons.empty() ? std::string("no process was traced") : reasons.front());
  }
  std::string text(to_string(analysis.capture.validity));
  for (const std::string& reason : analysis.capture.reasons) text += "; " + reason;
  text += fmt::format("; {} traced process{}, {}", analysis.traced.size(),
                      analysis.traced.size() == 1 ? "" : "es", dropped_words(analysis));
  if (const auto ratio = traced_ratio(analysis))
    text += ", traced / untraced " + format_fixed(*ratio, 3);
  return text;
}

std::string trace_note(const RunResult& result, const Breakdown& breakdown) {
  const MetricValue* step = find_metric(result, "step_time_p50");
  if (!breakdown.known || step == nullptr || !(step->value > 0.0)) return {};
  const auto is_far = [](double ratio) { return std::abs(ratio - 1.0) > kNoteFrom; };
  const auto ratio = traced_ratio(result.analysis);
  if (ratio && is_far(*ratio)) {
    return fmt::format(
        "tracing {} this step (traced / untraced {}): the shares are indicative, and times out of "
        "captures are not judged",
        *ratio > 1.0 ? "lengthens" : "shortens", format_fixed(*ratio, 3));
  }
  if (!is_far(breakdown.window_ms / step->value)) return {};
  std::string text = fmt::format("the untraced step takes {}", format_milliseconds(step->value, 4));
  const auto same_steps = untraced_at_traced_steps(result.analysis);
  if (!same_steps || !is_far(*same_steps / step->value)) return text + "; why is not known";
  return text + fmt::format(", but {} at the steps that were traced: the other steps are {}",
                            format_milliseconds(*same_steps, 4),
                            *same_steps < step->value ? "slower" : "faster");
}

std::string machine_line(const RunResult& result) {
  const auto& environment = result.measurement.fingerprint.environment;
  static constexpr std::array<std::array<const char*, 3>, 4> kParts{
      {{"gpu", "", ""},
       {"driver", "driver ", ""},
       {"power_limit_w", "power limit ", " W"},
       {"clock_policy", "clocks ", ""}}};
  const auto known = [&](const char* key) {
    const auto it = environment.find(key);
    return it == environment.end() || it->second == "unknown" ? std::string() : it->second;
  };
  std::vector<std::string> words;
  const std::string gpu = known("gpu");
  if (gpu == "none") words.emplace_back("no GPU");
  // Without one the CPU is what ran.
  if ((gpu.empty() || gpu == "none") && !known("cpu").empty()) words.push_back(known("cpu"));
  for (const auto& [key, before, after] : kParts) {
    const std::string value = known(key);
    if (!value.empty() && value != "none") words.push_back(before + value + after);
  }
  return words.empty() ? "machine unknown" : fmt::format("{}", fmt::join(words, ", "));
}

std::string counts_line(const RunResult& result) {
  static constexpr std::array<std::string_view, 9> kOrder{
      "fail",        "suspected", "inconclusive", "invalid", "not comparable",
      "no baseline", "accepted",  "improved",     "pass"};
  std::map<std::string, int> counts;
  for (const Comparison& row : result.comparisons) ++counts[verdict_word(result, row)];
  std::vector<std::string> words;
  for (const std::string_view word : kOrder) {
    const auto it = counts.find(std::string(word));
    if (it != counts.end()) words.push_back(fmt::format("{} {}", it->second, word));
  }
  return words.empty() ? "no metric was compared" : fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> last_words(const RunResult& result, std::size_t lines) {
  const ProcessRecord* process = failed_process(result);
  std::vector<std::string> out;
  if (process == nullptr) return out;
  const std::string_view text = process->last_words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) out.emplace_back(line);
    at = end + 1;
  }
  if (out.size() > lines) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(lines));
  return out;
}

}  // namespace perfgate::render
