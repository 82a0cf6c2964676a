// The small pure parts: numbers with units, rendering.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/spec/diagnostic.h"
#include "workloads/spec/quantity.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

using std::string_view_literals::operator""sv;

TEST(Quantity, SplitsANumberFromItsUnit) {
  const auto measure = split_measure("2.1 GB");
  ASSERT_TRUE(measure);
  EXPECT_DOUBLE_EQ(measure->value, 2.1);
  EXPECT_EQ(measure->unit, "GB");
  EXPECT_EQ(split_measure("10min")->unit, "min");
  EXPECT_EQ(split_measure("3%")->unit, "%");
  EXPECT_DOUBLE_EQ(split_measure("-.5")->value, -0.5);
}

TEST(Quantity, RefusesWhatIsNoNumber) {
  for (const auto* text : {"", " 1", "1  s", "1 ", "s", "-", "+-1", "nan", "inf", ".nan", "-inf",
                           "1e999", "020", "0x10"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
  EXPECT_DOUBLE_EQ(*parse_number("1e3"), 1000.0);
  EXPECT_DOUBLE_EQ(*parse_number("0"), 0.0);
  EXPECT_DOUBLE_EQ(*parse_number("0.5"), 0.5);
}

TEST(Quantity, IntegersAreDecimalUnlessTheyNameTheirBase) {
  EXPECT_EQ(parse_integer("20"), 20);
  EXPECT_EQ(parse_integer("-3"), -3);
  EXPECT_EQ(parse_integer("0o20"), 16);
  EXPECT_EQ(parse_integer("0x10"), 16);
  for (const auto* text :
       {"020", "1_000", "1.0", "1e3", "", "0o", "0x-1", "+-1", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(Render, CaretStandsUnderTheCharacterNotTheByte) {
  const Diagnostic diagnostic{Severity::error, {1, 6, 2}, "wrong", ""};
  EXPECT_EQ(render(diagnostic, "äöü: xy\n", "f.yaml"),
            "f.yaml:1:6: error: wrong\n    äöü: xy\n         ^~\n");
}

TEST(Render, LineNumbersBeyondTheFileShowNoSource) {
  EXPECT_EQ(render({Severity::warning, {9, 1, 1}, "gone", "look"}, "a\n", "f"),
            "f:9:1: warning: gone\n    look\n");
}

TEST(Utf8, KnowsCharactersFromOtherBytes) {
  EXPECT_EQ(character_length("a"), 1U);
  EXPECT_EQ(character_length("ä"), 2U);
  EXPECT_EQ(character_length("\xF0\x9F\x98\x80"), 4U);
  for (const auto text : {"\x80"sv, "\xC0\xAF"sv, "\xE0\x80\x80"sv, "\xED\xA0\x80"sv,
                          "\xF5\x80\x80\x80"sv, "\xC3"sv}) {
    EXPECT_EQ(character_length(text), 0U);
  }
}

}  // namespace
}  // namespace perfgate::workloads
