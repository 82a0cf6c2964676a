#include "reporters/post/marker.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "reporters/post/event.h"
#include "reporters/post/percent_encoding.h"

namespace perfgate::post {
namespace {

constexpr std::string_view kStart = "<!-- perfgate:comment v=1 ";
constexpr std::string_view kEnd = " -->";
constexpr std::string_view kCutNote =
    "\n\n_The rest is cut: it is in the step's summary and in the run folder._\n";
/// Not '-' and '>', which could end the comment.
constexpr std::string_view kPlainInKey = "._";

std::string decoded_key(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    const bool coded = text[i] == '%' && i + 2 < text.size() &&
                       std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
                           text.data() + i + 3;
    out += coded ? static_cast<char>(byte) : text[i];
    if (coded) i += 2;
  }
  return out;
}

/// The value of " name=VALUE"; empty where there is none.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::string start = " " + std::string(name) + "=";
  const std::size_t at = line.find(start);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + start.size());
  return line.substr(0, line.find(' '));
}

template <typename Number>
Number number_of(std::string_view text, Number otherwise) {
  Number value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc() && end == text.data() + text.size() && value >= 0;
  return whole ? value : otherwise;
}

std::string_view last_line(std::string_view body) {
  while (!body.empty() && std::isspace(static_cast<unsigned char>(body.back())) != 0)
    body.remove_suffix(1);
  const std::size_t line = body.rfind('\n');
  return line == std::string_view::npos ? body : body.substr(line + 1);
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size()))
    ++found;
  return found;
}

/// Closes what a cut left open: a fence of three backticks at a line's start, then the folds.
std::string closing(std::string_view text) {
  std::string end;
  const std::size_t fences = count(text, "\n```") + (text.starts_with("```") ? 1U : 0U);
  if (fences % 2 == 1) end += "\n```";
  const std::size_t opened = count(text, "<details");
  const std::size_t closed = count(text, "</details>");
  for (std::size_t i = closed; i < opened; ++i) end += "\n\n</details>";
  return end;
}

}  // namespace

std::string marker_line(const Marker& marker) {
  return std::string(kStart) +
         "key=" + percent_encoded(marker.key.substr(0, kLongestMarkerKey), kPlainInKey) +
         " head=" + marker.head_sha + " run=" + std::to_string(marker.run_id) +
         " attempt=" + std::to_string(marker.attempt) + std::string(kEnd);
}

std::optional<Marker> find_marker(std::string_view body) {
  std::string_view line = last_line(body);
  if (!line.starts_with(kStart) || !line.ends_with(kEnd)) return std::nullopt;
  line = line.substr(0, line.size() - kEnd.size());
  Marker marker{.key = decoded_key(value_of(line, "key")),
                .head_sha = std::string(value_of(line, "head")),
                .run_id = number_of<std::int64_t>(value_of(line, "run"), 0),
                .attempt = number_of<int>(value_of(line, "attempt"), 1)};
  if (marker.key.empty() || !is_sha(marker.head_sha)) return std::nullopt;
  return marker;
}

bool is_newer(const Marker& theirs, const Marker& mine, const std::string& head_now) {
  if (theirs.head_sha != mine.head_sha && !head_now.empty()) {
    if (mine.head_sha == head_now) return false;
    if (theirs.head_sha == head_now) return true;
  }
  if (theirs.run_id == 0 || mine.run_id == 0) return false;
  if (theirs.run_id != mine.run_id) return theirs.run_id > mine.run_id;
  return theirs.attempt > mine.attempt;
}

std::string cut_markdown(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  constexpr std::size_t kRoomForClosing = 600;
  std::size_t room = limit > kCutNote.size() + kRoomForClosing
                         ? limit - kCutNote.size() - kRoomForClosing
                         : limit / 2;
  const std::size_t line = text.rfind('\n', room);
  if (line != std::string_view::npos && line > 0) {
    room = line;
  } else {
    while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xC0U) == 0x80U) --room;
  }
  std::string kept(text.substr(0, room));
  const std::string end = closing(kept) + std::string(kCutNote);
  return kept.size() + end.size() <= limit ? kept + end : kept.substr(0, limit);
}

std::string comment_body(std::string_view text, const Marker& marker, std::size_t limit) {
  const std::string end = "\n\n" + marker_line(marker);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return cut_markdown(text, limit > end.size() ? limit - end.size() : 0) + end;
}

}  // namespace perfgate::post
