/// What is counted: one setting of the noise, many drawn reports, the outcomes of perfgate's gate
/// and of other tools' rules on them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/bench/gate_errors/counts.h"
#include "tests/bench/gate_errors/draws.h"
#include "tests/bench/gate_errors/store_gate.h"

namespace perfgate::bench {

/// Planted slowdowns of metric 0.
inline constexpr std::array kChanges{0.01, 0.02, 0.03, 0.05, 0.10};

struct Effort {
  int draws = 0;
  int threads = 1;
  std::uint64_t seed = 0;
};

/// Reports without a change, and the same ones with one metric changed.
struct GateCounts {
  Rate fail;               ///< reports with a FAIL though nothing changed
  Rate fail_metric;        ///< unchanged metrics that FAIL
  Rate suspected;          ///< likewise with a SUSPECTED
  Rate inconclusive;       ///< likewise
  Rate not_comparable;     ///< likewise: a control seemed to move
  Rate never_pass;         ///< reports that end as a configuration error (tolerance out of reach)
  Rate null_pass;          ///< unchanged metrics that pass
  Rate retested;           ///< reports that took fresh pairs; in session only
  double processes = 0.0;  ///< sum over the reports
  std::array<Rate, kChanges.size()> found{};         ///< the changed metric is a FAIL
  std::array<Rate, kChanges.size()> noticed{};       ///< FAIL or SUSPECTED
  std::array<Rate, kChanges.size()> false_beside{};  ///< an unchanged metric is a FAIL beside it
  std::array<double, kChanges.size()> processes_changed{};

  GateCounts& operator+=(const GateCounts& other);
  [[nodiscard]] double mean_processes() const {
    return fail.total > 0 ? processes / static_cast<double>(fail.total) : 0.0;
  }
};

/// What one judged report adds, whichever way it was judged.
void add_unchanged(const Judged& judged, GateCounts& counts);
void add_changed(const Judged& judged, std::size_t change, GateCounts& counts);

/// The gate against a store of `runs` runs. `with_changes` false: unchanged reports only.
[[nodiscard]] GateCounts count_store(const Setting& setting, std::size_t runs, Margins margins,
                                     bool with_changes, const Effort& effort);

/// The gate in session, against a base and without a store.
[[nodiscard]] GateCounts count_session(const Setting& setting, Margins margins, bool with_changes,
                                       const Effort& effort);

/// The store of ten runs screens, pairs confirm.
[[nodiscard]] GateCounts count_store_then_pairs(const Setting& setting, Margins margins,
                                                bool with_changes, const Effort& effort);

enum class Peer {
  mann_whitney,
  nvbench,
  clickhouse,
  fixed_5,
  fixed_10,
  bencher,
  rustc,
  tensorrt,
  perfherder,
  otava,
};
struct PeerName {
  Peer peer;
  std::string_view name;
  std::string_view fed_with;
};
inline constexpr std::array kPeers{
    PeerName{Peer::mann_whitney, "Mann-Whitney .05 (benchstat, Google Benchmark)",
             "10 iterations of 1 process a side"},
    PeerName{Peer::nvbench, "nvbench-compare, min noise", "100 iterations of 1 process a side"},
    PeerName{Peer::clickhouse, "ClickHouse, relabelled medians and 5 %",
             "10 iterations of 1 process a side"},
    PeerName{Peer::fixed_5, "fixed 5 % on the last run (scripts, github-action-benchmark)",
             "1 process a side"},
    PeerName{Peer::fixed_10, "fixed 10 % on the last run (CodSpeed)", "1 process a side"},
    PeerName{Peer::bencher, "Bencher t .99", "10 runs; median of 5 processes each"},
    PeerName{Peer::rustc, "rustc-perf fence", "31 runs; median of 5 processes each"},
    PeerName{Peer::tensorrt, "TensorRT-LLM P5, 10 %", "90 runs; median of 5 processes each"},
    PeerName{Peer::perfherder, "Perfherder t > 7 and 2 %",
             "24 runs before, 12 from the change on; median of 5 processes each"},
    PeerName{Peer::otava, "Otava, p .001, within 2 runs of the change",
             "90 runs before, 12 from the change on; median of 5 processes each"},
};

struct PeerCounts {
  struct One {
    Rate report;  ///< unchanged reports with a metric flagged as slower
    Rate metric;  ///< unchanged metrics so flagged
    std::array<Rate, kChanges.size()> found{};
  };
  std::array<One, kPeers.size()> peers{};
  GateCounts own{};  ///< perfgate against the store, ten runs, on the same draws

  PeerCounts& operator+=(const PeerCounts& other);
};

[[nodiscard]] PeerCounts count_peers(const Setting& setting, const Effort& effort);

}  // namespace perfgate::bench
