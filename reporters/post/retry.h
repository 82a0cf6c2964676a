/// Whether to ask again, and after how long, as functions of one answer. Pure.
///
/// GitHub's rules: `retry-after` first; else, with no requests left, `x-ratelimit-reset`; else a
/// minute, doubled each time. Going on while limited can get a token banned. What failed at the
/// server or on the way (5xx, no answer) is asked again after 1, 2, 4, ... pauses.
#pragma once

#include <cstdint>

#include "runner/model/result.h"
#include "runner/platform/http.h"

namespace perfgate::post {

struct Patience {
  /// Between two writes, and the unit of waits after a failure. GitHub asks for a second.
  double pause_s = 1.0;
  /// Of one posting from its start, answers that never come included: nothing is waited for beyond
  /// it. What is left is then tried once.
  double budget_s = 120.0;
  int attempts = 5;  ///< of one request
};

enum class Kind {
  done,        ///< a 2xx answer
  not_taken,   ///< refused before anything was done (a limit): may be asked again as it is
  uncertain,   ///< no answer, or 5xx: what was asked may have been done
  changed,     ///< 404, 409 of something that was there a moment ago: look again
  definitive,  ///< asking again changes nothing
};

/// `answer` without a value is a request that got no answer.
[[nodiscard]] Kind kind_of(const Result<platform::HttpAnswer>& answer);

/// A limit of GitHub's: 429, or 403 with a limit's headers or words.
[[nodiscard]] bool is_limited(const platform::HttpAnswer& answer);

/// How long to wait before attempt `attempt` + 1 (the first is 1); negative = give up. `spent_s` is
/// the time since the posting began, `now_s` are seconds since 1970.
[[nodiscard]] double wait_before_next(const Result<platform::HttpAnswer>& answer, int attempt,
                                      double spent_s, std::int64_t now_s, const Patience& patience);

}  // namespace perfgate::post
