// What `explain` and `compare` answer: the waterfall, the kernels behind it, and the causes, each
// for a person at a terminal, for a comment on GitHub, and for a program.
#include "reporters/render/explanation.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reporters/render/ledger_rows.h"
#include "reporters/render/story.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/explained.h"
#include "tests/unit/render/ledger_parts.h"
#include "tests/unit/render/report_cases.h"

namespace perfgate::render {
namespace {

namespace fs = std::filesystem;
using Kind = WaterfallRow::Kind;

RunResult case_named(const std::string& name) {
  for (ReportCase& item : report_cases()) {
    if (item.name == name) return item.result;
  }
  ADD_FAILURE() << name;
  return {};
}

// tests/golden/explanations/CASE.{txt,md}; PERFGATE_UPDATE_GOLDEN=1 writes them anew.
class GoldenExplanation : public testing::TestWithParam<std::string> {};

TEST_P(GoldenExplanation, IsAsExpected) {
  const char* asked = std::getenv("PERFGATE_UPDATE_GOLDEN");
  const bool updating = asked != nullptr && std::string_view(asked) == "1";
  ASSERT_FALSE(updating && std::getenv("CI") != nullptr) << "golden files are not updated in CI";
  for (const auto& [format, extension] : {std::pair("terminal", "txt"), std::pair("md", "md")}) {
    const fs::path path = fs::path("tests/golden/explanations") / (GetParam() + "." + extension);
    const std::string text = rendered(explain(case_named(GetParam())), format);
    if (updating) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << text;
    }
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Explanations, GoldenExplanation,
                         testing::Values("fail_diagnosed", "fail_no_cause", "pass_same_work",
                                         "fail_eager", "fail_hostile_names"),
                         [](const auto& param) { return param.param; });

TEST(Waterfall, EachBarStartsWhereTheOneAboveEndedAndTheStepIsTheSum) {
  const Waterfall waterfall = waterfall_of(eager_ledger());
  ASSERT_GE(waterfall.rows.size(), 4U);
  for (std::size_t i = 1; i + 1 < waterfall.rows.size(); ++i)
    EXPECT_DOUBLE_EQ(waterfall.rows[i].start_ms, waterfall.rows[i - 1].end_ms) << i;
  const WaterfallRow& step = waterfall.rows.back();
  EXPECT_EQ(step.kind, Kind::step);
  EXPECT_EQ(step.start_ms, 0.0);
  EXPECT_NEAR(step.end_ms, waterfall.rows[waterfall.rows.size() - 2].end_ms, 1e-9);
}

TEST(Waterfall, WhatIsWithinNoiseIsOneLine) {
  const Waterfall waterfall = waterfall_of(eager_ledger());
  const auto folded = std::ranges::find(waterfall.rows, Kind::folded, &WaterfallRow::kind);
  ASSERT_NE(folded, waterfall.rows.end());
  EXPECT_EQ(folded->name, "3 others within noise");
  EXPECT_EQ(std::ranges::count(waterfall.rows, Kind::part, &WaterfallRow::kind), 3);
  EXPECT_EQ(waterfall_of(quiet_ledger()).rows[0].name, "2 parts within noise");
}

TEST(Waterfall, WhatIsTooSmallForALineIsFoldedApartFromNoise) {
  Ledger ledger = eager_ledger();
  ledger.rows.push_back(ledger_row(LedgerPart::family, "sampling", 0.010, 0.011, 0.0001));
  const Waterfall waterfall = waterfall_of(ledger);
  EXPECT_EQ(waterfall.rows[3].name, "1 other, smaller");
  EXPECT_EQ(waterfall.rows[4].name, "3 others within noise");
}

TEST(Waterfall, RowsBeyondThoseThatAreShownAreFoldedSoThatTheRowsSumToTheStep) {
  const auto sum = [](const Waterfall& waterfall) {
    double ms = 0.0;
    for (const WaterfallRow& row : waterfall.rows)
      ms += row.kind == Kind::step ? 0.0 : row.ms.change();
    return ms;
  };
  const Waterfall two = waterfall_of(eager_ledger(), 2);
  EXPECT_EQ(std::ranges::count(two.rows, Kind::part, &WaterfallRow::kind), 2);
  EXPECT_EQ(two.rows[2].name, "1 other, smaller");
  EXPECT_NEAR(sum(two), sum(waterfall_of(eager_ledger())), 1e-9);
}

TEST(Waterfall, ALargeChangeWithinItsNoiseIsShownAndMarked) {
  Ledger ledger = eager_ledger();
  ledger.rows[0].ms.half_width = 2.0;
  const Waterfall waterfall = waterfall_of(ledger);
  EXPECT_TRUE(waterfall.rows[0].in_noise);
  const std::string text = rendered(of_ledger(ledger), "text");
  EXPECT_TRUE(has_line(text, "~ idle launch_overhead")) << text;
  EXPECT_TRUE(has_line(text, "~ within noise")) << text;
}

TEST(Waterfall, NoPartIsListedWhereNothingIsBeyondItsNoise) {
  Ledger ledger = quiet_ledger();
  ledger.rows[1].ms = {.base = 0.501, .head = 0.503, .half_width = 0.003};
  EXPECT_EQ(waterfall_of(ledger).rows[0].name, "2 parts within noise");
}

TEST(Waterfall, WithoutIntervalsTheLargePartsAreStillTold) {
  Ledger ledger = eager_ledger();
  for (LedgerRow& row : ledger.rows) row.ms.half_width.reset();
  const std::string text = rendered(of_ledger(ledger), "text");
  EXPECT_TRUE(has_line(text, "idle launch_overhead")) << text;
  EXPECT_TRUE(has_line(text, "too few processes or runs to tell noise")) << text;
}

TEST(Waterfall, FasterPartsGoToTheLeft) {
  Ledger ledger = eager_ledger();
  ledger.rows = {ledger_row(LedgerPart::family, "gemm", 1.0, 2.0, 0.01),
                 ledger_row(LedgerPart::family, "norm", 1.0, 0.5, 0.01)};
  ledger.step = {.base = 4.0, .head = 4.5, .half_width = 0.01};
  const std::string text =
      rendered(of_ledger(ledger), "terminal", {.colour = false, .width = 80, .unicode = false});
  const auto lines = lines_of(text);
  const auto gemm =
      std::ranges::find_if(lines, [](auto& line) { return line.starts_with("  gemm"); });
  ASSERT_NE(gemm, lines.end()) << text;
  const std::string& norm = *(gemm + 1);
  EXPECT_EQ(gemm->rfind('#'), norm.rfind('-')) << "both end at the same place\n" << text;
  EXPECT_GT(norm.find_last_of(' '), gemm->find('#') - 1) << text;
}

TEST(Waterfall, ATinyChangeHasDigitsOfItsOwn) {
  Ledger ledger = quiet_ledger();
  ledger.step = {.base = 0.0211, .head = 0.0231, .half_width = 0.0001};
  EXPECT_EQ(ledger_headline(ledger, "+-"),
            "0.0211 ms -> 0.0231 ms a step, +0.0020 ms +-0.0001 (+9.5 %)");
}

TEST(Waterfall, AnUnknownStepIsSaidToBe) {
  Ledger ledger = eager_ledger();
  ledger.step = {};
  EXPECT_EQ(ledger_headline(ledger, "+-"), "the untraced step is not known on both sides");
  EXPECT_EQ(std::ranges::count(waterfall_of(ledger).rows, Kind::step, &WaterfallRow::kind), 0);
}

TEST(Kernels, AReplacedKernelTellsBothSides) {
  const Ledger ledger = attention_ledger();
  const std::vector<const KernelChange*> kernels = changed_kernels(ledger.rows[0]);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0]->fate, KernelFate::replaced);
  EXPECT_EQ(place_words(*kernels[0]), "decode/layer */attention (32 places)");
  EXPECT_EQ(calls_words(*kernels[0]), "32 calls");
  EXPECT_EQ(median_words(*kernels[0]), "15.20 us -> 22.30 us");
  EXPECT_EQ(launch_words(*kernels[0]),
            "grid 132x1x1 -> 64x1x1, registers 168 -> 255; code differs");
  EXPECT_EQ(calls_words(*kernels[1]), "32 calls");
  EXPECT_EQ(median_words(*kernels[1]), "1.900 us");
  EXPECT_EQ(launch_words(*kernels[1]), "") << "there is nothing to compare its launch with";
}

TEST(Kernels, WhatStayedTheSameIsLeftOut) {
  Ledger ledger = attention_ledger();
  ledger.rows[0].kernels[0].fate = KernelFate::same;
  EXPECT_EQ(changed_kernels(ledger.rows[0]).size(), 1U);
}

TEST(Kernels, SameCodeIsSaidOfASlowerKernelAndTheClocksStandBeside) {
  const std::string text = rendered(of_ledger(attention_ledger()), "text");
  EXPECT_TRUE(has_line(text, "in decode/lm_head; same code")) << text;
  EXPECT_TRUE(has_line(text, "SM 1,980 -> 1,965 MHz, memory 3,201 MHz, power 612 W")) << text;
  EXPECT_EQ(clocks_sentence(eager_ledger()), "") << "no kernel is slower there";
}

TEST(Kernels, CopiesTellTheirBytes) {
  EXPECT_EQ(launch_words(attention_ledger().rows[2].kernels[0]), "0 B -> 65.5 kB a step");
}

TEST(Kernels, AtMostEightOfARowAreListed) {
  Ledger ledger = attention_ledger();
  const KernelChange kernel = ledger.rows[1].kernels[0];
  for (int i = 0; i < 10; ++i) {
    ledger.rows[1].kernels.push_back(kernel);
    ledger.rows[1].kernels.back().place = std::string("decode/") + static_cast<char>('a' + i);
  }
  EXPECT_TRUE(has_line(rendered(of_ledger(ledger), "text"), "3 more kernels +0.018 ms"));
}

TEST(Explanation, BeginsWithOneSentenceThenTheCause) {
  const auto lines = lines_of(rendered(explain(case_named("fail_diagnosed")), "text"));
  EXPECT_TRUE(lines[0].starts_with("FAIL     decode_8b is 22.0 % slower than baseline"))
      << lines[0];
  EXPECT_TRUE(lines[1].starts_with("why      CUDA graphs are off (certain, +0.990 ms): "))
      << lines[1];
}

TEST(Explanation, SaysThatNoCauseIsEstablishedOrThatNoneIsNeeded) {
  EXPECT_TRUE(
      has_line(rendered(of_ledger(attention_ledger()), "text"), "why      cause not established"));
  EXPECT_TRUE(has_line(rendered(of_ledger(quiet_ledger()), "text"),
                       "nothing to explain: the step changed by no more than its noise"));
}

TEST(Explanation, AgainstAStoreItSaysWhatNamesTheKernels) {
  for (const char* format : {"text", "md"}) {
    const std::string text = rendered(of_ledger(store_ledger()), format);
    EXPECT_TRUE(has_line(text, "the store keeps no kernels: perfgate compare")) << text;
    EXPECT_TRUE(has_line(text, "base 10 runs; head 3 traced")) << text;
  }
  RunResult run = case_named("fail_diagnosed");
  run.ledger = store_ledger();
  const std::string text = render_terminal(run, {});
  EXPECT_NE(text.find("perfgate explain RUN_FOLDER"), std::string::npos) << "it has this run's own";
  EXPECT_EQ(text.find("kernels, places and gaps behind it"), std::string::npos)
      << "those behind a row are not kept";
}

TEST(Waterfall, BarsOfNoiseAreNotDrawn) {
  EXPECT_FALSE(has_line(rendered(of_ledger(quiet_ledger()), "text"), "\u2588"));
}

TEST(Kernels, APlaceAloneIsToldWithItsKernels) {
  Ledger ledger = attention_ledger();
  EXPECT_TRUE(large_places(ledger.rows[0], 5).empty());
  ledger.rows[0].places.push_back({"prefill/attention", 0.1, 0.2});
  EXPECT_EQ(large_places(ledger.rows[0], 5).size(), 2U);
  EXPECT_EQ(large_places(ledger.rows[0], 1).size(), 1U);
}

TEST(Explanation, WhatTheProgramsDifferInStandsBesideTheCause) {
  RunResult run = case_named("fail_diagnosed");
  run.baseline.comparability.subject = {{"cublaslt", "13.0.0", "13.0.2"}};
  for (const char* format : {"text", "md"})
    EXPECT_TRUE(has_line(rendered(explain(run), format), "cublaslt 13.0.0 -")) << format;
}

TEST(Explanation, WithoutACauseItTellsWhatMoved) {
  const std::string text = rendered(explain(case_named("fail_no_cause")), "text");
  EXPECT_TRUE(has_line(text, "why      cause not established; what moved: ")) << text;
  EXPECT_FALSE(has_line(text, "changed  cublaslt")) << "that is said already";
}

TEST(Explanation, SameWorkIsSaid) {
  Ledger ledger = quiet_ledger();
  ledger.head.counts["kernel_launches"] = 227.0;
  std::string text = rendered(of_ledger(ledger), "text");
  EXPECT_TRUE(has_line(text, "all 227 kernels of a step have the same code and launch in base"))
      << text;
  ledger.work = WorkIdentity::same_launches;
  text = rendered(of_ledger(ledger), "text");
  EXPECT_TRUE(has_line(text, "all 227 kernels of a step have the same name and launch in base"))
      << text;
  ledger.head.counts.clear();
  text = rendered(of_ledger(ledger), "text");
  EXPECT_TRUE(has_line(text, "the GPU work of a step has the same name and launch")) << text;
}

TEST(Explanation, WhatTracingDoesToOneSideIsSaidWhereItIsWhatNobodyHas) {
  Ledger ledger = attention_ledger();
  ledger.established = false;
  ledger.problem = "the traced steps do not show the change";
  ledger.base.traced_step_ms = ledger.base.step_ms + 0.01;
  ledger.head.traced_step_ms = ledger.head.step_ms + 0.23;
  ledger.rows.back().ms.head = ledger.rows.back().ms.base - 0.22;
  const std::string words =
      "tracing changes a step of the base by +0.010 ms, one of the head by "
      "+0.230 ms";
  EXPECT_TRUE(has_line(rendered(of_ledger(ledger), "md"), words));
  ledger.head.traced_step_ms = ledger.head.step_ms + 0.02;
  EXPECT_FALSE(has_line(rendered(of_ledger(ledger), "md"), "tracing changes"));
}

TEST(Explanation, WhatIsNotEstablishedIsSaid) {
  Ledger ledger = attention_ledger();
  ledger.established = false;
  ledger.problem = "0.120 ms of 0.290 ms are unattributed";
  for (const char* format : {"text", "md"}) {
    EXPECT_TRUE(has_line(rendered(of_ledger(ledger), format),
                         "not established: 0.120 ms of 0.290 ms are unattributed"));
  }
}

TEST(Explanation, WithoutALedgerItSaysWhyAndWhatMakesOne) {
  for (const char* format : {"text", "md"}) {
    const std::string text = rendered(explain(case_named("no_baseline")), format);
    EXPECT_TRUE(has_line(text, "none: there is nothing that it was compared with")) << text;
    EXPECT_TRUE(has_line(text, "perfgate compare BASE_FOLDER HEAD_FOLDER")) << text;
  }
  EXPECT_TRUE(has_line(rendered(explain(case_named("fail_eager")), "text"),
                       "none: this result was made without one"));
  RunResult alone = case_named("no_baseline");
  alone.diagnosis = eager_diagnosis();
  EXPECT_TRUE(has_line(rendered(explain(alone), "text"), "why      CUDA graphs are off"))
      << "a cause of the time needs no base";
}

TEST(Explanation, WarningsComeFirstAndTheNoteSaysThatItIsNoVerdict) {
  Explanation explanation = of_ledger(quiet_ledger());
  explanation.warnings = {"not comparable: driver 575.51 there, 580.65 here"};
  for (const char* format : {"text", "md"}) {
    const auto lines = lines_of(rendered(explanation, format));
    EXPECT_NE(lines[0].find("not comparable: driver"), std::string::npos) << lines[0];
    EXPECT_TRUE(has_line(rendered(explanation, format), "not a verdict"));
  }
}

TEST(Explanation, NoLineIsWiderThanAskedAndAsciiStaysAscii) {
  for (const ReportCase& item : report_cases()) {
    for (const int width : {60, 80, 132}) {
      for (const bool unicode : {true, false}) {
        const TerminalStyle style{.colour = false, .width = width, .unicode = unicode};
        const std::string text = rendered(explain(item.result), "terminal", style);
        for (const std::string& line : lines_of(text))
          EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
        if (unicode) continue;
        EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
          return c == '\n' || (c >= ' ' && c < 0x7F);
        })) << item.name;
      }
    }
  }
}

TEST(Explanation, AbsurdFiguresAreShownAsUnknown) {
  Ledger ledger = attention_ledger();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ledger.rows[0].ms = {nan, std::numeric_limits<double>::infinity(), nan};
  ledger.rows[1].ms = {-1e308, 1e308, 0.0};
  ledger.rows[0].kernels[0].head.ms_per_step = nan;
  ledger.rows[0].kernels[0].head.median_us = nan;
  ledger.rows[0].kernels[0].head.calls_per_step = nan;
  ledger.base.sm_clock_mhz = nan;
  for (const char* format : {"text", "md"}) {
    const std::string text = rendered(of_ledger(ledger), format);
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find(" inf"), std::string::npos) << text;
  }
}

TEST(Explanation, AKernelThatLastsShorterAndTakesMoreIsToldByItsWallTime) {
  Ledger ledger = attention_ledger();
  KernelChange& kernel = ledger.rows[0].kernels[0];
  ASSERT_EQ(kernel.base.calls_per_step, kernel.head.calls_per_step);
  ASSERT_GT(kernel.change_ms(), 0.0);
  kernel.base.median_us = 44.54;
  kernel.head.median_us = 36.68;
  for (const char* format : {"text", "md"}) {
    const std::string text = rendered(of_ledger(ledger), format);
    EXPECT_NE(text.find("wall 15.20 us -> 22.30 us"), std::string::npos) << text;
    EXPECT_NE(text.find("lasts 44.54 us -> 36.68 us"), std::string::npos) << text;
  }
  kernel.head.median_us = 50.00;
  EXPECT_EQ(rendered(of_ledger(ledger), "text").find("wall 15.20"), std::string::npos);
}

TEST(Explanation, ProgramsReadWhatResultJsonHas) {
  const auto json = nlohmann::json::parse(rendered(explain(case_named("fail_diagnosed")), "json"));
  EXPECT_EQ(json["label"], "FAIL");
  EXPECT_EQ(json["diagnosis"][0]["rule"], "graphs_off");
  EXPECT_EQ(json["ledger"]["rows"][0]["name"], "launch_overhead");
}

TEST(Story, ANamedCauseStandsInPlaceOfThePartsAndAPassNeedsNone) {
  RunResult passed = case_named("pass");
  passed.diagnosis = eager_diagnosis();
  EXPECT_EQ(tell(passed).cause, "");
  RunResult run = case_named("fail_diagnosed");
  EXPECT_EQ(
      tell(run).cause,
      "CUDA graphs are off (certain): graph_launches 1 -> 0 and launch_calls 1 -> 355 a step");
  EXPECT_EQ(tell(run).next, "Find out why the step is no longer captured");
  run.baseline.comparability.subject = {{"program", "sha256:51aa0c", "sha256:9be3f7"}};
  EXPECT_TRUE(tell(run).cause.ends_with("; changed: program")) << tell(run).cause;
  run.baseline.comparability.subject = {{"injected_fault", "none", "graphs_off=1"}};
  run.diagnosis[0].evidence = {"injected_fault none -> graphs_off=1"};
  EXPECT_EQ(tell(run).cause, "CUDA graphs are off (certain): injected_fault none -> graphs_off=1")
      << "said once";
  run.baseline.comparability.subject.clear();
  run.diagnosis.clear();
  EXPECT_TRUE(tell(run).cause.starts_with("launch_calls 1 -> 355 a step")) << tell(run).cause;
}

}  // namespace
}  // namespace perfgate::render
