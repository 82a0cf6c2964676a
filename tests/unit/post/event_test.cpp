// Events of GitHub's own examples, and payloads that nobody should trust.
#include "reporters/post/event.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reporters/post/target.h"

namespace perfgate::post {
namespace {

using ::testing::HasSubstr;

std::string payload(const std::string& name) {
  static const nlohmann::json kFixtures = [] {
    std::ifstream stream("tests/data/github/github-event-fixtures.json");
    return nlohmann::json::parse(stream);
  }();
  return kFixtures.at("payloads").at(name).dump();
}

EventFacts read(const std::string& event, const std::string& fixture) {
  auto facts = read_event(event, payload(fixture));
  EXPECT_TRUE(facts.ok()) << fixture;
  return facts.ok() ? facts.value() : EventFacts{};
}

TEST(Event, OfAPullRequestNamesItsHeadAndNotTheTestMerge) {
  const EventFacts facts = read("pull_request", "real:pull_request.synchronize");
  EXPECT_EQ(facts.kind, EventKind::pull_request);
  EXPECT_EQ(facts.pull_request, 2);
  EXPECT_EQ(facts.repository, "Codertocat/Hello-World");
  EXPECT_EQ(facts.head_sha, "ec26c3e57ca3a959ca5aad62de7213c562f8c821");
  EXPECT_FALSE(facts.is_fork);
}

TEST(Event, SaysThatTheHeadIsOfAForkOrGone) {
  EXPECT_TRUE(read("pull_request", "derived:pull_request.synchronize-from-fork").is_fork);
  EXPECT_TRUE(read("pull_request", "derived:pull_request.head-repo-deleted").is_fork);
}

TEST(Event, OfAPushOfCopyPrBotIsThePullRequest) {
  const EventFacts facts = read("push", "derived:push.copy-pr-bot-branch");
  EXPECT_EQ(facts.kind, EventKind::push);
  EXPECT_TRUE(facts.pull_request);
  EXPECT_FALSE(read("push", "real:push.branch").pull_request);
  EXPECT_EQ(read("push", "real:push.tag-delete").head_sha, "");
}

TEST(Event, OfAMergeQueueHasACommitAndNoPullRequest) {
  const EventFacts facts = read("merge_group", "real:merge_group.checks_requested");
  EXPECT_TRUE(is_sha(facts.head_sha));
  EXPECT_FALSE(facts.pull_request);
}

TEST(Event, OfAForksRunNamesTheHeadOnly) {
  const EventFacts facts = read("workflow_run", "derived:workflow_run.completed-from-fork");
  EXPECT_TRUE(is_sha(facts.head_sha));
  EXPECT_FALSE(facts.pull_request);
}

TEST(Event, OfAScheduleHasNothingOfItsOwn) {
  const EventFacts facts = read("schedule", "derived:schedule.minimal");
  EXPECT_EQ(facts.kind, EventKind::other);
  EXPECT_EQ(facts.head_sha, "");
}

TEST(Event, TakesNoFieldOfAnotherType) {
  const auto facts =
      read_event("pull_request",
                 R"({"number": "7; rm -rf /", "repository": {"full_name": "a/b/../c"},
          "pull_request": {"number": -3, "draft": "yes", "head": {"sha": "zz", "repo": null},
          "base": []}})");
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE(facts.value().pull_request);
  EXPECT_EQ(facts.value().repository, "");
  EXPECT_EQ(facts.value().head_sha, "");
}

TEST(Event, ThatIsNoObjectOrTooDeepIsRefused) {
  EXPECT_FALSE(read_event("push", "[]").ok());
  EXPECT_FALSE(read_event("push", "{\"a\"").ok());
  EXPECT_FALSE(read_event("push", std::string(1000, '[')).ok());
  const auto refused = read_event("push", "7");
  EXPECT_THAT(refused.error().hint, HasSubstr("--repo OWNER/NAME"));
}

platform::Environment actions(const std::string& event) {
  return {{{"GITHUB_ACTIONS", "true"},
           {"GITHUB_EVENT_NAME", event},
           {"GITHUB_REPOSITORY", "Codertocat/Hello-World"},
           {"GITHUB_SHA", std::string(40, 'a')},
           {"GITHUB_API_URL", "https://ghe.example/api/v3/"},
           {"GITHUB_SERVER_URL", "https://ghe.example"},
           {"GITHUB_RUN_ID", "4711"},
           {"GITHUB_RUN_ATTEMPT", "2"},
           {"GITHUB_TOKEN", "of the job"}}};
}

TEST(Target, IsTheEventsHeadOnTheServerOfTheJob) {
  const auto target = find_target({}, actions("pull_request"),
                                  read("pull_request", "real:pull_request.synchronize"));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target.value().api_url, "https://ghe.example/api/v3");
  EXPECT_EQ(target.value().head_sha, "ec26c3e57ca3a959ca5aad62de7213c562f8c821");
  EXPECT_EQ(target.value().pull_request, 2);
  EXPECT_EQ(target.value().run_url,
            "https://ghe.example/Codertocat/Hello-World/actions/runs/4711/attempts/2");
  EXPECT_EQ(target.value().author, "github-actions[bot]");
  EXPECT_EQ(target.value().token, "of the job");
}

TEST(Target, NeverTakesTheTestMergeForTheHead) {
  EventFacts unreadable;
  unreadable.kind = event_kind("pull_request");
  const auto target = find_target({}, actions("pull_request"), unreadable);
  ASSERT_FALSE(target.ok());
  EXPECT_THAT(target.error().hint, HasSubstr("--sha"));
}

TEST(Target, OfAScheduleIsTheCommitOfTheJob) {
  const auto target = find_target({}, actions("schedule"), {});
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target.value().head_sha, std::string(40, 'a'));
  EXPECT_FALSE(target.value().pull_request);
}

TEST(Target, OutsideOfActionsIsWhatTheCommandLineNames) {
  const auto target = find_target({.repository = "me/app",
                                   .pull_request = 7,
                                   .sha = std::string(40, 'b'),
                                   .api_url = {},
                                   .author = "me"},
                                  {{{"PERFGATE_TOKEN", "mine"}, {"GITHUB_TOKEN", "other"}}}, {});
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target.value().api_url, "https://api.github.com");
  EXPECT_EQ(target.value().token, "mine");
  EXPECT_EQ(target.value().run_id, 0);
}

TEST(Target, RefusesAPlainServerAndWhatIsNoRepository) {
  const std::string sha(40, 'b');
  EXPECT_FALSE(
      find_target({.repository = "me/app", .sha = sha, .api_url = "http://ghe.example"}, {}, {})
          .ok());
  EXPECT_FALSE(find_target({.repository = "me/app/../..", .sha = sha}, {}, {}).ok());
  EXPECT_FALSE(find_target({.repository = "me/app", .sha = "main"}, {}, {}).ok());
}

}  // namespace
}  // namespace perfgate::post
