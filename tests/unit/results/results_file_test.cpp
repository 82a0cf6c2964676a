// The results file: strict about figures, patient about what later writers add.
#include "runner/results/results_file.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::results {
namespace {

using ::testing::HasSubstr;

const std::string kHeader = R"({"perfgate_results":1,"clock":"CLOCK_REALTIME"})"
                            "\n";
const std::string kBlock =
    R"({"block":{"start_ns":1760000000000000000,"end_ns":1760000000854000000}})"
    "\n";
const std::string kSteps = R"({"step":0,"ms":4.27})"
                           "\n"
                           R"({"step":1,"ms":4.28})"
                           "\n";
const std::string kEnd = R"({"end":true,"steps":2})"
                         "\n";

// A sound file with `line` in place of its step lines' successor, as line 5.
std::string with_line(const std::string& line) {
  return kHeader + kBlock + kSteps + line + "\n" + kEnd;
}

void expect_error(const std::string& text, const std::string& what, const std::string& where = "") {
  const auto results = read_results(text);
  ASSERT_FALSE(results.ok()) << text;
  EXPECT_EQ(results.error().code, ErrorCode::invalid_measurement);
  EXPECT_THAT(results.error().message, HasSubstr(what));
  EXPECT_THAT(results.error().message, HasSubstr(where));
  EXPECT_FALSE(results.error().hint.empty()) << results.error().message;
}

ProcessResults sample() {
  ProcessResults results;
  results.block_start_ns = 1'760'000'000'000'000'000;
  results.block_end_ns = 1'760'000'000'854'000'001;
  results.steps = {{0, 4.27}, {1, 0.1 + 0.2}, {2, kShortestStepMs}};
  results.work = {.tokens = 16,
                  .weights_bytes = 15009000000.0,
                  .kv_bytes = 0.0,
                  .flops = 2.4e11,
                  .output_hash = "9f\"\xc3\xa4"};
  results.metrics = {{"ttft_ms", -12.5, "ms", Better::lower}, {"rate", 1e23, "", Better::higher}};
  results.boundary = ProcessResults::Boundary::device;
  return results;
}

TEST(ResultsFile, RoundTripsEveryFieldToTheLastBit) {
  const ProcessResults sent = sample();
  const auto got = read_results(write_results(sent));
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got.value().block_start_ns, sent.block_start_ns);
  EXPECT_EQ(got.value().block_end_ns, sent.block_end_ns);
  EXPECT_EQ(got.value().boundary, sent.boundary);
  ASSERT_EQ(got.value().steps.size(), sent.steps.size());
  for (std::size_t i = 0; i < sent.steps.size(); ++i) {
    EXPECT_EQ(got.value().steps[i].step, sent.steps[i].step);
    EXPECT_EQ(got.value().steps[i].ms, sent.steps[i].ms);
  }
  EXPECT_EQ(got.value().work.tokens, sent.work.tokens);
  EXPECT_EQ(got.value().work.weights_bytes, sent.work.weights_bytes);
  EXPECT_EQ(got.value().work.kv_bytes, sent.work.kv_bytes);
  EXPECT_EQ(got.value().work.flops, sent.work.flops);
  EXPECT_EQ(got.value().work.output_hash, sent.work.output_hash);
  ASSERT_EQ(got.value().metrics.size(), 2U);
  EXPECT_EQ(got.value().metrics[0].name, "ttft_ms");
  EXPECT_EQ(got.value().metrics[0].value, -12.5);
  EXPECT_EQ(got.value().metrics[0].unit, "ms");
  EXPECT_EQ(got.value().metrics[1].value, 1e23);
  EXPECT_EQ(got.value().metrics[1].better, Better::higher);
}

TEST(ResultsFile, UnknownWorkStaysUnknown) {
  ProcessResults sent = sample();
  sent.work = {};
  const std::string text = write_results(sent);
  EXPECT_EQ(text.find("work"), std::string::npos);
  EXPECT_FALSE(read_results(text).value().work.tokens.has_value());
  const auto null = read_results(with_line(R"({"work":{"tokens":null}})"));
  ASSERT_TRUE(null.ok());
  EXPECT_FALSE(null.value().work.tokens.has_value());
}

TEST(ResultsFile, BoundaryIsHostUnlessTheFileSaysDevice) {
  const auto results = read_results(kHeader + kBlock + kSteps + kEnd);
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(results.value().boundary, ProcessResults::Boundary::host);
}

TEST(ResultsFile, ReadsTheExampleFileWrittenByHand) {
  std::ifstream file("tests/data/results/synthetic_by_hand.jsonl", std::ios::binary);
  ASSERT_TRUE(file) << "run the test from the source folder";
  const auto results = read_results(std::string{std::istreambuf_iterator<char>(file), {}});
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(results.value().steps.size(), 3U);
  EXPECT_EQ(results.value().steps[1].ms, 5.0);
  EXPECT_EQ(results.value().work.tokens, 16.0);
  ASSERT_EQ(results.value().metrics.size(), 1U);
}

TEST(ResultsFile, IgnoresUnknownKeysUnknownLinesBlankLinesAndCarriageReturns) {
  const auto results =
      read_results(R"({"perfgate_results":1,"clock":"CLOCK_REALTIME","host":"x"})"
                   "\r\n\r\n" +
                   kBlock + R"({"step":0,"ms":1,"loss":3.5})" + "\r\n" + R"({"energy":{"mj":3}})" +
                   "\n  \n" + R"({"end":true,"steps":1,"why":"done"})");
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(results.value().steps.size(), 1U);
}

TEST(ResultsFileErrors, EmptyOrBlankFile) {
  expect_error("", "empty");
  expect_error("\n \n", "empty");
}

TEST(ResultsFileErrors, FirstLineIsNotAHeader) {
  expect_error(kSteps, "does not say \"perfgate_results\"", "line 1");
}

TEST(ResultsFileErrors, OtherSchemaVersion) {
  expect_error(R"({"perfgate_results":2,"clock":"CLOCK_REALTIME"})"
               "\n",
               "schema version 2", "line 1");
  expect_error(R"({"perfgate_results":"1"})"
               "\n",
               "must be an integer", "line 1");
}

TEST(ResultsFileErrors, OtherOrNoClock) {
  expect_error(R"({"perfgate_results":1,"clock":"CLOCK_MONOTONIC"})"
               "\n",
               "CLOCK_MONOTONIC", "line 1");
  expect_error(R"({"perfgate_results":1})"
               "\n",
               "CLOCK_REALTIME", "line 1");
}

TEST(ResultsFileErrors, UnknownBoundary) {
  expect_error(R"({"perfgate_results":1,"clock":"CLOCK_REALTIME","boundary":"gpu"})"
               "\n",
               "boundary", "line 1");
}

TEST(ResultsFileErrors, SecondHeader) {
  expect_error(with_line(kHeader), "second header", "line 5");
}

TEST(ResultsFileErrors, MissingBlock) {
  expect_error(kHeader + kSteps + kEnd, "block line is missing");
}

TEST(ResultsFileErrors, BlockThatDoesNotEndAfterItStarts) {
  expect_error(kHeader + R"({"block":{"start_ns":5,"end_ns":5}})", "does not end after", "line 2");
  expect_error(kHeader + R"({"block":{"start_ns":0,"end_ns":5}})", "does not end after", "line 2");
}

TEST(ResultsFileErrors, BlockOfWrongTypes) {
  expect_error(kHeader + R"({"block":[1,2]})", "must be an object", "line 2");
  expect_error(kHeader + R"({"block":{"start_ns":1.5,"end_ns":5}})", "must be an integer",
               "line 2");
  expect_error(kHeader + R"({"block":{"start_ns":1}})", "\"end_ns\" is missing", "line 2");
  expect_error(kHeader + R"({"block":{"start_ns":1,"end_ns":18446744073709551615}})",
               "must be an integer below 2^63", "line 2");
}

TEST(ResultsFileErrors, SecondBlock) { expect_error(with_line(kBlock), "second block", "line 5"); }

TEST(ResultsFileErrors, StepTimesThatAreNotPositive) {
  for (const std::string ms : {"0", "0.0", "-0.0", "-4.27"}) {
    expect_error(with_line("{\"step\":2,\"ms\":" + ms + "}"), "above zero", "line 5");
  }
}

TEST(ResultsFileErrors, StepTimesThatAreNotFinite) {
  for (const std::string ms : {"NaN", "Infinity", "-Infinity", "nan", "inf"}) {
    expect_error(with_line("{\"step\":2,\"ms\":" + ms + "}"), "NaN and infinite", "line 5");
  }
  expect_error(with_line(R"({"step":2,"ms":1e999})"), "not JSON", "line 5");
  expect_error(with_line(R"({"step":2,"ms":null})"), "must be a number, not null", "line 5");
}

TEST(ResultsFileErrors, FiguresThatNoProgramMeasures) {
  expect_error(with_line(R"({"step":2,"ms":1e300})"), "beyond 1e24", "line 5");
  expect_error(with_line(R"({"step":2,"ms":604800001})"), "at most a week", "line 5");
  expect_error(with_line(R"({"metric":"a","value":-1e300})"), "beyond 1e24", "line 5");
  expect_error(with_line(R"({"work":{"flops":1e300}})"), "beyond 1e24", "line 5");
}

TEST(ResultsFileErrors, WriterCannotSmuggleANonFiniteStepIn) {
  ProcessResults results = sample();
  results.steps[1].ms = std::numeric_limits<double>::quiet_NaN();
  expect_error(write_results(results), "must be a number", "line 4");
}

TEST(ResultsFileErrors, NumbersAsStrings) {
  expect_error(with_line(R"({"step":2,"ms":"4.27"})"), "must be a number, not string", "line 5");
  expect_error(with_line(R"({"step":"2","ms":4.27})"), "must be an integer", "line 5");
}

TEST(ResultsFileErrors, StepNumbersWithGapRepeatOrWrongStart) {
  expect_error(with_line(R"({"step":3,"ms":1})"), "step 3 where 2 was due", "line 5");
  expect_error(with_line(R"({"step":1,"ms":1})"), "step 1 where 2 was due", "line 5");
  expect_error(with_line(R"({"step":-1,"ms":1})"), "step -1 where 2 was due", "line 5");
  expect_error(kHeader + kBlock + R"({"step":1,"ms":1})", "step 1 where 0 was due", "line 3");
}

TEST(ResultsFileErrors, StepNumberBeyondSixtyFourBits) {
  expect_error(with_line(R"({"step":99999999999999999999999,"ms":1})"), "must be an integer",
               "line 5");
}

TEST(ResultsFileErrors, StepWithoutATime) {
  expect_error(with_line(R"({"step":2})"), "\"ms\" is missing", "line 5");
}

TEST(ResultsFileErrors, FileCutAtAnyByte) {
  const std::string whole = write_results(sample());
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {  // the last line feed may be absent
    const auto results = read_results(whole.substr(0, size));
    ASSERT_FALSE(results.ok()) << size;
    EXPECT_EQ(results.error().code, ErrorCode::invalid_measurement);
  }
  expect_error(kHeader + kBlock + kSteps, "cut after 2 steps");
  expect_error(kHeader + kBlock + R"({"step":0,"m)", "cut inside this line", "line 3");
}

TEST(ResultsFileErrors, EndLineThatCountsOtherwise) {
  expect_error(kHeader + kBlock + kSteps + R"({"end":true,"steps":3})", "counts 3 steps", "line 5");
  expect_error(kHeader + kBlock + kSteps + R"({"end":true})", "\"steps\" is missing", "line 5");
  expect_error(kHeader + kBlock + kSteps + R"({"end":1,"steps":2})", "must be true", "line 5");
}

TEST(ResultsFileErrors, NoStepAtAll) {
  expect_error(kHeader + kBlock + R"({"end":true,"steps":0})", "no step was measured", "line 3");
}

TEST(ResultsFileErrors, AnythingKnownAfterTheEndLine) {
  const std::string whole = kHeader + kBlock + kSteps + kEnd;
  expect_error(whole + kEnd, "after the end line", "line 6");
  expect_error(whole + R"({"step":2,"ms":1})", "after the end line", "line 6");
  expect_error(whole + kHeader, "after the end line", "line 6");
  EXPECT_TRUE(read_results(whole + R"({"news":1})").ok()) << "a kind of line of a later version";
}

TEST(ResultsFileErrors, WorkOfWrongTypesOrTwice) {
  expect_error(with_line(R"({"work":3})"), "must be an object", "line 5");
  expect_error(with_line(R"({"work":{"flops":"2e9"}})"), "must be a number", "line 5");
  expect_error(with_line(R"({"work":{"tokens":-1}})"), "is negative", "line 5");
  expect_error(with_line(R"({"work":{"output_hash":7}})"), "must be a string", "line 5");
  expect_error(with_line("{\"work\":{}}\n{\"work\":{}}"), "second work line", "line 6");
}

TEST(ResultsFileErrors, MetricsThatCannotBeUsed) {
  expect_error(with_line(R"({"metric":"","value":1})"), "must be a name", "line 5");
  expect_error(with_line(R"({"metric":"a\nb","value":1})"), "must be a name", "line 5");
  expect_error(with_line("{\"metric\":\"" + std::string(129, 'm') + "\",\"value\":1}"),
               "must be a name", "line 5");
  expect_error(with_line(R"({"metric":7,"value":1})"), "must be a string", "line 5");
  expect_error(with_line(R"({"metric":"a"})"), "\"value\" is missing", "line 5");
  expect_error(with_line(R"({"metric":"a","value":true})"), "must be a number", "line 5");
  expect_error(with_line(R"({"metric":"a","value":1,"better":"more"})"), "\"better\"", "line 5");
  expect_error(with_line("{\"metric\":\"a\",\"value\":1}\n{\"metric\":\"a\",\"value\":1}"),
               "stands twice", "line 6");
}

TEST(ResultsFileErrors, LinesThatAreNotAnObject) {
  expect_error(with_line("[1,2]"), "not array", "line 5");
  expect_error(with_line("step 2 took 4 ms"), "not JSON", "line 5");
  expect_error(with_line(R"({"step":2,"ms":1} trailing)"), "not JSON", "line 5");
}

TEST(ResultsFileErrors, LineOfAbsurdLength) {
  expect_error(with_line("{\"note\":\"" + std::string(70000, 'n') + "\"}"), "70011 bytes",
               "line 5");
}

TEST(ResultsFileErrors, DeepNestingIsHarmless) {
  expect_error(with_line(std::string(60000, '[')), "nested deeper than 64 levels", "line 5");
  const auto deep = "{\"note\":" + std::string(30000, '[') + std::string(30000, ']') + "}";
  expect_error(with_line(deep), "nested deeper than 64 levels", "line 5");
}

TEST(ResultsFileErrors, AKeyTwiceInOneObject) {
  expect_error(with_line(R"({"step":2,"ms":4.2,"ms":0.1})"), "\"ms\" stands twice", "line 5");
  expect_error(with_line(R"({"work":{"tokens":1,"tokens":2}})"), "\"tokens\" stands twice");
  expect_error(with_line(R"({"note":[{"a":1},{"":1,"":2}]})"), "stands twice", "line 5");
  EXPECT_TRUE(read_results(with_line(R"({"note":[{"a":1},{"a":{"a":2}}]})")).ok());
}

TEST(ResultsFileErrors, StepsBelowANanosecond) {
  const auto one = [](const std::string& ms) {
    return kHeader + kBlock + "{\"step\":0,\"ms\":" + ms + "}\n{\"end\":true,\"steps\":1}\n";
  };
  expect_error(one("9e-7"), "at least 1e-6", "line 3");
  EXPECT_TRUE(read_results(one("1e-6")).ok());
}

TEST(ResultsFileErrors, DeviceStepsThatSumUpToMoreThanTheirBlock) {
  const auto file = [](const std::string& boundary, const std::string& ms) {
    return "{\"perfgate_results\":1,\"clock\":\"CLOCK_REALTIME\",\"boundary\":\"" + boundary +
           "\"}\n" + kBlock + "{\"step\":0,\"ms\":" + ms + "}\n{\"step\":1,\"ms\":427}\n" + kEnd;
  };
  EXPECT_TRUE(read_results(file("device", "444")).ok()) << "2 % for the clocks' difference";
  expect_error(file("device", "445"), "872.0 ms, more than the block of 854.0 ms");
  EXPECT_TRUE(read_results(file("host", "445")).ok()) << "judged by the block instead";
}

TEST(ResultsFileErrors, BytesThatAreNotUtf8AndTheMessageIsStillText) {
  const auto results = read_results(with_line("{\"metric\":\"\xff\xfe\",\"value\":1}"));
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(results.error().message, HasSubstr("not JSON"));
  EXPECT_THAT(results.error().message, HasSubstr("line 5"));
  for (const char c : results.error().message + results.error().context) {
    EXPECT_TRUE(c >= ' ' && c <= '~');
  }
}

}  // namespace
}  // namespace perfgate::results
