// The nightly report in its three formats, as files: tests/golden/trend/NAME.{txt,md,json}.
#include "reporters/render/trend.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reporters/render/display_text.h"

namespace perfgate::render {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TrendRun run(std::int64_t number, const std::string& commit) {
  return {.run = number,
          .commit = commit,
          .utc = "2026-11-" + std::to_string(10 + number % 20) + "T02:23:00Z"};
}

TrendMetric step_time() {
  TrendMetric metric{.metric = "step_time_p50", .unit = "ms", .state = TrendState::steady};
  for (int i = 0; i < 30; ++i) metric.values.push_back(4.49 + 0.0004 * (i * 7 % 5));
  metric.level = 4.4908;
  metric.level_runs = 30;
  metric.accepted =
      TrendAccepted{.value = 4.4902, .pinned = true, .at = run(3, "3f2a91c07d"), .reason = "first"};
  metric.change_ratio = 4.4908 / 4.4902 - 1.0;
  metric.margin_ratio = 0.0015;
  metric.margin_auto = true;
  metric.sum = 1.25;
  metric.threshold = 6.4;
  metric.gpus = 1;
  return metric;
}

TrendMetric creeping() {
  TrendMetric metric = step_time();
  metric.state = TrendState::creeping;
  for (std::size_t i = 0; i < metric.values.size(); ++i)
    metric.values[i] += 0.0006 * static_cast<double>(i);
  metric.level = 4.5031;
  metric.change_ratio = 4.5031 / 4.4902 - 1.0;
  metric.sum = 48.4;
  metric.beyond_margin = true;
  metric.recent_ratio = 0.0029;
  metric.before = run(11, "8a7b6c5d4e3f2a1b0c9d");
  metric.since = run(12, "1b2c3d4e5f60718293a4");
  return metric;
}

TrendMetric breached_count() {
  TrendMetric metric{
      .metric = "kernel_launches",
      .kind = MetricKind::counted,
      .unit = "1",
      .state = TrendState::breach,
      .values = {228, 228, 228, 230, 230},
      .level = 230,
      .accepted = TrendAccepted{.value = 228, .pinned = true, .at = run(3, "3f2a91c07d")},
      .change_ratio = 2.0 / 228.0};
  metric.before = run(19, "77aa88bb99cc");
  metric.since = run(20, "77aa88bb99cc");
  metric.changes = {{.last = run(19, "77aa88bb99cc"),
                     .first = run(20, "77aa88bb99cc"),
                     .before = 228,
                     .after = 230,
                     .worse = true}};
  return metric;
}

TrendMetric unwatched(const std::string& name, TrendState state) {
  TrendMetric metric{.metric = name, .unit = "ms", .state = state, .values = {0.2, 0.3}};
  if (state != TrendState::not_recorded) metric.level = 0.25;
  if (state == TrendState::few_runs) metric.runs_wanted = 6;
  return metric;
}

TrendReport nightly() {
  TrendReport report{.store = "/var/lib/perfgate/perfgate.db",
                     .branch = "main",
                     .order = "in the order of the first-parent line of main",
                     .now_utc = "2026-11-30T03:00:00Z",
                     .last = 200,
                     .watched = 1};
  TrendWorkload decode{
      .workload = "decode_8b",
      .path = "workloads/decode_8b.yaml",
      .environment = "NVIDIA H200, driver 580.159.04",
      .newest = run(32, "deadbeef0123456789"),
      .oldest = run(3, "3f2a91c07d"),
      .runs = 30,
      .gpus = 2,
      .metrics = {creeping(), breached_count(), unwatched("gpu_idle_ms", TrendState::not_accepted),
                  unwatched("family_ms/attention", TrendState::few_runs)}};
  decode.metrics[0].other_gpu_runs = 4;
  decode.failed = {run(14, "5e6f7a8b9c"), run(32, "deadbeef0123456789")};
  decode.newest_failed = true;
  decode.drills = {{.planted = "nothing",
                    .nothing = true,
                    .trials = 38,
                    .failed = 0,
                    .share = 0.0,
                    .low = 0.0,
                    .high = 0.0918},
                   {.planted = "spin",
                    .size_ratio = 0.01,
                    .trials = 37,
                    .failed = 36,
                    .share = 36.0 / 37.0,
                    .low = 0.862,
                    .high = 0.995}};
  decode.drills_not_judged = 1;
  decode.notes = {
      "another environment before: 40 runs until 2026-10-01 are not compared; driver "
      "570.12 -> 580.159.04"};
  TrendWorkload prefill{.workload = "prefill_8b",
                        .path = "workloads/prefill_8b.yaml",
                        .environment = "NVIDIA H200, driver 580.159.04",
                        .newest = run(33, "deadbeef0123456789"),
                        .oldest = run(4, "3f2a91c07d"),
                        .runs = 30,
                        .gpus = 1,
                        .metrics = {step_time()}};
  prefill.metrics[0].changes = {{.last = run(9, "aaaa"),
                                 .first = run(10, "bbbb"),
                                 .before = 4.4,
                                 .after = 4.49,
                                 .worse = true,
                                 .accepted = "accepted: longer context (#12)"}};
  report.workloads = {decode, prefill};
  return report;
}

TrendReport quiet() {
  TrendReport report = nightly();
  report.store.clear();
  report.workloads.erase(report.workloads.begin());
  return report;
}

TrendReport empty() {
  TrendReport report = quiet();
  report.order = "in the order of dates: this checkout has none of the recorded commits";
  report.policies = {"--on-not-judged pass"};
  report.watched = 0;
  report.workloads = {{.workload = "new_one",
                       .path = "workloads/new_one.yaml",
                       .notes = {"no run is recorded on branch main; there are decode_8b"}}};
  return report;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = "tests/golden/trend/" + name;
  if (std::getenv("PERFGATE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "golden files are not updated in CI";
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(text, read_file(path)) << path << ": update with PERFGATE_UPDATE_GOLDEN=1, and read it";
}

struct GoldenCase {
  std::string name;
  TrendReport report;
};

class TrendGolden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(TrendGolden, IsTheGoldenOneInEachFormat) {
  const auto& [name, report] = GetParam();
  const std::string text = render_trend(report, {.colour = false, .width = 80, .unicode = true});
  expect_golden(name + ".txt", text);
  expect_golden(name + ".md", render_trend_markdown(report));
  expect_golden(name + ".json", render_trend_json(report, 1));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, TrendGolden,
                         ::testing::Values(GoldenCase{"nightly", nightly()},
                                           GoldenCase{"quiet", quiet()},
                                           GoldenCase{"empty", empty()}),
                         [](const auto& one) { return one.param.name; });

TEST(Trend, TheAlertsComeFirstAndTheWorstOfThemFirst) {
  const std::string text = render_trend(nightly(), {});
  EXPECT_THAT(text, StartsWith("ALERT    3 alerts;"));
  const std::size_t breach = text.find("kernel_launches is at 230");
  const std::size_t creep = text.find("step_time_p50 creeps");
  const std::size_t failed = text.find("the newest, run 32");
  EXPECT_LT(breach, creep);
  EXPECT_LT(creep, failed);
  EXPECT_LT(failed, text.find("decode_8b on NVIDIA H200"));
}

TEST(Trend, TheCommandsNameTheRangeOfCommitsAndTheStore) {
  const std::string text = render_trend(nightly(), {.width = 160});
  EXPECT_THAT(text, HasSubstr("git log --oneline 8a7b6c5d4e..deadbeef01"));
  EXPECT_THAT(text, HasSubstr("perfgate baseline pin 32 --metric step_time_p50 --reason TEXT "
                              "--store /var/lib/perfgate/perfgate.db"));
  // Both runs of the count are of one commit: no range, another advice.
  EXPECT_THAT(text, AllOf(HasSubstr("the commit is the same (77aa88bb99)"),
                          HasSubstr("perfgate baseline show 19"),
                          Not(HasSubstr("77aa88bb99..77aa88bb99"))));
}

// A store may come from elsewhere: what it holds neither steers the terminal or CI nor becomes an
// option of a command that is proposed.
TEST(Trend, HostileNamesDoNothing) {
  TrendReport report = nightly();
  TrendWorkload& workload = report.workloads[0];
  workload.workload = "::error::x\n##[error]y\x1b[31m @everyone";
  workload.metrics[0].metric = "a|b`c` <script> \xe2\x80\xae";
  workload.metrics[0].before.commit = "--output=/etc/passwd";
  workload.newest.commit = "$(reboot)";
  workload.notes = {"##[error]z", "\xff\xfe"};
  for (const bool markdown : {false, true}) {
    const std::string text = markdown ? render_trend_markdown(report) : render_trend(report, {});
    EXPECT_THAT(text, Not(HasSubstr("\n::error")));
    EXPECT_THAT(text, Not(HasSubstr("##[error]"))) << markdown;
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(text, Not(HasSubstr("git log --oneline --output")));
    EXPECT_THAT(text, Not(HasSubstr("..$(reboot)")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
    if (markdown) {
      EXPECT_THAT(text, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("@everyone"))));
    }
  }
  EXPECT_THAT(render_trend_json(report, 0), Not(HasSubstr("##[error]")));
}

TEST(Trend, WithoutUnicodeAllIsAscii) {
  for (const char c : render_trend(nightly(), {.unicode = false}))
    EXPECT_LT(static_cast<unsigned char>(c), 0x80U);
}

TEST(Trend, TheJsonHoldsEveryFigureAndNoFigureThatIsNone) {
  TrendReport report = nightly();
  report.workloads[0].metrics[0].recent_ratio = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(render_trend_json(report, 1));
  EXPECT_EQ(json["schema"], "perfgate.trend/1");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["not_judged"], 2);
  EXPECT_EQ(json["alerts"].size(), 3U);
  EXPECT_EQ(json["alerts"][1]["commands"][0], "git log --oneline 8a7b6c5d4e..deadbeef01");
  const auto& metric = json["workloads"][0]["metrics"][0];
  EXPECT_EQ(metric["state"], "creeping");
  EXPECT_EQ(metric["values"].size(), 30U);
  EXPECT_TRUE(metric["recent_ratio"].is_null());
  EXPECT_TRUE(json["workloads"][0]["metrics"][2]["accepted"].is_null());
  EXPECT_EQ(json["workloads"][0]["drills"][1]["share_low"], 0.862);
}

}  // namespace
}  // namespace perfgate::render
