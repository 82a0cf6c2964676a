#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/html/assets.h"
#include "reporters/render/html/island.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/html/page.h"
#include "tests/unit/render/html_cases.h"
#include "tests/unit/render/report_cases.h"

namespace perfgate::render::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Assets kAssets{.style = {"/* style */", "00ff"}, .script = {"/* script */", "ff00"}};
constexpr Assets kWithoutCharts{.style = {"/* style */", "00ff"}, .script = {}};

// Every way out of text, an attribute, a script and a sentence that is known to us.
constexpr std::string_view kHostile =
    "\"'><script>alert(1)</script><img src=x onerror=alert(2)>--></style></title></details>"
    "javascript:alert(3) &lt;b&gt; \xE2\x80\xAEgnp\xE2\x80\xA8 \x1b[2J\xff]]>";

std::vector<RunResult> every_run() {
  std::vector<RunResult> runs{ledger_run(), session_run(), empty_run(),
                              hostile_ledger_run(std::string(kHostile))};
  for (ReportCase& item : report_cases()) runs.push_back(std::move(item.result));
  return runs;
}

/// The tags of a page, as "<td class=...>": what stands between '<' and '>'.
std::vector<std::string> tags_of(const std::string& page) {
  std::vector<std::string> tags;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    tags.push_back(page.substr(at, page.find('>', at) - at + 1));
  }
  return tags;
}

/// Names of opened elements that are not closed, or closed in another order; empty = well formed.
std::string first_unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (const std::string& tag : tags_of(page)) {
    if (tag.starts_with("<!") || tag.starts_with("<meta") || tag.ends_with("/>")) continue;
    const std::size_t begin = tag[1] == '/' ? 2 : 1;
    const std::string name = tag.substr(begin, tag.find_first_of(" >", begin) - begin);
    if (begin == 1) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return tag + " closes " + (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is left open";
}

TEST(HtmlPage, IsWellFormedWhateverTheRunHolds) {
  for (const RunResult& run : every_run()) {
    EXPECT_EQ(first_unbalanced(render_html(run, kAssets)), "") << run.workload_name;
    EXPECT_EQ(first_unbalanced(render_html(run, kWithoutCharts)), "") << run.workload_name;
  }
}

TEST(HtmlPage, HostileNamesStayText) {
  const std::string page = render_html(hostile_ledger_run(std::string(kHostile)), kAssets);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  std::size_t scripts = 0;
  for (const std::string& tag : tags_of(page)) {
    EXPECT_THAT(tag, Not(HasSubstr("alert"))) << "a name became markup";
    EXPECT_FALSE(tag.starts_with("<img"));
    if (tag.starts_with("<script")) ++scripts;
  }
  EXPECT_EQ(scripts, 2U) << "the data and the page's own script";
}

TEST(HtmlPage, LetsNoControlOrDirectionCharacterThrough) {
  const std::string page = render_html(hostile_ledger_run(std::string(kHostile)), kAssets);
  EXPECT_TRUE(std::ranges::none_of(
      page, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; }));
  for (const char* bytes : {"\xE2\x80\xAE", "\xE2\x80\xA8", "\xff"}) {
    EXPECT_THAT(page, Not(HasSubstr(bytes)));
  }
}

TEST(HtmlPage, NamesNoOtherPlaceInItsMarkup) {
  for (const RunResult& run : every_run()) {
    for (const std::string& tag : tags_of(render_html(run, kAssets))) {
      for (const char* word : {"://", "src=", "url(", "@import", " on", "style=", "javascript:"}) {
        EXPECT_THAT(tag, Not(HasSubstr(word)));
      }
      const std::size_t link = tag.find("href=");
      EXPECT_TRUE(link == std::string::npos || tag[link + 6] == '#') << tag;
    }
  }
}

TEST(HtmlPage, ItsPolicyAdmitsItsOwnStyleAndScriptOnly) {
  const std::string page = render_html(ledger_run(), kAssets);
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'sha256-AP8='; script-src "
                              "'sha256-/wA='; base-uri 'none'; form-action 'none'\""));
  EXPECT_THAT(page, HasSubstr("<style>/* style */</style>"));
  EXPECT_THAT(page, HasSubstr("<script>/* script */</script>"));
  EXPECT_THAT(render_html(ledger_run(), kWithoutCharts), HasSubstr("script-src 'none'"));
}

TEST(HtmlPage, WithoutAScriptItSaysSoAndKeepsEveryTable) {
  const auto tables = [](const Assets& assets) {
    const auto tags = tags_of(render_html(ledger_run(), assets));
    return std::ranges::count_if(tags, [](const auto& tag) { return tag.starts_with("<table"); });
  };
  const std::string page = render_html(ledger_run(), kWithoutCharts);
  EXPECT_THAT(page, HasSubstr("Built without charts"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<figure")));
  EXPECT_THAT(render_html(ledger_run(), kAssets), Not(HasSubstr("Built without charts")));
  EXPECT_EQ(tables(kWithoutCharts), tables(kAssets));
}

TEST(HtmlPage, OpensWithVerdictCauseCertaintyAndNextStep) {
  const std::string page = render_html(ledger_run(), kAssets);
  std::size_t last = 0;
  for (const char* part : {"<h1><span class=\"badge\">FAIL", "<dt>Why", "<dt>How sure", "<dt>Next",
                           "id=\"causes\"", "id=\"ledger\"", "id=\"step\"", "id=\"notes\""}) {
    const std::size_t at = page.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST(HtmlPage, TellsTheLedgerRowByRow) {
  const std::string page = render_html(ledger_run(), kAssets);
  EXPECT_THAT(page, HasSubstr("idle launch_overhead"));
  EXPECT_THAT(page, HasSubstr("+1.034"));
  EXPECT_THAT(page, HasSubstr("0.030 (noise)"));
  EXPECT_THAT(page, HasSubstr("unattributed"));
  EXPECT_THAT(page, HasSubstr("code differs"));
  RunResult unclear = ledger_run();
  unclear.ledger->established = false;
  unclear.ledger->problem = "half of the change is unattributed";
  EXPECT_THAT(render_html(unclear, kAssets),
              HasSubstr("Not established:</b> half of the change is unattributed"));
}

TEST(HtmlPage, OfAnEmptyRunIsAPageAllTheSame) {
  const std::string page = render_html(empty_run(), kAssets);
  EXPECT_THAT(page, HasSubstr("INVALID"));
  EXPECT_THAT(page, HasSubstr("no process ran"));
  EXPECT_THAT(page, Not(HasSubstr("<table")));
}

TEST(HtmlIsland, IsHarmlessInsideAScript) {
  for (const RunResult& run : every_run()) {
    const std::string json = island_json(run);
    EXPECT_TRUE(std::ranges::none_of(json, [](char c) {
      return c == '<' || c == '>' || c == '&' || c < ' ' || c == '\x7f';
    })) << json;
  }
}

TEST(HtmlIsland, HoldsWhatTheChartsDraw) {
  const std::string json = island_json(ledger_run());
  EXPECT_THAT(json, HasSubstr(R"("name":"idle launch_overhead")"));
  EXPECT_THAT(json, HasSubstr(R"("side":"base")"));
  EXPECT_THAT(json, HasSubstr(R"("untraced":{"ms":5.806)"));
  EXPECT_THAT(json, HasSubstr(R"("kind":"site")"));
  EXPECT_THAT(json, HasSubstr(R"("bandwidth":4800000000000.0)"));
  EXPECT_THAT(json, HasSubstr(R"("baseline":{"at":4.585)"));
}

TEST(HtmlIsland, LeavesOutWhatCannotBeDrawn) {
  EXPECT_EQ(island_json(empty_run()),
            R"({"budget":null,"ledger":null,"gaps":null,"roofline":null,"processes":null})");
}

TEST(HtmlMarkup, HashesReadAsAPolicyHasThem) {
  EXPECT_EQ(policy_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(policy_hash(""), "");
}

TEST(HtmlMarkup, ASentenceKeepsANumberAndItsPerCentTogether) {
  EXPECT_EQ(prose("7.8 % <b>"), "7.8\xC2\xA0% &lt;b&gt;");
}

TEST(HtmlMarkup, LongNamesUnfold) {
  const std::string name = "void a::" + std::string(200, 'k') + "<1, 2>(int)";
  EXPECT_THAT(name_markup(name), HasSubstr("<details class=\"full\"><summary><code>"));
  EXPECT_THAT(name_markup(name), HasSubstr(escaped(name)));
  EXPECT_EQ(name_markup("short"), "<code>short</code>");
}

TEST(Html, OfTwentyThousandCausesAndRowsTheFirstAreTold) {
  RunResult run = ledger_run();
  ASSERT_TRUE(run.ledger && !run.diagnosis.empty());
  run.diagnosis.resize(20'000, run.diagnosis[0]);
  run.ledger->rows.resize(20'000, run.ledger->rows[0]);
  run.ledger->rows[0].kernels.resize(20'000);
  const std::string page = render_html(run, kAssets);
  EXPECT_THAT(page, HasSubstr("and 19,988 more causes"));
  EXPECT_THAT(page, HasSubstr("and 19,940 more rows"));
  EXPECT_THAT(page, HasSubstr("and 19,940 more kernels"));
  EXPECT_LT(page.size(), 2'000'000U);
}

TEST(Html, AnUnknownIntervalIsNotCalledNoise) {
  RunResult run = ledger_run();
  for (LedgerRow& row : run.ledger->rows) row.ms.half_width.reset();
  const std::string page = render_html(run, kAssets);
  EXPECT_THAT(page, Not(HasSubstr("ms, within noise")));
  EXPECT_THAT(page, HasSubstr("ms, noise not known"));
}

}  // namespace
}  // namespace perfgate::render::html
