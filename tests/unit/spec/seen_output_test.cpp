#include "workloads/spec/seen_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "workloads/spec/template.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {
namespace {

using ::testing::HasSubstr;

/// Values of the proposed pattern, as the reader of the output finds them.
int matches(const std::string& pattern, std::string_view text) {
  const re2::RE2 expression(pattern, re2::RE2::Quiet);
  EXPECT_TRUE(expression.ok()) << pattern;
  re2::StringPiece rest(text.data(), text.size());
  double value = 0.0;
  int count = 0;
  while (re2::RE2::FindAndConsume(&rest, expression, &value)) ++count;
  return count;
}

TEST(SeenOutput, TheLongestArrayOfJsonIsProposed) {
  const auto found = find_step_times(
      "loading\n{\"shape\": [1, 2], \"runs\": [{\"step/ms\": [4, 5, 4.5, 4.25, 4]}]}\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->form, SeenOutput::Form::json);
  EXPECT_EQ(found->argument, "/runs/0/step~1ms");
  EXPECT_EQ(found->values, 5);
  EXPECT_EQ(found->median_ms, 4.25);
}

TEST(SeenOutput, TheMedianOfAnEvenNumberIsTheMeanOfItsTwoMiddleValues) {
  const auto found = find_step_times("[4, 5, 4.5, 4.25, 4, 6]");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->median_ms, 4.375);
}

TEST(SeenOutput, LinesOfOneShapeWithMillisecondsAreProposedAndWarmUpIsAnother) {
  std::string text = "load took 812 ms\n";
  for (int i = 0; i < 7; ++i) text += "warm-up  " + std::to_string(i) + ": 9 ms\n";
  for (int i = 0; i < 12; ++i)
    text += "step " + std::string(i < 10 ? " " : "") + std::to_string(i) + ": 4.25 ms (ok)\n";
  const auto found = find_step_times(text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->form, SeenOutput::Form::regex);
  EXPECT_EQ(found->values, 12);
  EXPECT_EQ(found->median_ms, 4.25);
  EXPECT_EQ(matches(found->argument, text), 12) << found->argument;
}

TEST(SeenOutput, TheUnitMayStandBeforeTheNumber) {
  for (const char* before : {"it=", "[3] step "}) {
    for (const char* behind : {" ms: ", " step_ms="}) {
      std::string text;
      for (int i = 0; i < 6; ++i)
        text += before + std::to_string(i) + behind + "4." + std::to_string(i) + "\n";
      const auto found = find_step_times(text);
      ASSERT_TRUE(found) << text;
      EXPECT_EQ(matches(found->argument, text), 6) << found->argument;
    }
  }
}

TEST(SeenOutput, NothingIsMadeOfOtherOutput) {
  EXPECT_FALSE(find_step_times(""));
  EXPECT_FALSE(find_step_times("hello 12 msgs\n"));
  EXPECT_FALSE(find_step_times("{\"ms\": 4.5}\n"));
  EXPECT_FALSE(find_step_times("a 1 ms\na 2 ms\n")) << "two are no steps";
  EXPECT_FALSE(find_step_times(std::string(100, '\xFF')));
}

TEST(Template, OfPrintedStepsCountsWhatTheProgramPrints) {
  TemplateInput input{"x", {"./a"}, propose_step_range({})};
  const auto steps_for = [&](std::int64_t values) {
    input.output = SeenOutput{SeenOutput::Form::regex, "(?m)^step (\\d+) ms", values, 4.25};
    const auto spec = parse_workload(workload_template(input), "x.yaml");
    EXPECT_TRUE(spec.ok()) << spec.error().message << spec.error().context;
    EXPECT_EQ(std::get<CommandRun>(spec.value().run).results, ResultsSource::regex);
    EXPECT_EQ(std::get<CommandRun>(spec.value().run).results_argument, "(?m)^step (\\d+) ms");
    return std::pair(spec.value().steps.warmup, spec.value().steps.measure);
  };
  EXPECT_EQ(steps_for(220), std::pair(20, 200)) << "warm-up and measured steps";
  EXPECT_EQ(steps_for(200), std::pair(20, 200)) << "the measured ones alone";
  EXPECT_EQ(steps_for(50), std::pair(5, 45)) << "its own number, whatever it is told";
  EXPECT_THAT(proposal_summary(input), HasSubstr("results: regex"));
}

}  // namespace
}  // namespace perfgate::workloads
