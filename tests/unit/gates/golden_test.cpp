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

std::string text_of(const std::string& title, const GateOutput& output) {
  std::string text = "# " + title + "\n" + std::string(to_string(output.verdict.outcome)) + "\n";
  for (const Reason& reason : output.verdict.reasons) {
    text += reason.code + ": " + reason.text + "\n";
  }
  return text + "\n";
}

std::string text_of(const std::string& title, const Report& report) {
  return text_of(title, report.judged());
}

Session counts(double base, double head) {
  Session session;
  session.add(gate_of("kernel_launches"),
              metric_of("kernel_launches", {base, base, base}, MetricKind::counted, "1"),
              metric_of("kernel_launches", {head, head, head}, MetricKind::counted, "1"));
  return session;
}

std::string session_texts() {
  const Session slower = session_of(1.03, 12);
  const GateOutput suspected = slower.screened();
  Session moved = session_of(1.0, 8);
  moved.base_controls = {{"read_stream", "bytes/s", {4.00e12, 4.01e12, 4.00e12, 4.01e12}}};
  moved.head_controls = {{"read_stream", "bytes/s", {3.90e12, 3.91e12, 3.90e12, 3.91e12}}};
  Session uneven = session_of(1.0, 8);
  uneven.head[0].samples.pop_back();
  Session uncaptured = counts(385, 385);
  uncaptured.base_capture = {.validity = Validity::partial, .reasons = {"a record was dropped"}};
  Session gone = session_of(1.0, 8);
  gone.base.clear();
  Session lost = session_of(1.0, 8);
  lost.head.clear();
  Session taxed = session_of(1.0, 8);
  taxed.base[0].kind = taxed.head[0].kind = MetricKind::traced;
  taxed.base_traced_over_untraced = 1.2;
  const GateOutput stored = step_report(1.01).judged();
  const GateSpec gate = gate_of(kStep);
  return text_of("in session: an unchanged program", session_of(1.0, 8).screened()) +
         text_of("in session: between the bounds", session_of(1.02, 8).screened()) +
         text_of("in session: three percent slower, at a look", suspected) +
         text_of("in session: and shown again", session_of(1.03, 16).confirms(suspected)) +
         text_of("in session: and not shown again", session_of(1.0, 16).confirms(suspected)) +
         text_of("in session: and left open", session_of(1.015, 16, 0.02).confirms(suspected)) +
         text_of("in session: and shown again, but weakly",
                 session_of(1.0185, 16).confirms(suspected)) +
         text_of("in session: three percent faster", session_of(0.97, 12).screened()) +
         text_of("in session: a control moved between the arms", moved.screened()) +
         text_of("in session: a pair is missing", uneven.screened()) +
         text_of("in session: one pair", session_of(1.0, 1).screened()) +
         text_of("in session: the base's capture is partial", uncaptured.screened()) +
         text_of("in session: the head lacks the metric", lost.screened()) +
         text_of("in session: the base lacks the metric", gone.screened()) +
         text_of("in session: tracing slows the base", taxed.screened()) +
         text_of("in session: one launch more", counts(385, 386).screened()) +
         text_of("in session: one launch more, counted again",
                 counts(385, 386).confirms(counts(385, 386).screened())) +
         text_of("in session: one launch more, and then not",
                 counts(385, 385).confirms(counts(385, 386).screened())) +
         text_of("the store fails, the pairs confirm",
                 session_of(1.01, 16, 0.001, gate).confirms(stored)) +
         text_of("the store fails, the pairs do not show it",
                 session_of(1.0, 16, 0.001, gate).confirms(stored));
}

/// Two runs of the store lie off as far as the head does.
Report straying_report() {
  Report report = step_report(1.02);
  for (int i = 1; i < 5; ++i) {
    const std::string id = "reported/m" + std::to_string(i);
    report.add(gate_of(id), metric_of(id, {4.27}), series_of(id, quiet_runs()));
  }
  report.baseline.at(1).points.at(4).value *= 1.02;
  report.baseline.at(2).points.at(6).value *= 1.02;
  return report;
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
         text_of("two percent slower, as two runs of the store were in other metrics",
                 straying_report()) +
         text_of("between the bounds", step_report(1.004, gate_of(kStep, 0.0035, 0.0045))) +
         text_of("two percent faster", step_report(0.98)) +
         text_of("a tolerance below the noise",
                 step_report(1.0, gate_of(kStep, 0.001, 0.003), 10, 0.01)) +
         text_of("one run in the store", step_report(1.0, gate_of(kStep), 1)) +
         text_of("above an absolute limit", step_report(1.0, limited)) +
         text_of("one launch more", launches_report(386)) +
         text_of("launches unchanged", launches_report(385)) +
         text_of("a capture with dropped records", dropped) + text_of("another driver", elsewhere) +
         text_of("an empty store", none) + session_texts();
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
