// Error rates of the gate on simulated reports, beside those of other tools' rules, as Markdown.
//
//   bench_gate_errors [--draws N] [--threads N] [--seed N] [--quick] [--only PART] [--out FILE]
//
// Whole reports of 72 gated metrics are drawn out of known noise and sent through perfgate's public
// functions. --quick draws one report a row of a small grid: it shows that the program works, its
// rates mean nothing. Exit 1: a row did not get its draws, or FILE cannot be written.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/bench/gate_errors/tables.h"

namespace {

using perfgate::bench::Completeness;
using perfgate::bench::Plan;

struct Options {
  int draws = 140;
  int threads = 1;
  std::uint64_t seed = 20261130;
  bool quick = false;
  std::string only{};
  std::string out{};
};

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--quick") {
      options.quick = true;
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
    } else if (word == "--only") {
      options.only = value;
    } else if (word == "--out") {
      options.out = value;
    } else {
      return std::nullopt;
    }
  }
  if (options.draws < 1 || options.threads < 1) return std::nullopt;
  return options;
}

Plan plan_of(const Options& options) {
  Plan plan{.process_cvs = {0.0005, 0.0025, 0.005, 0.01, 0.02, 0.03},
            .run_ratios = {0.0, 0.3, 1.0},
            .draws = options.draws,
            .threads = options.threads,
            .seed = options.seed};
  if (options.quick) {
    plan.process_cvs = {0.01};
    plan.run_ratios = {0.3};
    plan.draws = 1;
  }
  return plan;
}

void write_intro(const Plan& plan, const Options& options, std::ostream& out) {
  out << "# How often the gate errs, and what it finds\n\nWritten by `bench_gate_errors"
      << (options.quick ? " --quick" : "") << " --draws " << plan.draws << " --seed " << plan.seed
      << "`: " << plan.draws
      << R"( simulated reports a row, seed as named. Not a measurement of a GPU.

A report has 72 gated metrics, judged through perfgate's public functions at 5, 8 and 12 processes, and two quiet
controls (0.1 %, of the noise's shape). Rates are in percent with their 95 % interval (Wilson). CV is the SD of one
process's median; "run SD" is what whole runs vary by on top. Noise, process after process and run after run:

- normal: independent. AR(.5): each value takes half of the one before. log-normal: skewed to the slow side.
- drift 1 %: normal, and a wandering of SD 1 % (AR(.9) from process to process) on top at every CV, which the controls
  do not see.
- bimodal: two modes, 2 CV apart, each kept for ten processes (or runs) on average. spikes: 3 % are slower by 8 CV.

Metrics are independent of each other where nothing else is said, which is the worst case for a report of 72.
)";
}

Completeness write(const Options& options, std::ostream& out) {
  const Plan plan = plan_of(options);
  write_intro(plan, options, out);
  struct Section {
    const char* name;
    void (*write)(const Plan&, std::ostream&, Completeness&);
  };
  using namespace perfgate::bench;
  Completeness completeness;
  for (const Section& section :
       {Section{"targets", write_targets}, Section{"store-target", write_store_target},
        Section{"peers", write_peers}, Section{"session", write_session},
        Section{"store-then-pairs", write_store_then_pairs},
        Section{"store-nulls", write_store_nulls}, Section{"store-power", write_store_power},
        Section{"store-lengths", write_store_lengths}, Section{"correlated", write_correlated}}) {
    if (!options.only.empty() && options.only != section.name) continue;
    section.write(plan, out, completeness);
    std::cerr << section.name << ": " << completeness.rows << " rows so far\n";
  }
  return completeness;
}

}  // namespace

int main(int count, char** words) {
  const auto options = parse(count, words);
  if (!options) {
    std::cerr << "bench_gate_errors [--draws N] [--threads N] [--seed N] [--quick] [--only PART] "
                 "[--out FILE]\n";
    return 2;
  }
  std::ostringstream text;
  const Completeness completeness = write(*options, text);
  if (options->out.empty()) {
    std::cout << text.str();
  } else {
    std::ofstream file(options->out);
    file << text.str();
    if (!file.flush()) {
      std::cerr << options->out << " cannot be written\n";
      return 1;
    }
  }
  if (completeness.rows == 0 || completeness.short_rows > 0) {
    std::cerr << completeness.short_rows << " of " << completeness.rows
              << " rows did not get their draws\n";
    return 1;
  }
  return 0;
}
