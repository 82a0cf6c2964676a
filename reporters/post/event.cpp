#include "reporters/post/event.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "runner/model/json_limits.h"

namespace perfgate::post {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestName = 200;

/// The member at the end of `path`; null where any step is missing or no object.
const Json& at(const Json& value, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* place = &value;
  for (const char* name : path) {
    if (!place->is_object()) return kNothing;
    const auto found = place->find(name);
    if (found == place->end()) return kNothing;
    place = &*found;
  }
  return *place;
}

std::string text_at(const Json& value, std::initializer_list<const char*> path) {
  const Json& found = at(value, path);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::string sha_at(const Json& value, std::initializer_list<const char*> path) {
  std::string text = text_at(value, path);
  return is_sha(text) ? text : std::string();
}

std::optional<std::int64_t> number_at(const Json& value, std::initializer_list<const char*> path) {
  const Json& found = at(value, path);
  if (!found.is_number_integer() && !found.is_number_unsigned()) return std::nullopt;
  const auto number = found.get<std::int64_t>();
  return number > 0 ? std::optional(number) : std::nullopt;
}

void read_pull_request(const Json& payload, EventFacts& facts) {
  facts.pull_request = number_at(payload, {"pull_request", "number"});
  if (!facts.pull_request) facts.pull_request = number_at(payload, {"number"});
  facts.head_sha = sha_at(payload, {"pull_request", "head", "sha"});
  facts.base_sha = sha_at(payload, {"pull_request", "base", "sha"});
  // A head repository that was deleted is null.
  facts.is_fork = text_at(payload, {"pull_request", "head", "repo", "full_name"}) !=
                  text_at(payload, {"pull_request", "base", "repo", "full_name"});
}

/// 12 of "refs/heads/pull-request/12": the branch that NVIDIA's copy-pr-bot makes of a pull
/// request.
std::optional<std::int64_t> copied_pull_request(std::string_view ref) {
  constexpr std::string_view kStart = "refs/heads/pull-request/";
  if (!ref.starts_with(kStart)) return std::nullopt;
  ref.remove_prefix(kStart.size());
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(ref.data(), ref.data() + ref.size(), number);
  const bool whole = failed == std::errc() && end == ref.data() + ref.size() && number > 0;
  return whole ? std::optional(number) : std::nullopt;
}

void read_push(const Json& payload, EventFacts& facts) {
  facts.head_sha = sha_at(payload, {"after"});
  facts.base_sha = sha_at(payload, {"before"});
  facts.pull_request = copied_pull_request(text_at(payload, {"ref"}));
}

void read_merge_group(const Json& payload, EventFacts& facts) {
  facts.head_sha = sha_at(payload, {"merge_group", "head_sha"});
  facts.base_sha = sha_at(payload, {"merge_group", "base_sha"});
}

/// A fork's run names no pull request: who posts has to ask for it by the head.
void read_workflow_run(const Json& payload, EventFacts& facts) {
  facts.head_sha = sha_at(payload, {"workflow_run", "head_sha"});
  const Json& pulls = at(payload, {"workflow_run", "pull_requests"});
  if (pulls.is_array()) {
    for (const Json& pull : pulls) {
      if (sha_at(pull, {"head", "sha"}) == facts.head_sha && !facts.pull_request)
        facts.pull_request = number_at(pull, {"number"});
    }
  }
}

void read_issue_comment(const Json& payload, EventFacts& facts) {
  if (at(payload, {"issue", "pull_request"}).is_object())
    facts.pull_request = number_at(payload, {"issue", "number"});
}

}  // namespace

bool is_sha(std::string_view text) {
  const auto is_hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, is_hex) &&
         text.find_first_not_of('0') != std::string_view::npos;
}

bool is_repository(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > kLongestName) return false;
  const auto is_name = [](std::string_view name) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
  };
  return is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

EventKind event_kind(std::string_view name) {
  if (name.starts_with("pull_request")) return EventKind::pull_request;
  if (name == "push") return EventKind::push;
  if (name == "merge_group") return EventKind::merge_group;
  if (name == "workflow_run") return EventKind::workflow_run;
  if (name == "issue_comment") return EventKind::issue_comment;
  return EventKind::other;
}

Result<EventFacts> read_event(std::string_view name, std::string_view payload) {
  const auto unusable = [](const std::string& why) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "the event's payload cannot be used: " + why,
                 .hint = "name what it is about: --repo OWNER/NAME --pr N --sha SHA",
                 .context = {}};
  };
  if (payload.size() > kLongestEvent) return unusable("it is longer than 25 MiB");
  if (const auto beyond = json_beyond_limits(payload)) return unusable("it is " + *beyond);
  const Json json = Json::parse(payload, nullptr, false);
  if (!json.is_object()) return unusable("it is no JSON object");
  EventFacts facts;
  facts.repository = text_at(json, {"repository", "full_name"});
  if (!is_repository(facts.repository)) facts.repository.clear();
  facts.kind = event_kind(name);
  switch (facts.kind) {
    case EventKind::pull_request: read_pull_request(json, facts); break;
    case EventKind::push: read_push(json, facts); break;
    case EventKind::merge_group: read_merge_group(json, facts); break;
    case EventKind::workflow_run: read_workflow_run(json, facts); break;
    case EventKind::issue_comment: read_issue_comment(json, facts); break;
    case EventKind::other: break;
  }
  return facts;
}

}  // namespace perfgate::post
