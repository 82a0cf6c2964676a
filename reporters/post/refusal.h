/// What a refusal of GitHub's means for a user, and what to do. Pure.
#pragma once

#include <string>

#include "runner/model/result.h"
#include "runner/platform/http.h"

namespace perfgate::post {

/// What was asked for, in words, and what a token needs for it.
struct Purpose {
  std::string what{};        ///< "write the comment"
  std::string permission{};  ///< of a workflow: "pull-requests: write"
  /// The pull request comes from a fork, whose token may only read.
  bool is_fork = false;
};

/// `answer` is none of 2xx. Code `unavailable`; the context is what GitHub said, without control
/// characters. The permission is the one that GitHub names (X-Accepted-GitHub-Permissions) if it
/// does, else the purpose's.
[[nodiscard]] Error explain_refusal(const platform::HttpAnswer& answer, const Purpose& purpose);

/// "pull-requests: write, or issues: write" of "pull_requests=write; issues=write"; empty for what
/// is no such list.
[[nodiscard]] std::string permissions_in_words(const std::string& header);

/// True for the answer to a body that is longer than the server takes.
[[nodiscard]] bool is_too_long(const platform::HttpAnswer& answer);

/// `text` with each occurrence of `secret` as "***".
[[nodiscard]] std::string masked(std::string text, const std::string& secret);

}  // namespace perfgate::post
