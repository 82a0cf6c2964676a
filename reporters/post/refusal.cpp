#include "reporters/post/refusal.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <nlohmann/json.hpp>

#include "reporters/post/retry.h"
#include "runner/model/json_limits.h"
#include "runner/platform/text.h"

namespace perfgate::post {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestSaid = 300;

/// "Validation Failed: Body is too long (maximum is 65536 characters)": the message, and those of
/// its errors. Empty for an answer that is no JSON object of GitHub's.
std::string message_of(const std::string& body) {
  if (json_beyond_limits(body)) return {};
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("message") || !json["message"].is_string()) return {};
  std::string text = json["message"].get<std::string>();
  const auto errors = json.find("errors");
  if (errors == json.end() || !errors->is_array()) return text;
  for (const Json& error : *errors) {
    if (error.is_object() && error.contains("message") && error["message"].is_string())
      text += ": " + error["message"].get<std::string>();
  }
  return text;
}

std::string said_by(const platform::HttpAnswer& answer) {
  std::string said = platform::sanitize_output(message_of(answer.body));
  std::ranges::replace(said, '\n', ' ');
  if (said.size() > kLongestSaid) said = said.substr(0, kLongestSaid) + " ...";
  return said;
}

std::string permission_hint(const platform::HttpAnswer& answer, const Purpose& purpose) {
  std::string named = permissions_in_words(answer.header("x-accepted-github-permissions"));
  if (named.empty()) named = purpose.permission;
  std::string hint = "the token lacks a permission: add `permissions: {" + purpose.permission +
                     "}` to the job (GitHub accepts " + named + ")";
  if (purpose.is_fork) {
    hint +=
        "; the token of a fork's pull request may only read, whatever the job asks for: post "
        "from a workflow of `on: workflow_run` (README, \"On a pull request\")";
  }
  return hint;
}

std::string hint_for(const platform::HttpAnswer& answer, const Purpose& purpose,
                     const std::string& said) {
  if (is_limited(answer)) return "GitHub limits this token's requests: post again later";
  // "issue is locked", and not "Repository access blocked".
  if (said.find(" locked") != std::string::npos)
    return "the conversation is locked: unlock it, or read the summary of the step";
  switch (answer.status) {
    case 401:
      return "the token is wrong or has expired (GITHUB_TOKEN ends with its job): set "
             "GITHUB_TOKEN or PERFGATE_TOKEN in this step";
    case 403: return permission_hint(answer, purpose);
    case 404:
      return "it is not there, or the token may not see it: check --repo, --pr and --sha, and `" +
             purpose.permission + "`";
    case 410: return "it was deleted, or the repository has switched it off";
    case 422: return "GitHub takes no such content: if it is perfgate's fault, report it";
    default: break;
  }
  return answer.status >= 500 ? "GitHub has a problem of its own: post again later"
                              : "see what GitHub says above";
}

}  // namespace

std::string permissions_in_words(const std::string& header) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz_=,; ";
  if (header.find('=') == std::string::npos || header.size() > kLongestSaid ||
      header.find_first_not_of(kAllowed) != std::string::npos) {
    return {};
  }
  std::string words;
  for (const char c : header) {
    switch (c) {
      case '_': words += '-'; break;
      case '=': words += ": "; break;
      case ';': words += ", or "; break;
      case ',': words += " with "; break;
      case ' ': break;
      default: words += c;
    }
  }
  return words;
}

bool is_too_long(const platform::HttpAnswer& answer) {
  return answer.status == 422 && message_of(answer.body).find("too long") != std::string::npos;
}

Error explain_refusal(const platform::HttpAnswer& answer, const Purpose& purpose) {
  const std::string said = said_by(answer);
  Error error{.code = ErrorCode::unavailable,
              .message = "GitHub refused to " + purpose.what + " (" +
                         std::to_string(answer.status) + (said.empty() ? "" : ": " + said) + ")",
              .hint = hint_for(answer, purpose, said),
              .context = {}};
  return error;
}

std::string masked(std::string text, const std::string& secret) {
  if (secret.empty()) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3))
    text.replace(at, secret.size(), "***");
  return text;
}

}  // namespace perfgate::post
