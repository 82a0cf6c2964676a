#include "reporters/post/github.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "reporters/post/percent_encoding.h"

namespace perfgate::post {
namespace {

using Json = nlohmann::json;

/// 10,000 comments; more than any pull request of people has.
constexpr int kMostPages = 100;

constexpr const char* kReadPulls = "pull-requests: read";
constexpr const char* kWritePulls = "pull-requests: write";

std::string text_of(const Json& value, const char* name) {
  const auto found = value.is_object() ? value.find(name) : value.end();
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t id_of(const Json& value, const char* name) {
  const auto found = value.is_object() ? value.find(name) : value.end();
  const bool is_number = found != value.end() && found->is_number_integer();
  return is_number ? found->get<std::int64_t>() : 0;
}

const Json& part_of(const Json& value, const char* name) {
  static const Json kNothing;
  const auto found = value.is_object() ? value.find(name) : value.end();
  return found == value.end() ? kNothing : *found;
}

/// The body was accepted as JSON by the exchange; nulls where it was empty.
Json json_of(const Reply& reply) { return Json::parse(reply.answer.body, nullptr, false); }

/// Text from outside may hold bytes that are not UTF-8; they become U+FFFD.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Comment> comment_of(const Json& json) {
  Comment comment{.id = id_of(json, "id"),
                  .body = text_of(json, "body"),
                  .author = text_of(part_of(json, "user"), "login"),
                  .url = text_of(json, "html_url"),
                  .is_minimized = part_of(json, "minimized").is_object()};
  if (comment.id <= 0) return std::nullopt;
  return comment;
}

std::optional<CheckRun> check_of(const Json& json) {
  CheckRun run{.id = id_of(json, "id"),
               .external_id = text_of(json, "external_id"),
               .url = text_of(json, "html_url")};
  if (run.id <= 0) return std::nullopt;
  return run;
}

/// What is read of an answer that came, or why there is none.
template <typename T, typename Read>
Answer<T> answer_of(const Reply& reply, const Read& read) {
  Answer<T> answer;
  answer.kind = reply.kind;
  answer.reply = reply;
  if (!answer.ok()) return answer;
  std::optional<T> value = read(json_of(answer.reply));
  if (value) {
    answer.value = std::move(*value);
    return answer;
  }
  answer.kind = answer.reply.kind = Kind::uncertain;
  answer.reply.answer.status = 0;
  answer.reply.error = {.code = ErrorCode::unavailable,
                        .message = "GitHub's answer lacks what it must hold",
                        .hint = "see whether a proxy answers in GitHub's place",
                        .context = {}};
  return answer;
}

/// "?page=2" of `<https://...?page=2>; rel="next"`, "?" of one without a query; empty where there
/// is no next page. The rest of the address is not looked at: behind a proxy or an alias it names
/// another server or http, and the token goes to no other server because a page says so.
std::string next_query(const std::string& link) {
  const std::size_t rel = link.find("rel=\"next\"");
  if (rel == std::string::npos) return {};
  const std::size_t open = link.rfind('<', rel);
  const std::size_t close = link.find('>', open);
  if (open == std::string::npos || close == std::string::npos || close > rel) return {};
  const std::string url = link.substr(open + 1, close - open - 1);
  const std::size_t query = url.find('?');
  return query == std::string::npos ? "?" : url.substr(query);
}

Reply too_many_pages() {
  Reply reply;
  reply.error = {.code = ErrorCode::unavailable,
                 .message = "the list of comments came to no end within " +
                            std::to_string(kMostPages) + " pages",
                 .hint =
                     "see whether a proxy answers in GitHub's place; without the whole list "
                     "our comment cannot be found",
                 .context = {}};
  return reply;
}

Json check_json(const CheckRequest& check, bool is_new) {
  Json json{{"status", "completed"},
            {"conclusion", check.conclusion},
            {"external_id", check.external_id},
            {"output", {{"title", check.title}, {"summary", check.summary}}}};
  json["name"] = check.name;
  if (is_new) json["head_sha"] = check.head_sha;
  if (!check.details_url.empty()) json["details_url"] = check.details_url;
  return json;
}

}  // namespace

ApiRequest GitHub::request(std::string method, const std::string& path, std::string what,
                           std::string permission) const {
  return {.method = std::move(method),
          .path = "/repos/" + place_.repository + path,
          .body = {},
          .purpose = {std::move(what), std::move(permission), place_.is_fork}};
}

Answer<std::string> GitHub::head_now() {
  const auto reply = exchange_.send(request("GET", "/pulls/" + std::to_string(place_.pull_request),
                                            "read the pull request", kReadPulls));
  return answer_of<std::string>(reply, [](const Json& json) -> std::optional<std::string> {
    std::string sha = text_of(part_of(json, "head"), "sha");
    if (sha.empty()) return std::nullopt;
    return sha;
  });
}

Answer<std::int64_t> GitHub::pull_request_of(const std::string& sha) {
  const auto reply = exchange_.send(request("GET", "/commits/" + sha + "/pulls?per_page=100",
                                            "find the commit's pull request", kReadPulls));
  return answer_of<std::int64_t>(reply, [&](const Json& json) -> std::optional<std::int64_t> {
    if (!json.is_array()) return std::nullopt;
    for (const Json& pull : json) {
      // A commit is found in the pull requests that contain it, too: only a head was measured.
      if (text_of(pull, "state") == "open" && text_of(part_of(pull, "head"), "sha") == sha)
        return id_of(pull, "number");
    }
    return 0;
  });
}

Answer<std::vector<Comment>> GitHub::comments() {
  Answer<std::vector<Comment>> all{.kind = Kind::done, .value = {}, .reply = {}};
  ApiRequest page = request("GET", "/issues/" + std::to_string(place_.pull_request) + "/comments",
                            "list the comments", kReadPulls);
  const std::string path = page.path;
  page.path += "?per_page=100";
  for (int number = 1; number <= kMostPages; ++number) {
    auto answer = answer_of<std::vector<Comment>>(
        exchange_.send(page), [](const Json& json) -> std::optional<std::vector<Comment>> {
          if (!json.is_array()) return std::nullopt;
          std::vector<Comment> comments;
          for (const Json& entry : json) {
            if (auto comment = comment_of(entry)) comments.push_back(std::move(*comment));
          }
          return comments;
        });
    if (!answer.ok()) return answer;
    std::ranges::move(answer.value, std::back_inserter(all.value));
    const std::string next = next_query(answer.reply.answer.header("link"));
    if (next.empty()) {
      std::ranges::sort(all.value, {}, &Comment::id);
      return all;
    }
    if (next == "?") break;  // the first page again
    page.path = path + next;
  }
  return {.kind = Kind::definitive, .value = {}, .reply = too_many_pages()};
}

Answer<Comment> GitHub::create_comment(const std::string& body) {
  ApiRequest create =
      request("POST", "/issues/" + std::to_string(place_.pull_request) + "/comments",
              "write the comment", kWritePulls);
  create.body = dump({{"body", body}});
  create.may_repeat = false;
  return answer_of<Comment>(exchange_.send(create), comment_of);
}

Answer<Comment> GitHub::update_comment(std::int64_t id, const std::string& body) {
  ApiRequest update =
      request("PATCH", "/issues/comments/" + std::to_string(id), "write the comment", kWritePulls);
  update.body = dump({{"body", body}});
  update.may_repeat = false;  // a newer report may be there by now
  return answer_of<Comment>(exchange_.send(update), comment_of);
}

Reply GitHub::delete_comment(std::int64_t id) {
  Reply reply = exchange_.send(request("DELETE", "/issues/comments/" + std::to_string(id),
                                       "delete a second comment", kWritePulls));
  if (reply.answer.status == 404) reply.kind = Kind::done;
  return reply;
}

Reply GitHub::set_status(const std::string& sha, const StatusRequest& status) {
  ApiRequest set = request("POST", "/statuses/" + sha, "set the commit status", "statuses: write");
  Json json{
      {"state", status.state}, {"context", status.context}, {"description", status.description}};
  if (!status.target_url.empty()) json["target_url"] = status.target_url;
  set.body = dump(json);
  return exchange_.send(set);
}

Answer<std::vector<CheckRun>> GitHub::check_runs(const std::string& sha, const std::string& name) {
  const auto reply = exchange_.send(request("GET",
                                            "/commits/" + sha + "/check-runs?check_name=" +
                                                percent_encoded(name, "-._") + "&per_page=100",
                                            "list the check runs", "checks: write"));
  return answer_of<std::vector<CheckRun>>(
      reply, [](const Json& json) -> std::optional<std::vector<CheckRun>> {
        const Json& list = part_of(json, "check_runs");
        if (!list.is_array()) return std::nullopt;
        std::vector<CheckRun> runs;
        for (const Json& entry : list) {
          if (auto run = check_of(entry)) runs.push_back(std::move(*run));
        }
        return runs;
      });
}

Answer<CheckRun> GitHub::create_check(const CheckRequest& check) {
  ApiRequest create = request("POST", "/check-runs", "write the check run", "checks: write");
  create.body = dump(check_json(check, true));
  create.may_repeat = false;
  return answer_of<CheckRun>(exchange_.send(create), check_of);
}

Answer<CheckRun> GitHub::update_check(std::int64_t id, const CheckRequest& check) {
  ApiRequest update =
      request("PATCH", "/check-runs/" + std::to_string(id), "write the check run", "checks: write");
  update.body = dump(check_json(check, false));
  return answer_of<CheckRun>(exchange_.send(update), check_of);
}

}  // namespace perfgate::post
