#include "runner/results/json_line.h"

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "runner/model/json_limits.h"

namespace perfgate::results {
namespace {

constexpr std::size_t kMaxLineBytes = 64U << 10U;
constexpr std::size_t kShownBytes = 80;

bool mentions_non_finite(std::string_view line) {
  for (const std::string_view word : {"NaN", "nan", "Infinity", "inf"}) {
    if (line.find(word) != std::string_view::npos) return true;
  }
  return false;
}

Error not_json(const Place& place, const std::string& problem) {
  if (mentions_non_finite(place.text)) {
    return place.error(
        "NaN and infinite are not numbers that JSON has",
        "find out why the program measured no finite value; do not write such a line");
  }
  if (!place.ended) {
    return place.error("the file is cut inside this line",
                       "look at the program's last words; write {\"end\":true,\"steps\":N} last");
  }
  // "[json.exception.parse_error.101] parse error at line 1, column 3: ..." without the library's
  // label.
  const auto label_end = problem.find("] ");
  return place.error(
      "not JSON: " +
          shown(label_end == std::string::npos ? problem : problem.substr(label_end + 2)),
      "write one JSON object a line, in UTF-8, as a JSON library prints it");
}

// Remembers a key that an object has twice; the parser itself would keep the last one.
struct RepeatedKey {
  std::string key;
  std::vector<std::set<std::string>> open;  // the keys of each object around the place

  bool operator()(int /*depth*/, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed).second) {
      // An empty one must not be taken for none.
      key = parsed == "" ? "(empty)" : parsed.get<std::string>();
    }
    return true;
  }
};

}  // namespace

std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, kShownBytes)) text += c >= ' ' && c <= '~' ? c : '?';
  return line.size() > kShownBytes ? text + "..." : text;
}

Error Place::error(const std::string& what, std::string hint) const {
  return Error{.code = ErrorCode::invalid_measurement,
               .message = number == 0
                              ? "results file: " + what
                              : "results file, line " + std::to_string(number) + ": " + what,
               .hint = std::move(hint),
               .context = shown(text)};
}

std::string repeated_key(std::string_view json) {
  RepeatedKey repeated;
  const Json parsed = Json::parse(json, std::ref(repeated), false);
  return parsed.is_discarded() ? std::string() : repeated.key;
}

Result<Json> parse_line(const Place& place) {
  if (place.text.size() > kMaxLineBytes) {
    return place.error("the line has " + std::to_string(place.text.size()) + " bytes, more than " +
                           std::to_string(kMaxLineBytes),
                       "write one short object a line, with a line feed after each");
  }
  if (const auto beyond = json_beyond_limits(place.text)) {
    return place.error("the line is " + *beyond, "write one flat object a line");
  }
  RepeatedKey repeated;
  try {
    Json json = Json::parse(place.text, std::ref(repeated));
    if (!repeated.key.empty()) {
      return place.error("\"" + shown(repeated.key) + "\" stands twice in one object",
                         "write each key once; which of the two was meant cannot be known");
    }
    if (!json.is_object()) {
      return place.error(std::string("a JSON object was expected, not ") + json.type_name(),
                         "write one JSON object a line, like {\"step\":0,\"ms\":4.27}");
    }
    return json;
  } catch (const Json::exception& problem) {
    return not_json(place, problem.what());
  }
}

}  // namespace perfgate::results
