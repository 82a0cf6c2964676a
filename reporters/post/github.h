/// GitHub's REST interface as far as a report needs it: one function a request, JSON inside.
///
/// Shapes: https://docs.github.com/rest, API version 2022-11-28, the same on Enterprise Server. An
/// answer without what is read of it counts as none (`uncertain`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reporters/post/exchange.h"

namespace perfgate::post {

/// Where requests go: "owner/name", already checked.
struct Place {
  std::string repository{};
  std::int64_t pull_request = 0;
  bool is_fork = false;
};

/// `value` is there if `kind` is `done`.
template <typename T>
struct Answer {
  Kind kind = Kind::definitive;
  T value{};
  Reply reply{};
  [[nodiscard]] bool ok() const { return kind == Kind::done; }
};

struct Comment {
  std::int64_t id = 0;
  std::string body{};
  std::string author{};
  std::string url{};
  bool is_minimized = false;  ///< somebody folded it away
};

struct StatusRequest {
  std::string state{};        ///< "success", "failure", "error"
  std::string context{};      ///< its name among the checks
  std::string description{};  ///< at most 140 characters
  std::string target_url{};   ///< may be empty
};

struct CheckRequest {
  std::string name{};
  std::string head_sha{};
  std::string conclusion{};   ///< "success", "failure"
  std::string external_id{};  ///< whose run it is: found again by it
  std::string details_url{};  ///< may be empty
  std::string title{};
  std::string summary{};  ///< Markdown, at most 65,535 characters
};

struct CheckRun {
  std::int64_t id = 0;
  std::string external_id{};
  std::string url{};
};

class GitHub {
 public:
  GitHub(Exchange& exchange, Place place) : exchange_(exchange), place_(std::move(place)) {}

  /// The head of the pull request as it is now.
  [[nodiscard]] Answer<std::string> head_now();
  /// The open pull request whose head is this commit; 0 where there is none.
  [[nodiscard]] Answer<std::int64_t> pull_request_of(const std::string& sha);
  /// All of them, page by page; ascending ids. `definitive` for a list without an end.
  [[nodiscard]] Answer<std::vector<Comment>> comments();
  /// Not repeated where it is uncertain whether it was written: look first.
  [[nodiscard]] Answer<Comment> create_comment(const std::string& body);
  [[nodiscard]] Answer<Comment> update_comment(std::int64_t id, const std::string& body);
  /// A comment that is gone already counts as deleted.
  [[nodiscard]] Reply delete_comment(std::int64_t id);
  /// Repeated: of two equal statuses the later one counts.
  [[nodiscard]] Reply set_status(const std::string& sha, const StatusRequest& status);
  [[nodiscard]] Answer<std::vector<CheckRun>> check_runs(const std::string& sha,
                                                         const std::string& name);
  [[nodiscard]] Answer<CheckRun> create_check(const CheckRequest& check);
  [[nodiscard]] Answer<CheckRun> update_check(std::int64_t id, const CheckRequest& check);

  [[nodiscard]] Exchange& exchange() { return exchange_; }
  void set_pull_request(std::int64_t number) { place_.pull_request = number; }

 private:
  [[nodiscard]] ApiRequest request(std::string method, const std::string& path, std::string what,
                                   std::string permission) const;

  Exchange& exchange_;
  Place place_;
};

}  // namespace perfgate::post
