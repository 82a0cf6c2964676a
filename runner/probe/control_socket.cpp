#include "runner/probe/control_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/probe/text.h"

namespace perfgate::probe {
namespace {

constexpr int kHighDescriptor = 500;
constexpr std::size_t kMaxLine = 4096;

std::string without_spaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out.push_back(c);
  }
  return out;
}

}  // namespace

ControlRequest parse_control_line(std::string_view line) {
  const std::string compact = without_spaces(line);
  if (compact == R"({"window":"open"})") return ControlRequest::open;
  if (compact == R"({"window":"close"})") return ControlRequest::close;
  return ControlRequest::none;
}

Result<std::unique_ptr<ControlSocket>> ControlSocket::connect(
    const std::string& path, std::function<void(ControlRequest)> on_request) {
  const auto failed = [&](const std::string& why) {
    return Error{ErrorCode::unavailable, "cannot reach the control socket " + path + ": " + why,
                 "PERFGATE_CONTROL must name the parent's unix socket", ""};
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return failed("bad path");
  std::memcpy(address.sun_path, path.data(), path.size());
  int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failed(std::strerror(errno));
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    ::close(descriptor);
    return failed(std::strerror(error));
  }
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high >= 0) {
    ::close(descriptor);
    descriptor = high;
  }
  std::unique_ptr<ControlSocket> socket(new ControlSocket(descriptor, std::move(on_request)));
  socket->send_line("{\"hello\":1,\"pid\":" + std::to_string(getpid()) + "}\n");
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([raw = socket.get()] { raw->read_lines(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return socket;
}

ControlSocket::ControlSocket(int descriptor, std::function<void(ControlRequest)> on_request)
    : descriptor_(descriptor), on_request_(std::move(on_request)) {}

void ControlSocket::read_lines() {
  std::string pending;
  std::array<char, 512> chunk{};
  while (true) {
    const ssize_t length = ::recv(descriptor_, chunk.data(), chunk.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    pending.append(chunk.data(), static_cast<std::size_t>(length));
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      const ControlRequest request = parse_control_line(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
      if (request != ControlRequest::none) on_request_(request);
    }
    if (pending.size() > kMaxLine) pending.clear();
  }
  on_request_(ControlRequest::close);
}

void ControlSocket::send_line(const std::string& line) {
  const std::lock_guard lock(send_mutex_);
  // Never waits: a parent that does not read must not stop the program.
  (void)!::send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ControlSocket::send_state(std::string_view state) {
  send_line("{\"state\":" + json_quoted(state) + "}\n");
}

void ControlSocket::send_reason(std::string_view text) {
  send_line("{\"reason\":" + json_quoted(text) + "}\n");
}

}  // namespace perfgate::probe
