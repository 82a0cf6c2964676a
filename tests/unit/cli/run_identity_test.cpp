#include "runner/cli/run/run_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

using platform::ProcessOutcome;
using platform::ProcessRequest;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A git that answers the questions, or none; its files are those of the commit unless `changed`.
platform::FakeProcessRunner git(bool is_repository, bool changed = false) {
  return platform::FakeProcessRunner(
      [is_repository, changed](const ProcessRequest& request) -> Result<ProcessOutcome> {
        ProcessOutcome outcome;
        outcome.exit_code = is_repository ? 0 : 128;
        outcome.stdout_tail = request.argv.back() == "HEAD" && request.argv.size() == 3
                                  ? "0123456789abcdef\n"
                                  : "topic/faster\n";
        if (request.argv[2] == "status") outcome.stdout_tail = changed ? " M a.cpp\n" : "";
        return outcome;
      });
}

TEST(Identity, InActionsTheVariablesSayAllAndGitIsAskedForChangesAlone) {
  auto processes = git(true, true);
  const platform::SystemClock clock;
  const RunIdentity identity = form_identity({{{"GITHUB_REPOSITORY", "org/model"},
                                               {"GITHUB_SHA", "feed"},
                                               {"GITHUB_REF_NAME", "12/merge"},
                                               {"GITHUB_RUN_ID", "77"},
                                               {"GITHUB_RUN_ATTEMPT", "2"}}},
                                             processes, clock);
  EXPECT_EQ(identity.repo, "org/model");
  EXPECT_EQ(identity.commit, "feed");
  EXPECT_EQ(identity.branch, "12/merge");
  EXPECT_EQ(identity.attempt, 2);
  EXPECT_TRUE(identity.dirty);
  EXPECT_THAT(processes.requests, SizeIs(1));
}

TEST(Identity, ElsewhereGitSaysCommitAndBranch) {
  auto processes = git(true);
  const platform::SystemClock clock;
  const RunIdentity identity = form_identity({}, processes, clock);
  EXPECT_EQ(identity.commit, "0123456789abcdef");
  EXPECT_EQ(identity.branch, "topic/faster");
  EXPECT_FALSE(identity.dirty);
  EXPECT_THAT(processes.requests, SizeIs(3));
}

TEST(Identity, WithoutARepositoryNothingIsGuessed) {
  auto processes = git(false);
  const platform::SystemClock clock;
  const RunIdentity identity = form_identity({}, processes, clock);
  EXPECT_THAT(identity.commit, IsEmpty());
  EXPECT_THAT(identity.branch, IsEmpty());
}

TEST(Identity, AnAttemptThatIsNoNumberIsTheFirst) {
  auto processes = git(false);
  const platform::SystemClock clock;
  const auto with = [&](const char* text) {
    return form_identity({{{"GITHUB_SHA", "feed"}, {"GITHUB_RUN_ATTEMPT", text}}}, processes, clock)
        .attempt;
  };
  EXPECT_EQ(with("3x"), 1);
  EXPECT_EQ(with(""), 1);
}

TEST(BaselineBranch, IsTheNamedOneElseThePullRequestsBaseElseMain) {
  const platform::Environment pull_request{{{"GITHUB_BASE_REF", "release"}}};
  EXPECT_EQ(baseline_branch(pull_request, "mine"), "mine");
  EXPECT_EQ(baseline_branch(pull_request, ""), "release");
  EXPECT_EQ(baseline_branch({{{"GITHUB_BASE_REF", ""}}}, ""), "main") << "a push sets it empty";
}

TEST(PullRequest, IsSeenByTheEventsName) {
  EXPECT_TRUE(is_pull_request({{{"GITHUB_EVENT_NAME", "pull_request_target"}}}));
  EXPECT_FALSE(is_pull_request({{{"GITHUB_EVENT_NAME", "push"}}}));
  EXPECT_FALSE(is_pull_request({}));
}

}  // namespace
}  // namespace perfgate::cli
