#include "runner/cli/git.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/model/result.h"

namespace perfgate::cli {
namespace {

constexpr double kGitTimeoutS = 10.0;
/// Commits a call: with SHA-256's 64 digits they still fit into what is kept of an output.
constexpr std::size_t kPage = 60;
static_assert(kPage * 65 < platform::kTailBytes);

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

Ancestry not_known(std::string why) {
  Ancestry ancestry;
  ancestry.note = std::move(why);
  return ancestry;
}

Ancestry not_known(const Error& error) { return not_known(error.message + "; " + error.hint); }

Error failure(ErrorCode code, std::string message, std::string hint) {
  return {.code = code, .message = std::move(message), .hint = std::move(hint), .context = {}};
}

/// "git rev-parse HEAD": without the options that concern only us.
std::string shown_command(const std::vector<std::string>& argv) {
  std::string shown;
  for (const std::string& word : argv) {
    if (word != "--no-optional-locks") shown += (shown.empty() ? "" : " ") + word;
  }
  return shown;
}

/// Git's refusal of a checkout of another user, since 2.35.2 with the command that allows it.
Error not_ours(const std::string& said) {
  constexpr std::string_view kCommand = "git config --global --add safe.directory ";
  const std::size_t at = said.find(kCommand);
  const std::size_t end = at == std::string::npos ? at : std::min(said.find('\n', at), said.size());
  const std::string command =
      at == std::string::npos ? std::string(kCommand) + "\"$PWD\"" : said.substr(at, end - at);
  return failure(ErrorCode::unavailable, "git refuses this checkout, which belongs to another user",
                 "`" + command + "` allows it");
}

/// What a git that ended with an error means, by what it printed in the C locale.
Error explain_exit(const std::vector<std::string>& argv, const platform::ProcessOutcome& outcome) {
  const std::string& said = outcome.stderr_tail;
  if (said.find("not a git repository") != std::string::npos) {
    return failure(ErrorCode::not_found, "no git repository here", "run perfgate in the checkout");
  }
  if (said.find("dubious ownership") != std::string::npos ||
      said.find("unsafe repository") != std::string::npos) {
    return not_ours(said);
  }
  const auto lines = lines_of(said);
  return failure(
      ErrorCode::unavailable,
      "`" + shown_command(argv) + "` failed: " +
          (lines.empty() ? "exit code " + std::to_string(outcome.exit_code) : lines.back()),
      "run it here to see the rest");
}

/// Git's "no": it ends with 1 and has nothing to say, as where a reference is not there.
bool says_no(const platform::ProcessOutcome& outcome) {
  return outcome.end == platform::ProcessOutcome::End::exited && outcome.exit_code == 1 &&
         outcome.stdout_tail.empty() && outcome.stderr_tail.empty();
}

Result<platform::ProcessOutcome> run_git(const platform::Environment& environment,
                                         platform::ProcessRunner& processes,
                                         std::vector<std::string> arguments) {
  using End = platform::ProcessOutcome::End;
  arguments.insert(arguments.begin(), "git");
  platform::ProcessRequest request;
  request.argv = std::move(arguments);
  request.environment = environment.variables;
  request.environment["LC_ALL"] = "C";  // what it prints is read
  request.timeout_s = kGitTimeoutS;
  auto outcome = processes.run(request);
  if (!outcome.ok()) {
    if (outcome.error().code != ErrorCode::not_found) return std::move(outcome).error();
    return failure(ErrorCode::not_found, "git is not installed here",
                   "install it, or put it on PATH");
  }
  const std::string shown = "`" + shown_command(request.argv) + "`";
  switch (outcome.value().end) {
    case End::timed_out:
      return failure(
          ErrorCode::unavailable,
          shown + " gave no answer within " + std::to_string(static_cast<int>(kGitTimeoutS)) + " s",
          "see whether it does by hand: a slow disk, or a lock of another git");
    case End::interrupted:
      return failure(ErrorCode::interrupted, shown + " was interrupted", "run again");
    case End::signalled:
      return failure(ErrorCode::unavailable,
                     shown + " was ended by signal " + std::to_string(outcome.value().signal),
                     "run it here to see why");
    case End::exited: break;
  }
  if (outcome.value().exit_code == 0 || says_no(outcome.value())) return outcome;
  return explain_exit(request.argv, outcome.value());
}

/// One repository's answers; the first failure stays, and all later answers are empty.
class Questions {
 public:
  Questions(const platform::Environment& environment, platform::ProcessRunner& processes)
      : environment_(environment), processes_(processes) {}

  std::vector<std::string> ask(std::vector<std::string> arguments) {
    if (failed_) return {};
    auto outcome = run_git(environment_, processes_, std::move(arguments));
    if (outcome.ok()) return lines_of(outcome.value().stdout_tail);
    failed_ = std::move(outcome).error();
    return {};
  }
  [[nodiscard]] const std::optional<Error>& failed() const { return failed_; }

 private:
  const platform::Environment& environment_;
  platform::ProcessRunner& processes_;
  std::optional<Error> failed_;
};

/// Empty if the clone is whole; else why the ancestors cannot be known.
std::string why_cut(const std::vector<std::string>& shallow) {
  if (shallow.empty() || shallow.front() == "false") return {};
  if (shallow.front() == "true") {
    return "this clone is shallow, so its history is cut; fetch-depth: 0 of actions/checkout, or "
           "`git fetch --unshallow`, fetches it whole";
  }
  return "this git cannot say whether the clone is whole; git 2.15 or later can";
}

/// The first-parent line from `base`, page by page; a page that fails leaves its error.
std::vector<std::string> read_line(Questions& git, const std::string& base) {
  std::vector<std::string> commits;
  while (commits.size() <= kMostAncestors) {  // one more shows that the line goes on
    const auto page = git.ask({"rev-list", "--first-parent", "--max-count=" + std::to_string(kPage),
                               "--skip=" + std::to_string(commits.size()), base});
    commits.insert(commits.end(), page.begin(), page.end());
    if (page.size() < kPage) break;
  }
  return commits;
}

void cut(Ancestry& ancestry) {
  ancestry.is_cut = ancestry.commits.size() > kMostAncestors;
  if (ancestry.is_cut) ancestry.commits.resize(kMostAncestors);
}

bool is_whole_sha(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::optional<std::string> ask_git(const platform::Environment& environment,
                                   platform::ProcessRunner& processes,
                                   std::vector<std::string> arguments) {
  auto outcome = run_git(environment, processes, std::move(arguments));
  if (!outcome.ok() || says_no(outcome.value())) return std::nullopt;
  return std::move(outcome).value().stdout_tail;
}

Ancestry find_ancestry(const platform::Environment& environment, platform::ProcessRunner& processes,
                       const std::string& branch) {
  Questions git(environment, processes);
  const auto shallow = git.ask({"rev-parse", "--is-shallow-repository"});
  if (std::string why = why_cut(shallow); !why.empty()) return not_known(std::move(why));
  std::vector<std::string> question{"merge-base", "HEAD"};
  // Git finds the best common ancestor of HEAD and of all that follow, taken together: what the
  // local branch has and origin does not, and the other way round, both count.
  for (const char* place : {"refs/remotes/origin/", "refs/heads/"}) {
    const std::string reference = place + branch;
    if (!git.ask({"rev-parse", "--verify", "--quiet", reference + "^{commit}"}).empty())
      question.push_back(reference);
  }
  if (git.failed()) return not_known(*git.failed());
  if (question.size() == 2) {
    return not_known("git knows no branch " + branch + " here; `git fetch origin " + branch + ":" +
                     "refs/remotes/origin/" + branch + "` fetches it, --branch names another");
  }
  const auto base = git.ask(question);
  if (git.failed()) return not_known(*git.failed());
  if (base.empty()) {
    return not_known("HEAD and branch " + branch +
                     " have no commit in common; --branch names another");
  }
  Ancestry ancestry;
  ancestry.commits = read_line(git, base.front());
  const auto head = git.ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  if (git.failed()) return not_known(*git.failed());
  if (ancestry.commits.empty() || head.empty()) return not_known("git lists no commits");
  cut(ancestry);
  ancestry.head_is_beyond = head.front() != base.front();
  return ancestry;
}

Result<Ancestry> line_of_commit(const platform::Environment& environment,
                                platform::ProcessRunner& processes, const std::string& commit) {
  if (!is_whole_sha(commit)) {
    return failure(ErrorCode::usage, "--ancestor takes a whole commit, 40 or 64 digits",
                   "git rev-parse NAME gives it");
  }
  Questions git(environment, processes);
  const auto shallow = git.ask({"rev-parse", "--is-shallow-repository"});
  if (std::string why = why_cut(shallow); !why.empty()) return not_known(std::move(why));
  Ancestry ancestry;
  ancestry.commits = read_line(git, commit);
  if (git.failed()) return not_known(*git.failed());
  if (ancestry.commits.empty()) return not_known("git lists no commits");
  cut(ancestry);
  return ancestry;
}

}  // namespace perfgate::cli
