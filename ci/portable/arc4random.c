// A hidden arc4random over getrandom.
//
// Debian 12's libstdc++.a (std::random_device) takes arc4random from glibc 2.36; with this definition in the link the
// binaries start on glibc 2.34 (Ubuntu 22.04, RHEL 9), which has getrandom since 2.25.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value = 0;
  // Requests of up to 256 bytes are never cut short once the pool is initialised; EINTR is possible before.
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
  }
  return value;
}
