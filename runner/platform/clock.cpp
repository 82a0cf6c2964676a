#include "runner/platform/clock.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace perfgate::platform {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);  // cannot fail for these two ids
  return static_cast<std::int64_t>(now.tv_sec) * kSecond + now.tv_nsec;
}

struct CivilTime {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

CivilTime civil_of(std::int64_t realtime_ns) {
  const std::chrono::sys_time<std::chrono::nanoseconds> instant{
      std::chrono::nanoseconds{realtime_ns}};
  const auto seconds_since = std::chrono::floor<std::chrono::seconds>(instant);
  const auto day = std::chrono::floor<std::chrono::days>(seconds_since);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{seconds_since - day};
  return {.year = int{date.year()},
          .month = unsigned{date.month()},
          .day = unsigned{date.day()},
          .hour = static_cast<unsigned>(time.hours().count()),
          .minute = static_cast<unsigned>(time.minutes().count()),
          .second = static_cast<unsigned>(time.seconds().count())};
}

std::string print(const char* pattern, std::int64_t realtime_ns) {
  const CivilTime t = civil_of(realtime_ns);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, t.year, t.month, t.day, t.hour, t.minute,
                t.second);
  return text.data();
}

bool read_digits(std::string_view text, std::size_t at, std::size_t count, unsigned& out) {
  if (at + count > text.size()) return false;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return std::from_chars(text.data() + at, text.data() + at + count, out).ec == std::errc{};
}

/// Reads ".123" at the front of `rest` and removes it; nanoseconds.
bool read_fraction(std::string_view& rest, std::int64_t& ns) {
  ns = 0;
  if (rest.empty() || rest.front() != '.') return true;
  rest.remove_prefix(1);
  std::int64_t unit = kSecond / 10;
  std::size_t digits = 0;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    ns += unit * (rest.front() - '0');
    unit /= 10;
    ++digits;
    rest.remove_prefix(1);
  }
  return digits > 0;
}

}  // namespace

std::int64_t SystemClock::realtime_ns() const { return read_clock(CLOCK_REALTIME); }
std::int64_t SystemClock::monotonic_ns() const { return read_clock(CLOCK_MONOTONIC); }

std::string format_utc(std::int64_t realtime_ns) {
  return print("%04d-%02u-%02uT%02u:%02u:%02uZ", realtime_ns);
}

std::string format_utc_compact(std::int64_t realtime_ns) {
  return print("%04d%02u%02uT%02u%02u%02uZ", realtime_ns);
}

Result<std::int64_t> parse_utc(std::string_view text) {
  const Error bad{.code = ErrorCode::corrupt,
                  .message = "'" + std::string(text) + "' is not a time in UTC",
                  .hint = "write it as 2026-11-29T20:23:04Z",
                  .context = {}};
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool shaped = read_digits(text, 0, 4, year) && read_digits(text, 5, 2, month) &&
                      read_digits(text, 8, 2, day) && read_digits(text, 11, 2, hour) &&
                      read_digits(text, 14, 2, minute) && read_digits(text, 17, 2, second) &&
                      text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' &&
                      text[16] == ':';
  if (!shaped) return bad;
  std::string_view rest = text.substr(19);
  std::int64_t fraction_ns = 0;
  if (!read_fraction(rest, fraction_ns) || (rest != "Z" && rest != "+00:00")) return bad;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)},
                                         std::chrono::month{month}, std::chrono::day{day}};
  // int64 nanoseconds end in the year 2262.
  if (!date.ok() || year < 1970 || year > 2261 || hour > 23 || minute > 59 || second > 59)
    return bad;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * kSecond + fraction_ns;
}

}  // namespace perfgate::platform
