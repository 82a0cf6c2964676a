#include "tests/bench/gate_errors/tables.h"

#include <array>
#include <cstdio>
#include <string_view>

namespace perfgate::bench {
namespace {

using testing::kNoiseShapes;
using testing::NoiseShape;

constexpr std::size_t kRuns = 10;

std::string number(double value, const char* format) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string cv_text(double cv) { return number(100.0 * cv, "%.3g"); }

void row(std::ostream& out, const std::vector<std::string>& cells) {
  out << '|';
  for (const std::string& cell : cells) out << ' ' << cell << " |";
  out << '\n';
}

void head(std::ostream& out, const std::vector<std::string>& cells) {
  row(out, cells);
  row(out, std::vector<std::string>(cells.size(), "---"));
}

void check(const Rate& rate, const Plan& plan, Completeness& completeness) {
  ++completeness.rows;
  if (rate.total != plan.draws) ++completeness.short_rows;
}

std::string margins_text(Margins margins) {
  return margins == Margins::declared ? "1 % / 3 %" : "auto";
}

/// Every row has its own random numbers, whatever else is written.
Effort effort(const Plan& plan, const Setting& setting, std::uint64_t section) {
  auto stream = section * 1'000'000 + static_cast<std::uint64_t>(setting.shape) * 100'000;
  stream += static_cast<std::uint64_t>(setting.process_cv * 1e6 + 0.5) * 2;
  stream += setting.correlated ? 1 : 0;
  const auto ratio = static_cast<std::uint64_t>(setting.run_ratio * 100.0 + 0.5);
  return {.draws = plan.draws,
          .threads = plan.threads,
          .seed = testing::mixed_seed(testing::mixed_seed(plan.seed, stream), ratio)};
}

std::vector<std::string> null_cells(const GateCounts& counts) {
  return {text(counts.fail),         text(counts.suspected),
          text(counts.inconclusive), text(counts.not_comparable),
          text(counts.null_pass),    number(counts.mean_processes(), "%.1f"),
          text(counts.never_pass)};
}

const std::vector<std::string> kNullHead{
    "false FAIL / report", "SUSPECTED / report", "INCONCLUSIVE / report", "NOT COMPARABLE / report",
    "PASS / metric",       "processes",          "tolerance out of reach"};

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

std::vector<std::string> change_head() {
  std::vector<std::string> cells;
  for (const double change : kChanges) cells.push_back("+" + cv_text(change) + " %");
  return cells;
}

std::vector<std::string> rates(const std::array<Rate, kChanges.size()>& found) {
  std::vector<std::string> cells;
  cells.reserve(found.size());
  for (const Rate& rate : found) cells.push_back(text(rate));
  return cells;
}

}  // namespace

void write_store_nulls(const Plan& plan, std::ostream& out, Completeness& completeness) {
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    out << "\n### Nothing changed, against a store of 10 runs, margins " << margins_text(margins)
        << "\n\n";
    head(out, joined({"noise", "CV %", "run SD / CV"}, kNullHead));
    for (const NoiseShape shape : kNoiseShapes) {
      for (const double cv : plan.process_cvs) {
        for (const double ratio : plan.run_ratios) {
          const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
          const GateCounts counts =
              count_store(setting, kRuns, margins, false, effort(plan, setting, 1));
          check(counts.fail, plan, completeness);
          row(out, joined({std::string(to_string(shape)), cv_text(cv), number(ratio, "%.1f")},
                          null_cells(counts)));
        }
      }
    }
  }
}

void write_store_power(const Plan& plan, std::ostream& out, Completeness& completeness) {
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    out << "\n### One of 72 metrics slower, against a store of 10 runs, margins "
        << margins_text(margins) << ": reports in which it is a FAIL\n\n";
    std::vector<std::string> names = joined({"noise", "CV %", "run SD / CV"}, change_head());
    names.emplace_back("+3 %: FAIL or SUSPECTED");
    names.emplace_back("+3 %: another metric FAILs");
    head(out, names);
    for (const NoiseShape shape : kNoiseShapes) {
      for (const double cv : plan.process_cvs) {
        for (const double ratio : plan.run_ratios) {
          const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
          const bool shown = shape == NoiseShape::normal || cv == plan.process_cvs.back() ||
                             (cv == 0.01 && ratio == plan.run_ratios.back());
          if (!shown || cv > 0.02) continue;
          const GateCounts counts =
              count_store(setting, kRuns, margins, true, effort(plan, setting, 2));
          check(counts.found.front(), plan, completeness);
          std::vector<std::string> cells =
              joined({std::string(to_string(shape)), cv_text(cv), number(ratio, "%.1f")},
                     rates(counts.found));
          cells.push_back(text(counts.noticed[2]));
          cells.push_back(text(counts.false_beside[2]));
          row(out, cells);
        }
      }
    }
  }
}

void write_store_lengths(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### How long the store is: CV 1 %, run SD 0.3 x CV, margins 1 % / 3 %\n\n";
  std::vector<std::string> names{"noise", "runs", "false FAIL / report", "PASS / metric",
                                 "processes"};
  head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    for (const std::size_t runs : {std::size_t{8}, kRuns, std::size_t{30}}) {
      const Setting setting{.shape = shape, .process_cv = 0.01, .run_ratio = 0.3};
      const GateCounts counts =
          count_store(setting, runs, Margins::declared, true, effort(plan, setting, 10 + runs));
      check(counts.fail, plan, completeness);
      row(out, joined({std::string(to_string(shape)), std::to_string(runs), text(counts.fail),
                       text(counts.null_pass), number(counts.mean_processes(), "%.1f")},
                      rates(counts.found)));
    }
  }
}

void write_correlated(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### Metrics that share half of their variance, as families of one step do: CV 1 %, "
         "run SD 0.3 x CV, store of 10 runs, margins 1 % / 3 %\n\n";
  head(out, joined({"noise", "false FAIL / report", "PASS / metric"}, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    const Setting setting{.shape = shape, .process_cv = 0.01, .run_ratio = 0.3, .correlated = true};
    const GateCounts counts =
        count_store(setting, kRuns, Margins::declared, true, effort(plan, setting, 3));
    check(counts.fail, plan, completeness);
    row(out, joined({std::string(to_string(shape)), text(counts.fail), text(counts.null_pass)},
                    rates(counts.found)));
  }
}

void write_peers(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### Other tools' rules on the same draws: run SD 0.3 x CV, 0.5 % within a process\n\n";
  std::vector<std::string> names{"noise",
                                 "CV %",
                                 "rule",
                                 "fed with",
                                 "unchanged reports flagged",
                                 "unchanged metrics flagged"};
  head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    for (const double cv : plan.process_cvs) {
      if (cv != 0.01 && (shape != NoiseShape::normal || cv < 0.005 || cv > 0.02)) continue;
      const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = 0.3};
      const PeerCounts counts = count_peers(setting, effort(plan, setting, 4));
      check(counts.own.fail, plan, completeness);
      const std::vector<std::string> first{std::string(to_string(shape)), cv_text(cv)};
      Rate own_metric = counts.own.null_pass;
      row(out, joined(joined(first, {"**perfgate**, store, 1 % / 3 %",
                                     "10 runs; 5 to 12 processes of the head",
                                     text(counts.own.fail), "PASS " + text(own_metric)}),
                      rates(counts.own.found)));
      for (std::size_t i = 0; i < kPeers.size(); ++i) {
        const PeerCounts::One& one = counts.peers.at(i);
        row(out, joined(joined(first,
                               {std::string(kPeers.at(i).name), std::string(kPeers.at(i).fed_with),
                                text(one.report), text(one.metric)}),
                        rates(one.found)));
      }
    }
  }
}

}  // namespace perfgate::bench
