#include "runner/cli/console.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reporters/render/display_text.h"
#include "runner/cli/message_text.h"

namespace perfgate::cli {
namespace {

constexpr int kMinWidth = 60;
constexpr int kMaxWidth = 160;
constexpr int kPipedWidth = 80;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos ||
           value.find("UTF8") != std::string::npos;
  }
  return true;  // bare containers set no locale and show UTF-8 all the same
}

/// Writes all of `text`; false with errno set if the descriptor refuses.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void to_stderr(std::string_view text) {
  // Nothing is left to tell if standard error itself is closed.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

/// Of what was made printable.
std::string as_shown(const Console& console, const std::string& text) {
  return console.live ? wrapped_message(text, console.width) : text;
}

}  // namespace

Console detect_console() {
  Console console;
  const bool out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (out_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    console.width = std::clamp(static_cast<int>(size.ws_col), kMinWidth, kMaxWidth);
  } else {
    console.width = kPipedWidth;
  }
  const bool dumb = variable("TERM") == "dumb";
  console.colour = out_is_terminal && !dumb && variable("NO_COLOR").empty();
  console.unicode = !out_is_terminal || locale_is_utf8();
  console.live = ::isatty(STDERR_FILENO) == 1 && !dumb;
  return console;
}

void ignore_write_signals() {
  // Children get the default actions back (runner/platform/spawn.cpp).
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::string shown(std::string_view value) { return render::printable(value, true); }

Status print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text) || errno == EPIPE) return {};
  return Error{.code = ErrorCode::io,
               .message = "standard output: " + std::generic_category().message(errno),
               .hint = "check where the output is redirected to, and that the disk has room",
               .context = {}};
}

void print_error(const Console& console, const Error& error) {
  show_progress(console, "");
  // A problem at a place of a file stands in the context already, as a compiler prints it.
  const bool in_context =
      error.context.substr(0, error.context.find('\n')).ends_with(": " + error.message);
  std::string text = in_context ? std::string() : "perfgate: " + error.message + "\n";
  if (!error.context.empty()) {
    text += error.context;
    if (!error.context.ends_with('\n')) text += '\n';
  }
  if (!error.hint.empty()) text += "hint: " + error.hint + "\n";
  to_stderr(as_shown(console, render::printable_lines(text)));
}

void print_warning(const Console& console, std::string_view text) {
  show_progress(console, "");
  to_stderr(as_shown(console, "perfgate: warning: " + render::printable_lines(text) + "\n"));
}

void show_progress(const Console& console, std::string_view text) {
  if (!console.live) return;
  std::string line = "\r\033[K";
  line += render::cut_end(render::printable(text, console.unicode),
                          static_cast<std::size_t>(console.width - 1), console.unicode);
  to_stderr(line);
}

}  // namespace perfgate::cli
