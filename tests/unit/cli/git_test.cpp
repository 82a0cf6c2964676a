#include "runner/cli/git.h"

#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using platform::ProcessOutcome;
using platform::ProcessRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Answers = std::function<std::optional<std::string>(const std::vector<std::string>&)>;

platform::FakeProcessRunner fake_git(Answers answers) {
  return platform::FakeProcessRunner(
      [answers = std::move(answers)](const ProcessRequest& request) -> Result<ProcessOutcome> {
        const auto answer = answers(request.argv);
        ProcessOutcome outcome;
        outcome.exit_code = answer ? 0 : 1;  // git's "no"
        outcome.stdout_tail = answer.value_or("");
        return outcome;
      });
}

/// `length` commits before the merge base; only origin's branch is known.
std::optional<std::string> long_history(const std::vector<std::string>& argv, int length) {
  if (argv[1] == "rev-parse" && argv[2] == "--is-shallow-repository") return "false\n";
  if (argv[1] == "rev-parse") {
    const bool is_known = argv.back() == "HEAD" || argv.back().starts_with("refs/remotes");
    return is_known ? std::optional<std::string>("tip\n") : std::nullopt;
  }
  if (argv[1] == "merge-base") return "commit0\n";
  const int most = std::atoi(argv[3].substr(argv[3].find('=') + 1).c_str());
  const int first = std::atoi(argv[4].substr(argv[4].find('=') + 1).c_str());
  std::string page;
  for (int i = first; i < std::min(length, first + most); ++i) {
    page += "commit" + std::to_string(i) + "\n";
  }
  return page;
}

TEST(Ancestry, IsReadPageByPageToItsEnd) {
  auto git = fake_git([](const auto& argv) { return long_history(argv, 130); });
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_THAT(ancestry.note, IsEmpty());
  ASSERT_EQ(ancestry.commits.size(), 130U);
  EXPECT_EQ(ancestry.commits.front(), "commit0");
  EXPECT_EQ(ancestry.commits.back(), "commit129");
}

TEST(Ancestry, EndsAtFiveHundredCommits) {
  auto git = fake_git([](const auto& argv) { return long_history(argv, 100000); });
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_EQ(ancestry.commits.size(), kMostAncestors);
  EXPECT_TRUE(ancestry.is_cut) << "that it ends here is no sign that there are no more";
}

TEST(Ancestry, OfExactlyFiveHundredCommitsIsWhole) {
  auto git = fake_git([](const auto& argv) { return long_history(argv, 500); });
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_EQ(ancestry.commits.size(), kMostAncestors);
  EXPECT_FALSE(ancestry.is_cut);
}

TEST(Ancestry, OfACommitThatIsNamedBeginsThere) {
  const std::string commit(40, 'a');
  auto git = fake_git([](const auto& argv) { return long_history(argv, 70); });
  const auto line = line_of_commit({}, git, commit);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line.value().commits.size(), 70U);
  EXPECT_EQ(git.requests.back().argv.back(), commit);
  for (const char* wrong :
       {"", "main", "--all", "aaaaaaa", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    EXPECT_FALSE(line_of_commit({}, git, wrong).ok()) << wrong;
}

TEST(Ancestry, OfAShallowCloneIsNotKnownAndTheNoteSaysWhatHelps) {
  auto git = fake_git([](const auto&) { return std::optional<std::string>("true\n"); });
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_THAT(ancestry.commits, IsEmpty());
  EXPECT_THAT(ancestry.note, HasSubstr("fetch-depth: 0"));
}

/// A git that does `end` at its `calls`-th question, and answers well before.
platform::FakeProcessRunner failing_git(int calls, ProcessOutcome end) {
  return platform::FakeProcessRunner(
      [calls,
       end = std::move(end)](const ProcessRequest& request) mutable -> Result<ProcessOutcome> {
        if (--calls <= 0) return end;
        ProcessOutcome outcome;
        const auto answer = long_history(request.argv, 1000);
        outcome.exit_code = answer ? 0 : 1;
        outcome.stdout_tail = answer.value_or("");
        return outcome;
      });
}

ProcessOutcome failed(std::string said) {
  ProcessOutcome outcome;
  outcome.exit_code = 128;
  outcome.stderr_tail = std::move(said);
  return outcome;
}

std::string note_of(ProcessOutcome first_answer) {
  auto git = failing_git(1, std::move(first_answer));
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_THAT(ancestry.commits, IsEmpty());
  return ancestry.note;
}

TEST(Ancestry, WithoutGitIsNotKnownAndTheNoteSaysToInstallIt) {
  platform::FakeProcessRunner none([](const ProcessRequest&) -> Result<ProcessOutcome> {
    return Error{.code = ErrorCode::not_found, .message = "no git", .hint = {}, .context = {}};
  });
  EXPECT_EQ(find_ancestry({}, none, "main").note,
            "git is not installed here; install it, or put it on PATH");
}

TEST(Ancestry, OfNoRepositoryIsNotKnown) {
  EXPECT_EQ(note_of(failed("fatal: not a git repository (or any of the parent directories): .git")),
            "no git repository here; run perfgate in the checkout");
}

TEST(Ancestry, OfAnotherUsersCheckoutIsNotKnownAndTheNoteHasGitsOwnCommand) {
  EXPECT_EQ(note_of(failed("fatal: detected dubious ownership in repository at '/src/a b'\n"
                           "To add an exception for this directory, call:\n\n"
                           "\tgit config --global --add safe.directory '/src/a b'\n")),
            "git refuses this checkout, which belongs to another user; `git config --global --add "
            "safe.directory '/src/a b'` allows it");
  EXPECT_THAT(note_of(failed("fatal: unsafe repository ('/src' is owned by someone else)")),
              HasSubstr("safe.directory"));
}

TEST(Ancestry, OfASlowGitIsNotKnown) {
  ProcessOutcome late;
  late.end = ProcessOutcome::End::timed_out;
  EXPECT_THAT(note_of(late), HasSubstr("gave no answer within 10 s"));
}

TEST(Ancestry, OfAGitThatFailsOtherwiseHasItsLastLine) {
  EXPECT_EQ(
      note_of(failed("error: object file is empty\nfatal: bad object HEAD\n")),
      "`git rev-parse --is-shallow-repository` failed: fatal: bad object HEAD; run it here to "
      "see the rest");
}

TEST(Ancestry, IsNotKnownWhereverOneOfTheQuestionsFails) {
  // Shallow, two references, merge base, nine pages, HEAD.
  for (int question = 1; question <= 14; ++question) {
    auto git = failing_git(question, failed("fatal: unable to read tree"));
    const Ancestry ancestry = find_ancestry({}, git, "main");
    EXPECT_THAT(ancestry.commits, IsEmpty()) << question;
    EXPECT_THAT(ancestry.note, HasSubstr("unable to read tree")) << question;
    EXPECT_FALSE(ancestry.head_is_beyond);
  }
}

TEST(Ancestry, OfAPageThatWasInterruptedIsNotKnown) {
  ProcessOutcome killed;
  killed.end = ProcessOutcome::End::signalled;
  killed.signal = 9;
  killed.stdout_tail = "commit60\ncommit61\n";  // it had begun to answer
  auto git = failing_git(6, killed);
  const Ancestry ancestry = find_ancestry({}, git, "main");
  EXPECT_THAT(ancestry.commits, IsEmpty());
  EXPECT_THAT(ancestry.note, HasSubstr("signal 9"));
}

TEST(Ancestry, IsAskedForInTheCLocaleAsTheAnswersAreRead) {
  auto git = fake_git([](const auto& argv) { return long_history(argv, 1); });
  EXPECT_THAT(find_ancestry({{{"LC_ALL", "de_DE.UTF-8"}}}, git, "main").note, IsEmpty());
  for (const ProcessRequest& request : git.requests)
    EXPECT_EQ(request.environment.at("LC_ALL"), "C");
}

/// A repository of its own; every commit is empty.
class Repository : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git here";
    git("init -q -b main");
  }
  void git(const std::string& arguments) {
    const std::string identity = " -c user.name=t -c user.email=t@t -c commit.gpgsign=false ";
    const std::string line = "git -C " + folder.path() + identity + arguments + " > /dev/null 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << arguments;
  }
  void commit(const std::string& name) { git("commit -q --allow-empty -m " + name); }
  std::string hash(const std::string& revision) {
    const auto answer = ask_git(environment(), processes, {"rev-parse", revision});
    return answer ? answer->substr(0, answer->find('\n')) : std::string();
  }
  [[nodiscard]] platform::Environment environment() const {
    return {{{"GIT_DIR", folder / ".git"}, {"PATH", std::getenv("PATH")}}};
  }
  TemporaryFolder folder;
  platform::SystemClock clock;
  platform::Cancellation cancellation;
  platform::SystemProcessRunner processes{clock, cancellation};
};

TEST_F(Repository, ABranchHasTheAncestorsOfItsMergeBaseAndNotNewerMain) {
  commit("one");
  git("branch side");
  commit("two");
  git("checkout -q side");
  commit("side-work");
  git("checkout -q main");
  git("merge -q --no-ff --no-edit side");
  git("checkout -q -b topic");
  commit("topic-work");
  git("checkout -q main");
  commit("newer-main");
  git("checkout -q topic");
  const Ancestry ancestry = find_ancestry(environment(), processes, "main");
  EXPECT_THAT(ancestry.commits, ElementsAre(hash("topic~1"), hash("topic~2"), hash("topic~3")))
      << "first parents alone: what was merged in was not measured on main";
}

TEST_F(Repository, OnTheBranchItselfHeadIsTheNearest) {
  commit("one");
  commit("two");
  git("update-ref refs/remotes/origin/main main~1");
  const Ancestry ancestry = find_ancestry(environment(), processes, "main");
  EXPECT_THAT(ancestry.commits, ElementsAre(hash("main"), hash("main~1")))
      << "a commit that is not pushed yet counts too";
  EXPECT_FALSE(ancestry.head_is_beyond);
}

TEST_F(Repository, AFeaturesCommitIsBeyondMainAndOfItsOwnBranch) {
  commit("one");
  git("checkout -q -b feature");
  EXPECT_FALSE(find_ancestry(environment(), processes, "main").head_is_beyond) << "no commit yet";
  commit("work");
  EXPECT_TRUE(find_ancestry(environment(), processes, "main").head_is_beyond);
  const Ancestry own = find_ancestry(environment(), processes, "feature");
  EXPECT_FALSE(own.head_is_beyond);
  EXPECT_THAT(own.commits, ElementsAre(hash("feature"), hash("main")));
}

TEST_F(Repository, AnUnknownBranchIsNamed) {
  commit("one");
  EXPECT_THAT(find_ancestry(environment(), processes, "release").note,
              HasSubstr("no branch release"));
}

TEST_F(Repository, ADepthOneCloneIsShallow) {
  commit("one");
  commit("two");
  const std::string clone = "git clone -q --depth 1 file://" + folder.path() + " " +
                            (folder / "clone") + " > /dev/null 2>&1";
  ASSERT_EQ(std::system(clone.c_str()), 0);
  const platform::Environment in_clone{
      {{"GIT_DIR", folder / "clone/.git"}, {"PATH", std::getenv("PATH")}}};
  EXPECT_THAT(find_ancestry(in_clone, processes, "main").note, HasSubstr("shallow"));
}

}  // namespace
}  // namespace perfgate::cli
