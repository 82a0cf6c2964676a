// Which range init proposes as the step, and the file it writes.
#include "workloads/spec/propose.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/spec/template.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

std::string proposed(const std::vector<SeenRange>& seen) {
  return propose_step_range(seen).glob.value_or("none");
}

TEST(Propose, TakesTheNamedStepAmongItsParts) {
  EXPECT_EQ(proposed({{"layer", 7040, 1, kMs / 10, 0.2, false},
                      {"decode", 220, 1, 4 * kMs, 0.01, true},
                      {"load weights", 1, 1, 0, {}, true}}),
            "decode");
}

TEST(Propose, TakesTheLongestPeriodIfNoNameHelps) {
  EXPECT_EQ(proposed({{"b", 1000, 1, kMs, 0.1, false}, {"a", 100, 1, 10 * kMs, 0.1, false}}), "a");
}

TEST(Propose, JoinsNamesThatDifferInNumbers) {
  std::vector<SeenRange> seen;
  seen.reserve(30);
  for (int i = 0; i < 30; ++i) seen.push_back({"step " + std::to_string(i), 1, 1, 0, {}, true});
  const StepProposal proposal = propose_step_range(seen);
  EXPECT_EQ(proposal.glob, "step *");
  EXPECT_EQ(proposal.groups.front().names, 30);
  EXPECT_EQ(proposal.groups.front().count, 30);
}

TEST(Propose, ANumberInTheOnlyNameStays) {
  EXPECT_EQ(proposed({{"phase2_step", 50, 1, kMs, 0.1, true}}), "phase2_step");
}

TEST(Propose, PassesOverEpochsAndWarmups) {
  EXPECT_EQ(proposed({{"epoch", 10, 1, 1000 * kMs, 0.1, true},
                      {"warmup_step", 20, 1, 20 * kMs, 0.1, true},
                      {"TrainStep", 1000, 1, 10 * kMs, 0.1, false}}),
            "TrainStep");
}

TEST(Propose, PassesOverRangesOfSeveralThreadsAndIrregularOnes) {
  EXPECT_EQ(proposed({{"data step", 500, 8, 10 * kMs, 0.1, true},
                      {"poll step", 500, 1, 10 * kMs, 7.0, true},
                      {"forward", 100, 1, 10 * kMs, 0.1, true}}),
            "forward");
}

TEST(Propose, OuterStepBeforeInnerStep) {
  EXPECT_EQ(proposed({{"optimizer.step", 100, 1, 10 * kMs, 0.1, false},
                      {"train_step", 100, 1, 10 * kMs, 0.1, true}}),
            "train_step");
}

TEST(Propose, SaysWhyThereIsNone) {
  EXPECT_THAT(propose_step_range({}).reason, HasSubstr("no NVTX range"));
  const StepProposal rare =
      propose_step_range(std::vector<SeenRange>{{"step", 4, 1, kMs, {}, true}});
  EXPECT_FALSE(rare.glob);
  EXPECT_THAT(rare.reason, HasSubstr("at least 5 times"));
  EXPECT_EQ(rare.groups.size(), 1U) << "what was seen is still shown";
  EXPECT_EQ(proposed({{"1", 9, 1, kMs, {}, true}, {"2", 9, 1, kMs, {}, true}}), "none");
}

TEST(Propose, DoesNotDependOnTheOrderSeen) {
  const SeenRange a{"x", 100, 1, kMs, 0.1, true};
  const SeenRange b{"y", 100, 1, kMs, 0.1, true};
  EXPECT_EQ(proposed({a, b}), proposed({b, a}));
}

TEST(Propose, ReasonReadsAsASentence) {
  EXPECT_EQ(
      propose_step_range(std::vector<SeenRange>{{"decode", 220, 1, 4'270'000, 0.01, true}}).reason,
      "'decode' ran 220 times on one thread, every 4.27 ms, inside no other range, and its name is "
      "one for a step");
}

WorkloadSpec parsed(const TemplateInput& input) {
  const std::string text = workload_template(input);
  auto result = parse_workload(text, "template.yaml");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().context) << text;
  return result.ok() ? std::move(result).value() : WorkloadSpec{};
}

TEST(Template, WithAProposalTimesTheRange) {
  TemplateInput input{
      "My bench (v2)", {"python", "bench.py", "--prompt", "it's: a \"test\" #1"}, {}};
  input.proposal = propose_step_range(std::vector<SeenRange>{
      {"decode", 50, 1, kMs, 0.1, true}, {"layer\n*/", 500, 1, kMs / 10, 0.1, false}});
  const WorkloadSpec spec = parsed(input);
  EXPECT_EQ(spec.name, "My_bench_v2");
  const auto& run = std::get<CommandRun>(spec.run);
  EXPECT_EQ(run.argv, input.argv);
  EXPECT_EQ(run.results, ResultsSource::nvtx);
  EXPECT_EQ(spec.steps.range, "decode");
  EXPECT_EQ(spec.steps.warmup + spec.steps.measure, 50) << "no more steps than the program has";
  EXPECT_THAT(workload_template(input), HasSubstr("#   500 x layer?*/"));
}

TEST(Template, ASentenceOfItIsWrappedAndNotCut) {
  TemplateInput input{"x", {"./a"}, {}};
  input.proposal = propose_step_range(std::vector<SeenRange>{{"decode", 220, 1, kMs, 0.1, true}});
  EXPECT_THAT(
      workload_template(input),
      HasSubstr("# proposed: 'decode' ran 220 times on one thread, every 1.00 ms, inside no other\n"
                "# range, and its name is one for a step\n"));
  std::istringstream lines(workload_template(input));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Template, NamesTheFolderOfTheCommandWhereItIsAnother) {
  TemplateInput input{"x", {"./a"}, {}, SeenResults{200, 4.25}};
  EXPECT_EQ(std::get<CommandRun>(parsed(input).run).cwd, "");
  input.cwd = "../my app";
  EXPECT_EQ(std::get<CommandRun>(parsed(input).run).cwd, "../my app");
}

TEST(Template, ParsesForEveryCountOfSteps) {
  for (std::int64_t count = 5; count < 300; ++count) {
    TemplateInput input{
        "x",
        {"./a"},
        propose_step_range(std::vector<SeenRange>{{"step", count, 1, kMs, 0.1, true}})};
    const WorkloadSpec spec = parsed(input);
    EXPECT_LE(spec.steps.warmup + spec.steps.measure, count);
  }
}

TEST(Template, HoldsNoCommandForARunnerOfCiAndNothingInvisible) {
  TemplateInput input{"x", {"./a", "##[error]b", "###"}, {}};
  input.proposal = propose_step_range(
      std::vector<SeenRange>{{"##[add-mask]\u3164", 500, 1, kMs / 10, 0.1, false}});
  EXPECT_EQ(std::get<CommandRun>(parsed(input).run).argv, input.argv);
  EXPECT_EQ(workload_template(input).find("##"), std::string::npos) << workload_template(input);
  EXPECT_EQ(workload_template(input).find("\u3164"), std::string::npos);
}

TEST(Template, AResultsFileThatWasSeenIsTakenEvenBesideARange) {
  TemplateInput input{"x", {"./a"}, {}, SeenResults{200, 4.25}};
  input.proposal = propose_step_range(std::vector<SeenRange>{{"decode", 220, 1, kMs, 0.1, true}});
  const WorkloadSpec spec = parsed(input);
  EXPECT_EQ(std::get<CommandRun>(spec.run).results, ResultsSource::results_file);
  EXPECT_EQ(spec.steps.range, "decode");
  EXPECT_EQ(spec.steps.measure, 200);
  EXPECT_EQ(proposal_summary(input),
            "results: file, as the program wrote 200 step times of 4.25 ms (median)");
}

TEST(Template, WithoutAnyStepTimesSaysWhatTheProgramMustDo) {
  TemplateInput input{"x", {"./a"}, propose_step_range({})};
  EXPECT_THAT(workload_template(input), HasSubstr("It needs one of them"));
  EXPECT_THAT(proposal_summary(input), HasSubstr("no results file was written"));
  const auto refused = parse_workload(workload_template(input), "x.yaml");
  ASSERT_FALSE(refused.ok()) << "a file that cannot work is not called ok";
  EXPECT_THAT(refused.error().message + refused.error().context, HasSubstr("results"));
  input.results_problem = "results file, line 3: not JSON";
  EXPECT_THAT(workload_template(input), HasSubstr("cannot be used: results file, line 3"));
}

TEST(Template, LongStepsAreFewerSoThatAProcessTakesAboutTwentySeconds) {
  const WorkloadSpec slow = parsed({"x", {"./a"}, {}, SeenResults{200, 1000.0}});
  EXPECT_EQ(slow.steps.measure, 20);
  EXPECT_EQ(slow.steps.warmup, 2);
  const WorkloadSpec slower = parsed({"x", {"./a"}, {}, SeenResults{200, 60000.0}});
  EXPECT_EQ(slower.steps.measure, 10);
  const WorkloadSpec few = parsed({"x", {"./a"}, {}, SeenResults{1, 1.0}});
  EXPECT_EQ(few.steps.measure, 5);
}

TEST(CommandName, IsTheScriptsStem) {
  EXPECT_EQ(command_name({"python3", "decode.py"}), "decode");
  EXPECT_EQ(command_name({"/usr/bin/python3.11", "-u", "bench/run_all.py", "x.py"}), "run_all");
  EXPECT_EQ(command_name({"python", "-m", "vllm.bench"}), "bench");
  EXPECT_EQ(command_name({"torchrun", "--nproc-per-node", "1", "train.py"}), "train");
  EXPECT_EQ(command_name({"python3", "-c", "print(1)"}), "python3");
  EXPECT_EQ(command_name({"./bench.sh"}), "bench");
  EXPECT_EQ(command_name({"build/decode-1.2", "model.py"}), "decode-1.2");
}

TEST(Template, ParsesWhateverTheBytes) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string odd = std::string(1, static_cast<char>(byte)) + "a" + static_cast<char>(byte);
    TemplateInput input{odd, {"./a", odd, "-", "null", "~", "true", "020", ""}, {}};
    input.proposal = propose_step_range(
        std::vector<SeenRange>{{odd, 50, 1, kMs, 0.1, true}, {odd + odd, 9, 1, 1, {}, false}});
    const WorkloadSpec spec = parsed(input);
    const auto& argv = std::get<CommandRun>(spec.run).argv;
    ASSERT_EQ(argv.size(), 8U);
    if (byte < 128) {
      EXPECT_EQ(argv, input.argv) << byte;
      EXPECT_EQ(spec.steps.range, odd) << byte;
    }
  }
}

}  // namespace
}  // namespace perfgate::workloads
