#include "runner/cli/git.h"

#include <algorithm>
#include <utility>

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

Ancestry not_known(std::string why) { return {.commits = {}, .note = std::move(why)}; }

}  // namespace

std::optional<std::string> ask_git(const platform::Environment& environment,
                                   platform::ProcessRunner& processes,
                                   std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  platform::ProcessRequest request;
  request.argv = std::move(arguments);
  request.environment = environment.variables;
  request.timeout_s = kGitTimeoutS;
  auto outcome = processes.run(request);
  if (!outcome.ok() || outcome.value().end != platform::ProcessOutcome::End::exited ||
      outcome.value().exit_code != 0) {
    return std::nullopt;
  }
  return std::move(outcome).value().stdout_tail;
}

Ancestry find_ancestry(const platform::Environment& environment, platform::ProcessRunner& processes,
                       const std::string& branch) {
  const auto ask = [&](std::vector<std::string> arguments) {
    auto answer = ask_git(environment, processes, std::move(arguments));
    return answer ? lines_of(*answer) : std::vector<std::string>{};
  };
  const auto shallow = ask({"rev-parse", "--is-shallow-repository"});
  if (shallow.empty()) return not_known("no git repository here");
  if (shallow.front() != "false") {
    return not_known("this clone is shallow; fetch-depth: 0 of actions/checkout fetches it whole");
  }
  std::vector<std::string> question{"merge-base", "HEAD"};
  // Git finds the best common ancestor of HEAD and of all that follow, taken together: what the
  // local branch has and origin does not, and the other way round, both count.
  for (const char* place : {"refs/remotes/origin/", "refs/heads/"}) {
    const std::string reference = place + branch;
    if (!ask({"rev-parse", "--verify", "--quiet", reference + "^{commit}"}).empty())
      question.push_back(reference);
  }
  if (question.size() == 2) return not_known("git knows no branch " + branch + " here");
  const auto base = ask(question);
  if (base.empty()) return not_known("HEAD and branch " + branch + " have no commit in common");
  Ancestry ancestry;
  while (ancestry.commits.size() < kMostAncestors) {
    auto page = ask({"rev-list", "--first-parent", "--max-count=" + std::to_string(kPage),
                     "--skip=" + std::to_string(ancestry.commits.size()), base.front()});
    const bool is_last = page.size() < kPage;
    for (std::string& commit : page) ancestry.commits.push_back(std::move(commit));
    if (is_last) break;
  }
  if (ancestry.commits.empty()) return not_known("git lists no commits");
  if (ancestry.commits.size() > kMostAncestors) ancestry.commits.resize(kMostAncestors);
  const auto head = ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  ancestry.head_is_beyond = !head.empty() && head.front() != base.front();
  return ancestry;
}

}  // namespace perfgate::cli
