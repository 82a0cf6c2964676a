// The cases of a self-test as they are read: a file that would prove nothing is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/selftest/cases.h"

namespace perfgate::cli::selftest {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead = "perfgate_selftest: 1\ncases:\n";
constexpr std::string_view kPair =
    "  - {name: pair, kind: a_a, recording: tiny, heads: each, expect: [pass, inconclusive], why: "
    "nothing changed}\n";
constexpr std::string_view kSlower =
    "  - name: slower\n"
    "    kind: regression\n"
    "    recording: [tiny, gemm_8k]\n"
    "    size: +5 %\n"
    "    gates: [\"{metric: step_time_p50, margin: 1%}\"]\n"
    "    change:\n"
    "      - {metric: step_time_p50, by: +5%}\n"
    "      - {store: all, runs: 8}\n"
    "    expect: fail\n"
    "    says: step_time_p50\n"
    "    why: five per cent are\n";
constexpr std::string_view kEnd = "end: true\n";

std::string file_of(const std::string& cases) {
  return std::string(kHead) + cases + std::string(kEnd);
}

std::string both() { return std::string(kPair) + std::string(kSlower); }

/// What is said of a file that is refused.
std::string refusal(const std::string& text) {
  const auto cases = parse_cases(text, "selftest.yaml");
  EXPECT_FALSE(cases.ok());
  if (cases.ok()) return {};
  EXPECT_EQ(cases.error().code, ErrorCode::corrupt);
  EXPECT_THAT(cases.error().context, HasSubstr("selftest.yaml:"));
  return cases.error().context;
}

std::string one_more(const std::string& keys) {
  return file_of(both() + "  - {name: more, recording: tiny, why: so, " + keys + "}\n");
}

TEST(SelftestCases, AreReadWithTheirChanges) {
  const auto cases = parse_cases(file_of(both()), "selftest.yaml");
  ASSERT_TRUE(cases.ok()) << cases.error().context;
  ASSERT_EQ(cases.value().size(), 2U);
  const Case& slower = cases.value()[1];
  EXPECT_EQ(slower.kind, Kind::regression);
  EXPECT_EQ(slower.recordings, (std::vector<std::string>{"tiny", "gemm_8k"}));
  EXPECT_EQ(slower.heads, "candidate");
  EXPECT_EQ(slower.expected, std::vector{Outcome::fail});
  ASSERT_EQ(slower.changes.size(), 2U);
  EXPECT_EQ(slower.changes[0].of, "step_time_p50");
  EXPECT_DOUBLE_EQ(slower.changes[0].number, 0.05);
  EXPECT_EQ(slower.changes[1].action, Change::Action::runs);
  ASSERT_EQ(slower.gates.size(), 1U);
  EXPECT_EQ(slower.gates[0].margin_ratio, 0.01);
}

TEST(SelftestCases, ThatAreCutAtAnyLineAreRefused) {
  const std::string whole = file_of(both());
  for (std::size_t at = whole.find('\n'); at + 1 < whole.size(); at = whole.find('\n', at + 1)) {
    EXPECT_FALSE(parse_cases(whole.substr(0, at + 1), "selftest.yaml").ok()) << at;
  }
  EXPECT_THAT(refusal(std::string(kHead) + both()), HasSubstr("the file is cut"));
}

TEST(SelftestCases, OfAnEmptyFileAreToldTheirOwnKeys) {
  const auto cases = parse_cases("", "selftest.yaml");
  ASSERT_FALSE(cases.ok());
  EXPECT_THAT(cases.error().context, HasSubstr("perfgate_selftest: 1"));
  EXPECT_EQ(cases.error().context.find("perfgate init"), std::string::npos);
}

TEST(SelftestCases, NeedAnAaPairAndARegression) {
  EXPECT_THAT(refusal(file_of(std::string(kPair))),
              HasSubstr("no case that counts is of kind regression"));
  EXPECT_THAT(refusal(file_of(std::string(kSlower))),
              HasSubstr("no case that counts is of kind a_a"));
}

TEST(SelftestCases, MayNotExpectTheOppositeOfTheirKind) {
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: [pass, fail]")),
              HasSubstr("kind a_a may not expect fail"));
  EXPECT_THAT(refusal(one_more("kind: regression, expect: [fail, pass]")),
              HasSubstr("kind regression may not expect pass"));
  EXPECT_THAT(refusal(one_more("kind: invalid, expect: pass")),
              HasSubstr("kind invalid may not expect pass"));
}

TEST(SelftestCases, NameWhatIsNotKnown) {
  EXPECT_THAT(refusal(one_more("kind: a_b, expect: pass")), HasSubstr("a_a, regression"));
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: green")), HasSubstr("'green'"));
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: pass, chnage: []")), HasSubstr("`chnage`"));
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: pass, change: [{metric: x, cut: 5%}]")),
              HasSubstr("`metric` ... `cut`"));
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: pass, change: [{metric: x, by: 5}]")),
              HasSubstr("not like +5%"));
  EXPECT_THAT(refusal(one_more("kind: a_a, expect: pass, gates: ['{metric: step_tme_p50}']")),
              HasSubstr("step_tme_p50"));
}

TEST(SelftestCases, WithOneNameTwiceAreRefused) {
  EXPECT_THAT(refusal(file_of(both() + std::string(kPair))), HasSubstr("named 'pair'"));
}

TEST(SelftestCases, ChangeFilesOnlyWhereThereAreFiles) {
  EXPECT_THAT(refusal(one_more("kind: invalid, expect: invalid, heads: each, change: [{capture: "
                               "11, cut: 50%}]")),
              HasSubstr("in a run folder"));
  EXPECT_THAT(refusal(one_more("kind: invalid, expect: invalid, change: [{capture: 11, cut: 50%}, "
                               "{metric: x, by: 1%}]")),
              HasSubstr("not both"));
}

TEST(SelftestCases, HaveARowForEachKind) {
  for (const Kind kind : {Kind::a_a, Kind::regression, Kind::improvement, Kind::too_few,
                          Kind::not_comparable, Kind::invalid}) {
    EXPECT_EQ(row_of(kind).kind, kind);
  }
}

}  // namespace
}  // namespace perfgate::cli::selftest
