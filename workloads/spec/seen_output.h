/// Step times in the standard output of a program that was run once: where they seem to be.
///
/// Pure: `perfgate init` runs the program and passes what it printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfgate::workloads {

/// Values that look like the steps' milliseconds.
struct SeenOutput {
  enum class Form { json, regex };
  Form form = Form::json;
  std::string argument;  ///< JSON pointer, or RE2 with one group
  std::int64_t values = 0;
  double median_ms = 0.0;
};

/// The longest array of positive numbers in the output as JSON, or in its last line that is JSON;
/// else the lines of one shape that hold a number before or behind "ms" ("step 7: 4.25 ms", "ms:
/// 4.25"). Five values at least; empty if there are none.
[[nodiscard]] std::optional<SeenOutput> find_step_times(std::string_view standard_output);

}  // namespace perfgate::workloads
