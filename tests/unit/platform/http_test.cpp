// Who is asked with the token, which redirects are followed, and a server on this machine.
#include "runner/platform/http.h"

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/platform/appended_file.h"
#include "runner/platform/files.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::platform {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpAnswer moved(int status, const std::string& to) {
  return {.status = status, .headers = {{"location", to}}, .body = {}};
}

TEST(Token, GoesOverHttpsOrToThisMachineOnly) {
  EXPECT_TRUE(may_carry_token("https://api.github.com/x"));
  EXPECT_TRUE(may_carry_token("http://127.0.0.1:8080/x"));
  EXPECT_FALSE(may_carry_token("http://ghe.example/x"));
  EXPECT_FALSE(may_carry_token("http://127.0.0.1.evil.example/x"));
  EXPECT_FALSE(may_carry_token("file:///etc/passwd"));
  EXPECT_FALSE(may_carry_token("https://api.github.com@evil.example/x"));
}

TEST(Redirect, KeepsMethodBodyAndTokenAtTheSameHost) {
  const HttpRequest request{.method = "POST",
                            .url = "https://api.github.com/repos/a/b/statuses/c",
                            .body = "{}",
                            .token = "secret"};
  const auto next = redirected(request, moved(301, "/repositories/1/statuses/c"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->url, "https://api.github.com/repositories/1/statuses/c");
  EXPECT_EQ(next->method, "POST");
  EXPECT_EQ(next->body, "{}");
  EXPECT_EQ(next->token, "secret");
}

TEST(Redirect, NeverTakesTheTokenToAnotherHost) {
  const HttpRequest request{
      .method = "GET", .url = "https://api.github.com/zip", .token = "secret"};
  const auto next = redirected(request, moved(302, "https://blob.example/zip?signature=1"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->token, "");
  EXPECT_EQ(redirected(request, moved(302, "https://api.github.com:8443/zip"))->token, "");
}

TEST(Redirect, WritesNothingAtAnotherHostAndNeverLeavesHttps) {
  const HttpRequest post{.method = "POST", .url = "https://api.github.com/x", .token = "secret"};
  EXPECT_FALSE(redirected(post, moved(307, "https://other.example/x")));
  const HttpRequest get{.method = "GET", .url = "https://api.github.com/x", .token = "secret"};
  EXPECT_FALSE(redirected(get, moved(302, "http://api.github.com/x")));
  EXPECT_FALSE(redirected(get, moved(302, "file:///etc/passwd")));
  EXPECT_FALSE(redirected(get, moved(200, "https://api.github.com/y")));
}

TEST(Redirect, EndsAfterThree) {
  FakeHttp http([](const HttpRequest&) { return moved(302, "/again"); });
  const auto answer = send_following(http, {.method = "GET", .url = "https://api.github.com/x"});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().status, 302);
  EXPECT_EQ(http.requests.size(), 4U);
}

/// Answers one connection with fixed bytes, and keeps what it was sent.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;
  ~OneAnswer() {
    finish();
    ::close(listener_);
  }
  void finish() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/path";
  }
  std::string heard;

 private:
  void serve() {
    const int connection = ::accept(listener_, nullptr, nullptr);
    std::array<char, 4096> buffer{};
    while (heard.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::read(connection, buffer.data(), buffer.size());
      if (got <= 0) break;
      heard.append(buffer.data(), static_cast<std::size_t>(got));
    }
    static_cast<void>(::send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL));
    ::close(connection);
  }

  std::string answer_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

class Curl : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_curl_http(cancellation);
    if (!opened.ok()) GTEST_SKIP() << opened.error().message;
    http = std::move(opened).value();
  }
  Cancellation cancellation;
  std::unique_ptr<Http> http;
};

TEST_F(Curl, SendsHeadersAndTokenAndReadsTheAnswer) {
  OneAnswer server("HTTP/1.1 403 No\r\nX-Accepted: a=b\r\nContent-Length: 2\r\n\r\nhi");
  const auto answer = http->send({.method = "PATCH",
                                  .url = server.url(),
                                  .headers = {{"User-Agent", "perfgate/1"}},
                                  .body = "{}",
                                  .token = "secret"});
  server.finish();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().status, 403);
  EXPECT_EQ(answer.value().body, "hi");
  EXPECT_EQ(answer.value().header("x-accepted"), "a=b");
  EXPECT_THAT(server.heard, HasSubstr("PATCH /path HTTP/1.1"));
  EXPECT_THAT(server.heard, HasSubstr("User-Agent: perfgate/1"));
  EXPECT_THAT(server.heard, HasSubstr("Authorization: Bearer secret"));
}

/// A variable of this process, taken back at the end.
class OwnVariable {
 public:
  OwnVariable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  OwnVariable(const OwnVariable&) = delete;
  OwnVariable& operator=(const OwnVariable&) = delete;
  ~OwnVariable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST_F(Curl, TakesNoProxyToThisMachine) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  // Its own proxy: who is asked as one gets the whole address.
  const OwnVariable proxy("http_proxy", server.url());
  const auto answer = http->send({.method = "GET", .url = server.url(), .token = "secret"});
  server.finish();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(server.heard, HasSubstr("GET /path HTTP/1.1"));
}

TEST_F(Curl, RefusesAHeaderWithALineBreak) {
  const auto answer = http->send({.method = "GET",
                                  .url = "https://api.github.com/x",
                                  .headers = {{"User-Agent", "perfgate/1\r\nX-Other: 1"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::usage);
}

TEST_F(Curl, CallsACutAnswerNone) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  const auto answer = http->send({.method = "GET", .url = server.url(), .token = "secret"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("gave no answer"));
  EXPECT_THAT(answer.error().message, Not(HasSubstr("secret")));
}

TEST_F(Curl, ReadsNoMoreThanItIsAskedTo) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n" + std::string(64, 'x'));
  const auto answer =
      http->send({.method = "GET", .url = server.url(), .longest_answer = std::size_t{32}});
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("longer than"));
}

TEST_F(Curl, SendsATokenNowhereInTheClear) {
  const auto answer =
      http->send({.method = "GET", .url = "http://ghe.example/api/v3", .token = "secret"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::usage);
}

TEST(CurlLibrary, ThatIsMissingNamesThePackage) {
  Cancellation cancellation;
  const auto opened =
      open_curl_http(cancellation, {.libraries = {"libcurl-that-is-not-there.so.9"}});
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().hint, HasSubstr("apt-get install libcurl4"));
}

TEST(AppendedFile, KeepsWhatWasThere) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/summary.md";
  ASSERT_TRUE(append_to_file(path, "one\n").ok());
  ASSERT_TRUE(append_to_file(path, "two\n").ok());
  EXPECT_EQ(DiskFileSystem().read(path).value(), "one\ntwo\n");
  EXPECT_FALSE(append_to_file(folder.path() + "/none/summary.md", "x").ok());
}

}  // namespace
}  // namespace perfgate::platform
