#include "baselines/stored_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "runner/model/median.h"
#include "runner/model/traced_ratio.h"
#include "runner/platform/sha256.h"

namespace perfgate::baselines {
namespace {

Error refused(std::string what) {
  return {.code = ErrorCode::invalid_measurement,
          .message = "this result cannot be stored: " + std::move(what),
          .hint = "measure again; a run that cannot be used never becomes a baseline",
          .context = {}};
}

bool usable(double value) { return std::isfinite(value) && value >= 0.0; }

/// Of the catalogue's own times none is zero; a program may report a zero of whatever it counts.
bool takes_time(const MetricValue& metric) {
  return metric.kind == MetricKind::timed && !metric.id.starts_with("reported/") &&
         !metric.id.starts_with(kControlPrefix);
}

/// A form of well-formed UTF-8 (RFC 3629, table of section 4): lead byte, range of the second byte,
/// length.
struct Utf8Form {
  unsigned lead_low, lead_high, second_low, second_high;
  std::size_t length;
};
constexpr std::array<Utf8Form, 9> kUtf8Forms{{{0x00, 0x7F, 0x00, 0xFF, 1},
                                              {0xC2, 0xDF, 0x80, 0xBF, 2},
                                              {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                              {0xE1, 0xEC, 0x80, 0xBF, 3},
                                              {0xED, 0xED, 0x80, 0x9F, 3},
                                              {0xEE, 0xEF, 0x80, 0xBF, 3},
                                              {0xF0, 0xF0, 0x90, 0xBF, 4},
                                              {0xF1, 0xF3, 0x80, 0xBF, 4},
                                              {0xF4, 0xF4, 0x80, 0x8F, 4}}};

/// Bytes of the character at the start of `text`; 0 = not well-formed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return unsigned{static_cast<unsigned char>(text[at])}; };
  const auto form = std::ranges::find_if(kUtf8Forms, [&](const Utf8Form& each) {
    return byte(0) >= each.lead_low && byte(0) <= each.lead_high;
  });
  if (form == kUtf8Forms.end() || text.size() < form->length) return 0;
  if (form->length == 1) return 1;
  if (byte(1) < form->second_low || byte(1) > form->second_high) return 0;
  for (std::size_t i = 2; i < form->length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return form->length;
}

/// JSON cannot carry anything but UTF-8, so an export of another text would not be the run.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void add_controls(const RunResult& result, StoredRun& run) {
  for (const ControlReading& control : result.measurement.controls) {
    std::string id = std::string(kControlPrefix) + control.name;
    const bool known = std::ranges::find(run.metrics, id, &MetricValue::id) != run.metrics.end();
    if (known || control.readings.empty()) continue;
    MetricValue metric;
    metric.id = std::move(id);
    metric.value = median(control.readings);
    metric.unit = control.unit;
    metric.better = Better::higher;
    metric.samples = control.readings;
    run.metrics.push_back(std::move(metric));
  }
}

void add_processes(const RunResult& result, const std::map<std::string, std::string>& digests,
                   StoredRun& run) {
  for (const ProcessRecord& process : result.measurement.processes) {
    if (process.role == ProcessRole::timing && process.results && !process.repeated) {
      std::vector<double>& steps = run.process_step_ms[process.index];
      for (const StepSample& step : process.results->steps) steps.push_back(step.ms);
    }
    for (const std::string& file : process.capture_files) {
      const auto digest = digests.find(file);
      run.captures.push_back(
          {process.index, file, digest == digests.end() ? std::string{} : digest->second});
    }
  }
}

/// Processes that do not agree on their work make a run invalid; on the output they may differ.
void add_work(const RunResult& result, StoredRun& run) {
  bool first = true;
  for (const ProcessRecord& process : result.measurement.processes) {
    if (process.role != ProcessRole::timing || !process.results || process.repeated) continue;
    const WorkDone& work = process.results->work;
    if (first) run.work = work;
    if (work.output_hash != run.work.output_hash) run.work.output_hash.clear();
    first = false;
  }
}

bool is_usable(const WorkDone& work) {
  const std::array figures{work.tokens, work.weights_bytes, work.kv_bytes, work.flops};
  return std::ranges::all_of(figures,
                             [](const auto& figure) { return !figure || usable(*figure); });
}

void add_capture(const Analysis& analysis, StoredRun& run) {
  run.capture_validity = to_string(analysis.capture.validity);
  run.traced_over_untraced = traced_ratio(analysis);
}

bool all_utf8(const std::map<std::string, std::string>& fields) {
  return std::ranges::all_of(
      fields, [](const auto& field) { return is_utf8(field.first) && is_utf8(field.second); });
}

bool texts_are_utf8(const StoredRun& run) {
  const RunIdentity& identity = run.identity;
  for (const std::string* text :
       {&identity.tool_version, &identity.repo, &identity.branch, &identity.series_branch,
        &identity.commit, &identity.run_id, &identity.started_utc, &run.workload_name,
        &run.workload_digest, &run.outcome, &run.capture_validity, &run.work.output_hash}) {
    if (!is_utf8(*text)) return false;
  }
  const Fingerprint& print = run.fingerprint;
  return all_utf8(print.environment) && all_utf8(print.subject) && all_utf8(print.instance) &&
         std::ranges::all_of(
             run.metrics, [](const MetricValue& m) { return is_utf8(m.id) && is_utf8(m.unit); }) &&
         std::ranges::all_of(run.captures, [](const StoredCapture& c) {
           return is_utf8(c.path) && is_utf8(c.digest);
         });
}

std::string framed(const std::map<std::string, std::string>& fields) {
  std::string text;
  for (const auto& [key, value] : fields) {
    text.append(std::to_string(key.size())).append(":").append(key);
    text.append(std::to_string(value.size())).append(":").append(value);
  }
  return text;
}

}  // namespace

Status check_stored_run(const StoredRun& run) {
  if (run.outcome == to_string(Outcome::invalid)) return refused("its verdict is invalid");
  if (run.workload_name.empty()) return refused("its workload has no name");
  if (run.metrics.empty()) return refused("it has no metric");
  if (!texts_are_utf8(run)) return refused("a name in it is not valid UTF-8");
  if (!is_usable(run.work)) return refused("a figure of its work is NaN, infinite or negative");
  std::set<std::string> seen;
  for (const MetricValue& metric : run.metrics) {
    if (metric.id.empty()) return refused("a metric has no name");
    if (!seen.insert(metric.id).second)
      return refused("the metric " + metric.id + " appears twice");
    if (!usable(metric.value) || !std::ranges::all_of(metric.samples, usable)) {
      return refused("a value of " + metric.id + " is NaN, infinite or negative");
    }
    if (takes_time(metric) &&
        (metric.value == 0.0 || std::ranges::find(metric.samples, 0.0) != metric.samples.end())) {
      return refused("a value of " + metric.id + " is zero, which no time is");
    }
  }
  for (const auto& [process, steps] : run.process_step_ms) {
    if (!std::ranges::all_of(steps, usable) || std::ranges::find(steps, 0.0) != steps.end()) {
      return refused("a step time of process " + std::to_string(process) +
                     " is NaN, infinite, zero or negative");
    }
  }
  return {};
}

Result<StoredRun> stored_run_of(const RunResult& result, const std::string& workload_digest,
                                const std::map<std::string, std::string>& capture_digests) {
  StoredRun run;
  run.identity = result.identity;
  run.source = result.source;
  run.workload_name = result.workload_name;
  run.workload_digest = workload_digest;
  run.fingerprint = result.measurement.fingerprint;
  run.metrics = result.metrics;
  run.outcome = to_string(result.verdict.outcome);
  add_controls(result, run);
  add_processes(result, capture_digests, run);
  add_work(result, run);
  add_capture(result.analysis, run);
  PG_TRY(check_stored_run(run));
  return run;
}

Result<std::string> run_digest(const RunResult& result, const std::string& workload_digest) {
  RunResult judged_elsewhere = result;
  judged_elsewhere.verdict.outcome = Outcome::pass;
  PG_ASSIGN_OR_RETURN(const StoredRun run, stored_run_of(judged_elsewhere, workload_digest));
  return run_digest(run);
}

std::string environment_key(const Fingerprint& fingerprint) {
  return platform::sha256_hex(framed(fingerprint.environment));
}

std::string instance_of(const Fingerprint& fingerprint) {
  const auto uuid = fingerprint.instance.find("gpu_uuid");
  if (uuid != fingerprint.instance.end() && fingerprint.instance.size() == 1) return uuid->second;
  std::string text;
  for (const auto& [key, value] : fingerprint.instance) {
    text.append(text.empty() ? "" : " ").append(key).append("=").append(value);
  }
  return text;
}

}  // namespace perfgate::baselines
