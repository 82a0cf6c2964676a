/// One problem of a workload file, at a place in it. `perfgate validate --json` writes them as
/// data.
///
/// Lines and columns count from 1; a column counts characters (code points), as editors do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::workloads {

struct Position {
  int line = 1;
  int column = 1;
  int width = 1;  ///< characters marked by the caret line
};

enum class Severity { error, warning };
[[nodiscard]] std::string_view to_string(Severity severity);

struct Diagnostic {
  Severity severity = Severity::error;
  Position at;
  std::string message;  ///< one sentence, no full stop
  std::string hint;     ///< the next step; empty = the message says it all
};

/// `path:line:col: error: message`, the source line, a caret, the hint; ends with a line break.
/// A long source line is cut to the part around the caret. `source` is the whole file.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, std::string_view source,
                                 std::string_view path);

/// The blocks of all of them in the order of the file, at most 20, then "and N more".
[[nodiscard]] std::string render(std::span<const Diagnostic> diagnostics, std::string_view source,
                                 std::string_view path);

/// Line `number` (from 1) without its line break; empty beyond the end.
[[nodiscard]] std::string_view source_line(std::string_view source, int number);

/// Collects what is wrong with a file while it is read.
struct Problems {
  std::string_view source;
  std::string_view file = "workload file";  ///< what it is, for the messages
  /// What an empty one needs.
  std::string_view first_lines =
      "'perfgate init -- CMD' writes one; the shortest has perfgate, name and run";
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;

  void error(Position at, std::string_view message, std::string_view hint = {});
  void warning(Position at, std::string_view message, std::string_view hint = {});
};

}  // namespace perfgate::workloads
