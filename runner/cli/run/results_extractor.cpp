#include "runner/cli/run/results_extractor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "runner/model/json_limits.h"
#include "runner/platform/text.h"
#include "runner/results/json_line.h"
#include "runner/results/results_file.h"

namespace perfgate::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kExcerptBytes = 40;

Error unusable(std::string message, std::string hint) {
  return {.code = ErrorCode::invalid_measurement,
          .message = std::move(message),
          .hint = std::move(hint),
          .context = {}};
}

Error interrupted() {
  return {.code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
}

Result<ProcessResults> from_times(const std::vector<double>& times, const std::string& source) {
  ProcessResults results;
  results.boundary = ProcessResults::Boundary::host;
  for (const double ms : times) {
    if (!std::isfinite(ms) || ms <= 0.0 || ms > results::kLongestStepMs) {
      return unusable(source +
                          ": a step time is not a positive number of milliseconds, or is "
                          "more than a week",
                      "print milliseconds above zero, or point `results` to another place");
    }
    results.steps.push_back({static_cast<std::int64_t>(results.steps.size()), ms});
  }
  if (results.steps.empty()) {
    return unusable(
        source + ": no step time found in the standard output",
        "check `results` against what the program prints (stdout.txt in the run folder)");
  }
  return results;
}

/// The measured ones of steps that stand one by one.
Result<ProcessResults> from_steps(std::vector<double> times, const StepsSpec& steps,
                                  const std::string& source) {
  const auto measured = static_cast<std::size_t>(steps.measure);
  const auto warmup = static_cast<std::size_t>(steps.warmup);
  if (!times.empty() && times.size() != measured && times.size() != warmup + measured) {
    return unusable(
        source + ": " + std::to_string(times.size()) + " values where " + std::to_string(measured) +
            (warmup == 0 ? std::string()
                         : " (or " + std::to_string(warmup + measured) + " with the warm-up)") +
            " were expected",
        "print one value a step, and run PERFGATE_WARMUP and PERFGATE_STEPS steps; or write the "
        "program's own numbers into steps: {warmup, measure}. A mean over the run is one JSON "
        "number (results: {json: /mean_ms}), or steps: {warmup: 0, measure: 1}");
  }
  if (times.size() > measured)
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(warmup));
  return from_times(times, source);
}

/// Discarded for what is no JSON, and for what is too deep or too long to be looked at.
Json parse_bounded(std::string_view text) {
  if (json_beyond_limits(text))
    return Json(Json::value_t::discarded);  // braces would make an array of it
  return Json::parse(text, nullptr, false);
}

/// A decimal number as programs print it; neither hexadecimal nor octal.
std::optional<double> decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<ProcessResults> from_json(const std::string& pointer, const StepsSpec& steps,
                                 std::string_view text,
                                 const platform::Cancellation& cancellation) {
  const std::string source = "results.json " + pointer;
  // The whole output first; else its last line that is JSON: programs print a log before their
  // result.
  std::optional<std::string> beyond = json_beyond_limits(text);
  std::string_view read = text;
  Json document = parse_bounded(read);
  for (auto end = text.size(); document.is_discarded() && end > 0;) {
    if (cancellation.cancelled()) return interrupted();
    while (end > 0 && text[end - 1] == '\n') --end;
    const auto start = text.rfind('\n', end == 0 ? 0 : end - 1);
    const auto begin = start == std::string_view::npos ? 0 : start + 1;
    read = text.substr(begin, end - begin);
    document = parse_bounded(read);
    if (begin == 0) break;
    end = begin - 1;
  }
  if (document.is_discarded()) {
    return unusable(source + ": the standard output holds no JSON" +
                        (beyond ? " that can be read: it is " + *beyond : std::string()),
                    "print one JSON document, or JSON as the last line");
  }
  if (const std::string key = results::repeated_key(read); !key.empty()) {
    return unusable(source + ": \"" + results::shown(key) + "\" stands twice in one object",
                    "print each key once; which of the two was meant cannot be known");
  }
  try {
    const Json& place = document.at(Json::json_pointer(pointer));
    if (place.is_number()) return from_times({place.get<double>()}, source);
    if (!place.is_array())
      return unusable(source + " is neither a number nor an array", "point to milliseconds");
    std::vector<double> times;
    for (const Json& entry : place) {
      if (!entry.is_number())
        return unusable(source + ": an entry is not a number", "point to an array of milliseconds");
      times.push_back(entry.get<double>());
    }
    return from_steps(std::move(times), steps, source);
  } catch (const Json::exception&) {
    return unusable(source + ": there is nothing at that place of the output",
                    "a JSON pointer looks like /result/step_ms");
  }
}

Result<ProcessResults> from_regex(const std::string& pattern, const StepsSpec& steps,
                                  std::string_view text,
                                  const platform::Cancellation& cancellation) {
  const re2::RE2 expression(pattern, re2::RE2::Quiet);
  if (!expression.ok() || expression.NumberOfCapturingGroups() != 1) {
    return unusable("results.regex '" + pattern + "' needs to be an RE2 with one group",
                    "for example: step (\\d+\\.\\d+) ms");
  }
  const re2::RE2 number("\\s*(\\S+)\\s*");
  const std::string source = "results.regex '" + pattern + "'";
  std::vector<double> times;
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece group;
  while (re2::RE2::FindAndConsume(&rest, expression, &group)) {
    if (cancellation.cancelled()) return interrupted();
    // A match that is no number must not end the reading in silence: steps would be missing.
    re2::StringPiece word;
    std::optional<double> ms;
    if (re2::RE2::FullMatch(group, number, &word)) ms = decimal({word.data(), word.size()});
    if (!ms) {
      return unusable(
          source + ": the group matched '" +
              platform::sanitize_output({group.data(), std::min(group.size(), kExcerptBytes)}) +
              "', which is no decimal number",
          "let the group match the milliseconds alone: step (\\d+\\.\\d+) ms");
    }
    times.push_back(*ms);
  }
  return from_steps(std::move(times), steps, source);
}

}  // namespace

Result<ProcessResults> extract_results(const CommandRun& command, const StepsSpec& steps,
                                       std::string_view stdout_text,
                                       const platform::Cancellation& cancellation) {
  if (command.results == ResultsSource::json)
    return from_json(command.results_argument, steps, stdout_text, cancellation);
  if (command.results == ResultsSource::regex)
    return from_regex(command.results_argument, steps, stdout_text, cancellation);
  return Error{.code = ErrorCode::internal,
               .message = "step times of this workload do not come from its standard output",
               .hint = "report this as a bug",
               .context = {}};
}

}  // namespace perfgate::cli
