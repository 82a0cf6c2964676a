// libcurl by dlopen: its types and constants come from the headers, its functions from the library.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

// Constants that newer headers call deprecated are what libcurl 7.81 (Ubuntu 22.04) knows.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <dlfcn.h>

#include "runner/platform/http.h"

namespace perfgate::platform {
namespace {

constexpr long kConnectTimeoutMs = 10'000;

struct Api {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_reset) reset = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) info = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_strerror) text = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
};

template <typename Function>
bool load(void* library, const char* name, Function& place) {
  place = reinterpret_cast<Function>(::dlsym(library, name));
  return place != nullptr;
}

bool load_all(void* library, Api& api) {
  return load(library, "curl_global_init", api.global_init) &&
         load(library, "curl_easy_init", api.init) && load(library, "curl_easy_reset", api.reset) &&
         load(library, "curl_easy_setopt", api.set) &&
         load(library, "curl_easy_perform", api.perform) &&
         load(library, "curl_easy_getinfo", api.info) &&
         load(library, "curl_easy_cleanup", api.cleanup) &&
         load(library, "curl_easy_strerror", api.text) &&
         load(library, "curl_slist_append", api.append) &&
         load(library, "curl_slist_free_all", api.free_all);
}

/// What the callbacks of one transfer fill.
struct Transfer {
  const Cancellation& cancellation;
  std::size_t longest = 0;
  HttpAnswer answer{};
  bool too_long = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* place) {
  auto& transfer = *static_cast<Transfer*>(place);
  transfer.too_long = transfer.answer.body.size() + size * count > transfer.longest;
  if (transfer.too_long) return 0;
  transfer.answer.body.append(data, size * count);
  return size * count;
}

std::size_t on_header(const char* data, std::size_t size, std::size_t count, void* place) {
  auto& transfer = *static_cast<Transfer*>(place);
  const std::string_view line(data, size * count);
  // A proxy's answer to CONNECT comes first: the headers that count are those of the last one.
  if (line.starts_with("HTTP/")) transfer.answer.headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  std::string name(trimmed(line.substr(0, colon)));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  transfer.answer.headers[name] = std::string(trimmed(line.substr(colon + 1)));
  return line.size();
}

int on_progress(void* place, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(place)->cancellation.cancelled() ? 1 : 0;
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

class CurlHttp final : public Http {
 public:
  CurlHttp(Api api, CURL* handle, const Cancellation& cancellation, std::string certificates)
      : api_(api),
        handle_(handle),
        cancellation_(cancellation),
        certificates_(std::move(certificates)) {}
  CurlHttp(const CurlHttp&) = delete;
  CurlHttp& operator=(const CurlHttp&) = delete;
  ~CurlHttp() override { api_.cleanup(handle_); }

  [[nodiscard]] Result<HttpAnswer> send(const HttpRequest& request) override;

 private:
  void set_options(const HttpRequest& request, Transfer& transfer, curl_slist* headers);
  [[nodiscard]] Error failure(CURLcode code, const HttpRequest& request,
                              const Transfer& transfer) const;

  Api api_;
  CURL* handle_;
  const Cancellation& cancellation_;
  std::string certificates_;
  std::array<char, CURL_ERROR_SIZE> said_{};
};

void CurlHttp::set_options(const HttpRequest& request, Transfer& transfer, curl_slist* headers) {
  const auto set = [this](CURLoption option, auto value) { api_.set(handle_, option, value); };
  api_.reset(handle_);  // the connection stays
  said_ = {};
  set(CURLOPT_ERRORBUFFER, said_.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  // What may carry a token over http goes to this machine itself, and not by way of a proxy.
  if (origin_of(request.url).starts_with("http:") && may_carry_token(request.url))
    set(CURLOPT_NOPROXY, "*");
  if (!certificates_.empty()) set(CURLOPT_CAINFO, certificates_.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout_s * 1e3));
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (!request.body.empty()) {
    set(CURLOPT_POSTFIELDS, request.body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
}

Error CurlHttp::failure(CURLcode code, const HttpRequest& request, const Transfer& transfer) const {
  if (code == CURLE_ABORTED_BY_CALLBACK && cancellation_.cancelled()) {
    return {.code = ErrorCode::interrupted,
            .message = "interrupted while talking to " + origin_of(request.url),
            .hint = "run again",
            .context = {}};
  }
  std::string why = said_.front() != '\0' ? said_.data() : api_.text(code);
  if (transfer.too_long)
    why = "its answer is longer than " + std::to_string(transfer.longest >> 20U) + " MiB";
  std::string hint = "check the network between here and there; https_proxy is honoured";
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
    hint = "install ca-certificates, or name the bundle of your certificates in SSL_CERT_FILE";
  return {.code = ErrorCode::unavailable,
          .message = origin_of(request.url) + " gave no answer: " + why,
          .hint = hint,
          .context = {}};
}

Result<HttpAnswer> CurlHttp::send(const HttpRequest& request) {
  const bool plain = origin_of(request.url).empty() || !is_one_line(request.url);
  if (plain || (!request.token.empty() && !may_carry_token(request.url))) {
    return Error{.code = ErrorCode::usage,
                 .message = "'" + request.url + "' is no URL that a token may be sent to",
                 .hint = "use https://",
                 .context = {}};
  }
  if (!is_one_line(request.token)) {
    return Error{.code = ErrorCode::usage,
                 .message = "the token holds a line break",
                 .hint = "set it again without one",
                 .context = {}};
  }
  for (const auto& [name, value] : request.headers) {
    if (is_one_line(name) && is_one_line(value)) continue;
    return Error{.code = ErrorCode::usage,
                 .message = "a header of the request holds a line break",
                 .hint = "this is a mistake of perfgate's: report it",
                 .context = {}};
  }
  curl_slist* headers = api_.append(nullptr, "Expect:");  // no wait for 100-continue
  for (const auto& [name, value] : request.headers)
    headers = api_.append(headers, (name + ": " + value).c_str());
  if (!request.token.empty())
    headers = api_.append(headers, ("Authorization: Bearer " + request.token).c_str());
  Transfer transfer{.cancellation = cancellation_, .longest = request.longest_answer};
  set_options(request, transfer, headers);
  const CURLcode code = api_.perform(handle_);
  api_.free_all(headers);
  if (code != CURLE_OK) return failure(code, request, transfer);
  long status = 0;
  api_.info(handle_, CURLINFO_RESPONSE_CODE, &status);
  transfer.answer.status = static_cast<int>(status);
  return std::move(transfer.answer);
}

}  // namespace

Result<std::unique_ptr<Http>> open_curl_http(const Cancellation& cancellation,
                                             const CurlChoice& choice) {
  std::string tried;
  for (const std::string& name : choice.libraries) {
    tried += (tried.empty() ? "" : ", ") + name;
    void* library =
        ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);  // never unloaded: it has threads
    Api api;
    if (library == nullptr || !load_all(library, api)) continue;
    if (api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) continue;
    if (CURL* handle = api.init(); handle != nullptr)
      return std::unique_ptr<Http>(
          std::make_unique<CurlHttp>(api, handle, cancellation, choice.certificates));
  }
  return Error{.code = ErrorCode::unavailable,
               .message = "no libcurl on this machine (looked for " + tried + ")",
               .hint =
                   "install it: apt-get install libcurl4 (Ubuntu 24.04: libcurl4t64), with "
                   "ca-certificates",
               .context = {}};
}

}  // namespace perfgate::platform
