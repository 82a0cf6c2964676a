#include "workloads/spec/seen_output.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "runner/model/median.h"

namespace perfgate::workloads {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFewest = 5;
/// Lines that are looked at: enough for any run's steps.
constexpr std::size_t kMostLines = 100'000;
constexpr int kDeepest = 20;

SeenOutput seen(SeenOutput::Form form, std::string argument, const std::vector<double>& values) {
  return {form, std::move(argument), static_cast<std::int64_t>(values.size()), median(values)};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Empty: not an array of positive numbers alone.
std::vector<double> step_times(const Json& json) {
  std::vector<double> values;
  if (!json.is_array()) return values;
  for (const Json& entry : json) {
    if (!entry.is_number() || !(entry.get<double>() > 0.0)) return {};
    values.push_back(entry.get<double>());
  }
  return values;
}

struct FoundArray {
  Json::json_pointer pointer;
  std::vector<double> values;
};

void find_longest(const Json& json, const Json::json_pointer& at, int depth, FoundArray& longest) {
  if (std::vector<double> values = step_times(json); values.size() > longest.values.size())
    longest = {at, std::move(values)};
  if (depth == kDeepest) return;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) find_longest(value, at / key, depth + 1, longest);
  } else if (json.is_array() && !json.empty() && json.front().is_structured()) {
    for (std::size_t i = 0; i < json.size(); ++i) find_longest(json[i], at / i, depth + 1, longest);
  }
}

/// As the reader of `results: {json: ...}` takes it: the whole, else the last line that is JSON.
std::optional<SeenOutput> in_json(std::string_view text) {
  Json document = Json::parse(text, nullptr, false);
  const std::vector<std::string_view> lines = lines_of(text);
  for (auto line = lines.rbegin(); document.is_discarded() && line != lines.rend(); ++line) {
    if (line->find_first_of("[{") != line->npos) document = Json::parse(*line, nullptr, false);
  }
  if (document.is_discarded()) return std::nullopt;
  FoundArray longest;
  find_longest(document, Json::json_pointer(), 0, longest);
  if (longest.values.size() < kFewest) return std::nullopt;
  return seen(SeenOutput::Form::json, longest.pointer.to_string(), longest.values);
}

constexpr const char* kNumber = "\\d+(?:\\.\\d+)?";

/// As QuoteMeta, but readable: ':' and '_' stay as they are.
std::string escaped_pattern(std::string_view text) {
  constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
  std::string pattern;
  for (const char c : text) {
    if (kSpecial.find(c) != kSpecial.npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// A pattern for lines that begin like this one: numbers and blanks may differ.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  const re2::RE2 token("(\\d+(?:\\.\\d+)?)|([ \\t]+)|([^\\d \\t]+|\\S)");
  re2::StringPiece rest(text.data(), text.size());
  std::string number;
  std::string blank;
  std::string other;
  while (re2::RE2::Consume(&rest, token, &number, &blank, &other)) {
    if (!number.empty()) {
      pattern += kNumber;
    } else {
      pattern += blank.empty() ? escaped_pattern(other) : " +";
    }
  }
  return pattern;
}

/// Lines of one shape and what they hold.
using Shapes = std::map<std::string, std::vector<double>>;

void add_line(std::string_view line, const re2::RE2& expression, Shapes& shapes) {
  std::string before;
  std::string number;
  std::string behind;
  const re2::StringPiece piece(line.data(), line.size());
  if (!re2::RE2::PartialMatch(piece, expression, &before, &number, &behind)) return;
  const double ms = std::stod(number);
  if (!(ms > 0.0)) return;
  shapes["(?m)^" + pattern_of(before) + "(" + kNumber + ")" + pattern_of(behind)].push_back(ms);
}

std::optional<SeenOutput> in_lines(std::string_view text) {
  const re2::RE2 before_unit("^(.*?)(\\d{1,9}(?:\\.\\d{1,20})?)([ \\t]*ms)\\b", re2::RE2::Quiet);
  const re2::RE2 behind_unit("^(.*\\bms[ \\t]*[:=][ \\t]*)(\\d{1,9}(?:\\.\\d{1,20})?)()",
                             re2::RE2::Quiet);
  const re2::RE2 behind_name("^(.*_ms[ \\t]*[:=][ \\t]*)(\\d{1,9}(?:\\.\\d{1,20})?)()",
                             re2::RE2::Quiet);
  Shapes shapes;
  for (const std::string_view line : lines_of(text)) {
    for (const re2::RE2* expression : {&before_unit, &behind_unit, &behind_name}) {
      add_line(line, *expression, shapes);
    }
  }
  const auto most =
      std::ranges::max_element(shapes, {}, [](const auto& shape) { return shape.second.size(); });
  if (most == shapes.end() || most->second.size() < kFewest) return std::nullopt;
  return seen(SeenOutput::Form::regex, most->first, most->second);
}

}  // namespace

std::optional<SeenOutput> find_step_times(std::string_view standard_output) {
  if (auto found = in_json(standard_output)) return found;
  return in_lines(standard_output);
}

}  // namespace perfgate::workloads
