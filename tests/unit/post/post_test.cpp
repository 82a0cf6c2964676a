// One comment on the pull request, whatever fails on the way; what fails is said.
#include "reporters/post/post.h"

#include <optional>

#include <gmock/gmock.h>

#include "reporters/post/marker.h"
#include "tests/unit/post/fake_github.h"

namespace perfgate::post {
namespace {

using platform::HttpAnswer;
using platform::HttpRequest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kHead(40, 'b');
const std::string kOldHead(40, 'a');
constexpr const char* kBot = "github-actions[bot]";

class Post : public ::testing::Test {
 protected:
  Post() {
    report.key = "decode_8b";
    report.text = "# FAIL\n";
    report.description = "FAIL: decode_8b is 2.6 % slower";
    report.state = State::failure;
    target.api_url = "https://api.github.com";
    target.repository = "me/app";
    target.pull_request = 7;
    target.head_sha = kHead;
    target.run_id = 50;
    target.run_url = "https://github.com/me/app/actions/runs/50";
    target.author = kBot;
    target.token = "ghs_secret";
  }
  PostOutcome post() { return post_report(report, target, options, github.ports()); }

  static std::string body_of(const std::string& head, std::int64_t run,
                             const std::string& text = "older") {
    return comment_body(text, {.key = "decode_8b", .head_sha = head, .run_id = run});
  }
  [[nodiscard]] Marker marker_now() const {
    return find_marker(github.comments.back().at("body").get<std::string>()).value_or(Marker{});
  }
  /// `fault` for the first request of this method, and never again.
  static FakeGitHub::Fault once(const std::string& method, Result<HttpAnswer> fault) {
    return [=, spent = false](const HttpRequest& request,
                              int) mutable -> std::optional<Result<HttpAnswer>> {
      if (spent || request.method != method) return std::nullopt;
      spent = true;
      return fault;
    };
  }
  static FakeGitHub::Fault always(const std::string& part, const HttpAnswer& fault) {
    return [=](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
      if (request.url.find(part) == std::string::npos) return std::nullopt;
      return fault;
    };
  }
  static Error cut() {
    return {.code = ErrorCode::unavailable, .message = "cut", .hint = {}, .context = {}};
  }

  Report report;
  Target target;
  PostOptions options;
  FakeGitHub github;
};

TEST_F(Post, CreatesACommentAndSetsTheStatusOfTheHead) {
  const PostOutcome outcome = post();
  EXPECT_THAT(outcome.problems, IsEmpty());
  ASSERT_THAT(github.comments, SizeIs(1));
  EXPECT_EQ(marker_now().head_sha, kHead);
  EXPECT_EQ(outcome.comment_url, github.comments.front().at("html_url").get<std::string>());
  ASSERT_THAT(github.statuses, SizeIs(1));
  EXPECT_EQ(github.statuses.front().at("state").get<std::string>(), "failure");
  EXPECT_EQ(github.statuses.front().at("context").get<std::string>(), "perfgate/decode_8b");
  EXPECT_EQ(github.statuses.front().at("target_url").get<std::string>(), target.run_url);
  EXPECT_THAT(github.http.requests,
              ::testing::Contains(::testing::Field(&HttpRequest::url,
                                                   HasSubstr("/repos/me/app/statuses/" + kHead))));
  EXPECT_THAT(github.checks, IsEmpty());
}

TEST_F(Post, SaysWhoItIsAndWhichVersionItSpeaks) {
  options.user_agent = "perfgate/1.2";
  static_cast<void>(post());
  for (const HttpRequest& request : github.http.requests) {
    const std::map<std::string, std::string> headers(request.headers.begin(),
                                                     request.headers.end());
    EXPECT_EQ(headers.at("User-Agent"), "perfgate/1.2");
    EXPECT_EQ(headers.at("Accept"), "application/vnd.github+json");
    EXPECT_EQ(headers.at("X-GitHub-Api-Version"), "2022-11-28");
    EXPECT_EQ(request.token, "ghs_secret");
  }
}

TEST_F(Post, WritesAtMostOnceASecond) {
  static_cast<void>(post());
  EXPECT_THAT(github.waits, ::testing::ElementsAre(1.0));
}

TEST_F(Post, ReplacesItsOwnCommentAndNobodyElses) {
  github.add_comment("stranger", body_of(kOldHead, 40));
  github.add_comment(kBot, "not of perfgate");
  github.add_comment(kBot, body_of(kOldHead, 40));
  EXPECT_THAT(post().problems, IsEmpty());
  ASSERT_THAT(github.comments, SizeIs(3));
  EXPECT_THAT(github.comments[0].at("body").get<std::string>(), HasSubstr("older"));
  EXPECT_EQ(github.comments[1].at("body").get<std::string>(), "not of perfgate");
  EXPECT_THAT(github.comments[2].at("body").get<std::string>(), HasSubstr("# FAIL"));
}

TEST_F(Post, FindsItsCommentOnTheLastPage) {
  for (int i = 0; i < 160; ++i) github.add_comment("somebody", "talk");
  github.add_comment(kBot, body_of(kOldHead, 40));
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.comments, SizeIs(161));
  EXPECT_THAT(github.comments.back().at("body").get<std::string>(), HasSubstr("# FAIL"));
}

TEST_F(Post, GoesToNoOtherServerForTheNextPage) {
  const HttpAnswer page{
      .status = 200,
      .headers = {{"link", "<https://evil.example/comments?page=2>; rel=\"next\""}},
      .body = "[]"};
  github.before = always("/comments?", page);
  const PostOutcome outcome = post();
  for (const HttpRequest& request : github.http.requests)
    EXPECT_TRUE(request.url.starts_with("https://api.github.com/repos/me/app/")) << request.url;
  // Ours may stand behind what could not be read.
  EXPECT_THAT(github.comments, IsEmpty());
  ASSERT_THAT(outcome.problems, SizeIs(1));
  EXPECT_THAT(outcome.problems.front().message, HasSubstr("no end"));
}

TEST_F(Post, FindsItsCommentWherePagesNameTheServerOtherwise) {
  github.alias = "http://ghe.internal/api/v3/repositories/1/issues/7/comments";
  for (int i = 0; i < 160; ++i) github.add_comment("somebody", "talk");
  github.add_comment(kBot, body_of(kOldHead, 40));
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.comments, SizeIs(161));
  for (const HttpRequest& request : github.http.requests)
    EXPECT_TRUE(request.url.starts_with("https://api.github.com/")) << request.url;
}

TEST_F(Post, AsksForNoPageOfALinkWithoutOne) {
  github.before = always(
      "/comments?", {200, {{"link", "<https://api.github.com/comments>; rel=\"next\""}}, "[]"});
  EXPECT_THAT(post().problems, SizeIs(1));
  EXPECT_EQ(github.count("GET"), 2);
}

TEST_F(Post, WritesNothingWhereTheSameStandsAlready) {
  static_cast<void>(post());
  const int written = github.count("POST") + github.count("PATCH");
  options.status = false;
  EXPECT_THAT(post().said.front(), HasSubstr("unchanged"));
  EXPECT_EQ(github.count("POST") + github.count("PATCH"), written);
}

TEST_F(Post, LeavesAReportOfANewerRunAlone) {
  github.add_comment(kBot, body_of(kHead, 60));
  const PostOutcome outcome = post();
  EXPECT_EQ(marker_now().run_id, 60);
  EXPECT_THAT(outcome.problems, IsEmpty());
  EXPECT_THAT(outcome.said.front(), HasSubstr("newer"));
}

TEST_F(Post, WritesAgainWhereAnOlderRunHasOverwrittenIt) {
  github.after = [&](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (request.url.find("/statuses/") != std::string::npos)
      github.comments.front()["body"] = body_of(kHead, 49);
    return std::nullopt;
  };
  const PostOutcome outcome = post();
  EXPECT_EQ(marker_now().run_id, 50);
  EXPECT_THAT(outcome.notes, ::testing::ElementsAre(HasSubstr("an older run had overwritten")));
}

TEST_F(Post, LooksAgainBeforeAWriteThatALimitHeldBack) {
  github.add_comment(kBot, body_of(kOldHead, 40));
  github.before = [&, spent = false](const HttpRequest& request,
                                     int) mutable -> std::optional<Result<HttpAnswer>> {
    if (spent || request.method != "PATCH") return std::nullopt;
    spent = true;
    github.comments.front()["body"] = body_of(kHead, 60);  // while we wait
    return HttpAnswer{429, {{"retry-after", "7"}}, "{}"};
  };
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_EQ(marker_now().run_id, 60);
}

TEST_F(Post, WritesNoReportOfAHeadThatIsNoneAnyMore) {
  github.head = std::string(40, 'c');
  const PostOutcome outcome = post();
  EXPECT_THAT(github.comments, IsEmpty());
  EXPECT_THAT(github.statuses, SizeIs(1));  // of the commit that was measured
  EXPECT_THAT(outcome.notes.front(), HasSubstr("by now"));
}

TEST_F(Post, FoldedAwayIsNotTakenUpAgain) {
  github.add_comment(kBot, body_of(kOldHead, 40));
  github.comments.back()["minimized"] = {{"reason", "OUTDATED"}};
  static_cast<void>(post());
  EXPECT_THAT(github.comments, SizeIs(2));
}

TEST_F(Post, LooksBeforeItRepeatsAWriteWhoseAnswerWasLost) {
  github.after = once("POST", cut());
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.comments, SizeIs(1));
}

TEST_F(Post, RepeatsAWriteThatFailedBeforeItTookEffect) {
  for (const auto& fault : {Result<HttpAnswer>(cut()), Result<HttpAnswer>(HttpAnswer{502, {}, ""}),
                            Result<HttpAnswer>(HttpAnswer{200, {}, "<html>wait</html>"})}) {
    FakeGitHub fresh;
    fresh.before = once("POST", fault);
    const auto outcome = post_report(report, target, options, fresh.ports());
    EXPECT_THAT(outcome.problems, IsEmpty());
    EXPECT_THAT(fresh.comments, SizeIs(1));
    EXPECT_THAT(fresh.statuses, SizeIs(1));
  }
}

TEST_F(Post, BeginsAgainWhereItsCommentIsDeletedMeanwhile) {
  github.add_comment(kBot, body_of(kOldHead, 40));
  github.before = [&](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (request.method == "PATCH") github.comments.clear();
    return std::nullopt;
  };
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.comments, SizeIs(1));
}

TEST_F(Post, LeavesOneCommentWhereTwoPostersWereAtItAtOnce) {
  // The other one writes between our look and our write.
  github.before = [&](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (request.method == "POST" && github.comments.empty())
      github.add_comment(kBot, body_of(kHead, 49, "the other one"));
    return std::nullopt;
  };
  EXPECT_THAT(post().problems, IsEmpty());
  ASSERT_THAT(github.comments, SizeIs(1));
  EXPECT_EQ(github.comments.front().at("id"), 101);
  EXPECT_EQ(marker_now().run_id, 50);
}

TEST_F(Post, KeepsTheNewestOfTwoThatItFinds) {
  github.add_comment(kBot, body_of(kHead, 40));
  github.add_comment(kBot, body_of(kHead, 60, "the newest"));
  static_cast<void>(post());
  ASSERT_THAT(github.comments, SizeIs(1));
  EXPECT_THAT(github.comments.front().at("body").get<std::string>(), HasSubstr("the newest"));
}

TEST_F(Post, FindsOutWhoItIsByWhatItPosted) {
  github.login = "my-app[bot]";
  github.add_comment("my-app[bot]", body_of(kOldHead, 40));
  const PostOutcome outcome = post();
  ASSERT_THAT(github.comments, SizeIs(1));
  EXPECT_EQ(marker_now().run_id, 50);
  EXPECT_THAT(outcome.notes, ::testing::ElementsAre(HasSubstr("--author")));
  // Once to find out, and no second one when it looks again after the status.
  EXPECT_EQ(github.count("POST"), 2) << "a comment and a status";
  EXPECT_EQ(github.count("DELETE"), 1);
}

TEST_F(Post, SaysWhereItCouldNotSeeWhetherTheCommentStays) {
  github.before = [&](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (github.statuses.empty() || request.url.find("/comments") == std::string::npos)
      return std::nullopt;
    return HttpAnswer{403, {}, R"({"message":"Resource not accessible by integration"})"};
  };
  const PostOutcome outcome = post();
  EXPECT_THAT(github.comments, SizeIs(1));
  ASSERT_THAT(outcome.problems, SizeIs(1));
  EXPECT_THAT(outcome.problems.front().message, HasSubstr("list the comments"));
}

TEST_F(Post, SaysOfASecondLookWhatItWouldSayOfTheFirst) {
  github.after = [&](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (request.url.find("/statuses/") != std::string::npos) github.head = std::string(40, 'c');
    return std::nullopt;
  };
  EXPECT_THAT(post().notes, ::testing::ElementsAre(HasSubstr("by now")));
}

TEST_F(Post, ShrinksWhatIsTooLongForTheServer) {
  for (int i = 0; i < 3000; ++i) report.text += "a row of the table\n";
  github.before = [](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    if (request.method != "POST" || request.body.size() < 20'000) return std::nullopt;
    return HttpAnswer{
        422, {}, R"({"message":"Validation Failed","errors":[{"message":"Body is too long"}]})"};
  };
  EXPECT_THAT(post().problems, IsEmpty());
  ASSERT_THAT(github.comments, SizeIs(1));
  EXPECT_TRUE(find_marker(github.comments.front().at("body").get<std::string>()));
}

TEST_F(Post, SetsTheStatusWhereTheCommentIsRefused) {
  github.before = always(
      "/comments", {403, {}, R"({"message":"Resource not accessible by integration ghs_secret"})"});
  const PostOutcome outcome = post();
  ASSERT_THAT(outcome.problems, SizeIs(1));
  EXPECT_THAT(outcome.problems.front().hint, HasSubstr("pull-requests: "));
  EXPECT_THAT(outcome.problems.front().message, Not(HasSubstr("ghs_secret")));
  EXPECT_THAT(github.statuses, SizeIs(1));
}

TEST_F(Post, GivesUpOnAServerThatIsDown) {
  github.before = [](const HttpRequest&, int) { return std::optional(Result<HttpAnswer>(cut())); };
  const PostOutcome outcome = post();
  EXPECT_THAT(outcome.problems, SizeIs(2));
  EXPECT_LE(github.http.requests.size(), 10U);
}

TEST_F(Post, LosesNoMoreTimeThanItsPatienceToAServerThatHangs) {
  options.patience.budget_s = 40;
  github.before = [&](const HttpRequest&, int) {
    github.clock.advance_ns(15'000'000'000);
    return std::optional(Result<HttpAnswer>(cut()));
  };
  EXPECT_THAT(post().problems, SizeIs(2));
  EXPECT_LE(github.http.requests.size(), 4U);
}

TEST_F(Post, WaitsForALimitAndGoesOn) {
  github.before = once("POST", HttpAnswer{429, {{"retry-after", "7"}}, "{}"});
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.waits, ::testing::Contains(7.0));
  EXPECT_THAT(github.comments, SizeIs(1));
}

TEST_F(Post, FindsThePullRequestOfAForksRunByItsHead) {
  target.pull_request.reset();
  target.event.kind = EventKind::workflow_run;
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(github.comments, SizeIs(1));
}

TEST_F(Post, OfAMergeQueueSetsTheStatusOnly) {
  target.pull_request.reset();
  target.event.kind = EventKind::merge_group;
  const PostOutcome outcome = post();
  EXPECT_THAT(github.comments, IsEmpty());
  EXPECT_THAT(github.statuses, SizeIs(1));
  EXPECT_THAT(outcome.problems, IsEmpty());
}

TEST_F(Post, WritesOneCheckRunHoweverOftenItIsPosted) {
  options.check = true;
  github.after = [](const HttpRequest& request, int) -> std::optional<Result<HttpAnswer>> {
    static bool spent = false;
    if (spent || request.url.find("/check-runs") == std::string::npos || request.method != "POST")
      return std::nullopt;
    spent = true;
    return cut();
  };
  EXPECT_THAT(post().problems, IsEmpty());
  EXPECT_THAT(post().problems, IsEmpty());
  ASSERT_THAT(github.checks, SizeIs(1));
  EXPECT_EQ(github.checks.front().at("conclusion").get<std::string>(), "failure");
  EXPECT_EQ(github.checks.front().at("external_id").get<std::string>(), "decode_8b/50/1");
}

TEST_F(Post, RepeatsOfACheckRunOnlyWhatTheExchangeDoesNot) {
  options.check = true;
  options.comment = options.status = false;
  github.before = always("/check-runs", {502, {}, ""});
  EXPECT_THAT(post().problems, SizeIs(1));
  EXPECT_EQ(github.http.requests.size(), 5U);
}

TEST_F(Post, AsksNothingWithoutAToken) {
  target.token.clear();
  const PostOutcome outcome = post();
  ASSERT_THAT(outcome.problems, SizeIs(1));
  EXPECT_THAT(outcome.problems.front().hint, HasSubstr("GITHUB_TOKEN"));
  EXPECT_THAT(github.http.requests, IsEmpty());
}

}  // namespace
}  // namespace perfgate::post
