// The static C++ runtime asks for arc4random, which glibc has only since 2.36. With this one,
// hidden in the library, the probe loads on glibc 2.34.
#include <cerrno>
#include <cstdint>

#include <sys/random.h>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept;

std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) < 0 && errno == EINTR) {
  }
  return value;
}
