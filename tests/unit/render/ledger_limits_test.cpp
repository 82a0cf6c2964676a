// What a ledger says of what it does not know, and how much it prints of what nobody measured.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reporters/render/explanation.h"
#include "tests/unit/render/explained.h"
#include "tests/unit/render/ledger_parts.h"

namespace perfgate::render {
namespace {

TEST(LedgerLimits, AnUnknownIntervalIsNotCalledNoise) {
  Ledger ledger = quiet_ledger();
  ledger.step.half_width.reset();
  ledger.rows.insert(ledger.rows.begin(), ledger_row(LedgerPart::family, "tiny", 1.0, 1.0, 0.0));
  for (LedgerRow& row : ledger.rows) row.ms.half_width.reset();
  for (const char* format : {"text", "md", "json"}) {
    const std::string text = rendered(of_ledger(ledger), format);
    EXPECT_FALSE(has_line(text, "within noise")) << text;
    EXPECT_FALSE(has_line(text, R"("within_noise": true)")) << text;
  }
  EXPECT_TRUE(has_line(rendered(of_ledger(ledger), "text"), ", no interval"));
}

TEST(LedgerLimits, FiguresThatNothingMeasuresKeepTheLayout) {
  Ledger ledger = eager_ledger();
  ledger.step.head = 1e308;
  ledger.rows[0].ms = {.base = -1e308, .head = 1e308, .half_width = 1e308};
  ledger.rows[0].kernels = attention_ledger().rows[0].kernels;
  for (KernelChange& kernel : ledger.rows[0].kernels)
    kernel.head = {.name = "k", .calls_per_step = 1e308, .ms_per_step = 1e308, .median_us = 1e308};
  std::vector<Diagnosis> causes = eager_diagnosis();
  causes[0].explains_ms = 1e308;
  for (const std::string& line : lines_of(rendered(of_ledger(ledger, causes), "text")))
    EXPECT_LE(line.size(), 3U * 80U) << line;
  EXPECT_FALSE(has_line(rendered(of_ledger(ledger, causes), "md"), "00000000000000000000"));
}

TEST(LedgerLimits, OfTwentyThousandCausesAndRowsTheFirstAreTold) {
  Ledger ledger = eager_ledger();
  const std::vector<Diagnosis> causes(20'000, eager_diagnosis()[0]);
  for (int i = 0; i < 20'000; ++i)
    ledger.rows.push_back(ledger_row(LedgerPart::tracing, "t" + std::to_string(i), 0, 0.1, 0.01));
  for (const char* format : {"text", "md"}) {
    const std::string text = rendered(of_ledger(ledger, causes), format);
    EXPECT_TRUE(has_line(text, "and 19,988 more causes")) << format;
    EXPECT_LT(lines_of(text).size(), 600U) << format;
  }
}

}  // namespace
}  // namespace perfgate::render
