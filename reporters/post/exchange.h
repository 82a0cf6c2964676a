/// One conversation with GitHub: requests in turn, with its headers, waits and retries.
#pragma once

#include <functional>
#include <string>

#include "reporters/post/refusal.h"
#include "reporters/post/retry.h"
#include "runner/model/result.h"
#include "runner/platform/clock.h"
#include "runner/platform/http.h"

namespace perfgate::post {

struct Ports {
  platform::Http& http;
  const platform::Clock& clock;
  std::function<void(double seconds)> sleep;
};

struct Access {
  std::string api_url{};
  std::string token{};
  std::string user_agent{};
};

struct ApiRequest {
  std::string method = "GET";
  std::string path{};  ///< from "/repos/..." on, encoded
  std::string body{};  ///< JSON
  Purpose purpose{};
  /// False: never asked again as it is, for who asks has to look first.
  bool may_repeat = true;
};

struct Reply {
  Kind kind = Kind::definitive;
  platform::HttpAnswer answer{};  ///< of `done`; of others what came, if anything
  Error error{};                  ///< unless `done`; without the token
};

class Exchange {
 public:
  Exchange(Ports ports, Access access, Patience patience);

  /// An answer of 2xx whose body is no JSON (a proxy's page) is none: `uncertain`.
  [[nodiscard]] Reply send(const ApiRequest& request);
  /// For who repeats several requests as one: waits as after the failed attempt `attempt`. False:
  /// it is time to give up.
  [[nodiscard]] bool wait_after(const Reply& reply, int attempt);

 private:
  [[nodiscard]] Reply ask(const ApiRequest& request);
  [[nodiscard]] Reply judged(const Result<platform::HttpAnswer>& answer, const Purpose& purpose);
  void keep_pace(const std::string& method);

  Ports ports_;
  Access access_;
  Patience patience_;
  std::int64_t start_ns_;
  std::int64_t last_write_ns_ = 0;
  bool has_written_ = false;
};

}  // namespace perfgate::post
