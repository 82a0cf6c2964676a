/// Counting on many threads, and rates with their uncertainty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/noise_shapes.h"

namespace perfgate::bench {

struct Rate {
  std::int64_t count = 0;
  std::int64_t total = 0;
  void add(bool happened) {
    count += happened ? 1 : 0;
    ++total;
  }
  Rate& operator+=(const Rate& other) {
    count += other.count;
    total += other.total;
    return *this;
  }
};

/// "0.33 % [0.17, 0.65]"; "-" without draws.
[[nodiscard]] std::string text(const Rate& rate);

enum class Bound { at_least, at_most };
/// "met" or "**missed**" by the whole interval; "open" is what the draws cannot tell.
[[nodiscard]] std::string answer(const Rate& rate, Bound bound, double limit);

/// Forms `Counts` out of `draws` draws: `one(counts, random, workspace)` adds draw i, whose random
/// numbers depend on `seed` and i alone, so that the number of threads changes nothing. `Counts`
/// needs +=; `Workspace` is made once a thread by `make`.
template <typename Counts, typename Make, typename One>
[[nodiscard]] Counts count_draws(int draws, int threads, std::uint64_t seed, const Make& make,
                                 const One& one) {
  std::vector<Counts> parts(static_cast<std::size_t>(std::max(threads, 1)));
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < parts.size(); ++worker) {
      workers.emplace_back([&, worker] {
        auto workspace = make();
        for (auto i = worker; i < static_cast<std::size_t>(draws); i += parts.size()) {
          testing::Random random(testing::mixed_seed(seed, i));
          one(parts[worker], random, workspace);
        }
      });
    }
  }
  Counts all;
  for (const Counts& part : parts) all += part;
  return all;
}

}  // namespace perfgate::bench
