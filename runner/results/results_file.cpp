#include "runner/results/results_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "runner/results/json_line.h"

namespace perfgate::results {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMostMetrics = 1000;

// --- writing ---

std::string line_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

OrderedJson work_fields(const WorkDone& work) {
  OrderedJson fields = OrderedJson::object();
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) fields[key] = *value;
  };
  add("tokens", work.tokens);
  add("weights_bytes", work.weights_bytes);
  add("kv_bytes", work.kv_bytes);
  add("flops", work.flops);
  if (!work.output_hash.empty()) fields["output_hash"] = work.output_hash;
  return fields;
}

// --- reading ---

Result<std::int64_t> integer_at(const Place& place, const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return place.error("\"" + key + "\" is missing", "add \"" + key + "\" as an integer");
  }
  const bool beyond = found->is_number_unsigned() &&
                      found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  if (!found->is_number_integer() || beyond) {
    return place.error(
        "\"" + key + "\" must be an integer below 2^63, not " +
            (found->is_number() ? shown(found->dump()) : found->type_name()),
        "write it without quotes, point or exponent; in Python time.time_ns() is one");
  }
  return found->get<std::int64_t>();
}

Result<double> number_at(const Place& place, const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return place.error("\"" + key + "\" is missing", "add \"" + key + "\" as a number");
  }
  if (!found->is_number()) {
    return place.error(
        "\"" + key + "\" must be a number, not " + found->type_name(),
        "write it without quotes; a value that is unknown is left out with its line");
  }
  const auto value = found->get<double>();
  if (!std::isfinite(value)) {
    return place.error("\"" + key + "\" is not finite", "write the measured value");
  }
  if (std::abs(value) > kLargestFigure) {
    return place.error("\"" + key + "\" is beyond 1e24", "check the program's clock and units");
  }
  return value;
}

Result<std::string> text_at(const Place& place, const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::string{};
  if (!found->is_string()) {
    return place.error("\"" + key + "\" must be a string, not " + found->type_name(),
                       "put it in quotes or leave it out");
  }
  return found->get<std::string>();
}

bool is_name(std::string_view text) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  return !text.empty() && text.size() <= kMaxNameBytes && std::ranges::none_of(text, is_control);
}

class Reader {
 public:
  Status take(const Place& place) {
    PG_ASSIGN_OR_RETURN(const Json json, parse_line(place));
    if (!header_seen_) return take_header(place, json);
    using Handler = Status (Reader::*)(const Place&, const Json&);
    static constexpr std::pair<const char*, Handler> kHandlers[] = {
        {"step", &Reader::take_step}, {"block", &Reader::take_block},
        {"work", &Reader::take_work}, {"metric", &Reader::take_metric},
        {"end", &Reader::take_end},   {"perfgate_results", &Reader::take_second_header}};
    for (const auto& [key, handler] : kHandlers) {
      if (!json.contains(key)) continue;
      if (end_seen_) {
        return place.error(std::string("a \"") + key + "\" line stands after the end line",
                           "write the end line once, last; a file holds one process's results");
      }
      return (this->*handler)(place, json);
    }
    return {};  // a kind of line that a later version knows
  }

  Result<ProcessResults> finish() && {
    const Place whole;
    if (!header_seen_) {
      return whole.error("it is empty",
                         "start it with {\"perfgate_results\":1,\"clock\":\"CLOCK_REALTIME\"}");
    }
    if (!end_seen_) {
      return whole.error("the end line is missing: the file is cut after " +
                             std::to_string(results_.steps.size()) + " steps",
                         "look at the program's last words; write {\"end\":true,\"steps\":N} last");
    }
    if (!block_seen_) {
      return whole.error(
          "the block line is missing",
          "write {\"block\":{\"start_ns\":A,\"end_ns\":B}}, both read after a device "
          "synchronisation");
    }
    PG_TRY(check_device_sum());
    return std::move(results_);
  }

 private:
  [[nodiscard]] Status check_device_sum() const {
    if (results_.boundary != ProcessResults::Boundary::device) return {};
    double sum_ms = 0.0;
    for (const StepSample& sample : results_.steps) sum_ms += sample.ms;
    const auto block_ns = static_cast<double>(results_.block_end_ns - results_.block_start_ns);
    if (sum_ms * 1e6 <= block_ns * (1.0 + kDeviceSumTolerance)) return {};
    return Place{}.error(
        "the device's steps sum up to " + OrderedJson(sum_ms).dump() +
            " ms, more than the block of " + OrderedJson(block_ns / 1e6).dump() + " ms around them",
        "mark each step once, end after start, in milliseconds, and read the block's times around "
        "all of them");
  }

  Status take_header(const Place& place, const Json& json) {
    const std::string hint =
        "start the file with {\"perfgate_results\":1,\"clock\":\"CLOCK_REALTIME\"}";
    if (!json.contains("perfgate_results")) {
      return place.error("the first line does not say \"perfgate_results\"", hint);
    }
    PG_ASSIGN_OR_RETURN(const std::int64_t version, integer_at(place, json, "perfgate_results"));
    if (version != kSchemaVersion) {
      return place.error("schema version " + std::to_string(version) + "; this perfgate reads " +
                             std::to_string(kSchemaVersion),
                         "use the results writer and the perfgate of one release");
    }
    PG_ASSIGN_OR_RETURN(const std::string clock, text_at(place, json, "clock"));
    if (clock != "CLOCK_REALTIME") {
      return place.error(
          "\"clock\" must be \"CLOCK_REALTIME\", not \"" + shown(clock) + "\"",
          "read the block's times from CLOCK_REALTIME (time.time_ns() in Python) and say so");
    }
    PG_ASSIGN_OR_RETURN(const std::string boundary, text_at(place, json, "boundary"));
    if (!boundary.empty() && boundary != "host" && boundary != "device") {
      return place.error(
          "\"boundary\" must be \"host\" or \"device\", not \"" + shown(boundary) + "\"",
          "\"device\" if GPU events mark the steps, else \"host\" or nothing");
    }
    results_.boundary =
        boundary == "device" ? ProcessResults::Boundary::device : ProcessResults::Boundary::host;
    header_seen_ = true;
    return {};
  }

  Status take_second_header(const Place& place, const Json&) {
    return place.error("a second header line",
                       "write one file per process; do not append to an older file");
  }

  Status take_block(const Place& place, const Json& json) {
    if (block_seen_)
      return place.error("a second block line", "write the block once, after the loop");
    const Json& block = json.at("block");
    if (!block.is_object()) {
      return place.error("\"block\" must be an object",
                         "write {\"block\":{\"start_ns\":A,\"end_ns\":B}}");
    }
    PG_ASSIGN_OR_RETURN(results_.block_start_ns, integer_at(place, block, "start_ns"));
    PG_ASSIGN_OR_RETURN(results_.block_end_ns, integer_at(place, block, "end_ns"));
    if (results_.block_start_ns <= 0 || results_.block_end_ns <= results_.block_start_ns) {
      return place.error(
          "the block does not end after it starts",
          "read CLOCK_REALTIME after a device synchronisation, before and after the loop");
    }
    block_seen_ = true;
    return {};
  }

  Status take_step(const Place& place, const Json& json) {
    PG_ASSIGN_OR_RETURN(const std::int64_t step, integer_at(place, json, "step"));
    const auto due = static_cast<std::int64_t>(results_.steps.size());
    if (step != due) {
      return place.error(
          "step " + std::to_string(step) + " where " + std::to_string(due) + " was due",
          "number the measured steps 0, 1, 2, ... and write each once");
    }
    PG_ASSIGN_OR_RETURN(const double ms, number_at(place, json, "ms"));
    if (ms < kShortestStepMs || ms > kLongestStepMs) {
      return place.error("\"ms\" must be above zero, at least 1e-6 (1 ns), and at most a week",
                         "check how the program marks the start and the end of a step");
    }
    results_.steps.push_back({.step = step, .ms = ms});
    return {};
  }

  Status take_work(const Place& place, const Json& json) {
    if (work_seen_) return place.error("a second work line", "write the work once, per step");
    const Json& work = json.at("work");
    if (!work.is_object()) {
      return place.error("\"work\" must be an object", "write {\"work\":{\"tokens\":16}}");
    }
    const std::pair<const char*, std::optional<double> WorkDone::*> figures[] = {
        {"tokens", &WorkDone::tokens},
        {"weights_bytes", &WorkDone::weights_bytes},
        {"kv_bytes", &WorkDone::kv_bytes},
        {"flops", &WorkDone::flops}};
    for (const auto& [key, member] : figures) {
      if (!work.contains(key) || work.at(key).is_null()) continue;
      PG_ASSIGN_OR_RETURN(const double value, number_at(place, work, key));
      if (value < 0.0) {
        return place.error(std::string("\"") + key + "\" is negative",
                           "write what one step does, or leave it out if unknown");
      }
      results_.work.*member = value;
    }
    PG_ASSIGN_OR_RETURN(results_.work.output_hash, text_at(place, work, "output_hash"));
    work_seen_ = true;
    return {};
  }

  Status take_metric(const Place& place, const Json& json) {
    ReportedMetric metric;
    PG_ASSIGN_OR_RETURN(metric.name, text_at(place, json, "metric"));
    if (!is_name(metric.name)) {
      return place.error("\"metric\" must be a name of 1 to 128 bytes without control characters",
                         "name it like \"ttft_ms\"");
    }
    if (names_.size() == kMostMetrics) {
      return place.error("more than " + std::to_string(kMostMetrics) + " metrics",
                         "report what is looked at, not every sample");
    }
    if (!names_.insert(metric.name).second) {
      return place.error("metric \"" + shown(metric.name) + "\" stands twice",
                         "write each metric once per process");
    }
    PG_ASSIGN_OR_RETURN(metric.value, number_at(place, json, "value"));
    PG_ASSIGN_OR_RETURN(metric.unit, text_at(place, json, "unit"));
    PG_ASSIGN_OR_RETURN(const std::string better, text_at(place, json, "better"));
    if (!better.empty() && better != "lower" && better != "higher") {
      return place.error(
          "\"better\" must be \"lower\" or \"higher\", not \"" + shown(better) + "\"",
          "\"higher\" for rates, \"lower\" (the default) for times");
    }
    metric.better = better == "higher" ? Better::higher : Better::lower;
    results_.metrics.push_back(std::move(metric));
    return {};
  }

  Status take_end(const Place& place, const Json& json) {
    if (json.at("end") != true) {
      return place.error("\"end\" must be true", "write {\"end\":true,\"steps\":N} last");
    }
    PG_ASSIGN_OR_RETURN(const std::int64_t steps, integer_at(place, json, "steps"));
    if (steps != static_cast<std::int64_t>(results_.steps.size())) {
      return place.error("the end line counts " + std::to_string(steps) + " steps, the file has " +
                             std::to_string(results_.steps.size()),
                         "write one line per measured step, and their number at the end");
    }
    if (steps == 0) {
      return place.error("no step was measured",
                         "run at least one step after the warm-up (PERFGATE_STEPS says how many)");
    }
    end_seen_ = true;
    return {};
  }

  ProcessResults results_;
  std::set<std::string> names_;
  bool header_seen_ = false;
  bool block_seen_ = false;
  bool work_seen_ = false;
  bool end_seen_ = false;
};

}  // namespace

std::string write_results(const ProcessResults& results) {
  const bool on_device = results.boundary == ProcessResults::Boundary::device;
  std::string text = line_of({{"perfgate_results", kSchemaVersion},
                              {"clock", "CLOCK_REALTIME"},
                              {"boundary", on_device ? "device" : "host"}});
  text += line_of(
      {{"block", {{"start_ns", results.block_start_ns}, {"end_ns", results.block_end_ns}}}});
  for (const StepSample& sample : results.steps) {
    text += line_of({{"step", sample.step}, {"ms", sample.ms}});
  }
  if (const OrderedJson work = work_fields(results.work); !work.empty()) {
    text += line_of({{"work", work}});
  }
  for (const ReportedMetric& metric : results.metrics) {
    text += line_of({{"metric", metric.name},
                     {"value", metric.value},
                     {"unit", metric.unit},
                     {"better", metric.better == Better::higher ? "higher" : "lower"}});
  }
  return text + line_of({{"end", true}, {"steps", results.steps.size()}});
}

Result<ProcessResults> read_results(std::string_view text) {
  Reader reader;
  Place place;
  while (!text.empty()) {
    const std::size_t line_end = text.find('\n');
    place.text = text.substr(0, line_end);
    place.ended = line_end != std::string_view::npos;
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
    ++place.number;
    if (place.text.ends_with('\r')) place.text.remove_suffix(1);
    if (place.text.find_first_not_of(" \t") == std::string_view::npos) continue;
    PG_TRY(reader.take(place));
  }
  return std::move(reader).finish();
}

}  // namespace perfgate::results
