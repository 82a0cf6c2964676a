/// The asynchronous copies of the real async_copy.cuh. A copy takes place as late as it may: when
/// its thread waits for it.
#pragma once

#include "workloads/builtin/device/launch.cuh"

namespace perfgate::builtin {

inline void copy_16_async(uint4* to, const void* from, bool present) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0) {
    std::abort();  // the GPU traps
  }
  EmulatedCta::copies().open.push_back({to, present ? from : nullptr});
}

inline void close_copy_group() {
  auto& copies = EmulatedCta::copies();
  copies.closed.push_back(std::move(copies.open));
  copies.open.clear();
}

template <int Younger>
void wait_for_copies() {
  auto& closed = EmulatedCta::copies().closed;
  for (; closed.size() > Younger; closed.erase(closed.begin())) {
    for (const EmulatedCta::Copy& copy : closed.front()) {
      if (copy.from == nullptr) {
        *copy.to = uint4{};
      } else {
        std::memcpy(copy.to, copy.from, sizeof(uint4));
      }
    }
  }
}

}  // namespace perfgate::builtin
