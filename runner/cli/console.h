/// Where perfgate prints, and how: width, colour and progress depend on what standard output and
/// error are.
///
/// Reports go to standard output, progress and errors to standard error. Progress is one line that
/// rewrites itself on a terminal, and nothing when piped. Colour only on a terminal and without
/// NO_COLOR.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::cli {

struct Console {
  int width = 80;  ///< columns of the terminal, between 60 and 160; 80 when piped
  bool colour = false;
  bool unicode = true;  ///< false if the locale's charset is not UTF-8 on a terminal
  bool live = false;    ///< standard error is a terminal: progress may rewrite its line
};

/// Reads the terminal's size, NO_COLOR, TERM and the locale.
[[nodiscard]] Console detect_console();

/// So that a closed pipe and a limit on file sizes become errors that are handled, not the end.
void ignore_write_signals();

/// One value from outside (a name, a path, a commit, an environment variable) as a line may hold
/// it: render::printable, so that it neither steers the terminal nor begins a line of its own.
/// Every such value that is printed as text passes here, or a table's or a report's own cleaning.
[[nodiscard]] std::string shown(std::string_view value);

/// To standard output, whole. A closed pipe (`| head`) is not an error; a full disk is.
[[nodiscard]] Status print(std::string_view text);

/// "perfgate: message", then context, then "hint: ...", to standard error. A message that the
/// context's first line ends with is not said twice. Clears a progress line first.
void print_error(const Console& console, const Error& error);
/// "perfgate: warning: ..." to standard error.
void print_warning(const Console& console, std::string_view text);

/// Shows or replaces the progress line; an empty text clears it. Does nothing when not live.
void show_progress(const Console& console, std::string_view text);

}  // namespace perfgate::cli
