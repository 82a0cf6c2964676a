#include "runner/cli/post/own_rules.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/result_input.h"
#include "runner/cli/workload_input.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

constexpr std::size_t kLongestPath = 300;
constexpr std::string_view kResultFile = "result.json";

std::string percent_or_auto(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:g} %", *ratio * 100.0) : "auto";
}

std::string number_or_none(const std::optional<double>& value) {
  return value ? fmt::format("{:g}", *value) : "none";
}

std::string better_word(const std::optional<Better>& better) {
  if (!better) return "as measured";
  return *better == Better::lower ? "lower" : "higher";
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

void compare_gate(const GateSpec& base, const GateSpec& head, std::vector<std::string>& changes) {
  const auto piece = [&](const char* key, const std::string& was, const std::string& is) {
    if (was != is) changes.push_back(fmt::format("{} {} {} -> {}", head.metric, key, was, is));
  };
  piece("margin", percent_or_auto(base.margin_ratio), percent_or_auto(head.margin_ratio));
  piece("tolerance", percent_or_auto(base.tolerance_ratio), percent_or_auto(head.tolerance_ratio));
  piece("at_least", number_or_none(base.at_least), number_or_none(head.at_least));
  piece("exact", yes_or_no(base.exact), yes_or_no(head.exact));
  piece("slack", number_or_none(base.slack), number_or_none(head.slack));
  piece("max", number_or_none(base.max), number_or_none(head.max));
  piece("min", number_or_none(base.min), number_or_none(head.min));
  piece("better", better_word(base.better), better_word(head.better));
}

/// A workload file below the tree, as plain as a path in a repository is.
bool is_plain_path(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || path.starts_with('/')) return false;
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part.starts_with('.')) return false;  // also .git, and what leads out
    at = end + 1;
  }
  return true;
}

std::string folder_of(const std::string& named) {
  if (!named.ends_with(kResultFile)) return named;
  const std::string folder = named.substr(0, named.size() - kResultFile.size());
  return folder.empty() ? "." : folder;
}

std::string accept_words(const Accept& accept) {
  return fmt::format("{:g}{}{} until {}", accept.ceiling, accept.unit.empty() ? "" : " ",
                     accept.unit, accept.expires);
}

const Accept* line_on(const std::vector<Accept>& lines, const std::string& metric) {
  const auto found = std::ranges::find(lines, metric, &Accept::metric);
  return found == lines.end() ? nullptr : &*found;
}

std::vector<std::string> changed_accepts(const std::vector<Accept>& base,
                                         const std::vector<Accept>& head) {
  std::vector<std::string> changes;
  for (const Accept& line : head) {
    const Accept* before = line_on(base, line.metric);
    if (before == nullptr) {
      changes.push_back(fmt::format("accepts {} up to {}", line.metric, accept_words(line)));
    } else if (accept_words(*before) != accept_words(line)) {
      changes.push_back(fmt::format("accepts {} up to {} -> {}", line.metric, accept_words(*before),
                                    accept_words(line)));
    }
  }
  for (const Accept& line : base) {
    if (line_on(head, line.metric) == nullptr)
      changes.push_back(fmt::format("no longer accepts {}", line.metric));
  }
  return changes;
}

/// One result beside the base's tree.
class Beside {
 public:
  Beside(const platform::FileSystem& files, const std::string& tree) : files_(files), tree_(tree) {}

  void compare(const std::string& named) {
    const auto result = read_result(files_, named);
    if (!result.ok() || result.value().workload_path.empty()) return;  // told elsewhere; no file
    path_ = result.value().workload_path;
    while (path_.starts_with("./")) path_.erase(0, 2);
    if (!is_plain_path(path_)) return add("is no path below the base: not compared");
    compare_gates(folder_of(named));
    compare_accepts(result.value());
  }

  [[nodiscard]] std::vector<render::RuleChange> take() { return std::move(changes_); }

 private:
  void add(std::string change) { changes_.push_back({path_, std::move(change)}); }

  void compare_gates(const std::string& folder) {
    const std::string beside = platform::join_path(tree_, path_);
    if (!files_.exists(beside)) return add("is new: its gates are those of this pull request");
    const auto base = read_workload(files_, beside);
    const auto text = files_.read(platform::join_path(folder, "workload.yaml"));
    if (!base.ok() || !text.ok())
      return add(base.ok() ? "is not beside the result: not compared"
                           : "cannot be read on the base: not compared");
    const auto head = workloads::parse_workload(text.value(), path_, parse_options());
    if (!head.ok()) return add("cannot be read beside the result: not compared");
    for (std::string& change : changed_gates(base.value(), head.value())) add(std::move(change));
  }

  void compare_accepts(const RunResult& result) {
    WorkloadSpec spec;
    spec.name = result.workload_name;
    spec.path = platform::join_path(tree_, path_);
    const auto base = read_accepts(files_, {&spec, 1}, {});
    path_ = accepts_beside(path_);
    if (!base.ok()) return add("cannot be read on the base: not compared");
    std::vector<Accept> head;
    for (const AcceptUse& use : result.accepted) head.push_back(use.accept);
    for (std::string& change : changed_accepts(base.value().front(), head)) add(std::move(change));
  }

  const platform::FileSystem& files_;
  const std::string& tree_;
  std::string path_{};
  std::vector<render::RuleChange> changes_{};
};

}  // namespace

std::vector<std::string> changed_gates(const WorkloadSpec& base, const WorkloadSpec& head) {
  std::vector<std::string> changes;
  if (base.name != head.name) changes.push_back(fmt::format("name {} -> {}", base.name, head.name));
  if (base.workload_digest != head.workload_digest) changes.emplace_back("what is measured");
  for (const GateSpec& gate : head.gates) {
    const auto before = std::ranges::find(base.gates, gate.metric, &GateSpec::metric);
    if (before == base.gates.end()) {
      changes.push_back(gate.metric + " is gated now");
    } else {
      compare_gate(*before, gate, changes);
    }
  }
  for (const GateSpec& gate : base.gates) {
    if (std::ranges::find(head.gates, gate.metric, &GateSpec::metric) == head.gates.end())
      changes.push_back(gate.metric + " is no longer gated");
  }
  return changes;
}

std::vector<render::RuleChange> own_rules(const platform::FileSystem& files,
                                          const std::vector<std::string>& named,
                                          const std::string& base_tree) {
  Beside beside(files, base_tree);
  for (const std::string& name : named) beside.compare(name);
  return beside.take();
}

}  // namespace perfgate::cli
