/// The last line of our comment, which nobody sees: whose it is, and of which run. Pure.
///
///     <!-- perfgate:comment v=1 key=decode_8b head=3f2a... run=4711 attempt=1 -->
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfgate::post {

/// Bytes of a key.
inline constexpr std::size_t kLongestMarkerKey = 200;

struct Marker {
  std::string key{};        ///< one comment a key on a pull request; at most kLongestMarkerKey
  std::string head_sha{};   ///< what the report is about
  std::int64_t run_id = 0;  ///< of the CI run, growing with time; 0 = not known
  int attempt = 1;
  bool operator==(const Marker&) const = default;
};

/// Without a line break. Whatever the key holds, the line neither ends nor opens a comment.
[[nodiscard]] std::string marker_line(const Marker& marker);
/// Of the last line only: a report may quote another one.
[[nodiscard]] std::optional<Marker> find_marker(std::string_view body);

/// True if the report of `theirs` is to stay though that of `mine` comes now. `head_now` is the
/// pull request's head; empty = not known.
[[nodiscard]] bool is_newer(const Marker& theirs, const Marker& mine, const std::string& head_now);

/// GitHub takes 65,536 characters.
inline constexpr std::size_t kLongestComment = 65'536;

/// The text and the marker, in `limit` bytes at most (a byte is never less than a character). A
/// text that is too long is cut at a line, its open fences and folds are closed, and it says so.
[[nodiscard]] std::string comment_body(std::string_view text, const Marker& marker,
                                       std::size_t limit = kLongestComment);
/// The text alone, cut in the same way.
[[nodiscard]] std::string cut_markdown(std::string_view text, std::size_t limit);

}  // namespace perfgate::post
