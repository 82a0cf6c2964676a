#include "reporters/post/exchange.h"

#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "runner/model/json_limits.h"

namespace perfgate::post {
namespace {

constexpr double kNsPerS = 1e9;

bool is_write(const std::string& method) { return method != "GET"; }

bool is_json(const std::string& body) {
  return !json_beyond_limits(body) && nlohmann::json::accept(body);
}

/// What a proxy or a maintenance page answers in GitHub's place.
Error no_json(const std::string& url) {
  return {.code = ErrorCode::unavailable,
          .message = platform::origin_of(url) + " answered with something that is no JSON",
          .hint = "see whether a proxy answers in GitHub's place",
          .context = {}};
}

}  // namespace

Exchange::Exchange(Ports ports, Access access, Patience patience)
    : ports_(std::move(ports)),
      access_(std::move(access)),
      patience_(patience),
      start_ns_(ports_.clock.monotonic_ns()) {}

void Exchange::keep_pace(const std::string& method) {
  if (!is_write(method)) return;
  if (has_written_) {
    const auto since_ns = ports_.clock.monotonic_ns() - last_write_ns_;
    const double left_s = patience_.pause_s - static_cast<double>(since_ns) / kNsPerS;
    if (left_s > 0.0) ports_.sleep(left_s);
  }
  has_written_ = true;
}

Reply Exchange::judged(const Result<platform::HttpAnswer>& answer, const Purpose& purpose) {
  Reply reply;
  reply.kind = kind_of(answer);
  if (answer.ok()) {
    reply.answer = answer.value();
    if (reply.kind != Kind::done) reply.error = explain_refusal(reply.answer, purpose);
  } else {
    reply.error = answer.error();
    reply.error.message = "could not " + purpose.what + ": " + reply.error.message;
  }
  for (std::string* text : {&reply.error.message, &reply.error.hint, &reply.error.context})
    *text = masked(std::move(*text), access_.token);
  return reply;
}

Reply Exchange::ask(const ApiRequest& request) {
  platform::HttpRequest http;
  http.method = request.method;
  http.url = access_.api_url + request.path;
  http.headers = {{"Accept", "application/vnd.github+json"},
                  {"X-GitHub-Api-Version", "2022-11-28"},
                  {"User-Agent", access_.user_agent}};
  if (!request.body.empty()) http.headers.emplace_back("Content-Type", "application/json");
  http.body = request.body;
  http.token = access_.token;
  keep_pace(request.method);
  auto answer = platform::send_following(ports_.http, std::move(http));
  if (is_write(request.method)) last_write_ns_ = ports_.clock.monotonic_ns();
  const bool is_empty = answer.ok() && answer.value().status == 204;
  if (answer.ok() && kind_of(answer) == Kind::done && !is_empty && !is_json(answer.value().body))
    answer = no_json(access_.api_url);
  return judged(answer, request.purpose);
}

bool Exchange::wait_after(const Reply& reply, int attempt) {
  // wait_before_next looks at the kind and at the headers of limits.
  const Result<platform::HttpAnswer> answer = reply.answer.status == 0
                                                  ? Result<platform::HttpAnswer>(reply.error)
                                                  : Result<platform::HttpAnswer>(reply.answer);
  const std::int64_t now_s = ports_.clock.realtime_ns() / 1'000'000'000;
  const double spent_s = static_cast<double>(ports_.clock.monotonic_ns() - start_ns_) / kNsPerS;
  const double wait_s = wait_before_next(answer, attempt, spent_s, now_s, patience_);
  if (wait_s > 0.0) ports_.sleep(wait_s);
  return wait_s >= 0.0;
}

Reply Exchange::send(const ApiRequest& request) {
  for (int attempt = 1;; ++attempt) {
    Reply reply = ask(request);
    const bool is_passing = reply.kind == Kind::not_taken || reply.kind == Kind::uncertain ||
                            reply.answer.status == 409;
    if (!request.may_repeat || !is_passing || !wait_after(reply, attempt)) return reply;
  }
}

}  // namespace perfgate::post
