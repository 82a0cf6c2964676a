/// What happened, as GITHUB_EVENT_PATH tells it. Pure.
///
/// The payload is foreign: anybody who opens a pull request writes part of it. Its size and depth
/// are limited, each field is taken only in its type and shape (a SHA is 40 or 64 hex digits, a
/// repository is OWNER/NAME), and what does not fit counts as not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::post {

/// GitHub caps payloads at 25 MB.
inline constexpr std::size_t kLongestEvent = std::size_t{25} << 20U;

enum class EventKind {
  pull_request,   ///< also pull_request_target and pull_request_review
  push,           ///< a branch; `pull-request/N` of copy-pr-bot is the pull request N
  merge_group,    ///< a merge queue: status only
  workflow_run,   ///< the privileged half of the two-workflow pattern
  issue_comment,  ///< a pull request without its head, which the user has to name
  other,          ///< schedule, workflow_dispatch, ...: the commit is GITHUB_SHA
};

struct EventFacts {
  EventKind kind = EventKind::other;
  std::string repository{};  ///< "owner/name"
  std::optional<std::int64_t> pull_request{};
  std::string head_sha{};  ///< what status and comment are about; never the test merge commit
  std::string base_sha{};
  /// The head is of another repository, or of one that is gone: the token may only read.
  bool is_fork = false;
};

/// By the name alone, for a payload that cannot be read.
[[nodiscard]] EventKind event_kind(std::string_view name);

/// `name` is GITHUB_EVENT_NAME. Error `corrupt` for what is no JSON object within the limits.
[[nodiscard]] Result<EventFacts> read_event(std::string_view name, std::string_view payload);

[[nodiscard]] bool is_sha(std::string_view text);  ///< and not all zeros
[[nodiscard]] bool is_repository(std::string_view text);

}  // namespace perfgate::post
