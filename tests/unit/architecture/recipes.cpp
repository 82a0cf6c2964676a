#include "tests/unit/architecture/recipes.h"

#include <algorithm>
#include <regex>
#include <string_view>

namespace perfgate::architecture {
namespace {

constexpr std::string_view kMetricFolder = "runner/analysis/metrics/";
constexpr std::string_view kMetricCatalogue = "runner/analysis/metric_catalog.cpp";
constexpr std::string_view kDiagnosisFolder = "runner/analysis/diagnosis/rules/";
constexpr std::string_view kDiagnosisCatalogue = "runner/analysis/diagnosis/rule_catalog.cpp";
constexpr std::string_view kGateFolder = "gates/rules/";
constexpr std::string_view kGateCatalogue = "gates/gate_catalog.cpp";
constexpr std::string_view kReporterCatalogue = "reporters/render/reporter_catalog.cpp";
constexpr std::string_view kKindCatalogue = "workloads/kinds/kind_catalog.cpp";
constexpr std::string_view kMigrationFolder = "baselines/migrations/";
constexpr std::string_view kCommandCatalogue = "runner/cli/catalog.cpp";

const std::string& text_of(const Tree& tree, std::string_view path) {
  static const std::string kEmpty;
  const auto file = tree.find(std::string(path));
  return file == tree.end() ? kEmpty : file->second;
}

/// Names of the files directly in `folder` that end in `extension`, without it.
std::vector<std::string> stems_in(const Tree& tree, std::string_view folder,
                                  std::string_view extension) {
  std::vector<std::string> stems;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with(folder) || !path.ends_with(extension)) continue;
    const std::string name = path.substr(folder.size());
    if (name.find('/') == std::string::npos) {
      stems.push_back(name.substr(0, name.size() - extension.size()));
    }
  }
  return stems;
}

/// The first group of every match: the names that a catalogue's rows carry.
std::vector<std::string> names_in(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> names;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), regex);
       match != std::sregex_iterator(); ++match) {
    names.push_back((*match)[1].str());
  }
  return names;
}

bool any_contains(const Tree& tree, std::string_view folder, std::string_view extension,
                  std::string_view words) {
  return std::ranges::any_of(tree, [&](const auto& file) {
    return file.first.starts_with(folder) && file.first.ends_with(extension) &&
           file.second.find(words) != std::string::npos;
  });
}

std::string no_rows(std::string_view catalogue) {
  return std::string(catalogue) + ": no row was found: does its form still fit this test?";
}

}  // namespace

std::vector<std::string> check_metrics(const Tree& tree) {
  std::vector<std::string> problems;
  const std::string& header = text_of(tree, "runner/analysis/metrics/metrics.h");
  for (const std::string& stem : stems_in(tree, kMetricFolder, ".cpp")) {
    if (header.find("// " + stem + ".cpp:") == std::string::npos) {
      problems.push_back("metrics.h declares nothing under \"// " + stem + ".cpp:\"");
    }
  }
  const std::string& catalogue = text_of(tree, kMetricCatalogue);
  for (const std::string& function : names_in(header, R"(\bSamples ([a-z0-9_]+)\()")) {
    if (catalogue.find("metrics::" + function) == std::string::npos) {
      problems.push_back("metric_catalog.cpp has no row for metrics::" + function);
    }
  }
  const auto ids = names_in(catalogue, "MetricInfo\\{\"([a-z0-9_]+/?)\"");
  if (ids.empty()) problems.push_back(no_rows(kMetricCatalogue));
  for (const std::string& id : ids) {
    if (!any_contains(tree, "tests/unit/analysis/", "_test.cpp", "\"" + id)) {
      problems.push_back("no test in tests/unit/analysis names the metric " + id);
    }
  }
  return problems;
}

std::vector<std::string> check_diagnosis_rules(const Tree& tree) {
  std::vector<std::string> problems;
  const auto stems = stems_in(tree, kDiagnosisFolder, ".cpp");
  if (stems.empty()) problems.push_back(no_rows(kDiagnosisFolder));
  for (const std::string& stem : stems) {
    if (text_of(tree, "runner/analysis/diagnosis/rules/rules.h").find(" " + stem + "(") ==
        std::string::npos) {
      problems.push_back("rules.h declares no " + stem);
    }
    if (text_of(tree, kDiagnosisCatalogue).find("DiagnosisRule{\"" + stem + "\"") ==
        std::string::npos) {
      problems.push_back("rule_catalog.cpp has no row \"" + stem + "\"");
    }
    if (!any_contains(tree, "tests/unit/analysis/", "_test.cpp", "\"" + stem + "\"")) {
      problems.push_back("no test in tests/unit/analysis names the diagnosis rule " + stem);
    }
  }
  return problems;
}

std::vector<std::string> check_gate_rules(const Tree& tree) {
  std::vector<std::string> problems;
  const auto stems = stems_in(tree, kGateFolder, ".cpp");
  if (stems.empty()) problems.push_back(no_rows(kGateFolder));
  for (const std::string& stem : stems) {
    if (text_of(tree, kGateCatalogue).find("\"" + stem + "\"") == std::string::npos) {
      problems.push_back("gate_catalog.cpp has no row \"" + stem + "\"");
    }
    if (!any_contains(tree, "tests/unit/gates/", "_test.cpp", "gates/rules/" + stem + ".h")) {
      problems.push_back("no test in tests/unit/gates includes gates/rules/" + stem + ".h");
    }
  }
  return problems;
}

std::vector<std::string> check_reporters(const Tree& tree) {
  std::vector<std::string> problems;
  const std::string& catalogue = text_of(tree, kReporterCatalogue);
  // The second word of a row is the extension of the golden files: {"md", "md", ...}
  const auto extensions = names_in(catalogue, R"rx(\{"[a-z]+", "([a-z.]+)",)rx");
  if (extensions.empty()) problems.push_back(no_rows(kReporterCatalogue));
  for (const std::string& extension : extensions) {
    // result.json is written and read again: its golden files are the inputs.
    const std::string name = extension == "json" ? "/input.json" : "/expected." + extension;
    const bool proven = std::ranges::any_of(tree, [&](const auto& file) {
      return file.first.starts_with("tests/golden/reports/") && file.first.ends_with(name);
    });
    if (!proven) problems.push_back("no tests/golden/reports/NAME" + name);
  }
  return problems;
}

std::vector<std::string> check_workload_kinds(const Tree& tree) {
  std::vector<std::string> problems;
  const auto kinds = names_in(text_of(tree, kKindCatalogue), "KindInfo\\{\"([a-z0-9_]+)\"");
  if (kinds.empty()) problems.push_back(no_rows(kKindCatalogue));
  for (const std::string& kind : kinds) {
    // perfgate itself runs the controls around each process; a file of their own would gate them.
    if (kind == "control") continue;
    if (!any_contains(tree, "workloads/", ".yaml", "builtin: " + kind + "\n")) {
      problems.push_back("no workloads/NAME.yaml runs the kind " + kind);
    }
  }
  return problems;
}

std::vector<std::string> check_migrations(const Tree& tree) {
  std::vector<std::string> problems;
  const auto stems = stems_in(tree, kMigrationFolder, ".sql");
  if (stems.empty()) problems.push_back(no_rows(kMigrationFolder));
  for (const std::string& stem : stems) {
    const std::string dump = "tests/golden/baselines/v" + stem.substr(0, 4) + "/store.sql";
    if (!tree.contains(dump)) problems.push_back(stem + ".sql has no dump " + dump);
  }
  return problems;
}

std::vector<std::string> check_commands(const Tree& tree) {
  std::vector<std::string> problems;
  const std::string& catalogue = text_of(tree, kCommandCatalogue);
  const auto setups = names_in(text_of(tree, "runner/cli/commands.h"), R"(void (setup_[a-z_]+)\()");
  if (setups.empty()) problems.push_back(no_rows("runner/cli/commands.h"));
  for (const std::string& setup : setups) {
    if (catalogue.find(setup + "}") == std::string::npos) {
      problems.push_back("catalog.cpp has no row with " + setup);
    }
    if (!any_contains(tree, "runner/cli/", ".cpp", "void " + setup + "(")) {
      problems.push_back("no runner/cli/NAME_command.cpp defines " + setup);
    }
  }
  return problems;
}

}  // namespace perfgate::architecture
