#include "reporters/render/session_words.h"

#include <fmt/format.h>

#include "reporters/render/shell_command.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

std::string file_words(const RunResult& result) {
  return result.workload_path.empty() ? "a workload file (perfgate init writes one)"
                                      : "the workload file";
}

const char* plan_key(const Comparison& row) {
  return row.kind == MetricKind::timed ? "timing" : "trace";
}

}  // namespace

std::string sample_words(const Comparison& row) {
  const auto count = [](int n, const char* one, const char* several) {
    return fmt::format("{} {}", n, n == 1 ? one : several);
  };
  if (row.against == Against::session) {
    return count(row.n_head, row.confirmed ? "fresh pair" : "pair",
                 row.confirmed ? "fresh pairs" : "pairs") +
           " of processes";
  }
  return count(row.n_head, "process", "processes") + " against " +
         count(row.n_base, "run", "runs") + (row.other_gpu_runs > 0 ? " on this GPU" : "");
}

NextAction after_open_pairs(const RunResult& result, const Comparison& row) {
  if (row.against != Against::session) return {};
  switch (row.unsettled) {
    case Unsettled::unconfirmed:
      return {"Raise timing.budget in " + file_words(result) +
                  ", so that fresh pairs can confirm it (the notes say how long they take)",
              run_command(result)};
    case Unsettled::weak_evidence:
      return {
          "Fresh pairs show it too, but not beyond chance for so many suspects: run again, and "
          "look "
          "at the rows below",
          run_command(result)};
    case Unsettled::wide_interval:
      if (row.processes_to_settle == 0) {
        return {"More pairs would not settle it: the processes differ too much for this gate" +
                    std::string(row.passing_tolerance_ratio > row.tolerance_ratio
                                    ? fmt::format("; a tolerance above {} would let this run pass",
                                                  format_percent(row.passing_tolerance_ratio))
                                    : ""),
                ""};
      }
      return {fmt::format("{} more pair{} would settle it: end {}.processes with {} in {}",
                          row.processes_to_settle, row.processes_to_settle == 1 ? "" : "s",
                          plan_key(row), row.n_head + row.processes_to_settle, file_words(result)),
              run_command(result)};
    default: return {};
  }
}

}  // namespace perfgate::render
