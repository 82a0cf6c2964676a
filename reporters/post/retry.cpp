#include "reporters/post/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace perfgate::post {
namespace {

constexpr double kSecondaryLimitS = 60.0;

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

bool says_limit(const std::string& body) {
  for (const char* words : {"secondary rate limit", "rate limit exceeded", "abuse detection"}) {
    if (body.find(words) != std::string::npos) return true;
  }
  return false;
}

double wait_for_limit(const platform::HttpAnswer& answer, int attempt, std::int64_t now_s) {
  if (const auto seconds = number(answer.header("retry-after")))
    return static_cast<double>(std::max<std::int64_t>(*seconds, 0));
  const auto reset = number(answer.header("x-ratelimit-reset"));
  if (answer.header("x-ratelimit-remaining") == "0" && reset)
    return static_cast<double>(std::max<std::int64_t>(*reset - now_s, 0)) + 1.0;
  return kSecondaryLimitS * std::exp2(attempt - 1);
}

}  // namespace

bool is_limited(const platform::HttpAnswer& answer) {
  if (answer.status == 429) return true;
  if (answer.status != 403) return false;
  return !answer.header("retry-after").empty() || answer.header("x-ratelimit-remaining") == "0" ||
         says_limit(answer.body);
}

Kind kind_of(const Result<platform::HttpAnswer>& answer) {
  if (!answer.ok()) {
    return answer.error().code == ErrorCode::unavailable ? Kind::uncertain : Kind::definitive;
  }
  const platform::HttpAnswer& got = answer.value();
  if (got.status >= 200 && got.status < 300) return Kind::done;
  if (is_limited(got)) return Kind::not_taken;
  if (got.status >= 500 || got.status == 408) return Kind::uncertain;
  if (got.status == 404 || got.status == 409) return Kind::changed;
  return Kind::definitive;
}

double wait_before_next(const Result<platform::HttpAnswer>& answer, int attempt, double spent_s,
                        std::int64_t now_s, const Patience& patience) {
  const Kind kind = kind_of(answer);
  if (kind == Kind::done || kind == Kind::definitive || attempt >= patience.attempts) return -1.0;
  double wait_s = patience.pause_s * std::exp2(attempt - 1);
  if (kind == Kind::not_taken) wait_s = wait_for_limit(answer.value(), attempt, now_s);
  return spent_s + wait_s > patience.budget_s ? -1.0 : wait_s;
}

}  // namespace perfgate::post
