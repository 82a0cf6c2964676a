#include <algorithm>
#include <cctype>

#include "runner/platform/http.h"

namespace perfgate::platform {
namespace {

constexpr int kMostRedirects = 3;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

std::string HttpAnswer::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}

std::string origin_of(std::string_view url) {
  const std::string text = lower(url.substr(0, std::min<std::size_t>(url.size(), 512)));
  const bool https = text.starts_with("https://");
  if (!https && !text.starts_with("http://")) return {};
  const std::size_t start = https ? 8 : 7;
  std::string host = text.substr(start, text.find_first_of("/?#", start) - start);
  // A name before '@' makes "https://api.github.com@evil.example" another host than it seems.
  if (host.empty() || host.find_first_of("@\\ ") != std::string::npos) return {};
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  if (!has_port) host += https ? ":443" : ":80";
  return (https ? "https://" : "http://") + host;
}

bool may_carry_token(std::string_view url) {
  const std::string origin = origin_of(url);
  if (origin.starts_with("https://")) return true;
  for (const std::string_view own : {"http://127.0.0.1:", "http://localhost:", "http://[::1]:"}) {
    if (origin.starts_with(own)) return true;
  }
  return false;
}

std::optional<HttpRequest> redirected(const HttpRequest& request, const HttpAnswer& answer) {
  std::string target = answer.header("location");
  if (!is_redirect(answer.status) || target.empty()) return std::nullopt;
  const std::string from = origin_of(request.url);
  if (target.starts_with("/") && !target.starts_with("//")) {
    const std::size_t path = request.url.find('/', request.url.find("//") + 2);
    target = request.url.substr(0, path) + target;
  }
  const std::string to = origin_of(target);
  if (to.empty() || (from.starts_with("https://") && !to.starts_with("https://")))
    return std::nullopt;
  HttpRequest next = request;
  next.url = target;
  if (answer.status == 303) {
    next.method = "GET";
    next.body.clear();
  }
  if (to == from) return next;
  if (next.method != "GET") return std::nullopt;
  next.token.clear();
  return next;
}

Result<HttpAnswer> send_following(Http& http, HttpRequest request) {
  for (int followed = 0;; ++followed) {
    auto answer = http.send(request);
    if (!answer.ok()) return answer;
    auto next = followed < kMostRedirects ? redirected(request, answer.value()) : std::nullopt;
    if (!next) return answer;
    request = std::move(*next);
  }
}

}  // namespace perfgate::platform
