#include "tests/bench/gate_errors/tables.h"

#include <cmath>
#include <sstream>
#include <string>

#include "tests/bench/gate_errors/markdown.h"

namespace perfgate::bench {
namespace {

using testing::kNoiseShapes;
using testing::NoiseShape;

constexpr std::size_t kRuns = 10;
/// Up to here the gate promises few false alarms.
constexpr double kPromisedCv = 0.02;
constexpr int kWorstEffort = 20;

const Cells kNullHead{"false FAIL / report",     "SUSPECTED / report", "INCONCLUSIVE / report",
                      "NOT COMPARABLE / report", "PASS / metric",      "processes"};

Cells null_cells(const GateCounts& counts) {
  return {text(counts.fail),         text(counts.suspected),
          text(counts.inconclusive), text(counts.not_comparable),
          text(counts.null_pass),    number(counts.mean_processes(), "%.1f")};
}

/// All rows of a shape together, and the worst of them.
struct Pooled {
  Rate all{};
  Rate worst{};
  std::string where{};
  void add(const Rate& rate, const std::string& row) {
    all += rate;
    if (where.empty() || rate.count > worst.count) {
      worst = rate;
      where = row;
    }
  }
};

std::string ratio_text(double ratio) { return number(ratio, "%.1f"); }

void write_nulls(const Plan& plan, Margins margins, std::ostream& pooled, std::ostream& rows,
                 Completeness& completeness) {
  for (const NoiseShape shape : kNoiseShapes) {
    Pooled fails;
    std::vector<Rate> by_ratio(plan.run_ratios.size());
    for (const double cv : plan.process_cvs) {
      for (std::size_t i = 0; i < plan.run_ratios.size(); ++i) {
        const double ratio = plan.run_ratios[i];
        const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
        const GateCounts counts =
            count_store(setting, kRuns, margins, false, effort_of(plan, setting, 1));
        completeness.check(counts.fail, plan.draws);
        Cells cells = joined(setting_cells(setting), {ratio_text(ratio)});
        cells = joined(cells, null_cells(counts));
        cells.push_back(text(counts.never_pass));
        write_row(rows, cells);
        if (cv <= kPromisedCv) {
          by_ratio[i] += counts.fail;
          fails.add(counts.fail, "CV " + percent_text(cv) + " %, run SD " + ratio_text(ratio));
        }
      }
    }
    Cells cells{std::string(to_string(shape)), text(margins)};
    for (const Rate& rate : by_ratio) cells.push_back(text(rate));
    cells.push_back(text(fails.worst) + " at " + fails.where);
    cells.push_back(answer(fails.all, Bound::at_most, 0.01));
    write_row(pooled, cells);
  }
}

}  // namespace

void Completeness::check(const Rate& rate, int draws) {
  ++rows;
  if (rate.total != draws) ++short_rows;
}

Effort effort_of(const Plan& plan, const Setting& setting, std::uint64_t section) {
  std::uint64_t stream = section * 1'000'000 + static_cast<std::uint64_t>(setting.shape) * 100'000;
  stream += static_cast<std::uint64_t>(std::lround(setting.process_cv * 1e6)) * 2;
  stream += setting.correlated ? 1 : 0;
  const auto ratio = static_cast<std::uint64_t>(std::lround(setting.run_ratio * 100.0));
  return {.draws = plan.draws,
          .threads = plan.threads,
          .seed = testing::mixed_seed(testing::mixed_seed(plan.seed, stream), ratio)};
}

void write_store_nulls(const Plan& plan, std::ostream& out, Completeness& completeness) {
  std::ostringstream pooled;
  Cells names{"noise", "margins"};
  for (const double ratio : plan.run_ratios) names.push_back("run SD " + ratio_text(ratio) + " CV");
  names.emplace_back("the worst row");
  names.emplace_back("all rows: at most 1 %");
  write_head(pooled, names);
  std::ostringstream details;
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    details << "\n### Nothing changed, against a store of 10 runs, margins " << text(margins)
            << "\n\nRun SD in units of the process CV.\n\n";
    Cells columns = joined({"noise", "CV %", "run SD"}, kNullHead);
    columns.emplace_back("tolerance out of reach");
    write_head(details, columns);
    write_nulls(plan, margins, pooled, details, completeness);
  }
  out << "\n### Nothing changed, against a store of 10 runs: false FAILs per report, rows with CV "
         "<= 2 % "
         "together\n\n"
      << pooled.str() << details.str();
}

void write_store_target(const Plan& plan, std::ostream& out, Completeness& completeness) {
  Setting worst{};
  Margins worst_margins = Margins::declared;
  std::int64_t most = -1;
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    for (const NoiseShape shape : kNoiseShapes) {
      for (const double cv : plan.process_cvs) {
        if (cv != 0.0025 && cv != kPromisedCv) continue;
        for (const double ratio : plan.run_ratios) {
          const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
          const GateCounts counts =
              count_store(setting, kRuns, margins, false, effort_of(plan, setting, 20));
          completeness.check(counts.fail, plan.draws);
          if (counts.fail.count <= most) continue;
          most = counts.fail.count;
          worst = setting;
          worst_margins = margins;
        }
      }
    }
  }
  if (most < 0) return;  // --quick
  // The largest of many rates is too large by chance: its row is drawn anew.
  Plan more = plan;
  more.draws *= kWorstEffort;
  const Rate again =
      count_store(worst, kRuns, worst_margins, false, effort_of(more, worst, 21)).fail;
  completeness.check(again, more.draws);
  out << "\n### Target, against the store alone: 72 gates, 10 runs, looks 5, 8, 12\n\n"
         "The worst of all rows with CV 0.25 % and 2 %, drawn anew and more often.\n\n";
  write_head(out, {"target", "measured, %", "answer"});
  write_row(
      out, {"false FAIL per report at most 1 %, every shape, CV <= 2 %; the worst row: " +
                std::string(to_string(worst.shape)) + ", CV " + percent_text(worst.process_cv) +
                " %, run SD " + ratio_text(worst.run_ratio) + " CV, margins " + text(worst_margins),
            text(again), answer(again, Bound::at_most, 0.01)});
}

void write_store_power(const Plan& plan, std::ostream& out, Completeness& completeness) {
  for (const Margins margins : {Margins::declared, Margins::automatic}) {
    out << "\n### One of 72 metrics slower, against a store of 10 runs, margins " << text(margins)
        << ": reports in which it FAILs\n\n";
    Cells names = joined({"noise", "CV %", "run SD"}, change_head());
    names.emplace_back("+3 %: FAIL or SUSPECTED");
    names.emplace_back("+3 %: another metric FAILs");
    write_head(out, names);
    for (const NoiseShape shape : kNoiseShapes) {
      for (const double cv : plan.process_cvs) {
        for (const double ratio : plan.run_ratios) {
          if (cv > kPromisedCv || (shape != NoiseShape::normal && (cv != 0.01 || ratio != 0.3))) {
            continue;
          }
          const Setting setting{.shape = shape, .process_cv = cv, .run_ratio = ratio};
          const GateCounts counts =
              count_store(setting, kRuns, margins, true, effort_of(plan, setting, 2));
          completeness.check(counts.found.front(), plan.draws);
          const Cells first = joined(setting_cells(setting), {ratio_text(ratio)});
          const Cells last{text(counts.noticed[2]), text(counts.false_beside[2])};
          write_row(out, joined(joined(first, rate_cells(counts.found)), last));
        }
      }
    }
  }
}

void write_store_lengths(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### How long the store is: CV 1 %, run SD 0.3 x CV, margins 1 % / 3 %\n\n";
  const Cells names{"noise", "CV %", "runs", "false FAIL / report", "PASS / metric", "processes"};
  write_head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    for (const std::size_t runs : {std::size_t{8}, kRuns, std::size_t{30}}) {
      const Setting setting{.shape = shape, .process_cv = 0.01, .run_ratio = 0.3};
      const GateCounts counts =
          count_store(setting, runs, Margins::declared, true, effort_of(plan, setting, 10 + runs));
      completeness.check(counts.fail, plan.draws);
      const Cells cells{std::to_string(runs), text(counts.fail), text(counts.null_pass),
                        number(counts.mean_processes(), "%.1f")};
      write_row(out, joined(joined(setting_cells(setting), cells), rate_cells(counts.found)));
    }
  }
}

void write_correlated(const Plan& plan, std::ostream& out, Completeness& completeness) {
  out << "\n### Metrics that share half of their variance, as families of one step do: run SD "
         "0.3 x CV, margins 1 % / 3 %\n\n";
  const Cells names{"noise",         "CV %",     "against", "false FAIL / report",
                    "PASS / metric", "processes"};
  write_head(out, joined(names, change_head()));
  for (const NoiseShape shape : kNoiseShapes) {
    const Setting setting{.shape = shape, .process_cv = 0.01, .run_ratio = 0.3, .correlated = true};
    const auto write = [&](const char* against, const GateCounts& counts) {
      completeness.check(counts.fail, plan.draws);
      const Cells cells{against, text(counts.fail), text(counts.null_pass),
                        number(counts.mean_processes(), "%.1f")};
      write_row(out, joined(joined(setting_cells(setting), cells), rate_cells(counts.found)));
    };
    const Effort effort = effort_of(plan, setting, 3);
    write("store of 10 runs", count_store(setting, kRuns, Margins::declared, true, effort));
    write("session", count_session(setting, Margins::declared, true, effort));
  }
}

}  // namespace perfgate::bench
