#include "runner/analysis/metric_catalog.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "runner/analysis/family_rules.h"
#include "runner/analysis/metrics/metrics.h"
#include "runner/analysis/statistics.h"
#include "runner/model/nearest_word.h"

namespace perfgate::analysis {
namespace {

using enum MetricKind;
using enum Better;

std::vector<std::string> always(const MetricInput&) { return {""}; }

constexpr std::array kCatalog{
    MetricInfo{"step_time_p50", timed, "ms", lower, "median untraced step time",
               metrics::step_time_p50, always},
    MetricInfo{"step_time_p05", timed, "ms", lower,
               "5th percentile of the untraced step times: the host's slow spells are not in it",
               metrics::step_time_p05, always},
    MetricInfo{"step_time_p90", timed, "ms", lower, "90th percentile of the untraced step times",
               metrics::step_time_p90, always},
    MetricInfo{"step_time_mean", timed, "ms", lower, "mean untraced step time",
               metrics::step_time_mean, always},
    MetricInfo{"tokens_per_s", timed, "tokens/s", higher,
               "tokens of the work line / median step time", metrics::tokens_per_s, always},
    MetricInfo{"gpu_idle_ms", traced, "ms", lower, "GPU idle time per step", metrics::gpu_idle_ms,
               always},
    MetricInfo{"gpu_busy_ms", traced, "ms", lower, "GPU busy time per step", metrics::gpu_busy_ms,
               always},
    MetricInfo{"idle_ms/", traced, "ms", lower, "idle time per step of one cause", metrics::idle_ms,
               metrics::idle_causes_seen},
    MetricInfo{"family_ms/", traced, "ms", lower, "wall time per step of one kernel family",
               metrics::family_ms, metrics::families_seen},
    MetricInfo{"kernel_us/", traced, "us", lower,
               "median duration per call of the kernels that match the RE2", metrics::kernel_us,
               nullptr},
    MetricInfo{"kernel_launches", counted, "1", lower, "GPU kernels per step, graph nodes included",
               metrics::kernel_launches, always},
    MetricInfo{"launch_calls", counted, "1", lower, "launch calls per step; a graph launch is one",
               metrics::launch_calls, always},
    MetricInfo{"graph_launches", counted, "1", lower, "launches of CUDA graphs per step",
               metrics::graph_launches, always},
    MetricInfo{"copies", counted, "1", lower, "memcpy operations per step", metrics::copies,
               always},
    MetricInfo{"unclassified_percent", traced, "%", lower,
               "share of busy time in kernels that no rule takes", metrics::unclassified_percent,
               always},
    MetricInfo{"exposed_communication_ms", traced, "ms", lower,
               "communication per step that no compute hides", metrics::exposed_communication_ms,
               always},
    MetricInfo{"achieved_bytes_per_s", timed, "bytes/s", higher,
               "modelled bytes per step / median step time", metrics::achieved_bytes_per_s, always},
    MetricInfo{"floor_percent", timed, "%", higher,
               "floor / step time, against the first known ceiling", metrics::floor_percent,
               always},
    MetricInfo{"reported/", timed, "", lower, "a metric that the program reports itself",
               metrics::reported, metrics::names_reported},
};

std::string_view parameter_of(const MetricInfo& info, std::string_view id) {
  return info.is_prefix() ? id.substr(info.id.size()) : std::string_view{};
}

std::string nearest_of(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const std::string& k) { return edit_distance(word, k); });
  return nearest == known.end() ? std::string{} : *nearest;
}

std::vector<std::string> family_words(std::span<const FamilyRuleSpec> families) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view word) {
    if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
  };
  for (const std::string_view name : family_names()) add(name);
  for (const FamilyRule& rule : family_rules()) add(rule.detail);
  for (const FamilyRuleSpec& family : families) add(family.name);
  return words;
}

std::vector<std::string> cause_words() {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i)
    words.emplace_back(to_string(static_cast<IdleCause>(i)));
  return words;
}

Error unknown(std::string_view id, const std::string& what, const std::string& suggestion) {
  return Error{.code = ErrorCode::invalid_config,
               .message = what + " in metric '" + std::string(id) + "'",
               .hint = "did you mean '" + suggestion + "'?",
               .context = {}};
}

Status check_word(std::string_view id, std::string_view prefix,
                  const std::vector<std::string>& known, const char* noun) {
  const std::string_view word = id.substr(prefix.size());
  if (std::ranges::find(known, word) != known.end()) return {};
  return unknown(id, std::string("no such ") + noun, std::string(prefix) + nearest_of(word, known));
}

void add_metric(const MetricInfo& info, std::string id, MetricSamples samples, MetricSet& set) {
  MetricValue value{.id = std::move(id),
                    .kind = info.kind,
                    .value = median(samples.samples),
                    .unit = samples.unit.empty() ? std::string(info.unit) : std::move(samples.unit),
                    .better = samples.better.value_or(info.better),
                    .samples = std::move(samples.samples)};
  set.values.push_back(std::move(value));
}

bool has(const MetricSet& set, std::string_view id) {
  return std::ranges::find(set.values, id, &MetricValue::id) != set.values.end() ||
         std::ranges::find(set.missing, id, &MissingMetric::id) != set.missing.end();
}

Status add_gated(const MetricInput& input, const GateSpec& gate, MetricSet& set) {
  if (has(set, gate.metric)) return {};
  PG_TRY(check_metric_id(gate.metric, input.spec.families));
  const MetricInfo& info = *find_metric(gate.metric);
  PG_ASSIGN_OR_RETURN(MetricSamples samples, info.compute(input, parameter_of(info, gate.metric)));
  if (samples.samples.empty()) {
    set.missing.push_back({gate.metric, samples.missing});
    return {};
  }
  if (!std::ranges::all_of(samples.samples, [](double x) { return std::isfinite(x); })) {
    set.missing.push_back({gate.metric, "a sample is not a finite number"});
    return {};
  }
  if (gate.better) samples.better = gate.better;
  add_metric(info, gate.metric, std::move(samples), set);
  return {};
}

Status add_shown(const MetricInput& input, const MetricInfo& info, MetricSet& set) {
  if (info.shown == nullptr) return {};
  for (const std::string& parameter : info.shown(input)) {
    std::string id = std::string(info.id) + parameter;
    if (has(set, id)) continue;
    PG_ASSIGN_OR_RETURN(MetricSamples samples, info.compute(input, parameter));
    const bool finite =
        std::ranges::all_of(samples.samples, [](double x) { return std::isfinite(x); });
    if (!samples.samples.empty() && finite)
      add_metric(info, std::move(id), std::move(samples), set);
  }
  return {};
}

}  // namespace

std::span<const MetricInfo> metric_catalog() { return kCatalog; }

const MetricInfo* find_metric(std::string_view id) {
  for (const MetricInfo& info : kCatalog) {
    if (info.is_prefix() ? id.size() > info.id.size() && id.starts_with(info.id) : id == info.id)
      return &info;
  }
  return nullptr;
}

bool is_known_metric(std::string_view id) { return find_metric(id) != nullptr; }

std::string nearest_metric(std::string_view id) {
  const std::size_t slash = id.find('/');
  std::vector<std::string> known;
  for (const MetricInfo& info : kCatalog) {
    if (info.is_prefix() == (slash != id.npos)) known.emplace_back(info.id);
  }
  if (slash == id.npos) return nearest_of(id, known);
  return nearest_of(id.substr(0, slash + 1), known) + std::string(id.substr(slash + 1));
}

Status check_metric_id(std::string_view id, std::span<const FamilyRuleSpec> families) {
  const MetricInfo* info = find_metric(id);
  if (info == nullptr) {
    return Error{.code = ErrorCode::invalid_config,
                 .message = "unknown metric '" + std::string(id) + "'",
                 .hint = "did you mean '" + nearest_metric(id) + "'?",
                 .context = {}};
  }
  if (info->id == "family_ms/") return check_word(id, info->id, family_words(families), "family");
  if (info->id == "idle_ms/") return check_word(id, info->id, cause_words(), "idle cause");
  if (info->id == "kernel_us/") {
    // An empty analysis is enough to have the pattern compiled.
    const WorkloadSpec spec;
    const TimingSamples timing;
    const Analysis analysis;
    PG_TRY(info->compute(
        {.spec = spec, .timing = timing, .analysis = analysis, .work = {}, .processes = {}},
        parameter_of(*info, id)));
  }
  return {};
}

Result<MetricSet> compute_metrics(const MetricInput& input) {
  MetricSet set;
  for (const GateSpec& gate : input.spec.gates) PG_TRY(add_gated(input, gate, set));
  for (const MetricInfo& info : kCatalog) PG_TRY(add_shown(input, info, set));
  return set;
}

}  // namespace perfgate::analysis
