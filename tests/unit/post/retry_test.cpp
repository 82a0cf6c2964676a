// What is asked again, after how long, and what a refusal is called.
#include "reporters/post/retry.h"

#include <gmock/gmock.h>

#include "reporters/post/refusal.h"

namespace perfgate::post {
namespace {

using platform::HttpAnswer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Patience kPatience{.pause_s = 1.0, .budget_s = 120.0, .attempts = 5};

Result<HttpAnswer> answer(int status, std::map<std::string, std::string> headers = {},
                          std::string body = {}) {
  return HttpAnswer{status, std::move(headers), std::move(body)};
}

Result<HttpAnswer> no_answer() {
  return Error{.code = ErrorCode::unavailable, .message = "cut", .hint = {}, .context = {}};
}

TEST(Retry, DoublesThePauseWhereTheServerFails) {
  EXPECT_EQ(wait_before_next(answer(502), 1, 0, 0, kPatience), 1.0);
  EXPECT_EQ(wait_before_next(no_answer(), 3, 0, 0, kPatience), 4.0);
  EXPECT_LT(wait_before_next(answer(502), 5, 0, 0, kPatience), 0.0);
}

TEST(Retry, WaitsAsLongAsALimitAsksFor) {
  EXPECT_EQ(wait_before_next(answer(429, {{"retry-after", "7"}}), 1, 0, 0, kPatience), 7.0);
  const auto used_up = answer(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1040"}});
  EXPECT_EQ(wait_before_next(used_up, 1, 0, 1000, kPatience), 41.0);
  const auto secondary =
      answer(403, {}, R"({"message":"You have exceeded a secondary rate limit"})");
  EXPECT_EQ(wait_before_next(secondary, 1, 0, 0, kPatience), 60.0);
}

TEST(Retry, GivesUpWhereALimitOutlastsThePatience) {
  EXPECT_LT(wait_before_next(answer(429, {{"retry-after", "3600"}}), 1, 0, 0, kPatience), 0.0);
  EXPECT_LT(wait_before_next(answer(429, {{"retry-after", "30"}}), 1, 100, 0, kPatience), 0.0);
  const auto secondary = answer(403, {}, "secondary rate limit");
  EXPECT_LT(wait_before_next(secondary, 2, 60, 0, kPatience), 0.0);
}

TEST(Retry, NeverRepeatsWhatWasRefusedForGood) {
  for (const int status : {400, 401, 403, 410, 422})
    EXPECT_EQ(kind_of(answer(status)), Kind::definitive) << status;
  EXPECT_EQ(kind_of(answer(404)), Kind::changed);
  EXPECT_EQ(kind_of(answer(503)), Kind::uncertain);
  EXPECT_EQ(kind_of(answer(201)), Kind::done);
}

HttpAnswer refused(int status, const std::string& message, const std::string& accepted = {}) {
  HttpAnswer refusal{.status = status, .headers = {}, .body = "{\"message\":\"" + message + "\"}"};
  if (!accepted.empty()) refusal.headers["x-accepted-github-permissions"] = accepted;
  return refusal;
}

TEST(Refusal, NamesTheMissingPermission) {
  const Error error = explain_refusal(
      refused(403, "Resource not accessible by integration", "issues=write; pull_requests=write"),
      {"write the comment", "pull-requests: write", false});
  EXPECT_THAT(error.message, HasSubstr("Resource not accessible by integration"));
  EXPECT_THAT(error.hint, HasSubstr("permissions: {pull-requests: write}"));
  EXPECT_THAT(error.hint, HasSubstr("issues: write, or pull-requests: write"));
  EXPECT_THAT(error.hint, Not(HasSubstr("fork")));
}

TEST(Refusal, OfAForksTokenSaysThatItMayOnlyRead) {
  const Error error = explain_refusal(refused(403, "Resource not accessible by integration"),
                                      {"write the comment", "pull-requests: write", true});
  EXPECT_THAT(error.hint, HasSubstr("workflow_run"));
}

TEST(Refusal, OfALockedConversationIsNoPermission) {
  const Error error =
      explain_refusal(refused(403, "Unable to create comment because issue is locked."),
                      {"write the comment", "pull-requests: write", false});
  EXPECT_THAT(error.hint, HasSubstr("unlock"));
  const Error blocked = explain_refusal(refused(403, "Repository access blocked"),
                                        {"write the comment", "pull-requests: write", false});
  EXPECT_THAT(blocked.hint, Not(HasSubstr("unlock")));
}

TEST(Refusal, TakesNothingButAListOfPermissionsFromTheHeader) {
  EXPECT_EQ(permissions_in_words("pull_requests=write,contents=read"),
            "pull-requests: write with contents: read");
  EXPECT_EQ(permissions_in_words("a=b\x1b[31m"), "");
  EXPECT_EQ(permissions_in_words("nothing"), "");
}

TEST(Refusal, KnowsABodyThatIsTooLong) {
  EXPECT_TRUE(is_too_long(
      {422, {}, R"({"message":"Validation Failed","errors":[{"message":"Body is too long"}]})"}));
  EXPECT_FALSE(is_too_long({422, {}, R"({"message":"Validation Failed"})"}));
}

TEST(Masking, LeavesNothingOfTheSecret) {
  EXPECT_EQ(masked("a secret, secret", "secret"), "a ***, ***");
  EXPECT_EQ(masked("as it is", ""), "as it is");
}

}  // namespace
}  // namespace perfgate::post
