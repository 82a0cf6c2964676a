// The sentences of the verdict, word for word. PERFGATE_UPDATE_GOLDEN=1 writes them anew (refused
// in CI).
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

const std::string kStep = "step_time_p50";
const char* const kFile = "tests/golden/gates/reasons.txt";

Report step_report(double ratio, const GateSpec& gate = gate_of(kStep), int runs = 10,
                   double sd = 0.0005) {
  Report report;
  report.add(gate, metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
             series_of(kStep, quiet_runs(4.27, sd, runs)));
  return report;
}

Report launches_report(double head) {
  Report report;
  report.add(gate_of("kernel_launches"),
             metric_of("kernel_launches", {head, head, head}, MetricKind::counted, "1"),
             series_of("kernel_launches", {385}, MetricKind::counted, "1"));
  return report;
}

std::string text_of(const std::string& title, const Report& report) {
  const GateOutput output = report.judged();
  std::string text = "# " + title + "\n" + std::string(to_string(output.verdict.outcome)) + "\n";
  for (const Reason& reason : output.verdict.reasons) {
    text += reason.code + ": " + reason.text + "\n";
  }
  return text + "\n";
}

std::string all_texts() {
  GateSpec limited = gate_of(kStep);
  limited.max = 4.0;
  Report dropped = step_report(1.0);
  dropped.capture = {.validity = Validity::invalid, .reasons = {"12 records were dropped"}};
  Report elsewhere = step_report(1.0);
  elsewhere.choice.exists = false;
  elsewhere.choice.comparability.environment = {{"driver", "580.65", "590.10"}};
  Report none = step_report(1.0);
  none.choice = {};
  return text_of("an unchanged run", step_report(1.0)) +
         text_of("half a percent slower", step_report(1.005)) +
         text_of("half a percent slower, five runs in the store",
                 step_report(1.005, gate_of(kStep), 5)) +
         text_of("between the bounds", step_report(1.004, gate_of(kStep, 0.0035, 0.0045))) +
         text_of("two percent faster", step_report(0.98)) +
         text_of("a tolerance below the noise",
                 step_report(1.0, gate_of(kStep, 0.001, 0.003), 10, 0.01)) +
         text_of("one run in the store", step_report(1.0, gate_of(kStep), 1)) +
         text_of("above an absolute limit", step_report(1.0, limited)) +
         text_of("one launch more", launches_report(386)) +
         text_of("launches unchanged", launches_report(385)) +
         text_of("a capture with dropped records", dropped) + text_of("another driver", elsewhere) +
         text_of("an empty store", none);
}

TEST(Golden, TheReasonsReadAsAgreed) {
  const std::string actual = all_texts();
  if (std::getenv("PERFGATE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "golden files are not rewritten in CI";
    std::ofstream(kFile) << actual;
  }
  std::ifstream file(kFile);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(actual, expected);
}

TEST(Golden, TheSameInputGivesTheSameBytes) { EXPECT_EQ(all_texts(), all_texts()); }

}  // namespace
}  // namespace perfgate::gates
