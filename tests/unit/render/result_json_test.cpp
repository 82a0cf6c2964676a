// result.json is what every later command reads: nothing may be lost in it, and nothing broken may
// be believed.
#include "reporters/render/result_json.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reporters/render/markdown.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/ledger_parts.h"
#include "tests/unit/render/report_cases.h"

namespace perfgate::render {
namespace {

RunResult read_back(const RunResult& run) {
  auto parsed = from_result_json(to_result_json(run));
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() ? std::move(parsed).value() : RunResult{};
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ResultJson, WritesTheSameBytesAfterReading) {
  for (const ReportCase& item : report_cases()) {
    if (item.name == "fail_hostile_names") continue;  // has bytes that are not UTF-8
    const std::string text = to_result_json(item.result);
    EXPECT_EQ(to_result_json(read_back(item.result)), text) << item.name;
  }
}

TEST(ResultJson, KeepsWhatTheGateNeeds) {
  RunResult run = passing_run();
  run.metrics[0].samples = {4.1, 0.1 + 0.2, 5e-324, 1.7976931348623157e308};
  const RunResult back = read_back(run);
  EXPECT_EQ(back.metrics[0].samples, run.metrics[0].samples)
      << "shortest round trip keeps every bit";
  EXPECT_EQ(back.measurement.fingerprint.environment, run.measurement.fingerprint.environment);
  EXPECT_EQ(back.verdict.outcome, Outcome::pass);
  ASSERT_EQ(back.comparisons.size(), run.comparisons.size());
  EXPECT_EQ(back.comparisons[0].ci_high_ratio, run.comparisons[0].ci_high_ratio);
  EXPECT_EQ(back.analysis.traced[2].devices[0].families[0].wall_ns, 39'000'000);
  ASSERT_TRUE(back.analysis.floor.has_value());
  EXPECT_EQ(back.analysis.floor->against.size(), 2U);
}

TEST(ResultJson, KeepsHowManyRunsOfOtherGpusAreLeftOutWhereThereAreAny) {
  RunResult run = passing_run();
  EXPECT_EQ(to_result_json(run).find("other_gpu_runs"), std::string::npos);
  run.comparisons[0].other_gpu_runs = 2;
  EXPECT_EQ(read_back(run).comparisons[0].other_gpu_runs, 2);
}

TEST(ResultJson, KeepsTheCodesWithTheirFigures) {
  RunResult run = passing_run();
  run.comparisons[0].findings = {{RuleCode::above_limit, 4.0, Outcome::fail},
                                 {RuleCode::compared, std::nullopt, Outcome::no_baseline}};
  run.verdict.problem = MeasurementProblem{ProblemCode::recording_incomplete, "one is missing"};
  run.verdict.reasons = {{"breach", "too slow", "step_time_p50"}};
  run.analysis.capture.output = {OutputCheck::State::differs, "bb", "aa"};
  const std::string text = to_result_json(run);
  EXPECT_NE(text.find(R"({"code": "above_limit", "limit": 4, "outcome": "fail"})"),
            std::string::npos);
  const RunResult back = read_back(run);
  ASSERT_EQ(back.comparisons[0].findings.size(), 2U);
  EXPECT_EQ(back.comparisons[0].findings[0].code, RuleCode::above_limit);
  EXPECT_EQ(back.comparisons[0].findings[0].limit, 4.0);
  EXPECT_EQ(back.comparisons[0].findings[1].outcome, Outcome::no_baseline);
  ASSERT_TRUE(back.verdict.problem.has_value());
  EXPECT_EQ(back.verdict.problem->code, ProblemCode::recording_incomplete);
  EXPECT_EQ(back.verdict.problem->detail, "one is missing");
  EXPECT_EQ(back.verdict.reasons[0].metric, "step_time_p50");
  EXPECT_EQ(back.analysis.capture.output.state, OutputCheck::State::differs);
  EXPECT_EQ(back.analysis.capture.output.traced, "bb");
}

TEST(ResultJson, KeepsTheLedgerAndTheDiagnosis) {
  RunResult run = passing_run();
  run.ledger = attention_ledger();
  run.ledger->established = false;
  run.ledger->problem = "0.1 ms are unattributed";
  run.ledger->rows[3].ms.half_width.reset();
  run.ledger->base.power_w.reset();
  run.diagnosis = eager_diagnosis();
  const RunResult back = read_back(run);
  EXPECT_EQ(to_result_json(back), to_result_json(run));
  ASSERT_TRUE(back.ledger.has_value());
  const Ledger& ledger = *back.ledger;
  EXPECT_EQ(ledger.work, WorkIdentity::differs);
  EXPECT_FALSE(ledger.established);
  EXPECT_EQ(ledger.problem, "0.1 ms are unattributed");
  EXPECT_EQ(ledger.base.counts.at("kernel_launches"), 323.0);
  EXPECT_FALSE(ledger.base.power_w.has_value());
  EXPECT_EQ(ledger.head.sm_clock_mhz, 1965.0);
  ASSERT_EQ(ledger.rows.size(), run.ledger->rows.size());
  EXPECT_EQ(ledger.rows[3].part, LedgerPart::idle);
  EXPECT_FALSE(ledger.rows[3].ms.half_width.has_value());
  ASSERT_EQ(ledger.rows[0].kernels.size(), 2U);
  const KernelChange& kernel = ledger.rows[0].kernels[0];
  EXPECT_EQ(kernel.fate, KernelFate::replaced);
  EXPECT_EQ(kernel.code, CodeChange::differs);
  EXPECT_EQ(kernel.head.grid[0], 64U);
  EXPECT_EQ(kernel.place, "decode/layer */attention");
  EXPECT_EQ(kernel.places, 32);
  ASSERT_EQ(back.diagnosis.size(), 2U);
  EXPECT_EQ(back.diagnosis[0].confidence, Confidence::certain);
  EXPECT_EQ(back.diagnosis[0].evidence.size(), 3U);
}

TEST(ResultJson, ALedgerHasTheShapeThatItsReadersKnow) {
  RunResult run = passing_run();
  run.ledger = eager_ledger();
  const auto ledger = nlohmann::json::parse(to_result_json(run))["ledger"];
  for (const char* key : {"base", "head", "step", "rows", "established", "problem", "work"})
    EXPECT_TRUE(ledger.contains(key)) << key;
  const auto& row = ledger["rows"][4];
  EXPECT_EQ(row["name"], "gemm");
  EXPECT_EQ(row["part"], "family");
  EXPECT_NEAR(row["ms"]["change"].get<double>(), 0.001, 1e-9);
  EXPECT_EQ(row["ms"]["within_noise"], true);
}

TEST(ResultJson, AnUnknownWordInALedgerIsNamed) {
  RunResult run = passing_run();
  run.ledger = eager_ledger();
  auto root = nlohmann::json::parse(to_result_json(run));
  root["ledger"]["rows"][0]["part"] = "magic";
  EXPECT_EQ(from_result_json(root.dump()).error().message,
            "result.json: ledger.rows[0].part has the unknown word 'magic'");
}

TEST(ResultJson, ACodeThatIsMissingOrOfALaterPerfgateIsUnknown) {
  RunResult run = passing_run();
  run.comparisons[0].findings = {{RuleCode::above_limit, 4.0, Outcome::fail}};
  run.verdict.problem = MeasurementProblem{ProblemCode::different_work, "so"};
  run.analysis.capture.output.state = OutputCheck::State::same;
  auto root = nlohmann::json::parse(to_result_json(run));
  root["comparison"][0]["findings"][0]["code"] = "beyond_the_moon";
  root["verdict"]["problem"]["code"] = "eclipse";
  root["capture"]["output"]["state"] = "nearly";
  auto later = from_result_json(root.dump());
  ASSERT_TRUE(later.ok()) << later.error().message;
  EXPECT_EQ(later.value().comparisons[0].findings.at(0).code, RuleCode::unknown);
  EXPECT_EQ(later.value().verdict.problem->code, ProblemCode::unknown);
  EXPECT_EQ(later.value().analysis.capture.output.state, OutputCheck::State::unknown);
  for (auto& row : root["comparison"]) row.erase("findings");
  for (auto& reason : root["verdict"]["reasons"]) reason.erase("metric");
  root["verdict"].erase("problem");
  root["capture"].erase("output");
  auto earlier = from_result_json(root.dump());
  ASSERT_TRUE(earlier.ok()) << earlier.error().message;
  EXPECT_TRUE(earlier.value().comparisons[0].findings.empty());
  EXPECT_FALSE(earlier.value().verdict.problem.has_value());
  EXPECT_EQ(earlier.value().analysis.capture.output.state, OutputCheck::State::unknown);
}

TEST(ResultJson, KeepsAndShowsTheOwner) {
  RunResult run = passing_run();
  run.workload_owner = "inference team";
  EXPECT_EQ(read_back(run).workload_owner, "inference team");
  for (const std::string& report : {render_markdown(run), render_terminal(run, {})}) {
    EXPECT_NE(report.find("owner: inference team"), std::string::npos) << report;
  }
}

TEST(ResultJson, FormsTheStepSummaryFromTheSteps) {
  RunResult run = passing_run();
  ProcessRecord& process = run.measurement.processes[0];
  process.summary.reset();
  process.results->steps = {{0, 3.0}, {1, 1.0}, {2, 2.0}};
  const RunResult back = read_back(run);
  ASSERT_TRUE(back.measurement.processes[0].summary.has_value());
  EXPECT_EQ(back.measurement.processes[0].summary->median_ms, 2.0);
  EXPECT_EQ(back.measurement.processes[0].summary->n, 3);
}

TEST(ResultJson, WritesNullForWhatIsNotFinite) {
  RunResult run = passing_run();
  run.metrics[0].value = std::numeric_limits<double>::quiet_NaN();
  run.comparisons[0].delta_ratio = std::numeric_limits<double>::infinity();
  const std::string text = to_result_json(run);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  EXPECT_TRUE(std::isnan(read_back(run).metrics[0].value));
}

TEST(ResultJson, KeepsLargeWholeNumbersExact) {
  RunResult run = passing_run();
  run.analysis.traced[0].dropped = std::numeric_limits<std::uint64_t>::max();
  run.analysis.traced[0].devices[0].window_ns = std::numeric_limits<std::int64_t>::max();
  const RunResult back = read_back(run);
  EXPECT_EQ(back.analysis.traced[0].dropped, run.analysis.traced[0].dropped);
  EXPECT_EQ(back.analysis.traced[0].devices[0].window_ns,
            run.analysis.traced[0].devices[0].window_ns);
}

TEST(ResultJson, MakesBrokenTextValidUtf8) {
  RunResult run = passing_run();
  run.workload_name = "bad\xff\xc0\xafname";
  EXPECT_EQ(read_back(run).workload_name, "bad\uFFFD\uFFFD\uFFFDname");
}

TEST(ResultJson, FamiliesAndIdleSumToTheStep) {
  for (const ReportCase& item : report_cases()) {
    const auto root = nlohmann::json::parse(to_result_json(item.result));
    if (root["idle"].is_null()) continue;
    double share = root["idle"]["share"].get<double>();
    for (const auto& row : root["families"]) share += row["share"].get<double>();
    EXPECT_NEAR(share, 1.0, 1e-12) << item.name;
  }
}

TEST(ResultJson, AFileThatIsNestedBeyondReasonIsRefusedUnparsed) {
  const auto parsed = from_result_json("{\"schema\":" + std::string(200'000, '[') +
                                       std::string(200'000, ']') + "}");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::corrupt);
  EXPECT_EQ(parsed.error().message, "result.json: nested deeper than 64 levels");
}

TEST(ResultJson, RefusesAnotherSchemaWithTheNextStep) {
  const auto parsed = from_result_json(R"({"schema": "perfgate.result/2"})");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::unsupported);
  EXPECT_NE(parsed.error().message.find("perfgate.result/2"), std::string::npos);
  EXPECT_FALSE(parsed.error().hint.empty());
}

TEST(ResultJson, NamesTheMissingKey) {
  const std::string text =
      with_replaced(to_result_json(passing_run()), "\"unit\": \"1\", \"better\"", "\"better\"");
  const auto parsed = from_result_json(text);
  // parsing.
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::corrupt);
  EXPECT_NE(parsed.error().message.find("unit is missing"), std::string::npos)
      << parsed.error().message;
}

/// Keys that results of earlier perfgates lack.
const std::set<std::string> kAddedLater{"command",  "owner",    "observed", "base_arm",
                                        "accepted", "recorded", "dirty",    "series_branch",
                                        "ledger",   "diagnosis"};

TEST(ResultJson, EveryKeyAtTheTopIsNeeded) {
  const auto root = nlohmann::json::parse(to_result_json(passing_run()));
  for (const auto& [key, value] : root.items()) {
    if (kAddedLater.contains(key)) continue;
    auto cut = root;
    cut.erase(key);
    const auto parsed = from_result_json(cut.dump());
    ASSERT_FALSE(parsed.ok()) << key;
    EXPECT_NE(parsed.error().message.find(key + " is missing"), std::string::npos)
        << parsed.error().message;
  }
}

TEST(ResultJson, AFileOfAnEarlierPerfgateIsReadWithoutWhatCameLater) {
  auto root = nlohmann::json::parse(to_result_json(passing_run()));
  for (const std::string& key : kAddedLater) ASSERT_EQ(root.erase(key), 1U) << key;
  for (auto& row : root["comparison"]) {
    for (const char* key : {"unsettled", "runs_to_settle", "passing_tolerance"})
      ASSERT_EQ(row.erase(key), 1U) << key;
  }
  const auto parsed = from_result_json(root.dump());
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().comparisons[0].unsettled, Unsettled::no);
  EXPECT_TRUE(parsed.value().command.empty());
  EXPECT_FALSE(parsed.value().ledger.has_value());
  EXPECT_TRUE(parsed.value().diagnosis.empty());
  root["observed"] = 1;
  EXPECT_FALSE(from_result_json(root.dump()).ok()) << "what is there must be right";
}

TEST(ResultJson, NamesThePlaceOfAWrongTypeOrWord) {
  const auto root = nlohmann::json::parse(to_result_json(passing_run()));
  auto wrong = root;
  wrong["metrics"][1]["value"] = "fast";
  EXPECT_EQ(from_result_json(wrong.dump()).error().message,
            "result.json: metrics[1].value is not a number");
  wrong = root;
  wrong["verdict"]["outcome"] = "green";
  EXPECT_EQ(from_result_json(wrong.dump()).error().message,
            "result.json: verdict.outcome has the unknown word 'green'");
  wrong = root;
  wrong["run"]["attempt"] = 5'000'000'000;
  EXPECT_EQ(from_result_json(wrong.dump()).error().message,
            "result.json: run.attempt is out of range");
  wrong = root;
  wrong["analysis"]["traced"][0]["devices"][0]["kernels"][0]["grid"] = {1, 2};
  EXPECT_EQ(from_result_json(wrong.dump()).error().message,
            "result.json: analysis.traced[0].devices[0].kernels[0].grid has not 3 elements");
}

TEST(ResultJson, ACutFileIsCorruptWhereverItIsCut) {
  const std::string text = to_result_json(passing_run());
  for (std::size_t size = 0; size + 1 < text.size(); size += 97) {
    const auto parsed = from_result_json(std::string_view(text).substr(0, size));
    ASSERT_FALSE(parsed.ok()) << size;
    EXPECT_EQ(parsed.error().code, ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace perfgate::render
