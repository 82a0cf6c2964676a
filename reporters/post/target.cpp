#include "reporters/post/target.h"

#include <charconv>
#include <utility>

#include "runner/platform/http.h"

namespace perfgate::post {
namespace {

Error usage(std::string message, std::string hint) {
  return {.code = ErrorCode::usage,
          .message = std::move(message),
          .hint = std::move(hint),
          .context = {}};
}

std::int64_t number_or(const std::string& text, std::int64_t otherwise) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc() && end == text.data() + text.size() && value > 0;
  return whole ? value : otherwise;
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

/// What GITHUB_SHA is good for: in pull requests it is the test merge, in a workflow_run and a
/// comment the default branch.
std::string own_sha(const EventFacts& event, const std::string& github_sha) {
  const bool is_other = event.kind == EventKind::other || event.kind == EventKind::push ||
                        event.kind == EventKind::merge_group;
  return is_other && is_sha(github_sha) ? github_sha : std::string();
}

std::string hint_of_sha(const EventFacts& event) {
  if (event.kind == EventKind::issue_comment)
    return "a comment's event names no commit: --sha SHA, the one that was measured";
  return "--sha SHA: the commit that was measured";
}

}  // namespace

Result<Target> find_target(const TargetOptions& options, const platform::Environment& environment,
                           EventFacts event) {
  const auto variable = [&](const char* name) { return environment.get(name).value_or(""); };
  Target target;
  target.api_url =
      first_of({options.api_url, variable("GITHUB_API_URL"), "https://api.github.com"});
  while (target.api_url.ends_with('/')) target.api_url.pop_back();
  if (!platform::may_carry_token(target.api_url)) {
    return usage("'" + target.api_url + "' is no URL that a token may be sent to",
                 "as https://api.github.com, or https://HOST/api/v3 of an Enterprise Server");
  }
  target.repository =
      first_of({options.repository, variable("GITHUB_REPOSITORY"), event.repository});
  if (!is_repository(target.repository)) {
    return usage(target.repository.empty() ? "which repository to post to is not known"
                                           : "'" + target.repository + "' is no repository",
                 "--repo OWNER/NAME");
  }
  if (!options.sha.empty() && !is_sha(options.sha))
    return usage("'" + options.sha + "' is no whole commit SHA", "git rev-parse HEAD prints one");
  target.head_sha = first_of({options.sha, event.head_sha, own_sha(event, variable("GITHUB_SHA"))});
  if (target.head_sha.empty())
    return usage("which commit was measured is not known", hint_of_sha(event));
  target.pull_request = options.pull_request ? options.pull_request : event.pull_request;
  target.run_id = number_or(variable("GITHUB_RUN_ID"), 0);
  target.attempt = static_cast<int>(number_or(variable("GITHUB_RUN_ATTEMPT"), 1));
  if (target.run_id > 0) {
    target.run_url = first_of({variable("GITHUB_SERVER_URL"), "https://github.com"}) + "/" +
                     target.repository + "/actions/runs/" + std::to_string(target.run_id);
    if (target.attempt > 1) target.run_url += "/attempts/" + std::to_string(target.attempt);
  }
  target.author = options.author;
  if (target.author.empty() && variable("GITHUB_ACTIONS") == "true")
    target.author = "github-actions[bot]";
  target.token = first_of({variable("PERFGATE_TOKEN"), variable("GITHUB_TOKEN")});
  target.event = std::move(event);
  return target;
}

}  // namespace perfgate::post
