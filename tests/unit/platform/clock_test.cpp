// Times in files are ISO 8601 in UTC; instants inside are nanoseconds.
#include "runner/platform/clock.h"

#include <gtest/gtest.h>

namespace perfgate::platform {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Utc, FormatsWholeSecondsAndRoundsDown) {
  EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(951'782'400 * kSecond + 999'999'999), "2000-02-29T00:00:00Z");
  EXPECT_EQ(format_utc_compact(1'795'983'784 * kSecond), "20261129T202304Z");
}

TEST(Utc, ReadsWhatItWrites) {
  for (const std::int64_t seconds : {0L, 951'782'400L, 1'795'983'784L, 4'102'444'799L}) {
    const auto parsed = parse_utc(format_utc(seconds * kSecond));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), seconds * kSecond);
  }
}

TEST(Utc, ReadsAFractionAndAnExplicitZeroOffset) {
  const auto parsed = parse_utc("1970-01-01T00:00:01.250+00:00");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value(), 1'250'000'000);
}

TEST(Utc, RefusesWhatIsNotATime) {
  for (const char* text :
       {"", "yesterday", "2026-02-29T00:00:00Z", "2026-11-29 20:23:04Z", "2026-11-29T24:00:00Z",
        "2026-11-29T20:23:04", "2026-11-29T20:23:04+01:00", "2026-11-29T20:23:04.Z",
        "9999-01-01T00:00:00Z", "2026-13-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_utc(text).ok()) << text;
  }
}

TEST(SystemClock, MonotonicTimeDoesNotGoBack) {
  const SystemClock clock;
  const std::int64_t first = clock.monotonic_ns();
  EXPECT_GE(clock.monotonic_ns(), first);
  EXPECT_GT(clock.realtime_ns(), 1'700'000'000 * kSecond);
}

}  // namespace
}  // namespace perfgate::platform
