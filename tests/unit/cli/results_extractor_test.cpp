#include "runner/cli/run/results_extractor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CommandRun reading(ResultsSource source, std::string argument) {
  CommandRun command;
  command.results = source;
  command.results_argument = std::move(argument);
  return command;
}

StepsSpec counts(int warmup, int measure) {
  StepsSpec steps;
  steps.warmup = warmup;
  steps.measure = measure;
  return steps;
}

std::vector<double> times(const CommandRun& command, std::string_view text,
                          const StepsSpec& steps = counts(3, 2)) {
  const auto results = extract_results(command, steps, text, platform::Cancellation());
  EXPECT_TRUE(results.ok()) << results.error().message;
  std::vector<double> found;
  if (!results.ok()) return found;
  for (const StepSample& step : results.value().steps) found.push_back(step.ms);
  return found;
}

std::string problem(const CommandRun& command, std::string_view text,
                    const StepsSpec& steps = counts(0, 2)) {
  const auto results = extract_results(command, steps, text, platform::Cancellation());
  if (results.ok()) return "no problem";
  EXPECT_EQ(results.error().code, ErrorCode::invalid_measurement);
  EXPECT_FALSE(results.error().hint.empty());
  return results.error().message;
}

TEST(JsonResults, ANumberIsTheMeanStepAndAnArrayHasAStepEach) {
  const CommandRun command = reading(ResultsSource::json, "/step_ms");
  EXPECT_THAT(times(command, R"({"step_ms": 4.25})"), ElementsAre(4.25));
  EXPECT_THAT(times(command, R"({"step_ms": [4, 5.5]})"), ElementsAre(4.0, 5.5));
}

TEST(JsonResults, ALogMayStandBeforeTheLineWithTheResult) {
  const CommandRun command = reading(ResultsSource::json, "/ms");
  EXPECT_THAT(times(command, "loading\nwarm\n{\"ms\": 1.5}\n\n"), ElementsAre(1.5));
}

TEST(JsonResults, WhatIsNotThereIsSaid) {
  const CommandRun command = reading(ResultsSource::json, "/ms");
  EXPECT_THAT(problem(command, ""), HasSubstr("holds no JSON"));
  EXPECT_THAT(problem(command, "hello\n"), HasSubstr("holds no JSON"));
  EXPECT_THAT(problem(command, R"({"other": 1})"), HasSubstr("nothing at that place"));
  EXPECT_THAT(problem(command, R"({"ms": "4"})"), HasSubstr("neither a number nor an array"));
  EXPECT_THAT(problem(command, R"({"ms": [4, null]})"), HasSubstr("not a number"));
  EXPECT_THAT(problem(command, R"({"ms": []})"), HasSubstr("no step time found"));
}

TEST(JsonResults, AKeyThatStandsTwiceIsRefused) {
  const CommandRun command = reading(ResultsSource::json, "/ms");
  EXPECT_THAT(problem(command, R"({"ms": 4, "ms": 2})"), HasSubstr("\"ms\" stands twice"));
  EXPECT_THAT(problem(command, "log\n{\"ms\": 4, \"of\": {\"a\": 1, \"a\": 2}}\n"),
              HasSubstr("\"a\" stands twice"));
}

TEST(JsonResults, NegativeAndEndlessTimesAreRefused) {
  const CommandRun command = reading(ResultsSource::json, "/ms");
  EXPECT_THAT(problem(command, R"({"ms": -1})"), HasSubstr("not a positive number"));
  EXPECT_THAT(problem(command, R"({"ms": [4, 0]})"), HasSubstr("not a positive number"));
  EXPECT_THAT(problem(command, R"({"ms": NaN})"), HasSubstr("holds no JSON"));
  EXPECT_THAT(problem(command, R"({"ms": 1e999})"), HasSubstr("holds no JSON"));
}

TEST(JsonResults, AStepOfMoreThanAWeekIsNone) {
  EXPECT_THAT(problem(reading(ResultsSource::json, "/ms"), R"({"ms": 1e300})"),
              HasSubstr("more than a week"));
}

TEST(RegexResults, EveryMatchIsAStep) {
  const CommandRun command = reading(ResultsSource::regex, "step ([0-9.]+) ms");
  EXPECT_THAT(times(command, "step 4.25 ms\nnoise\nstep 4.5 ms\n"), ElementsAre(4.25, 4.5));
}

TEST(RegexResults, AMatchThatIsNoNumberDoesNotEndTheStepsInSilence) {
  const CommandRun command = reading(ResultsSource::regex, "step (\\S+) ms");
  EXPECT_THAT(problem(command, "step 4.25 ms\nstep oops ms\nstep 4.5 ms\n"),
              HasSubstr("'oops', which is no decimal number"));
  EXPECT_THAT(problem(command, "step nan ms\nstep 4 ms\n"), HasSubstr("not a positive number"));
}

TEST(RegexResults, OnlyDecimalNumbersAreMilliseconds) {
  const CommandRun command = reading(ResultsSource::regex, "step (\\S+) ms");
  EXPECT_THAT(problem(command, "step 0x10 ms\nstep 0x11 ms\n"), HasSubstr("'0x10', which is no"));
  EXPECT_THAT(problem(command, "step 1,5 ms\nstep 1,5 ms\n"), HasSubstr("'1,5', which is no"));
  EXPECT_THAT(times(command, "step 010 ms\nstep +1.5e1 ms\n"), ElementsAre(10.0, 15.0));
}

TEST(JsonResults, ThatAreNestedBeyondReasonAreNotParsed) {
  const CommandRun command = reading(ResultsSource::json, "/ms");
  EXPECT_THAT(problem(command, std::string(100'000, '[')), HasSubstr("nested deeper than 64"));
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_THAT(problem(command, "{\"ms\": " + deep + "}"), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(times(command, deep + "\n{\"ms\": 1.5}\n"), ElementsAre(1.5));
}

TEST(RegexResults, AGroupThatMatchesNothingEndsInAnErrorNotALoop) {
  EXPECT_THAT(problem(reading(ResultsSource::regex, "(x*)"), "aaa"),
              HasSubstr("no decimal number"));
}

TEST(RegexResults, BytesThatAreNotUtf8DoNotReachTheMessage) {
  EXPECT_THAT(problem(reading(ResultsSource::regex, "ms=(.*)"), "ms=\x1B[31mred\n"),
              HasSubstr("'red'"));
}

TEST(RegexResults, MegabytesOfMatchesAreReadWhole) {
  std::string text;
  while (text.size() < (std::size_t{4} << 20U)) text += "step 4.25 ms\n";
  const auto lines = text.size() / 13;
  EXPECT_EQ(times(reading(ResultsSource::regex, "step ([0-9.]+) ms"), text,
                  counts(0, static_cast<int>(lines)))
                .size(),
            lines);
}

TEST(RegexResults, CtrlCEndsTheReading) {
  platform::Cancellation cancellation;
  cancellation.cancel();
  for (const auto& command :
       {reading(ResultsSource::regex, "step ([0-9.]+) ms"), reading(ResultsSource::json, "/ms")}) {
    const auto results =
        extract_results(command, counts(0, 2), "step 4 ms\nstep 5 ms\n", cancellation);
    ASSERT_FALSE(results.ok());
    EXPECT_EQ(results.error().code, ErrorCode::interrupted);
  }
}

TEST(PrintedSteps, OfTheWarmUpAreDropped) {
  const CommandRun regex = reading(ResultsSource::regex, "step ([0-9.]+) ms");
  EXPECT_THAT(times(regex, "step 9 ms\nstep 4 ms\nstep 5 ms\n", counts(1, 2)),
              ElementsAre(4.0, 5.0));
  EXPECT_THAT(times(reading(ResultsSource::json, "/ms"), R"({"ms": [9, 4, 5]})", counts(1, 2)),
              ElementsAre(4.0, 5.0));
}

TEST(PrintedSteps, OfAnotherNumberAreRefusedSinceNobodyKnowsWhichWereWarm) {
  const CommandRun regex = reading(ResultsSource::regex, "step ([0-9.]+) ms");
  EXPECT_THAT(problem(regex, "step 9 ms\nstep 4 ms\nstep 5 ms\n", counts(2, 2)),
              HasSubstr("3 values where 2 (or 4 with the warm-up) were expected"));
  EXPECT_THAT(problem(reading(ResultsSource::json, "/ms"), R"({"ms": [4]})"),
              HasSubstr("1 values where 2 were expected"));
  EXPECT_THAT(times(regex, "step 4 ms\n", counts(0, 1)), ElementsAre(4.0));
}

TEST(RegexResults, NoMatchSaysWhereToLook) {
  const CommandRun command = reading(ResultsSource::regex, "step ([0-9.]+) ms");
  EXPECT_THAT(problem(command, "hello\n"), HasSubstr("no step time found"));
}

}  // namespace
}  // namespace perfgate::cli
