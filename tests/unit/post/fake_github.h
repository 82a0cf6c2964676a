/// A GitHub in memory behind FakeHttp: one pull request, its comments, statuses and check runs. A
/// test says which request fails, and whether before or after it took effect.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reporters/post/post.h"
#include "runner/platform/clock.h"
#include "runner/platform/http.h"

namespace perfgate::post {

class FakeGitHub {
 public:
  using Json = nlohmann::json;
  /// Called before a request takes effect; an answer stands for GitHub's.
  using Fault = std::function<std::optional<Result<platform::HttpAnswer>>(
      const platform::HttpRequest& request, int number)>;

  FakeGitHub() : http([this](const platform::HttpRequest& request) { return answer(request); }) {}

  std::string login = "github-actions[bot]";
  std::string head = std::string(40, 'b');
  std::vector<Json> comments{};
  std::vector<Json> statuses{};
  std::vector<Json> checks{};
  std::size_t page = 100;
  /// What links to further pages begin with, up to the query; empty = as it was asked.
  std::string alias{};
  Fault before{};
  Fault after{};
  platform::FakeHttp http;
  platform::FakeClock clock{};
  std::vector<double> waits{};

  [[nodiscard]] Ports ports() {
    return {http, clock, [this](double seconds) {
              waits.push_back(seconds);
              clock.advance_ns(static_cast<std::int64_t>(seconds * 1e9));
            }};
  }
  void add_comment(const std::string& author, const std::string& body) {
    comments.push_back(
        {{"id", ++last_id_},
         {"body", body},
         {"user", {{"login", author}}},
         {"html_url", "https://github.com/me/app/pull/7#" + std::to_string(last_id_)}});
  }
  [[nodiscard]] int count(const std::string& method) const {
    int found = 0;
    for (const auto& request : http.requests) found += request.method == method ? 1 : 0;
    return found;
  }

 private:
  static platform::HttpAnswer say(int status, const Json& json) {
    return {.status = status, .headers = {}, .body = json.is_null() ? "" : json.dump()};
  }

  Result<platform::HttpAnswer> answer(const platform::HttpRequest& request) {
    const int number = static_cast<int>(http.requests.size());
    if (before) {
      if (auto fault = before(request, number)) return *fault;
    }
    const platform::HttpAnswer done = take(request);
    if (after) {
      if (auto fault = after(request, number)) return *fault;
    }
    return done;
  }

  platform::HttpAnswer take(const platform::HttpRequest& request) {
    const auto is = [&](const char* method, const char* part) {
      return request.method == method && request.url.find(part) != std::string::npos;
    };
    const Json body = Json::parse(request.body, nullptr, false);
    if (is("GET", "/commits/") && is("GET", "/pulls"))
      return say(200, Json::array({{{"number", 7}, {"state", "open"}, {"head", {{"sha", head}}}}}));
    if (is("GET", "/pulls/")) return say(200, {{"head", {{"sha", head}}}});
    if (is("GET", "/check-runs")) return say(200, {{"check_runs", checks}});
    if (is("GET", "/comments")) return listed(request);
    if (is("POST", "/comments")) {
      add_comment(login, body.at("body"));
      return say(201, comments.back());
    }
    if (is("POST", "/statuses/")) {
      statuses.push_back(body);
      return say(201, body);
    }
    if (is("POST", "/check-runs")) {
      checks.push_back(body);
      checks.back()["id"] = ++last_id_;
      return say(201, checks.back());
    }
    return changed(request, body);
  }

  platform::HttpAnswer listed(const platform::HttpRequest& request) {
    const std::size_t at = request.url.find("&page=");
    const std::size_t number = at == std::string::npos ? 1 : std::stoul(request.url.substr(at + 6));
    Json list = Json::array();
    for (std::size_t i = (number - 1) * page; i < std::min(number * page, comments.size()); ++i)
      list.push_back(comments[i]);
    auto answer = say(200, list);
    if (number * page < comments.size()) {
      std::string next = request.url.substr(0, at);
      if (!alias.empty()) next = alias + next.substr(next.find('?'));
      answer.headers["link"] =
          "<" + next + "&page=" + std::to_string(number + 1) + ">; rel=\"next\"";
    }
    return answer;
  }

  platform::HttpAnswer changed(const platform::HttpRequest& request, const Json& body) {
    const auto id = std::stoll(request.url.substr(request.url.rfind('/') + 1));
    for (auto* list : {&comments, &checks}) {
      for (auto entry = list->begin(); entry != list->end(); ++entry) {
        if ((*entry)["id"] != id) continue;
        if (request.method == "DELETE") {
          list->erase(entry);
          return say(204, nullptr);
        }
        entry->update(body);
        return say(200, *entry);
      }
    }
    return say(404, {{"message", "Not Found"}});
  }

  std::int64_t last_id_ = 100;
};

}  // namespace perfgate::post
