/// One line of a results file as JSON, and what an error says of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runner/model/result.h"

namespace perfgate::results {

using Json = nlohmann::json;

/// The part of a line that an error shows: printable ASCII only, so that the message itself is
/// always sound.
[[nodiscard]] std::string shown(std::string_view line);

/// Where the reader stands, for messages.
struct Place {
  std::size_t number = 0;  ///< of the line, from 1; 0 = the file as a whole
  std::string_view text;
  bool ended = true;  ///< by a line feed

  /// `invalid_measurement`
  [[nodiscard]] Error error(const std::string& what, std::string hint) const;
};

/// The line as an object. Errors: longer or deeper than a line may be, not JSON, no object, a key
/// twice in one object. nlohmann reads numbers beyond 64 bits as doubles.
[[nodiscard]] Result<Json> parse_line(const Place& place);

/// A key that an object of the text has twice, "(empty)" for an empty one. Empty: none has, or the
/// text is no JSON. The text must be within json_limits.h.
[[nodiscard]] std::string repeated_key(std::string_view json);

}  // namespace perfgate::results
