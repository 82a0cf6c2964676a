// fault_table FOLDER [RUN]: what perfgate names in each recorded run with planted faults, as a
// table; with RUN, its ledger and causes.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "tests/bench/faults/fault_runs.h"

namespace {

double unattributed_ms(const perfgate::Ledger& ledger) {
  return ledger.rows.empty() ? 0.0 : ledger.rows.back().ms.change();
}

void print_row(const perfgate::bench::FaultRun& run, const perfgate::bench::Explained& explained) {
  std::string causes;
  for (const auto& cause : explained.causes) {
    char text[96];
    std::snprintf(text, sizeof(text), "%s%s (%s, %+.3f ms)", causes.empty() ? "" : ", ",
                  cause.rule.c_str(), std::string(to_string(cause.confidence)).c_str(),
                  cause.explains_ms);
    causes += text;
  }
  const auto& ledger = explained.ledger;
  std::printf("| %s | %s | %s | %+.2f %% | %+.3f | %+.3f | %s | %s |\n", run.name.c_str(),
              run.set.c_str(), run.planted.empty() ? "nothing" : run.planted.c_str(),
              100.0 * ledger.step.change() / ledger.step.base, ledger.step.change(),
              unattributed_ms(ledger), ledger.established ? "yes" : "no",
              causes.empty() ? "none" : causes.c_str());
}

void print_run(const perfgate::bench::Explained& explained) {
  const auto& ledger = explained.ledger;
  for (const auto& row : ledger.rows) {
    std::printf("%-18s %9.4f %9.4f %+9.4f +- %s\n", row.name.c_str(), row.ms.base, row.ms.head,
                row.ms.change(),
                row.ms.half_width ? std::to_string(*row.ms.half_width).c_str() : "unknown");
    for (const auto& kernel : row.kernels) {
      std::printf(
          "    %-10s %s | %s -> %s  calls %.1f -> %.1f  ms %.4f -> %.4f  us %.1f -> %.1f  grid "
          "%u,%u,%u -> %u,%u,%u\n",
          std::string(to_string(kernel.fate)).c_str(), kernel.place.c_str(),
          kernel.base.name.substr(0, 40).c_str(), kernel.head.name.substr(0, 40).c_str(),
          kernel.base.calls_per_step, kernel.head.calls_per_step, kernel.base.ms_per_step,
          kernel.head.ms_per_step, kernel.base.median_us, kernel.head.median_us,
          kernel.base.grid[0], kernel.base.grid[1], kernel.base.grid[2], kernel.head.grid[0],
          kernel.head.grid[1], kernel.head.grid[2]);
    }
    for (const auto& gap : row.gaps) {
      std::printf("    gap %s -> %s [%s] %.4f -> %.4f ms, %.1f -> %.1f\n", gap.before.c_str(),
                  gap.after.c_str(), gap.host_range.c_str(), gap.base_ms, gap.head_ms,
                  gap.base_count, gap.head_count);
    }
  }
  for (const auto& [name, count] : ledger.head.counts) {
    const auto before = ledger.base.counts.find(name);
    std::printf("%s %.1f -> %.1f\n", name.c_str(),
                before == ledger.base.counts.end() ? 0.0 : before->second, count);
  }
  for (const auto& cause : explained.causes) {
    std::printf("\n%s (%s, %+.3f ms): %s\n", cause.rule.c_str(),
                std::string(to_string(cause.confidence)).c_str(), cause.explains_ms,
                cause.cause.c_str());
    for (const std::string& evidence : cause.evidence) std::printf("  %s\n", evidence.c_str());
    std::printf("  lever: %s\n", cause.lever.c_str());
  }
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2) {
    std::fputs("fault_table FOLDER [RUN]\n", stderr);
    return 2;
  }
  const auto runs = perfgate::bench::read_fault_runs(words[1]);
  if (!runs.ok()) {
    std::fprintf(stderr, "%s\n", runs.error().message.c_str());
    return 1;
  }
  if (count == 2)
    std::puts(
        "| run | set | planted | step | change ms | unattributed ms | established | named |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const auto& run : runs.value()) {
    const auto* base = perfgate::bench::base_of(runs.value(), run);
    if (base == nullptr || base == &run) continue;
    if (count == 2) print_row(run, perfgate::bench::explain(*base, run));
    if (count == 3 && run.name == words[2]) print_run(perfgate::bench::explain(*base, run));
  }
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 1;
}
