#include "reporters/post/sticky_comment.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace perfgate::post {
namespace {

constexpr std::size_t kShortestLimit = 1'000;

struct Ours {
  Comment comment;
  Marker marker;
};

std::vector<Ours> ours_among(const std::vector<Comment>& comments, const std::string& key,
                             const std::string& author) {
  std::vector<Ours> ours;
  for (const Comment& comment : comments) {
    auto marker = find_marker(comment.body);
    if (!marker || marker->key != key || comment.is_minimized || author.empty() ||
        comment.author != author) {
      continue;
    }
    ours.push_back({comment, std::move(*marker)});
  }
  return ours;
}

/// One posting; each round looks first, so that it can be begun again at any point.
class Posting {
 public:
  Posting(GitHub& github, const StickyComment& wanted)
      : github_(github), wanted_(wanted), author_(wanted.author) {}

  PostedComment run() {
    settle_on_an_end();
    done_.author = author_;
    return done_;
  }

 private:
  void settle_on_an_end() {
    for (int attempt = 1;; ++attempt) {
      const Reply failed = round();
      if (failed.kind == Kind::done) return;
      if (failed.answer.status != 0 && is_too_long(failed.answer) && limit_ > kShortestLimit) {
        limit_ /= 2;
        continue;
      }
      if (!may_begin_again(failed) || !github_.exchange().wait_after(failed, attempt)) {
        done_.how = Posted::failed;
        done_.error = failed.error;
        return;
      }
    }
  }

  /// A listing that failed was repeated by the exchange; a write was not.
  [[nodiscard]] bool may_begin_again(const Reply& failed) const {
    return wrote_ && failed.kind != Kind::definitive;
  }

  static Reply good() {
    Reply reply;
    reply.kind = Kind::done;
    return reply;
  }

  Reply finish(Posted how, std::string url) {
    done_.how = how;
    done_.url = std::move(url);
    return good();
  }

  /// Looks, decides, writes. `done`, or why not.
  Reply round() {
    wrote_ = false;
    const auto head = github_.head_now();
    // Without the right to read it, the order of the runs is what is left.
    head_now_ = head.ok() ? head.value : std::string();
    if (!head.ok() && (head.kind == Kind::uncertain || head.kind == Kind::not_taken))
      return head.reply;
    if (!head_now_.empty() && head_now_ != wanted_.marker.head_sha) return outdated();
    const auto listed = github_.comments();
    if (!listed.ok()) return listed.reply;
    const auto ours = ours_among(listed.value, wanted_.marker.key, author_);
    if (ours.empty()) return create();
    return settle(ours);
  }

  Reply outdated() {
    done_.notes.push_back("the pull request's head is " + head_now_.substr(0, 10) +
                          " by now: this report of " + wanted_.marker.head_sha.substr(0, 10) +
                          " is not shown there");
    return finish(Posted::outdated, {});
  }

  /// The oldest comment gets the newest report, mine among them; the others go.
  Reply settle(const std::vector<Ours>& ours) {
    const std::string mine = comment_body(wanted_.text, wanted_.marker, limit_);
    const Ours* newest = nullptr;
    for (const Ours& one : ours) {
      const Marker& best = newest == nullptr ? wanted_.marker : newest->marker;
      if (is_newer(one.marker, best, head_now_)) newest = &one;
    }
    const std::string& body = newest == nullptr ? mine : newest->comment.body;
    const Ours& kept = ours.front();
    const bool is_new =
        std::ranges::any_of(ours, [&](const Ours& one) { return one.comment.id == created_; });
    Posted how = is_new ? Posted::created : Posted::unchanged;
    if (kept.comment.body != body) {
      wrote_ = true;
      const auto updated = github_.update_comment(kept.comment.id, body);
      if (!updated.ok()) return updated.reply;
      if (!is_new) how = Posted::updated;
    }
    if (newest != nullptr) how = Posted::kept_newer;
    for (std::size_t i = 1; i < ours.size(); ++i) {
      const Reply deleted = github_.delete_comment(ours[i].comment.id);
      if (deleted.kind != Kind::done)
        done_.notes.push_back("a second comment of this key stays: " + deleted.error.message);
    }
    return finish(how, kept.comment.url);
  }

  Reply create() {
    wrote_ = true;
    auto created = github_.create_comment(comment_body(wanted_.text, wanted_.marker, limit_));
    // It is the pull request that is not there.
    if (created.reply.answer.status == 404) created.reply.kind = Kind::definitive;
    if (!created.ok()) return created.reply;
    created_ = created.value.id;
    if (!created.value.author.empty() && created.value.author != author_) {
      done_.notes.push_back("the token posts as " + created.value.author +
                            ": --author names it, so that its comment is found again");
      author_ = created.value.author;
    }
    finish(Posted::created, created.value.url);
    // Whoever else created one meanwhile sees ours now, or we see theirs.
    const auto listed = github_.comments();
    if (!listed.ok()) {
      done_.notes.push_back("whether there is a second comment could not be seen: " +
                            listed.reply.error.message);
      return good();
    }
    const auto ours = ours_among(listed.value, wanted_.marker.key, author_);
    return ours.size() > 1 ? settle(ours) : good();
  }

  GitHub& github_;
  const StickyComment& wanted_;
  std::string author_;
  std::string head_now_;
  std::size_t limit_ = kLongestComment;
  std::int64_t created_ = 0;
  bool wrote_ = false;
  PostedComment done_;
};

}  // namespace

PostedComment post_comment(GitHub& github, const StickyComment& comment) {
  return Posting(github, comment).run();
}

}  // namespace perfgate::post
