/// The gate of one metric with automatic margins (of a 5th percentile: 3 % / 9 %) on measured runs,
/// as they came and on blocks drawn out of them. Pure.
///
/// - Against the store: the ten runs before serve as the baseline. The head's looks at 8 and 12
///   processes go on with the processes that were measured next.
/// - With a base at hand (`run --base`) what does not pass goes on to fresh pairs; here it is shown
///   as the store left it.
/// - In session: processes that were measured one after the other are taken two by two as pairs
///   (base head, head base, ...). A session takes the processes it needs, the next one begins
///   behind it.
/// - Drawn: a session's processes are blocks of `kBlock` neighbours of one occasion; a head is
/// three
///   neighbouring runs, its store blocks of `kRunBlock` neighbours out of the other runs of that
///   occasion. Blocks keep what neighbours share; what changes from
///   occasion to occasion is in them only as often as it was measured. Such rates say what these
///   processes do to the gate, not more: they are no further measurements.
/// - Slower by a ratio: each median of the head times 1 + ratio.
#pragma once

#include <array>
#include <cstdint>

#include "tests/bench/gate_errors/counts.h"
#include "tests/bench/real_aa/runs.h"

namespace perfgate::bench {

inline constexpr std::size_t kStoreRuns = 10;
inline constexpr std::size_t kBlock = 10;
inline constexpr std::size_t kRunBlock = 2;
/// What the head is slower by; 0 is A/A.
inline constexpr std::array kPlanted{0.0, 0.005, 0.01, 0.10};

struct Outcomes {
  Rate pass{}, fail{}, suspected{}, inconclusive{}, other{};
  std::int64_t processes = 0;
  Outcomes& operator+=(const Outcomes& other_counts);
};
using ByPlanted = std::array<Outcomes, kPlanted.size()>;

/// What the store holds while a session is judged.
enum class Beside {
  nothing,
  pool,  ///< ten runs, of the occasions in turn
};

[[nodiscard]] ByPlanted store_as_measured(const MeasuredWorkload& workload,
                                          bool base_at_hand = false);
[[nodiscard]] ByPlanted sessions_as_measured(const MeasuredWorkload& workload,
                                             Beside beside = Beside::nothing);
[[nodiscard]] ByPlanted store_drawn(const MeasuredWorkload& workload, int draws, int threads,
                                    std::uint64_t seed);
[[nodiscard]] ByPlanted sessions_drawn(const MeasuredWorkload& workload, int draws, int threads,
                                       std::uint64_t seed, Beside beside = Beside::nothing);
/// The runs in which `planted` really was, each against the last ten A/A runs of its occasion.
[[nodiscard]] Outcomes planted_store(const MeasuredWorkload& workload, const std::string& planted);
/// The sessions in which `planted` really ran in the head, as they came: their own first pairs are
/// the looks, the next ones confirm.
[[nodiscard]] Outcomes planted_sessions(const MeasuredWorkload& workload,
                                        const std::string& planted);
/// Sessions out of blocks of pairs of those in which `planted` really ran in the head.
[[nodiscard]] Outcomes planted_drawn(const MeasuredWorkload& workload, const std::string& planted,
                                     int draws, int threads, std::uint64_t seed);

}  // namespace perfgate::bench
