#include "reporters/post/post.h"

#include <string_view>
#include <utility>

#include "reporters/post/github.h"
#include "reporters/post/sticky_comment.h"

namespace perfgate::post {
namespace {

constexpr std::size_t kLongestDescription = 140;
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestCheckSummary = 65'535;

std::string_view words_of(Posted how) {
  switch (how) {
    case Posted::created: return "created";
    case Posted::updated: return "updated";
    case Posted::unchanged: return "unchanged";
    case Posted::kept_newer: return "left as it is, for it is newer";
    case Posted::outdated: return "not written";
    case Posted::failed: break;
  }
  return "failed";
}

/// One report on its way.
class Delivery {
 public:
  Delivery(const Report& report, const Target& target, const PostOptions& options, GitHub& github)
      : report_(report), target_(target), options_(options), github_(github) {}

  PostOutcome run() {
    if (options_.comment) comment();
    if (options_.status) status();
    if (options_.check) check();
    if (options_.status || options_.check) confirm_comment();
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] std::string name() const {
    return one_line(options_.context.empty() ? "perfgate/" + report_.key : options_.context,
                    kLongestName);
  }

  /// 0 where there is none; a problem if that could not be seen.
  std::int64_t pull_request() {
    if (target_.pull_request) return *target_.pull_request;
    if (target_.event.kind != EventKind::workflow_run) return 0;
    const auto found = github_.pull_request_of(target_.head_sha);
    if (!found.ok()) outcome_.problems.push_back(found.reply.error);
    return found.value;
  }

  void comment() {
    const std::size_t problems = outcome_.problems.size();
    const std::int64_t number = pull_request();
    if (number == 0) {
      if (outcome_.problems.size() == problems)
        outcome_.notes.emplace_back("no pull request: there is nothing to comment on");
      return;
    }
    github_.set_pull_request(number);
    const PostedComment posted = post_comment(github_, sticky(target_.author));
    author_ = posted.author;
    wrote_comment_ = posted.how == Posted::created || posted.how == Posted::updated;
    for (const std::string& note : posted.notes) outcome_.notes.push_back(note);
    outcome_.comment_url = posted.url;
    if (posted.how == Posted::failed) {
      outcome_.problems.push_back(posted.error);
      return;
    }
    say("comment", words_of(posted.how), posted.url);
  }

  [[nodiscard]] StickyComment sticky(const std::string& author) const {
    return {.marker = {report_.key, target_.head_sha, target_.run_id, target_.attempt},
            .text = report_.text,
            .author = author};
  }

  /// GitHub has no write that is conditional on what stands there: an older run that looked before
  /// we wrote may have written since. After the status, which waits for the pause between two
  /// writes, it most likely has.
  void confirm_comment() {
    if (!wrote_comment_) return;
    const PostedComment again = post_comment(github_, sticky(author_));
    for (const std::string& note : again.notes) outcome_.notes.push_back(note);
    if (again.how == Posted::failed) outcome_.problems.push_back(again.error);
    if (again.how == Posted::updated)
      outcome_.notes.emplace_back("an older run had overwritten the comment: written again");
  }

  void status() {
    const std::string& link = target_.run_url.empty() ? outcome_.comment_url : target_.run_url;
    const Reply reply = github_.set_status(
        target_.head_sha, {.state = std::string(to_string(report_.state)),
                           .context = name(),
                           .description = one_line(report_.description, kLongestDescription),
                           .target_url = link});
    if (reply.kind != Kind::done) {
      outcome_.problems.push_back(reply.error);
      return;
    }
    say("status", name() + " is " + std::string(to_string(report_.state)), {});
  }

  /// Found again by its external id, so that a repeated post makes no second one.
  void check() {
    const CheckRequest wanted{.name = name(),
                              .head_sha = target_.head_sha,
                              // "neutral" would satisfy a required check.
                              .conclusion = report_.state == State::success ? "success" : "failure",
                              .external_id = report_.key + "/" + std::to_string(target_.run_id) +
                                             "/" + std::to_string(target_.attempt),
                              .details_url = target_.run_url,
                              .title = one_line(report_.description, kLongestDescription),
                              .summary = cut_markdown(report_.text, kLongestCheckSummary)};
    for (int attempt = 1;; ++attempt) {
      const auto written = write_check(wanted);
      if (written.ok()) {
        outcome_.check_url = written.value.url;
        say("check run", wanted.name + " is " + wanted.conclusion, written.value.url);
        return;
      }
      const bool again = was_creating_ && written.kind != Kind::definitive;
      if (again && github_.exchange().wait_after(written.reply, attempt)) continue;
      outcome_.problems.push_back(written.reply.error);
      return;
    }
  }

  Answer<CheckRun> write_check(const CheckRequest& wanted) {
    was_creating_ = false;
    auto listed = github_.check_runs(wanted.head_sha, wanted.name);
    if (!listed.ok()) return {.kind = listed.kind, .value = {}, .reply = std::move(listed.reply)};
    for (const CheckRun& run : listed.value) {
      if (run.external_id == wanted.external_id) return github_.update_check(run.id, wanted);
    }
    was_creating_ = true;
    return github_.create_check(wanted);
  }

  void say(std::string_view what, std::string_view how, const std::string& url) {
    outcome_.said.push_back(std::string(what) + " " + std::string(how) +
                            (url.empty() ? "" : ": " + url));
  }

  const Report& report_;
  const Target& target_;
  const PostOptions& options_;
  GitHub& github_;
  PostOutcome outcome_;
  bool wrote_comment_ = false;
  bool was_creating_ = false;  ///< a check run: what else is asked for it the exchange repeats
  std::string author_;         ///< of the comment: who the token turned out to be
};

}  // namespace

PostOutcome post_report(const Report& report, const Target& target, const PostOptions& options,
                        const Ports& ports) {
  if (target.token.empty()) {
    PostOutcome outcome;
    outcome.problems.push_back(
        {.code = ErrorCode::unavailable,
         .message = "there is no token to post with",
         .hint = "in the step: `env: {GITHUB_TOKEN: \"${{ github.token }}\"}` (PERFGATE_TOKEN goes "
                 "before it)",
         .context = {}});
    return outcome;
  }
  Exchange exchange(ports, {target.api_url, target.token, options.user_agent}, options.patience);
  GitHub github(exchange,
                {target.repository, target.pull_request.value_or(0), target.event.is_fork});
  return Delivery(report, target, options, github).run();
}

}  // namespace perfgate::post
