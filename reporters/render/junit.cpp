#include "reporters/render/junit.h"

#include <algorithm>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/ci_command.h"
#include "reporters/render/display_text.h"
#include "reporters/render/story.h"
#include "runner/model/deceptive.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kAcceptedLines = 100;

std::string_view element_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "";
    case Outcome::fail: return "failure";
    case Outcome::invalid: return "error";
    default: return "skipped";
  }
}

/// `note`: what a passed case says all the same.
std::string test_case(std::string_view suite, std::string_view name, Outcome outcome,
                      std::string_view message, std::string_view note = {}) {
  std::string out =
      fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml_text(suite), xml_text(name));
  const std::string_view element = element_of(outcome);
  if (element.empty() && note.empty()) return out + "/>\n";
  if (element.empty()) {
    return out + fmt::format(">\n    <system-out>{}</system-out>\n  </testcase>\n", xml_text(note));
  }
  return out +
         fmt::format(">\n    <{} message=\"{}\"/>\n  </testcase>\n", element, xml_text(message));
}

}  // namespace

std::string xml_text(std::string_view raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size();) {
    const bool broken = raw[at] == '#' && opens_command(raw, at);
    const char32_t c = next_code_point(raw, at);
    if (broken) {
      out += "&#35;";  // the same text, and nothing that a runner of CI obeys
      continue;
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default:
        if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF || is_deceptive(c)) {
          out += '?';
        } else {
          append_utf8(out, c);
        }
    }
  }
  return out;
}

std::string render_junit(const RunResult& result) {
  const Story story = tell(result);
  const auto count = [&](auto matches) {
    return std::ranges::count_if(result.comparisons,
                                 [&](const Comparison& row) { return matches(row.outcome); }) +
           (matches(result.verdict.outcome) ? 1 : 0);
  };
  const auto is_skipped = [](Outcome outcome) { return element_of(outcome) == "skipped"; };
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<testsuite name=\"perfgate {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\">\n",
      xml_text(result.workload_name), result.comparisons.size() + 1,
      count([](Outcome outcome) { return outcome == Outcome::fail; }),
      count([](Outcome outcome) { return outcome == Outcome::invalid; }), count(is_skipped));
  std::string message = story.label + ": " + story.sentence;
  if (!story.origin.empty()) message += " (" + story.origin + ")";
  if (!story.cause.empty()) message += ". Why: " + story.cause;
  message += ". Next: " + story.next;
  if (!story.command.empty()) message += ": " + story.command;
  for (const ProposedCommand& each : story.more)
    message += fmt::format(". {}: {}", each.purpose, each.command);
  out += test_case(result.workload_name, "verdict", result.verdict.outcome, message);
  for (const Comparison& row : result.comparisons) {
    out += test_case(result.workload_name, row.metric, row.outcome,
                     row.reason.empty() ? outcome_word(row) : row.reason,
                     accepted_by(result, row) != nullptr ? row.reason : std::string());
  }
  std::string accepted;
  for (const AcceptedLine& line : accepted_lines(result, kAcceptedLines)) {
    accepted += fmt::format("{}{}{}{}", accepted.empty() ? "" : "\n", line.label,
                            line.label.empty() ? "" : ": ", line.text);
  }
  if (!accepted.empty()) out += "  <system-out>" + xml_text(accepted) + "</system-out>\n";
  return out + "</testsuite>\n";
}

}  // namespace perfgate::render
