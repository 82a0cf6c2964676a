#include "runner/cli/run/run_identity.h"

#include <charconv>
#include <utility>
#include <vector>

#include "runner/cli/git.h"
#include "runner/cli/version.h"

namespace perfgate::cli {
namespace {

/// One line of git's answer; empty if it has none.
std::string ask_line(const platform::Environment& environment, platform::ProcessRunner& processes,
                     std::vector<std::string> arguments) {
  const std::string answer = ask_git(environment, processes, std::move(arguments)).value_or("");
  return answer.substr(0, answer.find('\n'));
}

int number_or(const std::string& text, int otherwise) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

}  // namespace

RunIdentity form_identity(const platform::Environment& environment,
                          platform::ProcessRunner& processes, const platform::Clock& clock) {
  const auto variable = [&](const char* name) { return environment.get(name).value_or(""); };
  RunIdentity identity;
  identity.tool_version = std::string(kVersion);
  identity.repo = variable("GITHUB_REPOSITORY");
  identity.commit = variable("GITHUB_SHA");
  identity.branch = variable("GITHUB_REF_NAME");
  identity.run_id = variable("GITHUB_RUN_ID");
  identity.attempt = number_or(variable("GITHUB_RUN_ATTEMPT"), 1);
  identity.started_utc = platform::format_utc(clock.realtime_ns());
  if (identity.commit.empty()) {
    identity.commit = ask_line(environment, processes, {"rev-parse", "HEAD"});
    identity.branch = ask_line(environment, processes, {"rev-parse", "--abbrev-ref", "HEAD"});
  }
  // Whoever named the commit: git alone knows whether the files are those of the commit.
  identity.dirty =
      !ask_line(environment, processes,
                {"--no-optional-locks", "status", "--porcelain", "--untracked-files=no"})
           .empty();
  return identity;
}

std::string baseline_branch(const platform::Environment& environment, const std::string& named) {
  if (!named.empty()) return named;
  return environment.get_non_empty("GITHUB_BASE_REF").value_or("main");
}

bool is_pull_request(const platform::Environment& environment) {
  return environment.get("GITHUB_EVENT_NAME").value_or("").starts_with("pull_request");
}

}  // namespace perfgate::cli
