// perfgate-accepts.yaml: what is read, what is refused and where, and how lines are added.
#include "workloads/spec/accepts_file.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/spec/accepts_edit.h"
#include "workloads/spec/quantity.h"

namespace perfgate::workloads {
namespace {

using ::testing::HasSubstr;

const std::string kHead = "perfgate_accepts: 1\naccepts:\n";
const std::string kEntry =
    "  - workload: decode_8b\n"
    "    metric: step_time_p50\n"
    "    ceiling: 4.62 ms            # the worst value that is accepted\n"
    "    reason: longer context for the new tokenizer\n"
    "    issue: https://github.com/org/repo/issues/12\n"
    "    owner: \"@inference-team\"\n"
    "    expires: 2027-03-31\n";

AcceptsOptions options() {
  AcceptsOptions options;
  options.metric_check = [](std::string_view id) -> std::optional<std::string> {
    if (id == "step_time_p50" || id == "kernel_launches" || id == "tokens_per_s" ||
        id.starts_with("reported/"))
      return std::nullopt;
    return "did you mean 'step_time_p50'?";
  };
  options.metric_unit = [](std::string_view id) -> std::optional<std::string> {
    if (id == "step_time_p50") return "ms";
    if (id == "kernel_launches") return "1";
    if (id == "tokens_per_s") return "tokens/s";
    return std::nullopt;
  };
  options.workloads = {{"decode_8b", {"step_time_p50", "kernel_launches"}},
                       {"gemm_8k", {"step_time_p50"}}};
  options.today_utc = "2026-11-30";
  return options;
}

std::string with(const std::string& key, const std::string& value) {
  std::string text = kEntry;
  const std::size_t at = text.find(key + ":") + key.size() + 1;
  return kHead + text.replace(at, text.find('\n', at) - at, " " + value);
}

std::string errors_of(const std::string& text) {
  const CheckedAccepts checked = check_accepts(text, options());
  return render(checked.errors, text, "accepts.yaml");
}

std::string warnings_of(const std::string& text) {
  const CheckedAccepts checked = check_accepts(text, options());
  EXPECT_EQ(errors_of(text), "");
  return render(checked.warnings, text, "accepts.yaml");
}

TEST(AcceptsFile, ALineIsReadAsItIsWritten) {
  const auto accepts = parse_accepts(kHead + kEntry, "accepts.yaml", options());
  ASSERT_TRUE(accepts.ok()) << accepts.error().context;
  ASSERT_EQ(accepts.value().size(), 1U);
  const Accept& accept = accepts.value().front();
  EXPECT_EQ(accept.workload, "decode_8b");
  EXPECT_EQ(accept.metric, "step_time_p50");
  EXPECT_EQ(accept.ceiling, 4.62);
  EXPECT_EQ(accept.unit, "ms");
  EXPECT_EQ(accept.reason, "longer context for the new tokenizer");
  EXPECT_EQ(accept.issue, "https://github.com/org/repo/issues/12");
  EXPECT_EQ(accept.owner, "@inference-team");
  EXPECT_EQ(accept.expires, "2027-03-31");
  EXPECT_EQ(accept.line, 3);
  EXPECT_EQ(warnings_of(kHead + kEntry), "");
}

TEST(AcceptsFile, AFileWithoutLinesAcceptsNothing) {
  for (const char* text : {"perfgate_accepts: 1\naccepts:\n", "perfgate_accepts: 1\naccepts: []\n"})
    EXPECT_EQ(errors_of(text), "") << text;
}

TEST(AcceptsFile, TheCeilingIsInTheMetricsUnit) {
  const auto ceiling = [](const std::string& metric, const std::string& value) {
    std::string text = with("ceiling", value);
    text.replace(text.find("step_time_p50"), 13, metric);
    const CheckedAccepts checked = check_accepts(text, options());
    EXPECT_TRUE(checked.errors.empty()) << render(checked.errors, text, "accepts.yaml");
    return checked.errors.empty() ? checked.accepts.front() : Accept{};
  };
  EXPECT_EQ(ceiling("step_time_p50", "4.6ms").ceiling, 4.6);
  EXPECT_EQ(ceiling("step_time_p50", "4620 us").ceiling, 4.62);
  EXPECT_EQ(ceiling("step_time_p50", "4620 us").unit, "ms");
  EXPECT_EQ(ceiling("kernel_launches", "386").ceiling, 386.0);
  EXPECT_EQ(ceiling("tokens_per_s", "1200 tokens/s").unit, "tokens/s");
  EXPECT_EQ(ceiling("reported/ttft", "31.5 furlongs").unit, "furlongs");
}

TEST(AcceptsFile, ACeilingThatCannotBeMeantIsRefused) {
  EXPECT_THAT(errors_of(with("ceiling", "4,6 ms")), HasSubstr("write a decimal point"));
  EXPECT_THAT(errors_of(with("ceiling", "nan ms")), HasSubstr("must be a number with its unit"));
  EXPECT_THAT(errors_of(with("ceiling", ".inf")), HasSubstr("must be a number with its unit"));
  EXPECT_THAT(errors_of(with("ceiling", "4.62")), HasSubstr("write '4.62 ms'"));
  EXPECT_THAT(errors_of(with("ceiling", "4.62 MB")), HasSubstr("unknown unit 'MB'"));
  EXPECT_THAT(errors_of(with("ceiling", "-1 ms")), HasSubstr("must be above 0"));
  EXPECT_THAT(errors_of(with("ceiling", "1e300 ms")), HasSubstr("must be at most"));
  std::string tokens = with("ceiling", "1200 tok/s");
  tokens.replace(tokens.find("step_time_p50"), 13, "tokens_per_s");
  EXPECT_THAT(errors_of(tokens), HasSubstr("is in tokens/s, found 1200 tok/s"));
  tokens.replace(tokens.find("1200 tok/s"), 10, "1200");
  EXPECT_THAT(errors_of(tokens), HasSubstr("write '1200 tokens/s'"));
}

TEST(AcceptsFile, TheExpiryIsADayOfTheCalendar) {
  EXPECT_THAT(errors_of(with("expires", "2027-02-30")), HasSubstr("the month has 28 days"));
  EXPECT_EQ(errors_of(with("expires", "2028-02-29")), "");
  EXPECT_THAT(errors_of(with("expires", "2027-13-01")), HasSubstr("the months are 01 to 12"));
  for (const char* text :
       {"31.03.2027", "2027-3-31", "next week", "2027-03-31T00:00:00Z", "20270331", "2027-+3-31"}) {
    EXPECT_THAT(errors_of(with("expires", text)), HasSubstr("year-month-day")) << text;
  }
}

TEST(AcceptsFile, AnExpiryThatIsOverOrFarAwayIsAWarning) {
  EXPECT_THAT(warnings_of(with("expires", "2026-11-29")), HasSubstr("is over"));
  EXPECT_EQ(warnings_of(with("expires", "2026-11-30")), "") << "its last day still counts";
  EXPECT_EQ(warnings_of(with("expires", "2027-11-30")), "");
  EXPECT_THAT(warnings_of(with("expires", "2027-12-01")), HasSubstr("more than a year away"));
}

TEST(AcceptsFile, AnIssueThatNobodyCanOpenIsAWarning) {
  EXPECT_THAT(warnings_of(with("issue", "PERF-12")), HasSubstr("is no address of a page"));
  EXPECT_EQ(warnings_of(with("issue", "https://example.org/12")), "");
}

TEST(AcceptsFile, AllProblemsAreReportedAtOnceEachAtItsPlace) {
  const std::string text = kHead +
                           "  - workload: decode_8c\n"
                           "    metric: step_time_p5\n"
                           "    cieling: 4.62 ms\n"
                           "    reason: ''\n"
                           "    owner: me\n"
                           "    owner: you\n"
                           "    expires: tomorrow\n";
  const std::string said = errors_of(text);
  EXPECT_THAT(said, HasSubstr("accepts.yaml:3:15: error: no workload file of this folder"));
  EXPECT_THAT(said, HasSubstr("did you mean 'decode_8b'?"));
  EXPECT_THAT(said, HasSubstr("accepts.yaml:4:13: error: there is no metric 'step_time_p5'"));
  EXPECT_THAT(said, HasSubstr("unknown key 'cieling' in accepts"));
  EXPECT_THAT(said, HasSubstr("did you mean 'ceiling'?"));
  EXPECT_THAT(said, HasSubstr("missing key 'ceiling'"));
  EXPECT_THAT(said, HasSubstr("missing key 'issue'"));
  EXPECT_THAT(said, HasSubstr("accepts.reason is empty"));
  EXPECT_THAT(said, HasSubstr("accepts.yaml:8:5: error: "));
  EXPECT_THAT(said, HasSubstr("accepts.expires must be a date"));
}

TEST(AcceptsFile, AnEmptyOneIsToldWhatItNeedsAndNotTheKeysOfAWorkload) {
  for (const char* text : {"", "# nothing\n", "---\n"}) {
    EXPECT_THAT(errors_of(text), HasSubstr("write 'perfgate_accepts: 1'")) << text;
    EXPECT_EQ(errors_of(text).find("perfgate init"), std::string::npos) << text;
  }
}

TEST(AcceptsFile, LessWorkHasAFewestAndAnotherOutputHasNoCeiling) {
  const auto on = [](const std::string& metric, const std::string& ceiling) {
    std::string text = with("ceiling", ceiling);
    text.replace(text.find("step_time_p50"), 13, metric);
    return text;
  };
  const std::string none = "    ceiling: X\n";
  std::string output = on("work/output", "X");
  EXPECT_THAT(errors_of(output), HasSubstr("work/output takes none"));
  output.erase(output.find(none), none.size());
  EXPECT_EQ(errors_of(output), "");
  EXPECT_EQ(warnings_of(output), "") << "no gate asks for it, and none needs to";
  EXPECT_EQ(errors_of(on("work/tokens", "8")), "");
  EXPECT_THAT(errors_of(on("work/tokens", "8 ms")), HasSubstr("has no unit"));
  EXPECT_THAT(errors_of(on("work/tokens", "0")), HasSubstr("above 0"));
  EXPECT_THAT(errors_of(on("work/flops", "8")), HasSubstr("there is no metric 'work/flops'"));
}

TEST(AcceptsFile, TwoLinesForOneMetricNameBoth) {
  EXPECT_THAT(errors_of(kHead + kEntry + kEntry),
              HasSubstr("is accepted twice: on line 3 and on line 10"));
}

TEST(AcceptsFile, AMetricWithoutAGateIsAWarning) {
  std::string text = with("ceiling", "1200 tokens/s");
  text.replace(text.find("step_time_p50"), 13, "tokens_per_s");
  EXPECT_THAT(warnings_of(text), HasSubstr("decode_8b has no gate on 'tokens_per_s'"));
}

TEST(AcceptsFile, TheVersionIsAskedForAndNewerOnesAreNamed) {
  EXPECT_THAT(errors_of("accepts:\n" + kEntry), HasSubstr("write 'perfgate_accepts: 1'"));
  EXPECT_THAT(errors_of("perfgate_accepts: 2\naccepts:\n"), HasSubstr("newer than this one"));
  EXPECT_THAT(errors_of("perfgate: 1\nname: decode_8b\n"), HasSubstr("unknown key 'perfgate'"));
}

TEST(AcceptsFile, HostileTextsAreRefusedWithoutHarm) {
  EXPECT_THAT(errors_of(with("reason", "\x1b[31mred")), HasSubstr("error"));
  EXPECT_THAT(errors_of(with("reason", "\x1b[31mred")), ::testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(errors_of(with("reason", "\"a\\0b\"")), HasSubstr("NUL"));
  EXPECT_THAT(errors_of(with("reason", "\xff\xfe")), HasSubstr("error"));
  EXPECT_THAT(errors_of(with("reason", "\"two\\nlines\"")), HasSubstr("must be one line"));
  EXPECT_THAT(errors_of(with("owner", "\"\\x1b[31m\"")), HasSubstr("must be one line"));
  EXPECT_THAT(errors_of(with("reason", std::string(501, 'x'))), HasSubstr("longer than 500"));
  EXPECT_THAT(errors_of(with("reason", "&anchor text")),
              HasSubstr("not supported in perfgate-accepts files"));
  EXPECT_THAT(errors_of(with("reason", "*alias")),
              HasSubstr("a text that starts with '*' needs quotes"));
  EXPECT_THAT(errors_of(with("reason", "[a, list]")), HasSubstr("must be a text"));
  EXPECT_THAT(errors_of("[]"), HasSubstr("must be a mapping"));
  EXPECT_THAT(errors_of(""), HasSubstr("error"));
}

TEST(AcceptsFile, TenThousandLinesAreOneError) {
  std::string text = kHead;
  while (text.size() < 10'000 * kEntry.size() / 7) text += kEntry;
  EXPECT_THAT(errors_of(text), HasSubstr("more than 1000 entries"));
}

Accept accept_of(const std::string& metric, double ceiling) {
  return {.workload = "decode_8b",
          .metric = metric,
          .ceiling = ceiling,
          .unit = metric == "step_time_p50" ? "ms" : "1",
          .reason = "it's: # \"odd\"",
          .issue = "https://github.com/org/repo/issues/13",
          .owner = "@team",
          .expires = "2027-01-31",
          .line = 0};
}

TEST(AcceptsEdit, ANewFileHoldsTheLine) {
  const Accept accept = accept_of("step_time_p50", 4.62);
  const auto text = with_accepts("", "a.yaml", std::vector{accept}, Replace::no, options());
  ASSERT_TRUE(text.ok()) << text.error().message << text.error().context;
  const auto read = parse_accepts(text.value(), "a.yaml", options());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().front().reason, accept.reason);
  EXPECT_EQ(read.value().front().owner, "@team");
  EXPECT_EQ(read.value().front().ceiling, 4.62);
}

TEST(AcceptsEdit, TheTextThatWasThereStays) {
  const std::string before = "# ours\n" + kHead + kEntry + "# the end, without a line break";
  const auto text = with_accepts(before, "a.yaml", std::vector{accept_of("kernel_launches", 386)},
                                 Replace::no, options());
  ASSERT_TRUE(text.ok()) << text.error().message << text.error().context;
  EXPECT_TRUE(text.value().starts_with(before + "\n  - workload: decode_8b\n"));
  EXPECT_THAT(text.value(), HasSubstr("    ceiling: 386\n"));
}

TEST(AcceptsEdit, AnEmptyListIsOpened) {
  const auto text =
      with_accepts("perfgate_accepts: 1\naccepts: []  # none\n", "a.yaml",
                   std::vector{accept_of("step_time_p50", 4.62)}, Replace::no, options());
  ASSERT_TRUE(text.ok()) << text.error().message << text.error().context;
  EXPECT_THAT(text.value(), HasSubstr("# none\n"));
}

TEST(AcceptsEdit, ALineThatIsThereIsReplacedOnlyOnRequest) {
  const std::string before = kHead + kEntry + "  # of gemm\n  - workload: gemm_8k\n" +
                             kEntry.substr(kEntry.find("    metric"));
  const std::vector accepts{accept_of("step_time_p50", 4.7)};
  const auto refused = with_accepts(before, "a.yaml", accepts, Replace::no, options());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_THAT(refused.error().message, HasSubstr("a.yaml:3 accepts step_time_p50 of decode_8b"));
  const auto text = with_accepts(before, "a.yaml", accepts, Replace::yes, options());
  ASSERT_TRUE(text.ok()) << text.error().message << text.error().context;
  EXPECT_TRUE(text.value().starts_with(kHead + "  # of gemm\n  - workload: gemm_8k\n"));
  const auto read = parse_accepts(text.value(), "a.yaml", options());
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 2U);
  EXPECT_EQ(read.value().back().ceiling, 4.7);
}

TEST(AcceptsEdit, RatesAreWrittenInTheirShortestUnit) {
  Accept accept = accept_of("achieved_bytes_per_s", 3.73e12);
  accept.unit = "bytes/s";
  EXPECT_THAT(accept_lines(accept), HasSubstr("ceiling: 3730000000000 B/s\n"));
}

TEST(AcceptsEdit, AnOptionIsCheckedAsTheFileWouldCheckIt) {
  const auto refused = [](const std::string& ceiling, const std::string& reason,
                          const std::string& expires) {
    Accept accept = accept_of("step_time_p50", 0.0);
    accept.reason = reason;
    accept.expires = expires;
    const auto checked = checked_accept(accept, ceiling, options());
    return checked.ok() ? "taken: " + number_text(checked.value().ceiling)
                        : checked.error().message + "; " + checked.error().hint;
  };
  EXPECT_EQ(refused("4.7ms", "why", "2027-01-31"), "taken: 4.7");
  EXPECT_EQ(refused("4700 us", "why", "2027-01-31"), "taken: 4.7");
  EXPECT_THAT(refused("4.7", "why", "2027-01-31"), HasSubstr("--ceiling needs a unit"));
  EXPECT_THAT(refused("nan", "why", "2027-01-31"), HasSubstr("--ceiling must be a number"));
  EXPECT_THAT(refused("4.7 ms", "", "2027-01-31"), HasSubstr("--reason is empty"));
  EXPECT_THAT(refused("4.7 ms", "two\nlines", "2027-01-31"), HasSubstr("--reason must be one"));
  EXPECT_THAT(refused("4.7 ms", "why", "2027-02-30"), HasSubstr("--expires: no calendar"));
  for (const char* issue : {"foo", "github.com/org/repo", "https://", "https:///x", "ftp://a/b"}) {
    Accept accept = accept_of("step_time_p50", 0.0);
    accept.issue = issue;
    const auto checked = checked_accept(accept, "4.7 ms", options());
    ASSERT_FALSE(checked.ok()) << issue;
    EXPECT_THAT(checked.error().message, HasSubstr("--issue: '")) << issue;
  }
  EXPECT_THAT(refused("4.7 ms", "why", "2026-11-29"), HasSubstr("--expires: 2026-11-29 is over"));
}

TEST(AcceptsEdit, WhatWouldNotParseIsNotWritten) {
  const std::vector accepts{accept_of("step_time_p50", 4.7)};
  const std::string flow =
      "perfgate_accepts: 1\naccepts: [{workload: decode_8b, metric: "
      "kernel_launches, ceiling: 386, reason: r, issue: i, owner: o, "
      "expires: 2027-01-31}]\n";
  EXPECT_EQ(errors_of(flow), "");
  const auto into_flow = with_accepts(flow, "a.yaml", accepts, Replace::no, options());
  ASSERT_FALSE(into_flow.ok());
  EXPECT_THAT(into_flow.error().hint, HasSubstr("nothing was written"));
  const auto turned =
      with_accepts("accepts:\n" + kEntry + "perfgate_accepts: 1\n", "a.yaml",
                   std::vector{accept_of("kernel_launches", 386)}, Replace::no, options());
  EXPECT_FALSE(turned.ok());
  EXPECT_FALSE(with_accepts("accepts: 5", "a.yaml", accepts, Replace::no, options()).ok());
}

}  // namespace
}  // namespace perfgate::workloads
