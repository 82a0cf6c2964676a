#include "runner/cli/selftest/cases.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "runner/cli/workload_input.h"
#include "workloads/spec/workload_file.h"
#include "workloads/spec/yaml_tree.h"

namespace perfgate::cli::selftest {
namespace {

using workloads::Problems;
using workloads::YamlEntry;
using workloads::YamlNode;
using Target = Change::Target;
using Action = Change::Action;
using Value = ChangeRow::Value;

constexpr int kFormat = 1;

constexpr std::array kKinds{
    KindRow{Kind::a_a, "a_a", "A/A", Outcome::fail},
    KindRow{Kind::regression, "regression", "known regression", Outcome::pass},
    KindRow{Kind::improvement, "improvement", "improvement", Outcome::fail},
    KindRow{Kind::too_few, "too_few", "too little to fail on", Outcome::fail},
    KindRow{Kind::not_comparable, "not_comparable", "not comparable", Outcome::fail},
    KindRow{Kind::invalid, "invalid", "missing or broken data", Outcome::pass},
};

constexpr std::array kChanges{
    ChangeRow{Target::metric, "metric", Action::by, "by", Value::percent,
              "value and samples of a metric, in per cent of themselves"},
    ChangeRow{Target::metric, "metric", Action::add, "add", Value::number,
              "added to value and samples, in the metric's unit"},
    ChangeRow{Target::metric, "metric", Action::to, "to", Value::number,
              "the first sample and the value become this: nan, inf, 0, -1"},
    ChangeRow{Target::metric, "metric", Action::unit, "unit", Value::text, "another unit"},
    ChangeRow{Target::metric, "metric", Action::gone, "gone", Value::flag,
              "the run has no such metric"},
    ChangeRow{Target::environment, "environment", Action::to, "to", Value::text,
              "a field of the run's environment: gpu, driver, power_limit_w"},
    ChangeRow{Target::instance, "instance", Action::to, "to", Value::text,
              "which of equal machines: gpu_uuid"},
    ChangeRow{Target::workload, "workload", Action::to, "to", Value::text,
              "digest: the workload file measures something else now"},
    ChangeRow{Target::store, "store", Action::runs, "runs", Value::number,
              "all: only so many of the other runs are in the store"},
    ChangeRow{Target::store, "store", Action::head, "head", Value::flag,
              "all: the run is in the store too, as it was recorded"},
    ChangeRow{Target::store, "store", Action::gone, "gone", Value::flag, "all: there is no store"},
    ChangeRow{Target::capture, "capture", Action::cut, "cut", Value::percent,
              "the file of a traced process is cut to this share of its bytes"},
    ChangeRow{Target::capture, "capture", Action::dropped, "dropped", Value::text,
              "records that CUPTI lost: a number, or unknown"},
    ChangeRow{Target::capture, "capture", Action::lose, "lose", Value::number,
              "so many kernel records from the middle are not there"},
    ChangeRow{Target::capture, "capture", Action::stretch, "stretch", Value::number,
              "a kernel in the middle lasts so many ns longer, over the next ones"},
    ChangeRow{Target::capture, "capture", Action::empty, "empty", Value::flag,
              "a whole file without one GPU record"},
    ChangeRow{Target::capture, "capture", Action::gone, "gone", Value::flag,
              "the process left no file"},
    ChangeRow{Target::results, "results", Action::step_ms, "step_ms", Value::text,
              "the first step's time in a results file, as written: NaN, 0, -1"},
    ChangeRow{Target::results, "results", Action::cut, "cut", Value::percent,
              "the results file is cut to this share of its bytes"},
    ChangeRow{Target::process, "process", Action::state, "state", Value::text,
              "how it ended: crashed, timed_out, silent"},
    ChangeRow{Target::process, "process", Action::tokens, "tokens", Value::percent,
              "tokens of its work line, in per cent of themselves"},
    ChangeRow{Target::process, "process", Action::output_hash, "output_hash", Value::text,
              "another output"},
    ChangeRow{Target::process, "process", Action::marks, "marks", Value::percent,
              "its step times, marked by the host, in per cent of themselves; the block stays"},
};

std::string allowed_words(const auto& rows, auto word) {
  std::string text;
  for (const auto& row : rows) {
    const std::string_view next = word(row);
    if (text.find(next) == std::string::npos) text.append(text.empty() ? "" : ", ").append(next);
  }
  return text;
}

/// One case as it is read; what is wrong goes to `problems`.
class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  Case read(const YamlNode& node) {
    Case out;
    out.line = node.at.line;
    if (node.kind != YamlNode::Kind::mapping) {
      problems_.error(node.at, "a case is a mapping", "name, kind, recording, expect, why");
      return out;
    }
    for (const YamlEntry& entry : node.entries) read_entry(entry, out);
    for (const std::string_view key : {"name", "kind", "recording", "expect", "why"}) {
      if (node.find(key) == nullptr) {
        problems_.error(node.at, "the case has no `" + std::string(key) + "`");
      }
    }
    if (problems_.errors.empty()) check(node, out);
    return out;
  }

 private:
  std::string text_of(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty()) return node.text;
    problems_.error(node.at, "a text is expected, not " + workloads::describe(node));
    return {};
  }

  /// A list, or one text alone.
  std::vector<std::string> texts_of(const YamlNode& node) {
    std::vector<std::string> texts;
    if (node.kind != YamlNode::Kind::sequence) return {text_of(node)};
    for (const YamlNode& item : node.items) texts.push_back(text_of(item));
    if (texts.empty()) problems_.error(node.at, "the list is empty");
    return texts;
  }

  void read_entry(const YamlEntry& entry, Case& out) {
    const YamlNode& value = entry.value;
    const std::array<std::pair<std::string_view, std::string*>, 6> texts{{{"name", &out.name},
                                                                          {"heads", &out.heads},
                                                                          {"size", &out.size},
                                                                          {"says", &out.says},
                                                                          {"not_yet", &out.not_yet},
                                                                          {"why", &out.why}}};
    for (const auto& [key, text] : texts) {
      if (entry.key != key) continue;
      *text = text_of(value);
      return;
    }
    if (entry.key == "kind") return read_kind(value, out);
    if (entry.key == "recording") {
      out.recordings = texts_of(value);
      return;
    }
    if (entry.key == "expect") return read_expected(value, out);
    if (entry.key == "flagged") return read_flag(value, out);
    if (entry.key == "gates") return read_gates(value, out);
    if (entry.key == "change") return read_changes(value, out);
    problems_.error(entry.at, "a case has no key `" + entry.key + "`",
                    "name, kind, recording, heads, size, gates, change, expect, flagged, says, "
                    "not_yet, why");
  }

  void read_kind(const YamlNode& node, Case& out) {
    const std::string word = text_of(node);
    const auto* row = std::ranges::find(kKinds, word, &KindRow::word);
    if (row != kKinds.end()) {
      out.kind = row->kind;
      return;
    }
    problems_.error(node.at, "no kind of case is called '" + word + "'",
                    allowed_words(kKinds, [](const KindRow& each) { return each.word; }));
  }

  void read_expected(const YamlNode& node, Case& out) {
    for (const std::string& word : texts_of(node)) {
      const auto outcome = outcome_from_string(word);
      if (outcome.ok()) {
        out.expected.push_back(outcome.value());
      } else {
        problems_.error(node.at, "no outcome is called '" + word + "'",
                        "pass, fail, suspected, inconclusive, not_comparable, no_baseline, "
                        "invalid");
      }
    }
  }

  void read_flag(const YamlNode& node, Case& out) {
    out.improved = text_of(node) == "improved";
    if (!out.improved) problems_.error(node.at, "only `flagged: improved` is known");
  }

  /// In the words of a workload file, read by its own reader.
  void read_gates(const YamlNode& node, Case& out) {
    std::string file = "perfgate: 1\nname: gates\nrun: {command: {argv: [x]}}\ngates:\n";
    for (const std::string& gate : texts_of(node)) file += "  - " + gate + "\n";
    auto spec = workloads::parse_workload(file, "gates", parse_options());
    if (spec.ok()) {
      out.gates = std::move(spec).value().gates;
    } else {
      problems_.error(node.at, spec.error().message, spec.error().hint);
    }
  }

  void read_changes(const YamlNode& node, Case& out) {
    if (node.kind != YamlNode::Kind::sequence) {
      problems_.error(node.at, "`change` is a list");
      return;
    }
    for (const YamlNode& item : node.items) read_change(item, out);
  }

  void read_change(const YamlNode& node, Case& out) {
    if (node.kind != YamlNode::Kind::mapping || node.entries.size() != 2) {
      problems_.error(node.at, "a change has two keys: what is changed, and how",
                      "{metric: step_time_p50, by: +1%}");
      return;
    }
    const YamlEntry& target = node.entries[0];
    const YamlEntry& action = node.entries[1];
    const auto* row = std::ranges::find_if(kChanges, [&](const ChangeRow& each) {
      return each.target_word == target.key && each.action_word == action.key;
    });
    if (row == kChanges.end()) {
      problems_.error(node.at, "no change is called `" + target.key + "` ... `" + action.key + "`",
                      allowed_words(kChanges, [](const ChangeRow& each) {
                        return each.target_word;
                      }) + " are known, each with its own words");
      return;
    }
    Change change{row->target, row->action, text_of(target.value), text_of(action.value)};
    const bool is_number = row->value == Value::number || row->value == Value::percent;
    if (is_number && !read_number(*row, change)) {
      problems_.error(action.value.at,
                      "'" + change.text + "' is not " +
                          (row->value == Value::percent ? "like +5%" : "a number"));
    }
    out.changes.push_back(std::move(change));
  }

  static bool read_number(const ChangeRow& row, Change& change) {
    std::string_view digits = change.text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const bool percent = row.value == Value::percent;
    if (percent != digits.ends_with('%')) return false;
    if (percent) digits.remove_suffix(1);
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, change.number);
    if (percent) change.number /= 100.0;
    const bool finite = std::isfinite(change.number) || row.action == Action::to;
    return error == std::errc() && stopped == end && finite;
  }

  void check(const YamlNode& node, const Case& made) {
    if (!names_.insert(made.name).second) {
      problems_.error(node.at, "two cases are named '" + made.name + "'");
    }
    const KindRow& kind = row_of(made.kind);
    if (std::ranges::find(made.expected, kind.never) != made.expected.end()) {
      problems_.error(node.at, "a case of kind " + std::string(kind.word) + " may not expect " +
                                   std::string(to_string(kind.never)));
    }
    const bool folder = std::ranges::any_of(
        made.changes, [](const Change& change) { return needs_folder(change.target); });
    const bool figures = std::ranges::any_of(made.changes, [](const Change& change) {
      return change.target == Target::metric || change.target == Target::environment ||
             change.target == Target::instance;
    });
    const bool files = std::ranges::any_of(made.changes, [](const Change& change) {
      return needs_folder(change.target) && !is_of_work(change);
    });
    if (files && figures) {
      problems_.error(node.at, "a case changes files or processes, or figures, not both",
                      "make two cases of it");
    }
    if (folder && made.heads == kEachHead) {
      problems_.error(node.at, "captures, results and processes are changed in a run folder",
                      "leave `heads: each` out");
    }
  }

  Problems& problems_;
  std::set<std::string> names_;
};

void check_kinds(const std::vector<Case>& cases, Problems& problems) {
  for (const Kind kind : {Kind::a_a, Kind::regression}) {
    const auto counts = [&](const Case& each) { return each.kind == kind && each.not_yet.empty(); };
    if (std::ranges::any_of(cases, counts)) continue;
    problems.error({}, "no case that counts is of kind " + std::string(row_of(kind).word),
                   "without both a known regression and an A/A pair nothing is proved");
  }
}

std::vector<Case> read_cases(const YamlNode& root, Problems& problems) {
  std::vector<Case> cases;
  const YamlEntry* version = root.find("perfgate_selftest");
  if (version == nullptr || version->value.text != std::to_string(kFormat)) {
    problems.error(root.at, "`perfgate_selftest: 1` is missing: not the cases of a self-test");
  }
  const YamlEntry* list = root.find("cases");
  if (list == nullptr || list->value.kind != YamlNode::Kind::sequence) {
    problems.error(root.at, "`cases` is missing, or no list");
    return cases;
  }
  const YamlEntry* end = root.find("end");
  if (end == nullptr || end->value.text != "true") {
    problems.error(root.at, "`end: true` is missing: the file is cut");
  }
  Reader reader(problems);
  for (const YamlNode& item : list->value.items) cases.push_back(reader.read(item));
  if (problems.errors.empty()) check_kinds(cases, problems);
  return cases;
}

}  // namespace

std::span<const KindRow> kind_rows() { return kKinds; }

const KindRow& row_of(Kind kind) {
  const auto* row = std::ranges::find(kKinds, kind, &KindRow::kind);
  return row == kKinds.end() ? kKinds.front() : *row;
}

std::span<const ChangeRow> change_rows() { return kChanges; }

bool needs_folder(Target target) {
  return target == Target::capture || target == Target::results || target == Target::process;
}

bool is_of_work(const Change& change) {
  return change.target == Target::process &&
         (change.action == Action::tokens || change.action == Action::output_hash);
}

Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& path) {
  Problems problems{.source = text,
                    .file = "self-test file",
                    .first_lines = "its first lines are 'perfgate_selftest: 1' and 'cases:'",
                    .errors = {},
                    .warnings = {}};
  const auto root = workloads::parse_yaml(text, problems);
  std::vector<Case> cases;
  if (root) cases = read_cases(*root, problems);
  if (problems.errors.empty()) return cases;
  Error error = workloads::error_of(problems.errors, text, path);
  error.code = ErrorCode::corrupt;
  error.hint = "the corpus is damaged; take the one that comes with perfgate, or mend the file";
  return error;
}

}  // namespace perfgate::cli::selftest
