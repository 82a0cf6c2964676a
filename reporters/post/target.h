/// Where a report goes: the command line before the environment before the event. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reporters/post/event.h"
#include "runner/model/result.h"
#include "runner/platform/environment.h"

namespace perfgate::post {

/// As the command line names it; empty = not named.
struct TargetOptions {
  std::string repository{};
  std::optional<std::int64_t> pull_request{};
  std::string sha{};
  std::string api_url{};
  std::string author{};
};

struct Target {
  std::string api_url{};     ///< without a slash at its end
  std::string repository{};  ///< "owner/name"
  std::optional<std::int64_t> pull_request{};
  std::string head_sha{};
  std::string run_url{};    ///< of the CI run; empty outside of CI
  std::int64_t run_id = 0;  ///< 0 outside of CI
  int attempt = 1;
  std::string author{};  ///< the login that the token posts as; empty = not known
  std::string token{};   ///< PERFGATE_TOKEN, else GITHUB_TOKEN; empty = there is none
  EventFacts event{};
};

/// `event` as read_event found it; without one (outside of Actions) as it is by default. The head
/// of an `issue_comment` is nowhere to be seen, and has to be named. Errors: `usage` for an option
/// that is no repository, SHA or URL, and where repository or commit are not known.
[[nodiscard]] Result<Target> find_target(const TargetOptions& options,
                                         const platform::Environment& environment,
                                         EventFacts event);

}  // namespace perfgate::post
