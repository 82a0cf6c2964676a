#include "workloads/spec/accepts_edit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runner/model/work.h"
#include "workloads/spec/quantity.h"
#include "workloads/spec/template.h"

namespace perfgate::workloads {
namespace {

constexpr std::string_view kStart =
    "perfgate_accepts: 1\n"
    "# Regressions that were accepted in review; each ends on its day. perfgate validate checks "
    "them.\n"
    "accepts:\n";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || line[first] == '#';
}

/// Removes the entry that starts on line `first` (from 1). What stands above the next entry belongs
/// to that one, and so do comments at the end of the file to the file.
void remove_entry(std::vector<std::string>& lines, int first, int next) {
  const auto begin = static_cast<std::size_t>(first - 1);
  std::size_t end = next > 0 ? static_cast<std::size_t>(next - 1) : lines.size();
  while (end > begin + 1 && is_blank_or_comment(lines[end - 1])) --end;
  lines.erase(lines.begin() + first - 1, lines.begin() + static_cast<std::ptrdiff_t>(end));
}

bool same_series(const Accept& a, const Accept& b) {
  return a.workload == b.workload && a.metric == b.metric;
}

/// The spaces before the first entry's dash.
std::string indent_of(const std::vector<std::string>& lines, const std::vector<Accept>& accepts) {
  if (accepts.empty()) return "  ";
  const std::string& line = lines[static_cast<std::size_t>(accepts.front().line - 1)];
  const std::size_t dash = line.find_first_not_of(' ');
  return dash != std::string::npos && line[dash] == '-' ? std::string(dash, ' ') : "  ";
}

/// "accepts: []" -> "accepts:", which takes lines below it.
void open_list(std::vector<std::string>& lines) {
  for (std::string& line : lines) {
    if (!line.starts_with("accepts:")) continue;
    const std::size_t at = line.find("[]");
    if (at != std::string::npos) line.erase(at, 2);
  }
}

Error not_written(Error error, std::string_view path) {
  error.code = ErrorCode::invalid_config;
  error.hint = "nothing was written; put the lines into " + std::string{path} +
               " by hand, below 'accepts:', and check them with perfgate validate";
  return error;
}

/// Rates and sizes have units of their own in files.
std::string_view unit_in_file(std::string_view unit) {
  if (unit == "bytes/s") return "B/s";
  if (unit == "flop/s") return "FLOP/s";
  if (unit == "bytes") return "B";
  return unit == "1" ? std::string_view{} : unit;
}

bool looks_like_date(std::string_view text) {
  return text.size() == 10 && text.find_first_not_of("0123456789-") == std::string_view::npos;
}

std::string lines_with(const Accept& accept, std::string_view ceiling, std::string_view indent) {
  const auto quoted = [](std::string_view text) { return yaml_scalar(text, "\xEF\xBF\xBD"); };
  const std::vector<std::pair<std::string_view, std::string>> rows{
      {"workload", quoted(accept.workload)},
      {"metric", quoted(accept.metric)},
      {"ceiling", std::string{ceiling}},
      {"reason", quoted(accept.reason)},
      {"issue", quoted(accept.issue)},
      {"owner", quoted(accept.owner)},
      {"expires", looks_like_date(accept.expires) ? accept.expires : quoted(accept.expires)}};
  std::string text;
  for (const auto& [key, value] : rows) {
    if (value.empty()) continue;  // work/output has no ceiling
    text +=
        std::string{indent} + (text.empty() ? "- " : "  ") + std::string{key} + ": " + value + "\n";
  }
  return text;
}

/// "accepts.expires: ..." -> "--expires: ..."
Error of_option(const Diagnostic& problem) {
  static constexpr std::string_view kPath = "accepts.";
  Error error{
      .code = ErrorCode::usage, .message = problem.message, .hint = problem.hint, .context = {}};
  if (error.message.starts_with(kPath)) error.message.replace(0, kPath.size(), "--");
  return error;
}

}  // namespace

std::string ceiling_text(const Accept& accept) {
  if (accept.metric == kAcceptOutput) return {};
  const std::string_view unit = unit_in_file(accept.unit);
  return number_text(accept.ceiling) + (unit.empty() ? "" : " ") + std::string{unit};
}

std::string accept_lines(const Accept& accept, std::string_view indent) {
  return lines_with(accept, ceiling_text(accept), indent);
}

Result<Accept> checked_accept(const Accept& accept, std::string_view ceiling,
                              const AcceptsOptions& options) {
  const std::string value = ceiling.empty() ? "" : yaml_scalar(ceiling, "\xEF\xBF\xBD");
  const std::string text = "perfgate_accepts: 1\naccepts:\n" + lines_with(accept, value, "  ");
  CheckedAccepts checked = check_accepts(text, options);
  if (!checked.errors.empty()) return of_option(checked.errors.front());
  if (!is_address(accept.issue)) {
    return Error{.code = ErrorCode::usage,
                 .message = "--issue: '" + accept.issue + "' is no address of a page",
                 .hint = "write it whole, for example https://github.com/org/repo/issues/12",
                 .context = {}};
  }
  if (accept.expires >= options.today_utc) return std::move(checked.accepts.front());
  return Error{.code = ErrorCode::usage,
               .message = "--expires: " + accept.expires + " is over",
               .hint = "name the last day on which the line shall hold",
               .context = {}};
}

Result<std::string> with_accepts(std::string_view text, std::string_view path,
                                 std::span<const Accept> accepts, Replace replace,
                                 const AcceptsOptions& options) {
  const bool is_new = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (is_new) text = kStart;
  PG_ASSIGN_OR_RETURN(const std::vector<Accept> before, parse_accepts(text, path, options));
  std::vector<std::string> lines = lines_of(text);
  const std::string indent = indent_of(lines, before);
  if (before.empty()) open_list(lines);
  // From the last entry, so that the lines of those before keep their numbers.
  for (std::size_t i = before.size(); i-- > 0;) {
    const auto twice = [&](const Accept& accept) { return same_series(accept, before[i]); };
    if (std::ranges::none_of(accepts, twice)) continue;
    if (replace == Replace::no) {
      return Error{.code = ErrorCode::usage,
                   .message = std::string{path} + ":" + std::to_string(before[i].line) +
                              " accepts " + before[i].metric + " of " + before[i].workload +
                              " already; nothing was written",
                   .hint = "--replace writes the new line instead of it",
                   .context = {}};
    }
    remove_entry(lines, before[i].line, i + 1 < before.size() ? before[i + 1].line : 0);
  }
  std::string after = joined(lines);
  if (!after.empty() && !after.ends_with('\n')) after += '\n';
  for (const Accept& accept : accepts) after += accept_lines(accept, indent);
  const auto parsed = parse_accepts(after, path, options);
  if (!parsed.ok()) return not_written(parsed.error(), path);
  // Each must be read as it was meant, wherever the text put it.
  for (const Accept& accept : accepts) {
    const auto found = std::ranges::find_if(
        parsed.value(), [&](const Accept& other) { return same_series(accept, other); });
    if (found != parsed.value().end() && found->reason == accept.reason) continue;
    return not_written({.code = ErrorCode::invalid_config,
                        .message = "the line for " + accept.metric + " would be read otherwise",
                        .hint = {},
                        .context = {}},
                       path);
  }
  return after;
}

}  // namespace perfgate::workloads
