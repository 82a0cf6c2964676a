/// HTTP behind an interface: one request, one answer. Who asks decides on retries.
///
/// The real one is libcurl, loaded when it is asked for (libcurl.so.4 of the machine), so that the
/// binaries need glibc alone. TLS certificates are always verified; https_proxy and no_proxy work
/// as libcurl reads them. libcurl itself follows no redirect: `send_following` does.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/model/result.h"
#include "runner/platform/interrupt.h"

namespace perfgate::platform {

struct HttpRequest {
  std::string method = "GET";
  std::string url{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  /// Sent as "Authorization: Bearer ...", and to be found nowhere else. Empty = none is sent.
  std::string token{};
  double timeout_s = 15.0;  ///< for connecting and all of the transfer
  std::size_t longest_answer = std::size_t{16} << 20U;
};

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers{};  ///< names in lower case; the last of a name counts
  std::string body{};

  [[nodiscard]] std::string header(const std::string& lower_case_name) const;
};

class Http {
 public:
  Http() = default;
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  virtual ~Http() = default;
  /// Any status is an answer. Errors: `unavailable` where no whole answer came (the server may have
  /// done what was asked all the same), `interrupted`, `usage` for a URL that must not be asked (a
  /// token goes over https, or without a proxy to this machine itself) and for a header or a token
  /// with a line break.
  [[nodiscard]] virtual Result<HttpAnswer> send(const HttpRequest& request) = 0;
};

/// Hands each request to a function and keeps it.
class FakeHttp final : public Http {
 public:
  using Handler = std::function<Result<HttpAnswer>(const HttpRequest&)>;
  explicit FakeHttp(Handler handler) : handler_(std::move(handler)) {}
  [[nodiscard]] Result<HttpAnswer> send(const HttpRequest& request) override {
    requests.push_back(request);
    return handler_(request);
  }
  std::vector<HttpRequest> requests;

 private:
  Handler handler_;
};

struct CurlChoice {
  std::string certificates{};  ///< a file of those that are trusted; empty = the system's
  std::vector<std::string> libraries{"libcurl.so.4", "libcurl-gnutls.so.4"};  ///< tried in turn
};

/// Not from several threads at once. Error `unavailable`, with the package to install, where no
/// libcurl is. `cancellation` must outlive it, and ends a transfer.
[[nodiscard]] Result<std::unique_ptr<Http>> open_curl_http(const Cancellation& cancellation,
                                                           const CurlChoice& choice = {});

/// Scheme, host and port in lower case; empty for a URL that is no plain http(s) one.
[[nodiscard]] std::string origin_of(std::string_view url);
/// True if a token may be sent there: https, or http to a loopback address.
[[nodiscard]] bool may_carry_token(std::string_view url);

/// The request that a redirect asks for; empty if `answer` is none that may be followed. The method
/// stays (303: GET). Another origin never sees the token, and is asked with GET only: nothing is
/// written there. Never from https to http.
[[nodiscard]] std::optional<HttpRequest> redirected(const HttpRequest& request,
                                                    const HttpAnswer& answer);

/// `send`, and up to three redirects.
[[nodiscard]] Result<HttpAnswer> send_following(Http& http, HttpRequest request);

}  // namespace perfgate::platform
