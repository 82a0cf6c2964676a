#include "tests/bench/real_aa/experiments.h"

#include <algorithm>
#include <span>

#include "runner/model/median.h"
#include "tests/bench/gate_errors/looking.h"

namespace perfgate::bench {
namespace {

using testing::Random;

/// As many as the last look needs.
constexpr std::size_t kHeadRuns = 3;
constexpr std::size_t kPairsOfSession = 12 + gates::kConfirmTimingPairs;

/// Automatic margins, but for the 5th percentile: three SDs of a host-bound program's runs are 7 to
/// 11 %, which would let +10 % pass.
WorkloadSpec one_gate(const MeasuredWorkload& workload) {
  WorkloadSpec spec;
  GateSpec gate;
  gate.metric = "step_time_p50";
  if (workload.name.ends_with("_p05")) {
    gate.margin_ratio = 0.03;
    gate.tolerance_ratio = 0.09;
  }
  spec.gates.push_back(std::move(gate));
  return spec;
}

MetricValue metric_of(std::vector<double> medians_ms) {
  MetricValue metric;
  metric.id = "step_time_p50";
  metric.unit = "ms";
  metric.samples = std::move(medians_ms);
  metric.value = median(metric.samples);
  return metric;
}

std::vector<double> part(std::span<const double> all, std::size_t first, std::size_t count,
                         double factor) {
  const auto from = all.subspan(std::min(first, all.size()));
  const auto some = from.first(std::min(count, from.size()));
  std::vector<double> taken(some.begin(), some.end());
  for (double& value : taken) value *= factor;
  return taken;
}

struct StoreRun {
  std::string gpu;
  std::vector<double> medians_ms;
};

BaselineSeries series_of(std::span<const StoreRun> store) {
  BaselineSeries series;
  series.metric = "step_time_p50";
  series.unit = "ms";
  for (const StoreRun& run : store) {
    BaselinePoint point;
    point.run = static_cast<std::int64_t>(series.points.size()) + 1;
    point.instance = run.gpu;
    point.samples = run.medians_ms;
    point.value = median(run.medians_ms);
    series.points.push_back(std::move(point));
  }
  return series;
}

/// What ran beside each other on one GPU, and what the store has meanwhile.
struct Session {
  std::string gpu{};
  std::vector<double> base{};
  std::vector<double> head{};
  std::vector<StoreRun> store{};
};

Judged judge_pairs(const WorkloadSpec& spec, const Session& session, double slower) {
  const std::span<const double> base = session.base;
  const std::span<const double> head = session.head;
  const BaselineSeries history = series_of(session.store);
  std::array<MetricValue, 2> metrics;
  return judge_in_session(spec, [&](std::size_t first, std::size_t count) {
    metrics = {metric_of(part(base, first, count, 1.0)),
               metric_of(part(head, first, count, 1.0 + slower))};
    const auto view = [](const MetricValue& metric) {
      return gates::ArmView{.metrics = {&metric, 1},
                            .capture = {.validity = Validity::valid, .reasons = {}},
                            .traced_over_untraced = 1.0};
    };
    return gates::PairsInput{.spec = spec,
                             .base = view(metrics[0]),
                             .head = view(metrics[1]),
                             .history = {&history, session.store.empty() ? 0U : 1U},
                             .head_instance = session.gpu};
  });
}

Judged judge_head(const WorkloadSpec& spec, std::span<const StoreRun> store, const StoreRun& head,
                  double slower, bool base_at_hand = false) {
  const BaselineSeries series = series_of(store);
  MetricValue metric;
  BaselineChoice choice;
  choice.exists = true;
  choice.commit = "base";
  return judge_against_store(spec, [&](std::size_t count) {
    metric =
        metric_of(part(head.medians_ms, 0, std::min(count, head.medians_ms.size()), 1.0 + slower));
    return gates::GateInput{.spec = spec,
                            .metrics = {&metric, 1},
                            .baseline = {&series, 1},
                            .choice = choice,
                            .capture = {.validity = Validity::valid, .reasons = {}},
                            .traced_over_untraced = 1.0,
                            .base_traced_over_untraced = 1.0,
                            .head_instance = head.gpu,
                            .base_at_hand = base_at_hand};
  });
}

void add(const Judged& judged, Outcomes& outcomes) {
  const Outcome outcome = judged.output.verdict.outcome;
  outcomes.pass.add(outcome == Outcome::pass);
  outcomes.fail.add(outcome == Outcome::fail);
  outcomes.suspected.add(outcome == Outcome::suspected);
  outcomes.inconclusive.add(outcome == Outcome::inconclusive);
  outcomes.other.add(outcome != Outcome::pass && outcome != Outcome::fail &&
                     outcome != Outcome::suspected && outcome != Outcome::inconclusive);
  outcomes.processes += judged.processes;
}

/// In pair i the base runs first where i is even.
Session in_pairs(std::span<const double> processes) {
  Session both;
  for (std::size_t pair = 0; 2 * pair + 1 < processes.size(); ++pair) {
    const bool base_first = pair % 2 == 0;
    both.base.push_back(processes[2 * pair + (base_first ? 0 : 1)]);
    both.head.push_back(processes[2 * pair + (base_first ? 1 : 0)]);
  }
  return both;
}

/// Neighbours in `chain` in blocks, `count` in all; a block may run over the chain's end and go on
/// at its beginning.
template <typename Item>
std::vector<Item> blocks(const std::vector<Item>& chain, std::size_t count, std::size_t block,
                         Random& random) {
  std::vector<Item> drawn;
  while (drawn.size() < count) {
    const auto start = static_cast<std::size_t>(random.below(chain.size()));
    for (std::size_t i = 0; i < block && drawn.size() < count; ++i)
      drawn.push_back(chain[(start + i) % chain.size()]);
  }
  return drawn;
}

/// The processes of `kHeadRuns` neighbouring runs, and the runs without those.
struct HeadAndRest {
  std::vector<double> head;
  std::vector<StoreRun> rest;
};

HeadAndRest set_apart(const Occasion& occasion, Random& random) {
  HeadAndRest apart;
  const std::size_t runs = occasion.runs.size();
  const auto first = static_cast<std::size_t>(random.below(runs));
  for (std::size_t i = 0; i < runs; ++i) {
    const std::vector<double>& medians_ms = occasion.runs[(first + i) % runs].medians_ms;
    if (i < kHeadRuns) {
      apart.head.insert(apart.head.end(), medians_ms.begin(), medians_ms.end());
    } else {
      apart.rest.push_back({occasion.gpu, medians_ms});
    }
  }
  return apart;
}

const Occasion& one_of(const std::vector<Occasion>& occasions, Random& random) {
  return occasions[static_cast<std::size_t>(random.below(occasions.size()))];
}

template <typename Counts, typename One>
Counts draw(int draws, int threads, std::uint64_t seed, const One& one) {
  struct Nothing {};
  return count_draws<Counts>(
      draws, threads, seed, [] { return Nothing{}; },
      [&](Counts& counts, Random& random, Nothing&) { one(counts, random); });
}

struct Sum {
  ByPlanted counts{};
  Sum& operator+=(const Sum& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    return *this;
  }
};

/// Ten runs of the occasions in turn, as a pool of GPUs fills a store.
std::vector<StoreRun> beside_of(const MeasuredWorkload& workload, Beside beside) {
  std::vector<StoreRun> runs;
  if (beside == Beside::nothing) return runs;
  for (std::size_t i = 0; runs.size() < kStoreRuns; ++i) {
    const std::size_t before = runs.size();
    for (const Occasion& occasion : workload.occasions) {
      if (i < occasion.runs.size() && runs.size() < kStoreRuns)
        runs.push_back({occasion.gpu, occasion.runs[i].medians_ms});
    }
    if (runs.size() == before) break;
  }
  return runs;
}

/// All runs in time order.
std::vector<StoreRun> in_time(const MeasuredWorkload& workload) {
  std::vector<StoreRun> runs;
  for (const Occasion& occasion : workload.occasions) {
    for (const AaRun& run : occasion.runs) runs.push_back({occasion.gpu, run.medians_ms});
  }
  return runs;
}

}  // namespace

Outcomes& Outcomes::operator+=(const Outcomes& other_counts) {
  pass += other_counts.pass;
  fail += other_counts.fail;
  suspected += other_counts.suspected;
  inconclusive += other_counts.inconclusive;
  other += other_counts.other;
  processes += other_counts.processes;
  return *this;
}

ByPlanted store_as_measured(const MeasuredWorkload& workload, bool base_at_hand) {
  const WorkloadSpec spec = one_gate(workload);
  ByPlanted counts{};
  const std::vector<StoreRun> runs = in_time(workload);
  for (std::size_t head = kStoreRuns; head < runs.size(); ++head) {
    StoreRun later = runs[head];
    for (std::size_t next = head + 1; next < runs.size() && later.medians_ms.size() < 12; ++next) {
      if (runs[next].gpu != later.gpu) break;
      later.medians_ms.insert(later.medians_ms.end(), runs[next].medians_ms.begin(),
                              runs[next].medians_ms.end());
    }
    const std::span<const StoreRun> store(runs.data() + head - kStoreRuns, kStoreRuns);
    for (std::size_t i = 0; i < kPlanted.size(); ++i)
      add(judge_head(spec, store, later, kPlanted[i], base_at_hand), counts[i]);
  }
  return counts;
}

ByPlanted sessions_as_measured(const MeasuredWorkload& workload, Beside beside) {
  const WorkloadSpec spec = one_gate(workload);
  ByPlanted counts{};
  const std::vector<StoreRun> store = beside_of(workload, beside);
  for (const Occasion& occasion : workload.occasions) {
    const std::vector<double> processes = occasion.processes();
    for (std::size_t i = 0; i < kPlanted.size(); ++i) {
      std::size_t first = 0;
      while (first + 2 * kPairsOfSession <= processes.size()) {
        Session session = in_pairs(std::span(processes).subspan(first, 2 * kPairsOfSession));
        session.gpu = occasion.gpu;
        session.store = store;
        const Judged judged = judge_pairs(spec, session, kPlanted[i]);
        add(judged, counts[i]);
        first += static_cast<std::size_t>(judged.processes);
      }
    }
  }
  return counts;
}

ByPlanted store_drawn(const MeasuredWorkload& workload, int draws, int threads,
                      std::uint64_t seed) {
  const WorkloadSpec spec = one_gate(workload);
  const Sum sum = draw<Sum>(draws, threads, seed, [&](Sum& all, Random& random) {
    const Occasion& occasion = one_of(workload.occasions, random);
    // Fewer runs would stand in the store several times each.
    if (occasion.runs.size() < kHeadRuns + kStoreRuns / 2) return;
    const HeadAndRest apart = set_apart(occasion, random);
    const auto store = blocks(apart.rest, kStoreRuns, kRunBlock, random);
    const StoreRun head{occasion.gpu, apart.head};
    for (std::size_t i = 0; i < kPlanted.size(); ++i)
      add(judge_head(spec, store, head, kPlanted[i]), all.counts[i]);
  });
  return sum.counts;
}

ByPlanted sessions_drawn(const MeasuredWorkload& workload, int draws, int threads,
                         std::uint64_t seed, Beside beside) {
  const WorkloadSpec spec = one_gate(workload);
  const std::vector<StoreRun> store = beside_of(workload, beside);
  return draw<Sum>(draws, threads, seed,
                   [&](Sum& sum, Random& random) {
                     const Occasion& occasion = one_of(workload.occasions, random);
                     Session session = in_pairs(
                         blocks(occasion.processes(), 2 * kPairsOfSession, kBlock, random));
                     session.gpu = occasion.gpu;
                     session.store = store;
                     for (std::size_t i = 0; i < kPlanted.size(); ++i)
                       add(judge_pairs(spec, session, kPlanted[i]), sum.counts[i]);
                   })
      .counts;
}

Outcomes planted_store(const MeasuredWorkload& workload, const std::string& planted) {
  const WorkloadSpec spec = one_gate(workload);
  Outcomes counts;
  for (const Occasion& occasion : workload.occasions) {
    if (occasion.runs.size() < kStoreRuns) continue;
    std::vector<StoreRun> store;
    for (const AaRun& run : std::span(occasion.runs).last(kStoreRuns))
      store.push_back({occasion.gpu, run.medians_ms});
    for (const PlantedRun& head : occasion.planted) {
      if (head.planted == planted)
        add(judge_head(spec, store, {occasion.gpu, head.run.medians_ms}, 0.0), counts);
    }
  }
  return counts;
}

Outcomes planted_sessions(const MeasuredWorkload& workload, const std::string& planted) {
  Outcomes counts;
  for (const PlantedSession& session : workload.planted) {
    if (session.planted == planted)
      add(judge_pairs(one_gate(workload),
                      {.gpu = session.gpu, .base = session.base, .head = session.head}, 0.0),
          counts);
  }
  return counts;
}

Outcomes planted_drawn(const MeasuredWorkload& workload, const std::string& planted, int draws,
                       int threads, std::uint64_t seed) {
  const WorkloadSpec spec = one_gate(workload);
  std::vector<const PlantedSession*> sessions;
  for (const PlantedSession& session : workload.planted) {
    if (session.planted == planted) sessions.push_back(&session);
  }
  if (sessions.empty()) return {};
  return draw<Outcomes>(draws, threads, seed, [&](Outcomes& counts, Random& random) {
    const PlantedSession& session =
        *sessions[static_cast<std::size_t>(random.below(sessions.size()))];
    std::vector<std::size_t> pairs(session.base.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
    Session both;
    for (const std::size_t pair : blocks(pairs, kPairsOfSession, kBlock / 2, random)) {
      both.base.push_back(session.base[pair]);
      both.head.push_back(session.head[pair]);
    }
    add(judge_pairs(spec, both, 0.0), counts);
  });
}

}  // namespace perfgate::bench
