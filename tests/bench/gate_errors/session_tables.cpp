#include <string>
#include <string_view>

#include "tests/bench/gate_errors/markdown.h"
#include "tests/bench/gate_errors/tables.h"

namespace perfgate::bench {
namespace {

using testing::kNoiseShapes;
using testing::NoiseShape;

/// Rare events need more draws than a row has: 99.9 % takes 4,000, 1 % of reports 400.
constexpr int kTargetEffort = 20;
constexpr int kNullEffort = 4;

struct Target {
  std::string_view promise;
  Rate measured;
  Bound bound = Bound::at_least;
  double limit = 0.0;
};

}  // namespace

void write_targets(const Plan& plan, std::ostream& out, Completeness& completeness) {
  Plan more = plan;
  more.draws *= kTargetEffort;
  const Setting setting{.shape = NoiseShape::normal, .process_cv = 0.01, .run_ratio = 0.3};
  const GateCounts session =
      count_session(setting, Margins::declared, true, effort_of(more, setting, 5));
  completeness.check(session.fail, more.draws);
  Plan nulls = plan;
  nulls.draws *= kNullEffort;
  Rate worst;
  std::string where;
  for (const NoiseShape shape : kNoiseShapes) {
    for (const double cv : plan.process_cvs) {
      if (cv > 0.02) continue;
      const Setting each{.shape = shape, .process_cv = cv, .run_ratio = 0.0};
      const GateCounts counts =
          count_session(each, Margins::declared, false, effort_of(nulls, each, 6));
      completeness.check(counts.fail, nulls.draws);
      if (where.empty() || counts.fail.count > worst.count) {
        worst = counts.fail;
        where = std::string(to_string(shape)) + ", CV " + percent_text(cv) + " %";
      }
    }
  }
  out << "\n### Targets, in session: 72 gates, margins 1 % / 3 %, looks 5, 8, 12, 16 fresh "
         "pairs\n\n";
  write_head(out, {"target", "measured, %", "answer"});
  const std::string worst_row =
      "false FAIL per report at most 1 %, every shape, CV <= 2 %; the "
      "worst row: " +
      where;
  for (const Target& target : {Target{worst_row, worst, Bound::at_most, 0.01},
                               Target{"CV 1 %, normal: false FAIL per report at most 1 %",
                                      session.fail, Bound::at_most, 0.01},
                               Target{"CV 1 %, normal: one +3 % among 72 is confirmed, 95 %",
                                      session.found[2], Bound::at_least, 0.95},
                               Target{"CV 1 %, normal: one +5 % among 72 is confirmed, 99.9 %",
                                      session.found[3], Bound::at_least, 0.999},
                               Target{"CV 1 %, normal: unchanged metrics PASS, 99 %",
                                      session.null_pass, Bound::at_least, 0.99}}) {
    write_row(out, {std::string(target.promise), text(target.measured),
                    answer(target.measured, target.bound, target.limit)});
  }
}

void write_session(const Plan& plan, std::ostream& out, Completeness& completeness) {
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    out << "\n### In session, without a store, margins " << text(margins)
        << ": nothing changed, and one of 72 metrics slower: reports in which it FAILs\n\n"
           "Processes of both arms, fresh pairs included; - was not drawn.\n\n";
    Cells names{"noise",
                "CV %",
                "false FAIL / report",
                "SUSPECTED / report",
                "INCONCLUSIVE / report",
                "NOT COMPARABLE / report",
                "PASS / metric",
                "fresh pairs ran",
                "processes"};
    names = joined(names, change_head());
    names.emplace_back("+3 %: another metric FAILs");
    names.emplace_back("+3 %: processes");
    write_head(out, names);
    for (const NoiseShape shape : kNoiseShapes) {
      for (const double cv : plan.process_cvs) {
        const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = 0.0};
        const bool changes = cv == 0.01 || (shape == NoiseShape::normal && cv <= 0.02);
        const GateCounts counts =
            count_session(setting, margins, changes, effort_of(plan, setting, 7));
        completeness.check(counts.fail, plan.draws);
        const Cells nulls{text(counts.fail),
                          text(counts.suspected),
                          text(counts.inconclusive),
                          text(counts.not_comparable),
                          text(counts.null_pass),
                          text(counts.retested),
                          number(counts.mean_processes(), "%.1f")};
        const double processes = counts.processes_changed[2] / static_cast<double>(plan.draws);
        const Cells last{text(counts.false_beside[2]), changes ? number(processes, "%.1f") : "-"};
        const Cells first = joined(setting_cells(setting), nulls);
        write_row(out, joined(joined(first, rate_cells(counts.found)), last));
      }
    }
  }
}

void write_store_then_pairs(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### The store of 10 runs screens, fresh pairs confirm (`run --base`), margins 1 % / 3 "
         "%: reports in which the slower metric FAILs\n\nRun SD in units of the process CV; "
         "processes of both arms.\n\n";
  const Cells names{"noise",
                    "CV %",
                    "run SD",
                    "false FAIL / report",
                    "SUSPECTED / report",
                    "PASS / metric",
                    "fresh pairs ran",
                    "processes"};
  write_head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    for (const double cv : plan.process_cvs) {
      for (const double ratio : plan.run_ratios) {
        if (ratio == 0.0 || (cv != 0.01 && cv != 0.02)) continue;
        const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
        const GateCounts counts =
            count_store_then_pairs(setting, Margins::declared, true, effort_of(plan, setting, 8));
        completeness.check(counts.fail, plan.draws);
        const Cells cells{number(ratio, "%.1f"),  text(counts.fail),
                          text(counts.suspected), text(counts.null_pass),
                          text(counts.retested),  number(counts.mean_processes(), "%.1f")};
        write_row(out, joined(joined(setting_cells(setting), cells), rate_cells(counts.found)));
      }
    }
  }
}

void write_peers(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### Other tools' rules on the same draws: run SD 0.3 x CV, 0.5 % within a process\n\n"
         "Slower only counts. perfgate in session draws its own processes of the same noise.\n\n";
  const Cells names{"noise",
                    "CV %",
                    "rule",
                    "fed with",
                    "unchanged reports flagged",
                    "unchanged metrics flagged"};
  write_head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    for (const double cv : plan.process_cvs) {
      if (cv != 0.01 && (shape != NoiseShape::normal || cv < 0.005 || cv > 0.02)) continue;
      const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = 0.3};
      const Effort effort = effort_of(plan, setting, 4);
      const auto own = [&](const char* rule, const char* fed, const GateCounts& counts) {
        const Cells cells{rule, fed, text(counts.fail), text(counts.fail_metric)};
        write_row(out, joined(joined(setting_cells(setting), cells), rate_cells(counts.found)));
      };
      const PeerCounts counts = count_peers(setting, effort);
      completeness.check(counts.own.fail, plan.draws);
      own("**perfgate in session**", "5 to 12 pairs, 16 fresh pairs if suspected",
          count_session(setting, Margins::declared, true, effort));
      own("**perfgate, store alone**", "10 runs; 5 to 12 processes", counts.own);
      for (std::size_t i = 0; i < kPeers.size(); ++i) {
        const PeerCounts::One& one = counts.peers.at(i);
        const Cells cells{std::string(kPeers.at(i).name), std::string(kPeers.at(i).fed_with),
                          text(one.report), text(one.metric)};
        write_row(out, joined(joined(setting_cells(setting), cells), rate_cells(one.found)));
      }
    }
  }
}

}  // namespace perfgate::bench
