// The checks of the recipes, on small trees: complete ones pass, and each missing touch is named.
#include "tests/unit/architecture/recipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tree with_metric() {
  return {
      {"runner/analysis/metrics/metrics.h", "// counts.cpp: exact\nSamples copies(int input);\n"},
      {"runner/analysis/metrics/counts.cpp", "Samples copies(int input) {}"},
      {"runner/analysis/metric_catalog.cpp", "MetricInfo{\"copies\", 1, metrics::copies}"},
      {"tests/unit/analysis/metrics_test.cpp", "value_of(set, \"copies\")"}};
}

TEST(Recipes, OfAMetricAskForADeclarationARowAndATest) {
  EXPECT_THAT(check_metrics(with_metric()), IsEmpty());

  Tree undeclared = with_metric();
  undeclared["runner/analysis/metrics/extra.cpp"] = "";
  EXPECT_THAT(check_metrics(undeclared), ElementsAre(HasSubstr("// extra.cpp:")));

  Tree without_row = with_metric();
  without_row["runner/analysis/metrics/metrics.h"] += "Samples launches(int input);\n";
  EXPECT_THAT(check_metrics(without_row), ElementsAre(HasSubstr("no row for metrics::launches")));

  Tree untested = with_metric();
  untested.erase("tests/unit/analysis/metrics_test.cpp");
  EXPECT_THAT(check_metrics(untested), ElementsAre(HasSubstr("names the metric copies")));
}

TEST(Recipes, OfADiagnosisRuleAskForADeclarationARowAndATest) {
  const std::string folder = "runner/analysis/diagnosis/";
  Tree tree{{folder + "rules/rules.h", "Findings graphs_off(const Unclaimed& unclaimed);"},
            {folder + "rules/graphs_off.cpp", ""},
            {folder + "rule_catalog.cpp", "DiagnosisRule{\"graphs_off\", doc, rules::graphs_off}"},
            {"tests/unit/analysis/diagnosis_test.cpp", "ElementsAre(\"graphs_off\")"}};
  EXPECT_THAT(check_diagnosis_rules(tree), IsEmpty());
  tree[folder + "rules/other.cpp"] = "";
  EXPECT_THAT(check_diagnosis_rules(tree),
              ElementsAre(HasSubstr("declares no other"), HasSubstr("no row \"other\""),
                          HasSubstr("names the diagnosis rule other")));
}

TEST(Recipes, OfAGateRuleAskForARowAndATest) {
  Tree tree{{"gates/rules/two_bound.cpp", ""},
            {"gates/gate_catalog.cpp", "GateRule{.name = \"two_bound\"}"},
            {"tests/unit/gates/rules_test.cpp", "#include \"gates/rules/two_bound.h\""}};
  EXPECT_THAT(check_gate_rules(tree), IsEmpty());
  tree["gates/rules/other.cpp"] = "";
  EXPECT_THAT(check_gate_rules(tree), ElementsAre(HasSubstr("no row \"other\""),
                                                  HasSubstr("includes gates/rules/other.h")));
}

TEST(Recipes, OfAReporterAskForAGoldenFile) {
  Tree tree{{"reporters/render/reporter_catalog.cpp", "{\"md\", \"md\", \"Markdown\", render}"},
            {"tests/golden/reports/pass/expected.md", ""}};
  EXPECT_THAT(check_reporters(tree), IsEmpty());
  tree["reporters/render/reporter_catalog.cpp"] += "{\"html\", \"html\", \"page\", render}";
  EXPECT_THAT(check_reporters(tree), ElementsAre(HasSubstr("expected.html")));
}

TEST(Recipes, OfAWorkloadKindAskForAWorkloadFile) {
  Tree tree{{"workloads/kinds/kind_catalog.cpp", "KindInfo{\"gemm\", 1} KindInfo{\"control\", 2}"},
            {"workloads/gemm_8k.yaml", "run:\n  builtin: gemm\n"}};
  EXPECT_THAT(check_workload_kinds(tree), IsEmpty());
  tree["workloads/kinds/kind_catalog.cpp"] += "KindInfo{\"gem\", 3}";
  EXPECT_THAT(check_workload_kinds(tree), ElementsAre(HasSubstr("runs the kind gem")));
}

TEST(Recipes, OfAMigrationAskForADumpOfThatVersion) {
  Tree tree{{"baselines/migrations/0001_initial.sql", ""},
            {"tests/golden/baselines/v0001/store.sql", ""}};
  EXPECT_THAT(check_migrations(tree), IsEmpty());
  tree["baselines/migrations/0002_more.sql"] = "";
  EXPECT_THAT(check_migrations(tree), ElementsAre(HasSubstr("v0002/store.sql")));
}

TEST(Recipes, OfACommandAskForARowAndADefinition) {
  Tree tree{{"runner/cli/commands.h", "void setup_run(CLI::App& app);\n"},
            {"runner/cli/catalog.cpp", "CommandRow{\"run\", \"x\", setup_run},"},
            {"runner/cli/run_command.cpp", "void setup_run(CLI::App& app) {}"}};
  EXPECT_THAT(check_commands(tree), IsEmpty());
  tree["runner/cli/commands.h"] += "void setup_post(CLI::App& app);\n";
  EXPECT_THAT(check_commands(tree),
              ElementsAre(HasSubstr("no row with setup_post"), HasSubstr("defines setup_post")));
}

TEST(Recipes, FailWhereACatalogueIsNotFound) {
  EXPECT_THAT(check_metrics({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_diagnosis_rules({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_gate_rules({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_reporters({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_workload_kinds({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_migrations({}), ElementsAre(HasSubstr("no row was found")));
  EXPECT_THAT(check_commands({}), ElementsAre(HasSubstr("no row was found")));
}

}  // namespace
}  // namespace perfgate::architecture
