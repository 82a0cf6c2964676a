// Less work and another output: what they do to rows, to the verdict, and what accepts them.
#include "gates/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/accepts.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kStep = "step_time_p50";
constexpr const char* kToday = "2026-11-30";

WorkDone work_of(double tokens, const std::string& hash = "9f3a", double bytes = 15009980416.0) {
  return {.tokens = tokens,
          .weights_bytes = bytes,
          .kv_bytes = std::nullopt,
          .flops = std::nullopt,
          .output_hash = hash};
}

/// A report of the step time against quiet runs of 16 tokens, output 9f3a.
struct Judged {
  GateOutput output;
  std::vector<AcceptUse> uses;
  [[nodiscard]] const Comparison& row() const { return output.comparisons.at(0); }
  [[nodiscard]] const Verdict& verdict() const { return output.verdict; }
};

Judged judged(double ratio, const WorkDone& head, const std::vector<Accept>& accepts = {},
              const GateSpec& gate = gate_of(kStep)) {
  Report report;
  report.add(gate, metric_of(kStep, std::vector<double>(5, 4.27 * ratio)),
             series_of(kStep, quiet_runs()));
  const StoreWork base{.work = work_of(16), .unstable_output = {}};
  std::vector<WorkChange> changes = compare_work(base, head, Against::store);
  Judged all;
  all.uses = accept_work(changes, base.work, accepts, kToday);
  GateInput input = report.input();
  input.work = changes;
  all.output = judge(input);
  return all;
}

auto has_code(const std::string& code) { return Contains(Field(&Reason::code, code)); }
auto says(const std::string& text) { return Contains(Field(&Reason::text, HasSubstr(text))); }

Accept accept_of(std::string_view metric, double ceiling = 0.0) {
  return {.workload = "decode_8b",
          .metric = std::string(metric),
          .ceiling = ceiling,
          .unit = {},
          .reason = "speculative decoding is off",
          .issue = "https://example.org/7",
          .owner = "@team",
          .expires = "2027-03-31",
          .line = 3};
}

TEST(Work, ThatIsTheSameChangesNothing) {
  const Judged same = judged(0.9, work_of(16));
  EXPECT_EQ(same.verdict().outcome, Outcome::pass);
  EXPECT_TRUE(same.row().improved);
  EXPECT_EQ(same.verdict().reasons.size(), 1U);
}

TEST(Work, HalfTheTokensAreNoPassNoImprovementAndNoFailure) {
  for (const double ratio : {0.5, 1.0, 1.1}) {
    const Judged half = judged(ratio, work_of(8));
    EXPECT_EQ(half.verdict().outcome, Outcome::invalid) << ratio;
    EXPECT_FALSE(half.row().improved);
    EXPECT_FALSE(half.row().interval_known);
    EXPECT_EQ(half.row().reason,
              "step_time_p50: the head does half the work: 8 tokens a step, the baseline 16");
    EXPECT_THAT(half.verdict().reasons, has_code("less_work"));
  }
  EXPECT_THAT(judged(1.0, work_of(12)).row().reason, HasSubstr("does 25.0 % less work: 12 tokens"));
}

TEST(Work, ABrokenLimitFailsWhateverWasDone) {
  GateSpec gate = gate_of(kStep);
  gate.max = 4.0;
  const Judged half = judged(1.0, work_of(8), {}, gate);
  EXPECT_EQ(half.verdict().outcome, Outcome::fail);
  EXPECT_THAT(half.row().reason, HasSubstr("the head does half the work"));
  gate.max = 5.0;
  EXPECT_EQ(judged(1.0, work_of(8), {}, gate).verdict().outcome, Outcome::invalid);
}

TEST(Work, MoreTokensAreSaidBesideARowThatIsWorse) {
  const Judged twice = judged(1.2, work_of(32));
  EXPECT_EQ(twice.row().outcome, Outcome::fail);
  EXPECT_THAT(twice.row().reason,
              HasSubstr("the head does twice the work: 32 tokens a step, the baseline 16"));
  EXPECT_THAT(twice.verdict().reasons, has_code("more_work"));
  const Judged as_fast = judged(1.0, work_of(32));
  EXPECT_EQ(as_fast.verdict().outcome, Outcome::pass);
  EXPECT_THAT(as_fast.row().reason, Not(HasSubstr("twice")));
  EXPECT_THAT(as_fast.verdict().reasons, has_code("more_work"));
}

TEST(Work, FewerBytesForAsManyTokensStayAnImprovement) {
  const Judged quantized = judged(0.6, work_of(16, "9f3a", 7504990208.0));
  EXPECT_EQ(quantized.verdict().outcome, Outcome::pass);
  EXPECT_TRUE(quantized.row().improved);
  EXPECT_THAT(quantized.verdict().reasons, says("weights_bytes 15009980416 -> 7504990208"));
}

TEST(Work, AnotherOutputIsNoImprovement) {
  const Judged other = judged(0.9, work_of(16, "a1b2"));
  EXPECT_EQ(other.verdict().outcome, Outcome::invalid);
  EXPECT_FALSE(other.row().improved);
  EXPECT_THAT(other.row().reason, HasSubstr("that is no improvement: the output changed: hash "
                                            "9f3a -> a1b2"));
  EXPECT_THAT(other.verdict().reasons, has_code("other_output"));
}

TEST(Work, AnotherOutputWithoutAnImprovementIsANote) {
  const Judged other = judged(1.0, work_of(16, "a1b2"));
  EXPECT_EQ(other.verdict().outcome, Outcome::pass);
  EXPECT_THAT(other.verdict().reasons,
              says("the output changed: hash 9f3a -> a1b2; check that it is meant"));
  EXPECT_EQ(judged(1.2, work_of(16, "a1b2")).verdict().outcome, Outcome::fail);
}

TEST(Work, WhatTheHeadNoLongerTellsIsSaid) {
  const Judged silent = judged(0.9, WorkDone{});
  EXPECT_EQ(silent.verdict().outcome, Outcome::pass);
  EXPECT_THAT(silent.verdict().reasons,
              AllOf(has_code("work_unknown"), says("does not say how many tokens a step makes"),
                    says("tells no hash of its output")));
}

TEST(Work, WhatTheBaseDoesNotTellIsNotCompared) {
  EXPECT_THAT(compare_work({}, work_of(8), Against::store), IsEmpty());
}

TEST(Work, OfTheStoreTheNewestThatTellsAFigureCounts) {
  WorkDone no_hash = work_of(8, "");
  no_hash.weights_bytes.reset();
  const std::vector<BaselineWork> runs{{3, "c3", no_hash}, {2, "c2", work_of(16, "9f3a")}};
  const StoreWork work = work_of_store(runs);
  EXPECT_EQ(work.work.tokens, 8.0);
  EXPECT_EQ(work.work.weights_bytes, 15009980416.0);
  EXPECT_EQ(work.work.output_hash, "9f3a");
  EXPECT_EQ(work.unstable_output, "");
}

TEST(Work, AnOutputThatDiffersBetweenRunsOfOneCommitIsNotCompared) {
  const std::vector<BaselineWork> runs{{3, "c3", work_of(16, "11")}, {2, "c3", work_of(16, "22")}};
  const std::vector<WorkChange> changes =
      compare_work(work_of_store(runs), work_of(16, "33"), Against::store);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].effect, WorkEffect::note);
  EXPECT_EQ(changes[0].reason.code, "output_unstable");
}

TEST(Work, ALineAcceptsFewerTokensDownToItsCeiling) {
  const Judged accepted = judged(0.5, work_of(8), {accept_of(kAcceptTokens, 8)});
  EXPECT_EQ(accepted.verdict().outcome, Outcome::pass);
  EXPECT_THAT(accepted.verdict().reasons, says("accepted until 2027-03-31: speculative decoding"));
  ASSERT_EQ(accepted.uses.size(), 1U);
  EXPECT_EQ(accepted.uses[0].state, AcceptState::used);
  const Judged fewer = judged(0.5, work_of(4), {accept_of(kAcceptTokens, 8)});
  EXPECT_EQ(fewer.verdict().outcome, Outcome::invalid);
  EXPECT_EQ(fewer.uses[0].state, AcceptState::exceeded);
  EXPECT_THAT(fewer.row().reason, HasSubstr("fewer than the accepted 8"));
}

TEST(Work, ALineOnTheOutputDoesNotAcceptFewerTokens) {
  const Judged half = judged(0.5, work_of(8, "a1b2"), {accept_of(kAcceptOutput)});
  EXPECT_EQ(half.verdict().outcome, Outcome::invalid);
  EXPECT_EQ(half.uses[0].state, AcceptState::used);
  const Judged other = judged(0.5, work_of(16, "a1b2"), {accept_of(kAcceptOutput)});
  EXPECT_EQ(other.verdict().outcome, Outcome::pass);
  EXPECT_TRUE(other.row().improved);
}

TEST(Work, ALineThatIsNotNeededOrOverIsNamedAndHasNoEffect) {
  EXPECT_EQ(judged(1.0, work_of(16), {accept_of(kAcceptTokens, 8)}).uses.at(0).state,
            AcceptState::unused);
  Accept over = accept_of(kAcceptOutput);
  over.expires = "2026-11-29";
  const Judged expired = judged(0.9, work_of(16, "a1b2"), {over});
  EXPECT_EQ(expired.uses.at(0).state, AcceptState::expired);
  EXPECT_EQ(expired.verdict().outcome, Outcome::invalid);
  EXPECT_THAT(judged(0.9, WorkDone{}, {accept_of(kAcceptTokens, 8)}).uses, IsEmpty())
      << "nobody knows whether it is needed";
}

TEST(Work, OfASessionIsThatOfItsBase) {
  Session session = session_of(0.5, 8);
  PairsInput input = session.input();
  const std::vector<WorkChange> less =
      compare_work({.work = work_of(16), .unstable_output = {}}, work_of(8), Against::session);
  input.work = less;
  const GateOutput output = screen_pairs(input);
  EXPECT_EQ(output.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(output.comparisons.at(0).reason, HasSubstr("8 tokens a step, the base 16"));
  EXPECT_THAT(confirm_needs(output, session.spec).suspects, IsEmpty());
}

TEST(Work, ThatWasSaidOfTheLooksIsNotSaidAgainOfTheFreshPairs) {
  const Session looks = session_of(1.03, 12);
  const std::vector<WorkChange> other = compare_work({.work = work_of(16), .unstable_output = {}},
                                                     work_of(16, "a1b2"), Against::session);
  PairsInput input = looks.input();
  input.work = other;
  const GateOutput screened = screen_pairs(input);
  const Session fresh = session_of(1.03, 16);
  PairsInput again = fresh.input();
  again.work = other;
  const GateOutput output = confirm_pairs(screened, again);
  EXPECT_EQ(output.verdict.outcome, Outcome::fail);
  EXPECT_EQ(std::ranges::count(output.verdict.reasons, "output_changed", &Reason::code), 1);
}

TEST(Work, LinesOnItAreNotLookedForAmongTheRows) {
  GateOutput output = judged(1.0, work_of(16)).output;
  const std::vector<Accept> accepts{accept_of(kAcceptTokens, 8)};
  EXPECT_THAT(apply_accepts(output, accepts, kToday), IsEmpty());
}

}  // namespace
}  // namespace perfgate::gates
