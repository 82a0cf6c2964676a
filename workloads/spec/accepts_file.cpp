#include "workloads/spec/accepts_file.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include "runner/model/nearest_word.h"
#include "runner/model/work.h"
#include "workloads/spec/format_version.h"
#include "workloads/spec/metric_quantity.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

constexpr int kVersion = 1;
constexpr int kLongestText = 500;
constexpr std::string_view kVersionKey = "perfgate_accepts";

using Day = std::chrono::year_month_day;

std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "2027-02-30" too: whether a calendar has the day is Day::ok().
std::optional<Day> read_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  return Day{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
             std::chrono::day{*day}};
}

/// A text that reports show in one line.
void read_line(const Section& entry, std::string_view key, std::string& out) {
  if (!entry.read(key, out)) return;
  const std::string path = shown_path(entry.path()) + "." + std::string{key};
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; };
  if (std::ranges::any_of(out, is_control)) {
    entry.problems().error(entry.at(key), path + " must be one line of plain text",
                           "write it without breaks and control characters");
  } else if (count_characters(out) > kLongestText) {
    entry.problems().error(entry.at(key),
                           path + " is longer than " + std::to_string(kLongestText) + " characters",
                           "say the rest in the issue");
  }
}

void read_expiry(const Section& entry, const AcceptsOptions& options, Accept& accept) {
  if (!entry.read("expires", accept.expires)) return;
  Problems& problems = entry.problems();
  const Position at = entry.at("expires");
  const std::string shown = excerpt_of(accept.expires);
  const auto day = read_day(accept.expires);
  if (!day) {
    problems.error(at, "accepts.expires must be a date, found '" + shown + "'",
                   "write year-month-day, for example 2027-03-31");
    return;
  }
  if (!day->ok()) {
    const auto last = day->year() / day->month() / std::chrono::last;
    const auto days = static_cast<unsigned>(last.day());
    problems.error(at, "accepts.expires: no calendar has the day " + shown,
                   day->month().ok() ? "the month has " + std::to_string(days) + " days"
                                     : "the months are 01 to 12");
    return;
  }
  const auto today = read_day(options.today_utc);
  if (!today) return;
  if (*day < *today) {
    problems.warning(at, "accepts.expires: " + shown + " is over, so the line has no effect",
                     "remove the line, or have its owner say a new day");
  } else if (*day > *today + std::chrono::years{1}) {
    problems.warning(at, "accepts.expires: " + shown + " is more than a year away",
                     "name the day on which somebody looks at it again");
  }
}

/// The unit is the metric's, where its id or the catalogue tells it; else as it is written.
void read_ceiling(const Section& entry, const AcceptsOptions& options, bool exists,
                  Accept& accept) {
  const YamlEntry* found = entry.entry("ceiling");
  if (found == nullptr) return;
  const YamlNode& node = found->value;
  const auto measure =
      node.kind == YamlNode::Kind::scalar ? split_measure(node.text) : std::nullopt;
  std::optional<std::string> known;
  if (exists && options.metric_unit) known = options.metric_unit(accept.metric);
  if (tells_unit(accept.metric) || !measure || measure->unit.empty() || known == "1") {
    std::optional<double> value;
    read_quantity(entry, "ceiling", accept.metric, value);
    accept.ceiling = value.value_or(0.0);
    accept.unit = tells_unit(accept.metric) ? told_unit(accept.metric) : "";
    if (!value || accept.unit != "" || !known || *known == "1" || known->empty()) return;
    entry.problems().error(node.at, "accepts.ceiling needs a unit, found " + excerpt_of(node.text),
                           "write '" + excerpt_of(node.text) + " " + *known + "'");
    return;
  }
  accept.ceiling = measure->value;
  accept.unit = measure->unit;
  if (!(accept.ceiling >= 0.0)) {
    entry.problems().error(node.at,
                           "accepts.ceiling must be above 0, found " + excerpt_of(node.text));
  } else if (known && *known != accept.unit) {
    entry.problems().error(
        node.at,
        "accepts.ceiling: '" + excerpt_of(accept.metric) + "' is in " + *known + ", found " +
            excerpt_of(node.text),
        "write '" + number_text(accept.ceiling) + " " + *known + "' if that is meant");
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

/// Of each line but those on work/output.
void require_ceiling(const Section& entry) {
  if (entry.entry("ceiling") != nullptr) return;
  entry.problems().error(entry.at(), "missing key 'ceiling' in accepts",
                         "add it: " + std::string{entry.key_info("ceiling").doc});
}

/// What no gate asks for has no unit: tokens are counted, and an output is no quantity.
void read_work_ceiling(const Section& entry, Accept& accept) {
  const YamlEntry* found = entry.entry("ceiling");
  if (accept.metric == kAcceptOutput) {
    if (found == nullptr) return;
    entry.problems().error(found->value.at, "accepts.ceiling: work/output takes none",
                           "another output is accepted or not: take the key out");
    return;
  }
  if (found == nullptr) return;
  std::optional<double> fewest;
  read_quantity(entry, "ceiling", accept.metric, fewest);
  accept.ceiling = fewest.value_or(0.0);
  if (!fewest || accept.ceiling > 0.0) return;
  entry.problems().error(found->value.at, "accepts.ceiling: of work/tokens it must be above 0",
                         "write the fewest tokens a step that are accepted");
}

void check_workload_of(const Section& entry, const AcceptsOptions& options, bool exists,
                       const Accept& accept) {
  if (!options.workloads) return;
  std::vector<std::string_view> names;
  for (const KnownWorkload& known : *options.workloads) names.push_back(known.name);
  const auto found = std::ranges::find(*options.workloads, accept.workload, &KnownWorkload::name);
  if (found == options.workloads->end()) {
    entry.problems().error(
        entry.at("workload"),
        "no workload file of this folder is named '" + excerpt_of(accept.workload) + "'",
        names.empty() ? "the file belongs beside the workload files"
                      : suggest(accept.workload, names));
    return;
  }
  if (!exists || found->gated.empty()) return;
  if (std::ranges::find(found->gated, accept.metric) != found->gated.end()) return;
  entry.problems().warning(
      entry.at("metric"),
      accept.workload + " has no gate on '" + excerpt_of(accept.metric) + "', so the line can go",
      "gated are: " + joined(found->gated));
}

Accept read_accept(const Section& entry, const AcceptsOptions& options) {
  Accept accept;
  accept.line = entry.at().line;
  read_line(entry, "workload", accept.workload);
  const bool named = entry.read("metric", accept.metric);
  const bool work = accepts_work(accept.metric);
  const bool exists = named && !work && check_metric(entry, accept.metric, options.metric_check);
  if (named && accept.metric != kAcceptOutput) require_ceiling(entry);
  if (work) {
    read_work_ceiling(entry, accept);
  } else if (named) {
    read_ceiling(entry, options, exists, accept);
  }
  read_line(entry, "reason", accept.reason);
  read_line(entry, "issue", accept.issue);
  if (!accept.issue.empty() && !is_address(accept.issue)) {
    entry.problems().warning(
        entry.at("issue"),
        "accepts.issue: '" + excerpt_of(accept.issue) + "' is no address of a page",
        "write it whole, for example https://github.com/org/repo/issues/12");
  }
  read_line(entry, "owner", accept.owner);
  read_expiry(entry, options, accept);
  if (!accept.workload.empty()) check_workload_of(entry, options, exists, accept);
  return accept;
}

std::vector<Accept> read_all(const Section& root, const AcceptsOptions& options) {
  std::vector<Accept> accepts;
  const YamlEntry* list = root.entry("accepts");
  if (list == nullptr || list->value.kind == YamlNode::Kind::null) return accepts;
  std::map<std::pair<std::string, std::string>, int> first_line;
  for (const Section& entry : root.sections("accepts")) {
    Accept accept = read_accept(entry, options);
    if (accept.workload.empty() || accept.metric.empty()) continue;
    const auto [first, is_new] =
        first_line.emplace(std::pair{accept.workload, accept.metric}, accept.line);
    if (!is_new) {
      entry.problems().error(entry.at("metric"),
                             "'" + excerpt_of(accept.metric) + "' of " +
                                 excerpt_of(accept.workload) + " is accepted twice: on line " +
                                 std::to_string(first->second) + " and on line " +
                                 std::to_string(accept.line),
                             "keep one of the two");
    }
    accepts.push_back(std::move(accept));
  }
  return accepts;
}

}  // namespace

bool is_address(std::string_view text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) return false;
  const std::string_view rest = text.substr(text.find("://") + 3);
  return !rest.empty() && rest.front() != '/' && rest.find(' ') == std::string_view::npos;
}

bool accepts_work(std::string_view metric) { return is_work(metric); }

CheckedAccepts check_accepts(std::string_view text, const AcceptsOptions& options) {
  CheckedAccepts checked;
  Problems problems;
  problems.file = "perfgate-accepts file";
  problems.first_lines =
      "remove it, or write 'perfgate_accepts: 1' and 'accepts: []'; 'perfgate baseline accept' "
      "writes lines into it";
  if (const auto tree = parse_yaml(text, problems)) {
    const Section root{&*tree, "", problems, accepts_key_table()};
    int version = kVersion;
    read_format_version(root, kVersionKey, kVersion, version);
    checked.accepts = read_all(root, options);
  }
  if (!problems.errors.empty()) checked.accepts.clear();
  checked.errors = std::move(problems.errors);
  checked.warnings = std::move(problems.warnings);
  return checked;
}

Result<std::vector<Accept>> parse_accepts(std::string_view text, std::string_view path,
                                          const AcceptsOptions& options) {
  CheckedAccepts checked = check_accepts(text, options);
  if (!checked.errors.empty()) return error_of(checked.errors, text, path);
  return std::move(checked.accepts);
}

std::string workload_name_in(std::string_view text) {
  Problems problems;
  const auto tree = parse_yaml(text, problems);
  const YamlEntry* name = tree ? tree->find("name") : nullptr;
  return name == nullptr ? std::string() : name->value.text;
}

}  // namespace perfgate::workloads
