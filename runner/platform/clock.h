/// Time as a parameter, and time as text. Instants are integer nanoseconds.
///
/// `realtime_ns` is CLOCK_REALTIME since 1970 (it joins with results files and captures and may be
/// stepped); `monotonic_ns` is CLOCK_MONOTONIC (durations). g++ 12 has no chrono formatting, hence
/// the text functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::platform {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t realtime_ns() const = 0;
  [[nodiscard]] virtual std::int64_t monotonic_ns() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t realtime_ns() const override;
  [[nodiscard]] std::int64_t monotonic_ns() const override;
};

/// Stands still until told. Each fake of this room serves tests and replays.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t start_ns = 1'760'000'000'000'000'000) : now_ns_(start_ns) {}
  [[nodiscard]] std::int64_t realtime_ns() const override { return now_ns_; }
  [[nodiscard]] std::int64_t monotonic_ns() const override { return now_ns_; }
  void advance_ns(std::int64_t by_ns) { now_ns_ += by_ns; }

 private:
  std::int64_t now_ns_;
};

/// "2026-11-29T20:23:04Z": ISO 8601, UTC, whole seconds (rounded down).
[[nodiscard]] std::string format_utc(std::int64_t realtime_ns);
/// "20261129T202304Z": the same for file names.
[[nodiscard]] std::string format_utc_compact(std::int64_t realtime_ns);
/// The inverse of `format_utc`; also takes a fraction of a second and "+00:00" for Z. Years 1970 to
/// 2261 (where int64 nanoseconds end). Error `corrupt` for anything else.
[[nodiscard]] Result<std::int64_t> parse_utc(std::string_view text);

}  // namespace perfgate::platform
