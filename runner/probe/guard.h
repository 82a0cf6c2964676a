/// What every entry from the program goes through: its errno is kept, none of our exceptions
/// reaches it, and a CUDA or CUPTI call made by the probe does not come back into the probe.
#pragma once

#include <cerrno>

namespace perfgate::probe {

class ErrnoGuard {
 public:
  ErrnoGuard() : saved_(errno) {}
  ~ErrnoGuard() { errno = saved_; }
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  int saved_;
};

/// True while this thread is inside the probe.
inline bool& inside_probe() {
  static thread_local bool inside = false;
  return inside;
}

/// Runs `body` with all three guarantees; `fallback` if it threw or the thread was inside already.
template <typename T, typename Body>
T guarded(T fallback, Body&& body) noexcept {
  const ErrnoGuard keep;
  if (inside_probe()) return fallback;
  inside_probe() = true;
  T result = fallback;
  try {
    result = body();
  } catch (...) {  // out of memory at worst: the record is lost, the program is not
    result = fallback;
  }
  inside_probe() = false;
  return result;
}

template <typename Body>
void guarded(Body&& body) noexcept {
  guarded(0, [&] {
    body();
    return 0;
  });
}

}  // namespace perfgate::probe
