#include "reporters/post/report.h"

#include <algorithm>

#include "runner/platform/sha256.h"
#include "runner/platform/text.h"

namespace perfgate::post {
namespace {

constexpr std::size_t kLongestKey = 80;
constexpr std::size_t kDigits = 8;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::success: return "success";
    case State::failure: return "failure";
    case State::error: break;
  }
  return "error";
}

std::string key_of(std::vector<std::string> workloads) {
  std::ranges::sort(workloads);
  const auto rest = std::ranges::unique(workloads);
  workloads.erase(rest.begin(), rest.end());
  std::string key;
  for (const std::string& name : workloads) key += (key.empty() ? "" : "+") + name;
  if (key.size() <= kLongestKey) return key;
  const std::string digest = platform::sha256_hex(key).substr(0, kDigits);
  std::size_t room = kLongestKey - kDigits - 1;
  while (room > 0 && is_continuation(key[room])) --room;
  return key.substr(0, room) + "+" + digest;
}

std::string one_line(std::string_view text, std::size_t characters) {
  std::string line = platform::sanitize_output(text);
  std::ranges::replace(line, '\n', ' ');
  std::size_t seen = 0;
  std::size_t end_of_cut = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_continuation(line[i])) continue;
    if (seen + 1 == characters) end_of_cut = i;
    if (++seen > characters) return line.substr(0, end_of_cut) + "\u2026";
  }
  return line;
}

}  // namespace perfgate::post
