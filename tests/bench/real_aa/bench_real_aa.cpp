// Error rates of the gate on measured runs (tests/data/aa_h200), as Markdown.
//
//   bench_real_aa [--draws N] [--threads N] [--seed N] [--out OUT] RUNS
//
// Exit 1: RUNS cannot be read, or OUT not be written; 2: the options.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "tests/bench/gate_errors/markdown.h"
#include "tests/bench/real_aa/experiments.h"

namespace {

using perfgate::bench::Beside;
using perfgate::bench::ByPlanted;
using perfgate::bench::kPlanted;
using perfgate::bench::MeasuredWorkload;
using perfgate::bench::number;
using perfgate::bench::Occasion;
using perfgate::bench::Outcomes;
using perfgate::bench::percent_text;
using perfgate::bench::PlantedRun;
using perfgate::bench::PlantedSession;
using perfgate::bench::Rate;
using perfgate::bench::read_runs;
using perfgate::bench::write_head;
using perfgate::bench::write_row;

struct Options {
  int draws = 2000;
  int threads = 1;
  std::uint64_t seed = 20261130;
  std::string out{};
  std::string runs{};
};

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      options.runs = word;
      continue;
    }
    if (i + 1 == count) return std::nullopt;
    const std::string value = words[++i];
    if (word == "--draws") {
      options.draws = std::atoi(value.c_str());
    } else if (word == "--threads") {
      options.threads = std::atoi(value.c_str());
    } else if (word == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word == "--out") {
      options.out = value;
    } else {
      return std::nullopt;
    }
  }
  if (options.draws < 1 || options.threads < 1 || options.runs.empty()) return std::nullopt;
  return options;
}

void write_outcomes(const std::string& name, const Outcomes& counts, std::ostream& out) {
  if (counts.pass.total == 0) return;
  const auto cell = [](const Rate& rate) {
    return std::to_string(rate.count) + " of " + std::to_string(rate.total) + ": " + text(rate);
  };
  write_row(out,
            {name, cell(counts.fail), cell(counts.pass), cell(counts.suspected),
             cell(counts.inconclusive), cell(counts.other),
             number(static_cast<double>(counts.processes) / static_cast<double>(counts.pass.total),
                    "%.1f")});
}

void write_table(const std::string& title, const ByPlanted& counts, std::ostream& out) {
  out << "\n### " << title << "\n\n";
  if (counts[0].pass.total == 0) {
    out << "Too few runs.\n";
    return;
  }
  write_head(out, {"head", "FAIL", "PASS", "suspected", "inconclusive", "else", "processes"});
  for (std::size_t i = 0; i < kPlanted.size(); ++i) {
    const std::string name =
        kPlanted[i] == 0.0 ? "unchanged" : "+" + percent_text(kPlanted[i]) + " % computed";
    write_outcomes(name, counts[i], out);
  }
}

bool several_gpus(const MeasuredWorkload& workload) {
  std::set<std::string> gpus;
  for (const Occasion& occasion : workload.occasions) gpus.insert(occasion.gpu);
  return gpus.size() > 1;
}

std::set<std::string> planted_in(const MeasuredWorkload& workload) {
  std::set<std::string> planted;
  for (const PlantedSession& session : workload.planted) planted.insert(session.planted);
  for (const Occasion& occasion : workload.occasions) {
    for (const PlantedRun& run : occasion.planted) planted.insert(run.planted);
  }
  return planted;
}

void write_planted(const MeasuredWorkload& workload, const Options& options, std::ostream& out) {
  const std::set<std::string> planted = planted_in(workload);
  if (planted.empty()) return;
  out << "\n### Really slower\n\n";
  write_head(out, {"planted", "FAIL", "PASS", "suspected", "inconclusive", "else", "processes"});
  for (const std::string& what : planted) {
    write_outcomes(what + ", against the store of ten runs, as measured",
                   planted_store(workload, what), out);
    write_outcomes(what + ", in session, as measured", planted_sessions(workload, what), out);
    write_outcomes(what + ", in session, drawn",
                   planted_drawn(workload, what, options.draws, options.threads, options.seed),
                   out);
  }
}

void write(const std::vector<MeasuredWorkload>& workloads, const Options& options,
           std::ostream& out) {
  out << "# The gate on measured runs of H200s\n\nWritten by `bench_real_aa --draws "
      << options.draws << " --seed " << options.seed << " tests/data/aa_h200/runs.jsonl`. "
      << R"(The gate of `step_time_p50` with automatic margins, of `step_time_p05` (workloads named _p05) with 3 % / 9 %, without
controls. Rates are in percent with their 95 % interval (Wilson), processes the mean a verdict took. "As measured" takes
each run, or process after process, once; heads one after the other share most of their stores, so that the intervals are
too narrow. "Drawn" puts sessions and stores together out of blocks of neighbouring processes and runs of one occasion (a
head has no part in its store): it shows rates that so few runs cannot, of these runs and no others, and its intervals are
those of the drawing alone.
)";
  for (const MeasuredWorkload& workload : workloads) {
    std::size_t runs = 0;
    for (const Occasion& occasion : workload.occasions) runs += occasion.runs.size();
    out << "\n## " << workload.name << ": " << runs << " A/A runs on " << workload.occasions.size()
        << " occasions\n";
    write_table("Against the store of ten runs, as measured", store_as_measured(workload), out);
    if (several_gpus(workload)) {
      write_table("The same with a base at hand, before the fresh pairs (`run --base`)",
                  store_as_measured(workload, true), out);
    }
    write_table("In session, as measured", sessions_as_measured(workload), out);
    if (several_gpus(workload)) {
      write_table("In session, as measured, beside a store of ten runs of all GPUs",
                  sessions_as_measured(workload, Beside::pool), out);
    }
    write_table("Against the store of ten runs, drawn",
                store_drawn(workload, options.draws, options.threads, options.seed), out);
    write_table("In session, drawn",
                sessions_drawn(workload, options.draws, options.threads, options.seed), out);
    if (several_gpus(workload)) {
      write_table(
          "In session, drawn, beside a store of ten runs of all GPUs",
          sessions_drawn(workload, options.draws, options.threads, options.seed, Beside::pool),
          out);
    }
    write_planted(workload, options, out);
  }
}

}  // namespace

int main(int count, char** words) {
  const auto options = parse(count, words);
  if (!options) {
    std::cerr << "bench_real_aa [--draws N] [--threads N] [--seed N] [--out OUT] RUNS\n";
    return 2;
  }
  std::ifstream file(options->runs);
  const auto workloads = read_runs({std::istreambuf_iterator<char>(file), {}});
  if (!workloads.ok() || workloads.value().empty()) {
    std::cerr << options->runs << ": "
              << (workloads.ok() ? std::string("no runs") : workloads.error().message) << "\n";
    return 1;
  }
  std::ostringstream text;
  write(workloads.value(), *options, text);
  if (options->out.empty()) {
    std::cout << text.str();
    return 0;
  }
  std::ofstream out(options->out);
  out << text.str();
  return out.flush() ? 0 : 1;
}
