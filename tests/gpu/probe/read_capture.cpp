// read_capture FILE: says what a capture holds; exit 1 unless it is whole: one closed window with
// kernels, nothing dropped, no reasons.
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "runner/capture/decoder.h"

// Whatever is thrown ends the test.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int count, char** words) {
  if (count != 2) {
    std::printf("%d capture files, one was expected\n", count - 1);
    return 1;
  }
  std::ifstream file(words[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto decoded =
      perfgate::capture::decode(std::as_bytes(std::span(bytes.data(), bytes.size())));
  if (!decoded.ok()) {
    std::printf("%s\n", decoded.error().message.c_str());
    return 1;
  }
  const perfgate::Capture& capture = decoded.value();
  const bool is_closed = capture.windows.size() == 1 && capture.windows[0].closed_ns != 0;
  std::printf("capture: %zu kernels, %zu calls, %zu ranges; %s, %s, dropped %s\n",
              capture.kernels.size(), capture.api_calls.size(), capture.ranges.size(),
              capture.complete ? "complete" : "no end block",
              is_closed ? "one closed window" : "no closed window",
              capture.dropped ? std::to_string(*capture.dropped).c_str() : "unknown");
  for (const std::string& reason : capture.reasons) std::printf("reason: %s\n", reason.c_str());
  const bool is_whole = capture.complete && is_closed && !capture.kernels.empty() &&
                        capture.dropped == 0U && capture.reasons.empty();
  return is_whole ? 0 : 1;
}
