// What a pull request changes of its own gates, against a checkout of its base.
#include "runner/cli/post/own_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/result_json.h"
#include "runner/cli/workload_input.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kHead =
    "perfgate: 1\n"
    "name: decode\n"
    "run:\n"
    "  command: {argv: [./decode]}\n"
    "gates:\n"
    "  - {metric: step_time_p50, margin: 5%, tolerance: 15%}\n";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kHead);
  return text.replace(text.find(from), from.size(), to);
}

class OwnRules : public ::testing::Test {
 protected:
  void SetUp() override {
    put(run + "/workload.yaml", std::string(kHead));
    put(base + "/workloads/decode.yaml", std::string(kHead));
    result.workload_name = "decode";
    result.workload_path = "workloads/decode.yaml";
  }
  void put(const std::string& path, const std::string& text) {
    ASSERT_TRUE(files.make_folders(path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(files.write(path, text).ok());
  }
  std::vector<std::string> said(const std::string& named = "") {
    put(run + "/result.json", render::to_result_json(result));
    std::vector<std::string> lines;
    for (const render::RuleChange& each : own_rules(files, {named.empty() ? run : named}, base))
      lines.push_back(each.file + " " + each.change);
    return lines;
  }

  TemporaryFolder folder;
  platform::DiskFileSystem files;
  std::string run = folder / "run";
  std::string base = folder / "base";
  RunResult result;
};

TEST_F(OwnRules, TheSameFileSaysNothingAndNorDoesAnotherComment) {
  EXPECT_THAT(said(), IsEmpty());
  put(base + "/workloads/decode.yaml", "# as agreed\n" + std::string(kHead));
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(OwnRules, ALooserMarginIsNamedWithBothFigures) {
  put(base + "/workloads/decode.yaml", with("margin: 5%, tolerance: 15%", "margin: 1%"));
  const auto both = ElementsAre("workloads/decode.yaml step_time_p50 margin 1 % -> 5 %",
                                "workloads/decode.yaml step_time_p50 tolerance auto -> 15 %");
  EXPECT_THAT(said(), both);
  EXPECT_THAT(said(run + "/result.json"), both);
  result.workload_path = "./workloads/decode.yaml";
  EXPECT_THAT(said(), both);
}

TEST_F(OwnRules, AGateThatIsGoneAndAnotherProgramAreNamed) {
  std::string text = with("./decode]", "./decode, --small]");
  put(base + "/workloads/decode.yaml", text + "  - {metric: kernel_launches, exact: true}\n");
  EXPECT_THAT(said(), ElementsAre("workloads/decode.yaml what is measured",
                                  "workloads/decode.yaml kernel_launches is no longer gated"));
}

TEST_F(OwnRules, ANewWorkloadIsJudgedByItsOwn) {
  result.workload_path = "workloads/other.yaml";
  EXPECT_THAT(said(), ElementsAre(HasSubstr("workloads/other.yaml is new")));
}

TEST_F(OwnRules, LinesOfAcceptsThatCameOrWereRaisedOrWentAreNamed) {
  put(base + "/workloads/perfgate-accepts.yaml",
      "perfgate_accepts: 1\n"
      "accepts:\n"
      "  - {workload: decode, metric: step_time_p50, ceiling: 4 ms, reason: r, issue: "
      "\"https://x.example/1\", owner: o, expires: 2099-01-01}\n"
      "  - {workload: decode, metric: gpu_idle_ms, ceiling: 1 ms, reason: r, issue: "
      "\"https://x.example/1\", owner: o, expires: 2099-01-01}\n");
  const auto line = [](const std::string& metric, double ceiling) {
    AcceptUse use;
    use.accept.workload = "decode";
    use.accept.metric = metric;
    use.accept.ceiling = ceiling;
    use.accept.unit = "ms";
    use.accept.expires = "2099-01-01";
    return use;
  };
  result.accepted = {line("step_time_p50", 9), line("step_time_p90", 9)};
  const std::string file = "workloads/perfgate-accepts.yaml ";
  EXPECT_THAT(said(),
              ElementsAre(file + "accepts step_time_p50 up to 4 ms until 2099-01-01 -> 9 ms until "
                                 "2099-01-01",
                          file + "accepts step_time_p90 up to 9 ms until 2099-01-01",
                          file + "no longer accepts gpu_idle_ms"));
}

TEST_F(OwnRules, APathThatLeadsOutOfTheBaseIsNotFollowed) {
  put(folder / "outside.yaml", std::string(kHead));
  for (const std::string path :
       {"../outside.yaml", "workloads/../../outside.yaml", "/etc/x.yaml", ".git/config.yaml",
        "workloads//decode.yaml", "workloads/decode"}) {
    result.workload_path = path;
    EXPECT_THAT(said(), ElementsAre(HasSubstr("not compared"))) << path;
  }
}

TEST_F(OwnRules, WhatCannotBeReadIsSaid) {
  put(base + "/workloads/decode.yaml", "perfgate: [");
  EXPECT_THAT(said(), ElementsAre(HasSubstr("cannot be read on the base")));
  put(base + "/workloads/decode.yaml", std::string(kHead));
  put(run + "/workload.yaml", "perfgate: [");
  EXPECT_THAT(said(), ElementsAre(HasSubstr("cannot be read beside the result")));
}

}  // namespace
}  // namespace perfgate::cli
