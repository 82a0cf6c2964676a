/// Stands in for the real launch.cuh when a kernel file is compiled by the host compiler: one CTA
/// after the other, every thread of it a fiber. It checks index arithmetic, barriers and fragment
/// layouts, not memory order or speed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>
#include <ucontext.h>
#include <vector_functions.h>

#include "emulated_gpu.h"
#include "prefetched_ranges.h"
#include "workloads/builtin/device/kernels.h"

#undef __global__
#undef __device__
#undef __shared__
#undef __forceinline__
#undef __launch_bounds__
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

namespace perfgate::builtin {

inline uint3 threadIdx;
inline uint3 blockIdx;
inline dim3 blockDim;
inline dim3 gridDim;

/// Runs the threads of one CTA in turns; a thread gives way at each barrier until all of its group
/// have come.
class EmulatedCta {
 public:
  static EmulatedCta*& current() {
    static EmulatedCta* cta = nullptr;
    return cta;
  }

  EmulatedCta(unsigned threads, std::function<void()> body)
      : body_(std::move(body)), fibers_(threads) {
    waiting_.resize((threads + 31) / 32 + 1);
  }

  void run() {
    current() = this;
    for (auto& fiber : fibers_) {
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = stack_of(static_cast<std::size_t>(&fiber - fibers_.data()));
      fiber.context.uc_stack.ss_size = kStackBytes;
      fiber.context.uc_link = &main_;
      makecontext(&fiber.context, reinterpret_cast<void (*)()>(&EmulatedCta::enter), 0);
    }
    for (std::size_t left = fibers_.size(); left > 0;) {
      for (std::size_t i = 0; i < fibers_.size(); ++i) {
        if (fibers_[i].done) continue;
        running_ = i;
        threadIdx = {static_cast<unsigned>(i), 0, 0};
        swapcontext(&main_, &fibers_[i].context);
        if (fibers_[i].done) --left;
      }
    }
  }

  /// Group 0 is the CTA, group 1 + w warp w. Threads that have ended count as arrived, as on the
  /// GPU.
  void barrier(std::size_t group) {
    const std::uint64_t generation = waiting_[group].generation;
    ++waiting_[group].arrived;
    while (waiting_[group].generation == generation) {
      if (waiting_[group].arrived == alive(group)) {
        waiting_[group].arrived = 0;
        ++waiting_[group].generation;
        return;
      }
      swapcontext(&fibers_[running_].context, &main_);
    }
  }

  struct Copy {
    uint4* to;
    const void* from;  ///< null: zeros
  };
  /// Of one thread (async_copy.cuh).
  struct Copies {
    std::vector<Copy> open;
    std::vector<std::vector<Copy>> closed;
  };
  static Copies& copies() { return current()->fibers_[threadIdx.x].copies; }

  static void sync_warp() { current()->barrier(1 + threadIdx.x / 32); }

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;
  struct Fiber {
    ucontext_t context{};
    bool done = false;
    Copies copies;
  };
  struct Group {
    std::size_t arrived = 0;
    std::uint64_t generation = 0;
  };

  /// CTAs follow one another, so that their threads can have the same stacks.
  static char* stack_of(std::size_t thread) {
    static std::vector<std::unique_ptr<char[]>> stacks;
    while (stacks.size() <= thread) stacks.emplace_back(new char[kStackBytes]);
    return stacks[thread].get();
  }
  static void enter() {
    EmulatedCta& cta = *current();
    cta.body_();
    cta.fibers_[cta.running_].done = true;
  }
  [[nodiscard]] std::size_t alive(std::size_t group) const {
    const std::size_t first = group == 0 ? 0 : (group - 1) * 32;
    const std::size_t end = group == 0 ? fibers_.size() : std::min(fibers_.size(), first + 32);
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) count += fibers_[i].done ? 0 : 1;
    return count;
  }

  std::function<void()> body_;
  std::vector<Fiber> fibers_;
  std::vector<Group> waiting_;
  ucontext_t main_{};
  std::size_t running_ = 0;
};

inline void __syncthreads() { EmulatedCta::current()->barrier(0); }
inline void __syncwarp() { EmulatedCta::sync_warp(); }
inline void wait_for_previous() {}

/// Not a number at the start of each CTA, so that nothing is read that was not written.
inline std::vector<uint4>& shared_vectors() {
  static std::vector<uint4> vectors;
  return vectors;
}
inline void* dynamic_shared() { return shared_vectors().data(); }

/// What each lane of a warp put up for the others.
template <typename T>
std::vector<T> exchange(const T& own) {
  static std::vector<T> slots(1024);
  slots[threadIdx.x] = own;
  EmulatedCta::sync_warp();
  const std::size_t first = threadIdx.x / 32 * 32;
  std::vector<T> all(slots.begin() + static_cast<std::ptrdiff_t>(first),
                     slots.begin() + static_cast<std::ptrdiff_t>(first) + 32);
  EmulatedCta::sync_warp();
  return all;
}

template <typename T>
T __shfl_xor_sync(unsigned /*mask*/, T value, int offset) {
  return exchange(value)[(threadIdx.x % 32) ^ static_cast<unsigned>(offset)];
}

template <typename T>
T __ldcg(const T* from) {
  return *from;
}
inline void prefetch_l2(const char* from, unsigned bytes) { prefetched.push_back({from, bytes}); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t both = (static_cast<std::uint64_t>(b) << 32U) | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned byte = (selector >> (4 * i)) & 7U;
    result |= static_cast<unsigned>((both >> (8 * byte)) & 0xffU) << (8 * i);
  }
  return result;
}
inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
using std::max;
using std::min;

template <typename... Parameters, typename... Arguments>
cudaError_t launch_with_shared(const LaunchContext& /*context*/, dim3 grid, dim3 block,
                               unsigned shared, void (*kernel)(Parameters...),
                               Arguments... arguments) {
  emulated_calls.emplace_back("launch");
  gridDim = grid;
  blockDim = block;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        shared_vectors().assign(shared / sizeof(uint4), uint4{~0U, ~0U, ~0U, ~0U});
        EmulatedCta cta(block.x, [&] { kernel(static_cast<Parameters>(arguments)...); });
        cta.run();
      }
    }
  }
  return cudaSuccess;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(const LaunchContext& context, dim3 grid, dim3 block,
                   void (*kernel)(Parameters...), Arguments... arguments) {
  return launch_with_shared(context, grid, block, 0, kernel, arguments...);
}

}  // namespace perfgate::builtin
