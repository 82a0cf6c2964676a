// What a workload file means: values, defaults, implied gates, digest.
#include "workloads/spec/workload_file.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::workloads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

WorkloadSpec parsed(const std::string& text) {
  auto result = parse_workload(text, "test.yaml");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().context);
  return result.ok() ? std::move(result).value() : WorkloadSpec{};
}

std::string with_stream(const std::string& more) {
  return "perfgate: 1\nname: x\nrun: {builtin: stream}\n" + more;
}

std::string with_command(const std::string& more) {
  return "perfgate: 1\nname: x\nsteps: {range: step}\nrun:\n  command:\n    argv: [./bench]\n" +
         more;
}

TEST(WorkloadFile, BuiltinExampleIsReadInFull) {
  const WorkloadSpec spec = parsed(read_file("tests/data/spec/builtin.yaml"));
  EXPECT_EQ(spec.name, "decode_8b");
  EXPECT_EQ(spec.owner, "inference team");
  EXPECT_THAT(spec.description, HasSubstr("batch 16"));
  const auto& run = std::get<BuiltinRun>(spec.run);
  EXPECT_EQ(run.kind, "transformer_decode");
  EXPECT_EQ(std::get<std::int64_t>(run.with.at("context")), 1024);
  EXPECT_EQ(std::get<bool>(run.with.at("cuda_graph")), true);
  EXPECT_EQ(std::get<std::string>(run.with.at("preset")), "llama3_8b");
  ASSERT_EQ(run.inject.size(), 2U);
  EXPECT_EQ(run.inject[0].size, 0.5);
  EXPECT_EQ(run.inject[1].size, 1.0);
  EXPECT_EQ(spec.steps.range, "decode*");
  EXPECT_THAT(spec.timing.processes, ElementsAre(5, 8, 12));
  EXPECT_TRUE(spec.floor.declared);
  EXPECT_FALSE(spec.floor.weights_bytes);
}

TEST(WorkloadFile, AMetricThatIsNamedLikeATimeAndGatedAsACountIsWarnedOf) {
  const auto warnings = [](const std::string& gate) {
    std::string text;
    const std::string gates = "gates:\n  - {metric: " + gate + "}\n";
    const CheckedWorkload checked = check_workload(with_command(gates), "x.yaml");
    EXPECT_TRUE(checked.spec.has_value());
    for (const Diagnostic& warning : checked.warnings) text += warning.message + "\n";
    return text;
  };
  EXPECT_THAT(
      warnings("reported/ttft_ms, exact: true"),
      HasSubstr("exact is for counts, and the name of 'reported/ttft_ms' is one of a time"));
  EXPECT_EQ(warnings("reported/allocations, exact: true"), "");
  EXPECT_EQ(warnings("reported/ttft_ms"), "");
}

TEST(WorkloadFile, CommandExampleIsReadInFull) {
  const WorkloadSpec spec = parsed(read_file("tests/data/spec/command.yaml"));
  const auto& run = std::get<CommandRun>(spec.run);
  EXPECT_THAT(run.argv, ElementsAre("python", "bench.py", "--batch", "16", "--eager", "true"));
  EXPECT_EQ(run.cwd, "../benchmarks");
  EXPECT_EQ(run.env.at("OMP_NUM_THREADS"), "4");
  EXPECT_EQ(run.env.at("EMPTY"), "");
  EXPECT_EQ(run.env.at("OCTAL"), "020") << "a text keeps its digits";
  EXPECT_DOUBLE_EQ(run.timeout_s, 1200.0);
  EXPECT_EQ(run.results, ResultsSource::regex);
  EXPECT_EQ(run.results_argument, "step ([0-9.]+) ms");
  EXPECT_EQ(spec.steps.domain, "my_domain");
  EXPECT_EQ(spec.steps.warmup, 0);
  EXPECT_EQ(spec.steps.measure, 50) << "0o62 is octal";
  EXPECT_THAT(spec.timing.processes, ElementsAre(6));
  EXPECT_DOUBLE_EQ(spec.timing.budget_s, 300.0);
  EXPECT_EQ(spec.trace.window, "nvtx:step *:skip=2,count=10");
  EXPECT_EQ(spec.counters_dram, CountersMode::off);
  ASSERT_EQ(spec.families.size(), 1U);
  EXPECT_EQ(spec.families[0].name, "my_attention");
}

TEST(WorkloadFile, AmountsAreInBaseUnits) {
  const FloorSpec floor = parsed(read_file("tests/data/spec/command.yaml")).floor;
  EXPECT_DOUBLE_EQ(*floor.bytes_per_step, 15.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*floor.flops_per_step, 16e9);
  EXPECT_DOUBLE_EQ(*floor.bandwidth_bytes_per_s, 4.8e12);
  EXPECT_DOUBLE_EQ(*floor.rate_flop_per_s, 990e12);
}

TEST(WorkloadFile, WithoutOptionalKeysTheDocumentedDefaultsHold) {
  const WorkloadSpec spec = parsed(with_stream(""));
  EXPECT_EQ(spec.steps.warmup, 20);
  EXPECT_EQ(spec.steps.measure, 200);
  EXPECT_THAT(spec.trace.processes, ElementsAre(3, 5));
  EXPECT_EQ(spec.counters_dram, CountersMode::automatic);
  EXPECT_FALSE(spec.floor.declared);
  EXPECT_DOUBLE_EQ(spec.timing.budget_s, 600.0);
}

TEST(WorkloadFile, ResultsOfACommandCanBeEachOfTheFourSources) {
  const auto source = [](const std::string& results) {
    return std::get<CommandRun>(parsed(with_command("    results: " + results + "\n")).run).results;
  };
  EXPECT_EQ(source("file"), ResultsSource::results_file);
  EXPECT_EQ(source("nvtx"), ResultsSource::nvtx);
  EXPECT_EQ(source("{json: /steps/0}"), ResultsSource::json);
  EXPECT_EQ(source("{regex: 'ms=(.*)'}"), ResultsSource::regex);
}

TEST(WorkloadFile, StepTimeIsGatedFirstEvenIfTheFileDoesNotSaySo) {
  const WorkloadSpec none = parsed(with_stream(""));
  ASSERT_EQ(none.gates.size(), 1U);
  EXPECT_EQ(none.gates[0].metric, "step_time_p50");
  EXPECT_EQ(none.gates[0].line, 0);
  const WorkloadSpec others = parsed(with_stream("gates:\n  - {metric: gpu_idle_ms}\n"));
  ASSERT_EQ(others.gates.size(), 2U);
  EXPECT_EQ(others.gates[0].metric, "step_time_p50");
  EXPECT_EQ(others.gates[1].line, 5);
  const WorkloadSpec named =
      parsed(with_stream("gates: [{metric: gpu_idle_ms}, {metric: step_time_p50}]\n"));
  ASSERT_EQ(named.gates.size(), 2U);
  EXPECT_EQ(named.gates[0].metric, "gpu_idle_ms") << "the file's own order stays";
}

TEST(WorkloadFile, QuantitiesOfAGateAreInTheUnitOfItsMetric) {
  const WorkloadSpec spec = parsed(with_stream(R"(gates:
  - {metric: gpu_idle_ms, at_least: 50 us, margin: 5%, tolerance: 15 %}
  - {metric: 'kernel_us/nvjet.*', at_least: 0.005 ms}
  - {metric: family_ms/attention, max: 0.05 ms}
  - {metric: kernel_launches, slack: 3}
  - {metric: achieved_bytes_per_s, min: 3.6 TB/s, better: higher}
)"));
  ASSERT_EQ(spec.gates.size(), 6U);
  EXPECT_DOUBLE_EQ(*spec.gates[1].at_least, 0.05);
  EXPECT_DOUBLE_EQ(*spec.gates[1].margin_ratio, 0.05);
  EXPECT_DOUBLE_EQ(*spec.gates[1].tolerance_ratio, 0.15);
  EXPECT_DOUBLE_EQ(*spec.gates[2].at_least, 5.0);
  EXPECT_EQ(*spec.gates[3].max, 0.05) << "written in the metric's unit, kept to the bit";
  EXPECT_DOUBLE_EQ(*spec.gates[4].slack, 3.0);
  EXPECT_DOUBLE_EQ(*spec.gates[5].min, 3.6e12);
  EXPECT_EQ(spec.gates[5].better, Better::higher);
}

TEST(WorkloadFile, AutoLeavesMarginAndToleranceToTheGate) {
  const WorkloadSpec spec =
      parsed(with_stream("gates: [{metric: step_time_p50, margin: auto, tolerance: auto}]\n"));
  EXPECT_FALSE(spec.gates[0].margin_ratio);
  EXPECT_FALSE(spec.gates[0].tolerance_ratio);
}

TEST(WorkloadFile, AllProblemsAreReportedAtOnce) {
  const auto result =
      parse_workload(with_stream("stpes: {}\nsteps: 3\ngates: [{metric: a b}]\n"), "w.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::invalid_config);
  EXPECT_EQ(result.error().message, "3 problems in w.yaml");
  EXPECT_THAT(result.error().context, HasSubstr("w.yaml:4:1: error: unknown key 'stpes'"));
  EXPECT_THAT(result.error().context, HasSubstr("w.yaml:6:18: error: gates.metric"));
}

TEST(WorkloadFile, ASingleProblemIsTheMessageItself) {
  const auto result = parse_workload(with_stream("steps: {warmup: many}\n"), "w.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("steps.warmup must be a whole number"));
}

TEST(WorkloadFile, MetricIdsAreCheckedByTheCaller) {
  const ParseOptions options{.metric_check = [](std::string_view id) {
    return id == "good" ? std::nullopt : std::optional<std::string>{"did you mean 'good'?"};
  }};
  const std::string text = with_stream("gates: [{metric: good}, {metric: godo}]\n");
  const CheckedWorkload checked = check_workload(text, "w.yaml", options);
  ASSERT_EQ(checked.errors.size(), 1U);
  EXPECT_EQ(checked.errors[0].hint, "did you mean 'good'?");
  EXPECT_EQ(checked.errors[0].at.line, 4);
}

TEST(WorkloadFile, WhatAGateAsksIsCheckedByTheCallerAndNamedAtItsKey) {
  ParseOptions options;
  options.gate_check = [](const GateSpec& gate) -> std::optional<GateProblem> {
    if (!gate.exact) return std::nullopt;
    return GateProblem{"exact", "exact is for counts", "write margin and tolerance"};
  };
  const std::string text = with_stream("gates: [{metric: a}, {metric: b, exact: true}]\n");
  const CheckedWorkload checked = check_workload(text, "w.yaml", options);
  ASSERT_EQ(checked.errors.size(), 1U);
  EXPECT_EQ(checked.errors[0].message, "exact is for counts");
  EXPECT_EQ(checked.errors[0].at.line, 4);
  EXPECT_EQ(checked.errors[0].at.column, 41) << "at the value, as other problems of a gate";
}

TEST(WorkloadFile, AByteOrderMarkAndWindowsLineEndsAreTaken) {
  const WorkloadSpec spec =
      parsed("\xEF\xBB\xBFperfgate: 1\r\nname: x\r\nrun: {builtin: stream}\r\n");
  EXPECT_EQ(spec.name, "x");
  EXPECT_TRUE(spec.source_text.starts_with("\xEF\xBB\xBF")) << "the file's bytes are kept";
}

TEST(WorkloadFile, AFileBeyondOneMebibyteIsRefused) {
  const auto result = parse_workload(with_stream("# " + std::string(1U << 20U, 'x')), "w.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("larger than 1 MiB"));
}

TEST(WorkloadFile, AQuoteThatIsNeverClosedDoesNotSwallowTheGates) {
  const std::string gates = "gates:\n  - metric: step_ms\n    max: 3 %\n";
  const auto refused = [&](const std::string& line) {
    const auto result = parse_workload(with_stream(line + "\n" + gates), "test.yaml");
    return result.ok() ? "accepted" : result.error().context;
  };
  EXPECT_THAT(refused("description: \"the decode step"),
              HasSubstr("test.yaml:4:14: error: this \" is never closed\n"
                        "    description: \"the decode step\n                 ^\n"));
  EXPECT_THAT(refused("description: 'the decode step"),
              HasSubstr("test.yaml:4:14: error: this ' is never closed"));
  EXPECT_THAT(refused("description: \"it ends in \\\""), HasSubstr("4:14: error: this \" is"));
  EXPECT_THAT(refused("description: 'it''s"), HasSubstr("4:14: error: this ' is never closed"));
  EXPECT_THAT(refused("description: ü\n'owner: me"), HasSubstr("5:1: error: this ' is never"));
  EXPECT_THAT(refused("description: {a: \"b"), HasSubstr("4:18: error: this \" is never closed"));
}

TEST(WorkloadFile, QuotesThatCloseAreLeftAlone) {
  EXPECT_EQ(parsed(with_stream("description: \"the \\\" step\"\n")).description, "the \" step");
  EXPECT_EQ(parsed(with_stream("description: 'it''s'\n")).description, "it's");
  EXPECT_EQ(parsed(with_stream("description: \"two\r\n  lines\"\n")).description, "two lines");
  EXPECT_EQ(parsed(with_stream("description: don't\n")).description, "don't");
  EXPECT_EQ(parsed(with_stream("description: |\n  \"a\n")).description, "\"a\n");
}

TEST(WorkloadFile, ALineOfAFileThatIsTooLargeIsShownInPart) {
  const auto result = parse_workload("name: " + std::string(64U << 20U, 'x'), "test.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("larger than 1 MiB"));
  EXPECT_LT(result.error().context.size(), 400U);
}

TEST(Warnings, ACommandWithoutStepRangeIsToldThatTracesNeedOne) {
  const CheckedWorkload checked =
      check_workload("perfgate: 1\nname: x\nrun: {command: {argv: [./a]}}\n", "w.yaml");
  ASSERT_TRUE(checked.spec);
  ASSERT_EQ(checked.warnings.size(), 1U);
  EXPECT_THAT(checked.warnings[0].message, HasSubstr("steps.range"));
}

TEST(Warnings, ACompleteFileHasNone) {
  EXPECT_TRUE(check_workload(read_file("tests/data/spec/command.yaml"), "w.yaml").warnings.empty());
  EXPECT_TRUE(check_workload(read_file("tests/data/spec/builtin.yaml"), "w.yaml").warnings.empty());
}

std::string digest(const std::string& text) { return parsed(text).workload_digest; }

TEST(WorkloadDigest, IsTheSameForWhatDoesNotChangeTheMeasurement) {
  const std::string plain = digest(with_stream(""));
  EXPECT_EQ(plain.size(), 32U);
  EXPECT_EQ(
      plain,
      digest("perfgate: 1\nname: other\ndescription: text\nowner: me\nrun: {builtin: stream}\n"));
  EXPECT_EQ(plain, digest(with_stream("gates: [{metric: gpu_idle_ms}]\n")));
  EXPECT_EQ(plain, digest(with_stream("timing: {processes: [3, 4], budget: 1 h}\n")));
  EXPECT_EQ(plain, digest(with_stream("# comment\nsteps: {warmup: 20}\n")))
      << "a default written out";
  EXPECT_EQ(plain, digest("perfgate: 1\nname: x\nrun: {builtin: stream, with: {mode: read}}\n"));
}

TEST(WorkloadDigest, DiffersForWhatChangesTheMeasurement) {
  const std::string plain = digest(with_stream(""));
  for (const char* more :
       {"steps: {warmup: 21}\n", "steps: {measure: 201}\n", "steps: {range: a}\n",
        "trace: {steps: 11}\n", "trace: {window: profiler}\n"}) {
    EXPECT_NE(plain, digest(with_stream(more))) << more;
  }
  EXPECT_NE(plain, digest("perfgate: 1\nname: x\nrun: {builtin: stream, with: {mode: copy}}\n"));
  EXPECT_NE(plain, digest("perfgate: 1\nname: x\nrun: {builtin: stream, inject: [{fault: a}]}\n"));
  const std::string command = digest(with_command(""));
  for (const char* more : {"    env: {A: 1}\n", "    cwd: x\n", "    results: nvtx\n"}) {
    EXPECT_NE(command, digest(with_command(more))) << more;
  }
}

TEST(WorkloadDigest, IsStableAcrossBuilds) {
  // Stored baselines carry it: a change here makes every stored run incomparable.
  EXPECT_EQ(digest(with_stream("")), "ea4b2ff5a7df9840df0b092c98f016ca");
}

}  // namespace
}  // namespace perfgate::workloads
