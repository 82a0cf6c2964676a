#include "tests/bench/gate_errors/experiments.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "runner/model/median.h"
#include "tests/bench/gate_errors/otava.h"
#include "tests/bench/gate_errors/peers.h"
#include "tests/bench/gate_errors/session_gate.h"

namespace perfgate::bench {
namespace {

using testing::Random;

constexpr std::size_t kPeerRuns = 90;  // what TensorRT-LLM's rule looks back on
constexpr std::size_t kLater = kPerfherderFore - 1;
constexpr std::size_t kIterations = 10;
constexpr std::size_t kNvbenchIterations = 100;
constexpr std::size_t kBencherRuns = 10;
constexpr std::size_t kRustcRuns = 31;
constexpr std::size_t kStoreRuns = 10;
constexpr std::size_t kOtavaReach = 2;

bool has(const gates::GateOutput& output, Outcome outcome, std::size_t first) {
  const auto& rows = output.comparisons;
  return std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [&](const Comparison& row) { return row.outcome == outcome; });
}

/// A metric as the other tools see it.
struct Seen {
  std::vector<double> runs;  ///< kPeerRuns, the head, kLater; medians of the first 5 processes
  std::vector<double> base_iterations;  ///< of the first process of the last run
  std::vector<double> head_iterations;
};

Seen seen_of(const Timeline& timeline, std::size_t metric, Random& random) {
  Seen seen;
  for (std::size_t session = 0; session < timeline.sessions(); ++session) {
    std::array<double, kRunProcesses> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values.at(i) = std::exp(timeline.at(metric, session, i));
    }
    seen.runs.push_back(median(values));
  }
  const auto iterations = [&](std::size_t session) {
    const double level = std::exp(timeline.at(metric, session, 0));
    std::vector<double> values;
    for (std::size_t i = 0; i < kNvbenchIterations; ++i) {
      values.push_back(level * (1.0 + kWithinCv * random.normal()));
    }
    return values;
  };
  seen.base_iterations = iterations(kPeerRuns - 1);
  seen.head_iterations = iterations(kPeerRuns);
  return seen;
}

Seen slower(Seen seen, double change) {
  for (std::size_t i = kPeerRuns; i < seen.runs.size(); ++i) seen.runs[i] *= 1.0 + change;
  for (double& value : seen.head_iterations) value *= 1.0 + change;
  return seen;
}

bool flags(Peer peer, const Seen& seen, const MannWhitney& mann_whitney, Random& random) {
  const std::span<const double> runs(seen.runs);
  const std::span<const double> past = runs.first(kPeerRuns);
  const double head = runs[kPeerRuns];
  const std::span<const double> base_iterations(seen.base_iterations);
  const std::span<const double> head_iterations(seen.head_iterations);
  const auto base_ten = base_iterations.first(kIterations);
  const auto head_ten = head_iterations.first(kIterations);
  const auto fixed = [&](double limit) {
    return fixed_threshold(median(base_ten), median(head_ten), limit) == Flag::slower;
  };
  switch (peer) {
    case Peer::mann_whitney: return mann_whitney.flags(base_ten, head_ten) == Flag::slower;
    case Peer::nvbench: return nvbench_min_noise(base_iterations, head_iterations) == Flag::slower;
    case Peer::clickhouse: return clickhouse(base_ten, head_ten, random) == Flag::slower;
    case Peer::fixed_5: return fixed(0.05);
    case Peer::fixed_10: return fixed(0.10);
    case Peer::bencher: return bencher_t(past.last(kBencherRuns), head) == Flag::slower;
    case Peer::rustc: return rustc_fence(past.last(kRustcRuns), head) == Flag::slower;
    case Peer::tensorrt: return tensorrt_p5(past, head) == Flag::slower;
    case Peer::perfherder: {
      const std::size_t back = kPerfherderMostBack + 1;
      return perfherder_alerts(runs.last(back + kPerfherderFore), back);
    }
    case Peer::otava: {
      const std::vector<OtavaPoint> points = otava_change_points(runs);
      return std::ranges::any_of(points, [&](const OtavaPoint& point) {
        return point.after > point.before && point.index + kOtavaReach >= kPeerRuns &&
               point.index <= kPeerRuns + kOtavaReach;
      });
    }
  }
  return false;
}

void add_peers(const Timeline& timeline, Random& random, PeerCounts& counts) {
  static const MannWhitney kMannWhitney(kIterations, kIterations);
  std::array<bool, kPeers.size()> any{};
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    const Seen seen = seen_of(timeline, metric, random);
    for (std::size_t i = 0; i < kPeers.size(); ++i) {
      const bool flagged = flags(kPeers.at(i).peer, seen, kMannWhitney, random);
      counts.peers.at(i).metric.add(flagged);
      any.at(i) = any.at(i) || flagged;
    }
    if (metric > 0) continue;
    for (std::size_t change = 0; change < kChanges.size(); ++change) {
      const Seen changed = slower(seen, kChanges.at(change));
      for (std::size_t i = 0; i < kPeers.size(); ++i) {
        counts.peers.at(i).found.at(change).add(
            flags(kPeers.at(i).peer, changed, kMannWhitney, random));
      }
    }
  }
  for (std::size_t i = 0; i < kPeers.size(); ++i) counts.peers.at(i).report.add(any.at(i));
}

template <typename Report>
void add_report(Report& report, bool with_changes, GateCounts& counts) {
  add_unchanged(report.judge(0.0), counts);
  if (!with_changes) return;
  for (std::size_t change = 0; change < kChanges.size(); ++change) {
    add_changed(report.judge(kChanges.at(change)), change, counts);
  }
}

}  // namespace

GateCounts& GateCounts::operator+=(const GateCounts& other) {
  fail += other.fail;
  fail_metric += other.fail_metric;
  suspected += other.suspected;
  inconclusive += other.inconclusive;
  not_comparable += other.not_comparable;
  never_pass += other.never_pass;
  null_pass += other.null_pass;
  retested += other.retested;
  processes += other.processes;
  for (std::size_t i = 0; i < kChanges.size(); ++i) {
    found.at(i) += other.found.at(i);
    noticed.at(i) += other.noticed.at(i);
    false_beside.at(i) += other.false_beside.at(i);
    processes_changed.at(i) += other.processes_changed.at(i);
  }
  return *this;
}

PeerCounts& PeerCounts::operator+=(const PeerCounts& other) {
  for (std::size_t i = 0; i < peers.size(); ++i) {
    One& one = peers.at(i);
    const One& more = other.peers.at(i);
    one.report += more.report;
    one.metric += more.metric;
    for (std::size_t k = 0; k < kChanges.size(); ++k) one.found.at(k) += more.found.at(k);
  }
  own += other.own;
  return *this;
}

void add_unchanged(const Judged& judged, GateCounts& counts) {
  const gates::GateOutput& output = judged.output;
  counts.fail.add(has(output, Outcome::fail, 0));
  counts.suspected.add(has(output, Outcome::suspected, 0));
  counts.inconclusive.add(has(output, Outcome::inconclusive, 0));
  counts.not_comparable.add(has(output, Outcome::not_comparable, 0));
  counts.never_pass.add(!output.configuration_errors.empty());
  counts.retested.add(judged.confirmed);
  for (const Comparison& row : output.comparisons) {
    counts.null_pass.add(row.outcome == Outcome::pass);
    counts.fail_metric.add(row.outcome == Outcome::fail);
  }
  counts.processes += judged.processes;
}

void add_changed(const Judged& judged, std::size_t change, GateCounts& counts) {
  const Outcome outcome = judged.output.comparisons.front().outcome;
  counts.found.at(change).add(outcome == Outcome::fail);
  counts.noticed.at(change).add(outcome == Outcome::fail || outcome == Outcome::suspected);
  counts.false_beside.at(change).add(has(judged.output, Outcome::fail, 1));
  counts.processes_changed.at(change) += judged.processes;
}

GateCounts count_store(const Setting& setting, std::size_t runs, Margins margins, bool with_changes,
                       const Effort& effort) {
  return count_draws<GateCounts>(
      effort.draws, effort.threads, effort.seed, [&] { return StoreReport(runs, margins); },
      [&](GateCounts& counts, Random& random, StoreReport& report) {
        const Timeline timeline(setting, sessions_of(runs), random);
        report.fill(timeline, runs, setting, random);
        add_report(report, with_changes, counts);
      });
}

GateCounts count_session(const Setting& setting, Margins margins, bool with_changes,
                         const Effort& effort) {
  return count_draws<GateCounts>(
      effort.draws, effort.threads, effort.seed, [&] { return SessionReport(margins); },
      [&](GateCounts& counts, Random& random, SessionReport& report) {
        const Timeline timeline(setting, {2 * kSessionPairs}, random);
        report.fill(timeline, 0, 0, setting, random);
        add_report(report, with_changes, counts);
      });
}

GateCounts count_store_then_pairs(const Setting& setting, Margins margins, bool with_changes,
                                  const Effort& effort) {
  std::vector<std::size_t> sessions = sessions_of(kStoreRuns);
  sessions.back() += std::size_t{2} * gates::kConfirmTimingPairs;
  return count_draws<GateCounts>(
      effort.draws, effort.threads, effort.seed,
      [&] { return StoreThenPairs(kStoreRuns, margins); },
      [&](GateCounts& counts, Random& random, StoreThenPairs& report) {
        const Timeline timeline(setting, sessions, random);
        report.fill(timeline, kStoreRuns, setting, random);
        add_report(report, with_changes, counts);
      });
}

PeerCounts count_peers(const Setting& setting, const Effort& effort) {
  return count_draws<PeerCounts>(
      effort.draws, effort.threads, effort.seed,
      [] { return StoreReport(kStoreRuns, Margins::declared); },
      [&](PeerCounts& counts, Random& random, StoreReport& report) {
        const Timeline timeline(setting, sessions_of(kPeerRuns, kLater), random);
        report.fill(timeline, kPeerRuns, setting, random);
        add_report(report, true, counts.own);
        add_peers(timeline, random, counts);
      });
}

}  // namespace perfgate::bench
