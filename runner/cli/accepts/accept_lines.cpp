#include "runner/cli/accepts/accept_lines.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "baselines/maintenance.h"
#include "baselines/store.h"
#include "baselines/stored_run.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/assess_arm.h"
#include "runner/cli/store_access.h"
#include "runner/measure/samples.h"
#include "runner/model/work.h"
#include "workloads/spec/accepts_edit.h"

namespace perfgate::cli {
namespace {

constexpr std::string_view kStorePrefix = "store:";

Error wrong(std::string message, std::string hint) {
  return {.code = ErrorCode::usage,
          .message = std::move(message),
          .hint = std::move(hint),
          .context = {}};
}

/// One metric that may be accepted, its value, and the worst value to accept unasked.
struct Candidate {
  std::string metric;
  std::string unit;
  double ceiling = 0.0;
  double value = 0.0;
  Better better = Better::lower;
};

struct Regressed {
  std::string workload;
  std::string path;  ///< of the workload file; empty = not known
  std::vector<Candidate> rows;
};

bool is_regression(Outcome outcome) {
  return outcome == Outcome::fail || outcome == Outcome::suspected;
}

/// The worse end of the interval, in the metric's unit; never better than the value itself.
double worst_value(const Comparison& row) {
  if (row.kind == MetricKind::counted || !row.interval_known) return row.head;
  const bool lower = row.better == Better::lower;
  const double end = row.base * (1.0 + (lower ? row.ci_high_ratio : row.ci_low_ratio));
  if (!std::isfinite(end)) return rounded_worse(row.head, row.better);
  return rounded_worse(lower ? std::max(end, row.head) : std::min(end, row.head), row.better);
}

/// Work that made rows invalid: what the head did is accepted as it is.
void add_work(const RunResult& result, std::vector<Candidate>& rows) {
  const auto said = [&](std::string_view code) {
    return std::ranges::find(result.verdict.reasons, code, &Reason::code) !=
           result.verdict.reasons.end();
  };
  const auto work = work_of(measure::of_arm(result.measurement.processes, Arm::head));
  if (said("less_work") && work && work->tokens)
    rows.push_back({std::string(kAcceptTokens), {}, *work->tokens, *work->tokens, Better::higher});
  if (said("other_output")) rows.push_back({std::string(kAcceptOutput), {}, 0.0, 0.0});
}

Result<Regressed> regressed_rows(const RunResult& result, const AcceptRequest& request) {
  Regressed found{.workload = result.workload_name, .path = result.workload_path, .rows = {}};
  const std::string word(to_string(result.verdict.outcome));
  for (const Comparison& row : result.comparisons) {
    if (!is_regression(row.outcome)) continue;
    found.rows.push_back({row.metric, row.unit, worst_value(row), row.head, row.better});
  }
  add_work(result, found.rows);
  if (!request.metric.empty()) {
    std::erase_if(found.rows, [&](const Candidate& row) { return row.metric != request.metric; });
  }
  if (!found.rows.empty()) return found;
  if (!request.metric.empty()) {
    const auto row = std::ranges::find(result.comparisons, request.metric, &Comparison::metric);
    const bool judged = row != result.comparisons.end();
    return wrong("nothing to accept: " + request.metric +
                     (judged ? " is " + std::string(to_string(row->outcome)) + " in this result"
                             : " is not judged in this result"),
                 "leave --metric out to accept what failed or is suspected");
  }
  return wrong("nothing to accept: no metric failed or is suspected (the verdict is " + word + ")",
               "only a regression can be accepted; perfgate report shows what was judged");
}

/// The store keeps values, and no rows.
Result<Regressed> regressed_of_store(const AcceptRequest& request,
                                     const platform::Environment& environment) {
  if (request.metric.empty() || request.file.empty()) {
    return wrong("a run of the store says neither which metric failed nor where its file is",
                 "add --metric ID and --file PATH, or name the run folder");
  }
  PG_ASSIGN_OR_RETURN(
      const baselines::Store store,
      baselines::Store::open(store_location(environment, request.store), baselines::OpenMode::read,
                             store_options(environment)));
  PG_ASSIGN_OR_RETURN(const std::int64_t row,
                      baselines::find_reference(store, request.result.substr(kStorePrefix.size())));
  PG_ASSIGN_OR_RETURN(const baselines::StoredRun run, baselines::show_run(store, row));
  if (run.outcome != to_string(Outcome::fail) && run.outcome != to_string(Outcome::suspected)) {
    return wrong("nothing to accept: run " + std::to_string(row) + " was " + run.outcome,
                 "only a regression can be accepted");
  }
  const auto metric = std::ranges::find(run.metrics, request.metric, &MetricValue::id);
  if (metric == run.metrics.end()) {
    return wrong("run " + std::to_string(row) + " has no metric " + request.metric,
                 "perfgate baseline show " + std::to_string(row) + " lists them");
  }
  const double ceiling = metric->kind == MetricKind::counted
                             ? metric->value
                             : rounded_worse(metric->value, metric->better);
  return Regressed{.workload = run.workload_name,
                   .path = {},
                   .rows = {{metric->id, metric->unit, ceiling, metric->value, metric->better}}};
}

Result<std::string> file_of(const AcceptRequest& request, const Regressed& found,
                            const platform::FileSystem& files) {
  if (!request.file.empty()) {
    if (names_accepts(request.file)) return request.file;
    return wrong("--file '" + request.file + "' is not named " +
                     std::string(workloads::kAcceptsFileName) + ", so no run would read it",
                 "name the file of that name beside the workload file");
  }
  if (!found.path.empty() && files.exists(found.path)) return accepts_beside(found.path);
  return wrong(found.path.empty() ? "the result does not say which workload file it is of"
                                  : "its workload file '" + found.path + "' is not there",
               "name the file beside it: --file PATH/" + std::string(workloads::kAcceptsFileName));
}

/// Beyond this many times the value a ceiling lets nearly everything pass.
constexpr double kFarAway = 2.0;

/// A line that the result breaks already would accept nothing.
Status check_keeps(const Candidate& row, const Accept& accept) {
  if (row.metric == kAcceptOutput || (!accept.unit.empty() && accept.unit != row.unit)) return {};
  const bool lower = row.better == Better::lower;
  if (lower ? accept.ceiling >= row.value : accept.ceiling <= row.value) return {};
  Accept own = accept;
  own.ceiling = row.ceiling;
  return wrong("--ceiling " + workloads::ceiling_text(accept) + " is better than the " +
                   row.metric + " of this result, so the line would accept nothing",
               "leave --ceiling out for " + workloads::ceiling_text(own) + ", or name a worse one");
}

/// Nearly everything would pass under such a line; empty = it is near.
std::string far_away(const Candidate& row, const Accept& accept) {
  if (row.metric == kAcceptOutput || (!accept.unit.empty() && accept.unit != row.unit) ||
      !(row.value > 0.0))
    return {};
  const bool lower = row.better == Better::lower;
  const double times = lower ? accept.ceiling / row.value : row.value / accept.ceiling;
  if (times <= kFarAway) return {};
  Accept own = accept;
  own.ceiling = row.ceiling;
  return "warning: the ceiling " + workloads::ceiling_text(accept) + " of " + row.metric +
         " is more than twice as bad as this result, so that nearly everything passes; without "
         "--ceiling it is " +
         workloads::ceiling_text(own) + "\n";
}

Result<std::vector<Accept>> accepts_of(const AcceptRequest& request, const Regressed& found,
                                       const workloads::AcceptsOptions& options) {
  if (!request.ceiling.empty() && found.rows.size() > 1) {
    return wrong("--ceiling is for one metric, and " + std::to_string(found.rows.size()) +
                     " failed or are suspected",
                 "name one with --metric, or leave --ceiling out");
  }
  std::vector<Accept> accepts;
  for (const Candidate& row : found.rows) {
    const Accept asked{.workload = found.workload,
                       .metric = row.metric,
                       .ceiling = row.ceiling,
                       .unit = row.unit,
                       .reason = request.reason,
                       .issue = request.issue,
                       .owner = request.owner,
                       .expires = request.expires,
                       .line = 0};
    const std::string ceiling =
        request.ceiling.empty() ? workloads::ceiling_text(asked) : request.ceiling;
    PG_ASSIGN_OR_RETURN(Accept accept, workloads::checked_accept(asked, ceiling, options));
    PG_TRY(check_keeps(row, accept));
    accepts.push_back(std::move(accept));
  }
  return accepts;
}

}  // namespace

render::ProposedAccepts proposed_accepts(const RunResult& result) {
  render::ProposedAccepts proposed{.workload = result.workload_name, .file = {}, .lines = {}};
  const auto found = regressed_rows(result, AcceptRequest{});
  if (!found.ok() || result.workload_path.empty()) return proposed;
  proposed.file = accepts_beside(result.workload_path);
  for (const Candidate& row : found.value().rows) {
    proposed.lines += workloads::accept_lines({.workload = result.workload_name,
                                               .metric = row.metric,
                                               .ceiling = row.ceiling,
                                               .unit = row.unit,
                                               .reason = "WHY",
                                               .issue = "ADDRESS",
                                               .owner = "WHO",
                                               .expires = "YYYY-MM-DD",
                                               .line = 0});
  }
  return proposed;
}

double rounded_worse(double value, Better better) {
  if (!(value > 0.0) || !std::isfinite(value)) return value;
  // What a double loses in the division is no reason for another digit.
  static constexpr double kSlack = 1e-9;
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - 3;
  const double size = std::pow(10.0, std::abs(exponent));
  const double scaled = exponent < 0 ? value * size : value / size;
  const double whole = better == Better::lower ? std::ceil(scaled * (1.0 - kSlack))
                                               : std::floor(scaled * (1.0 + kSlack));
  const double rounded = exponent < 0 ? whole / size : whole * size;
  const bool keeps = better == Better::lower ? rounded >= value : rounded <= value;
  if (keeps) return rounded;
  const double next = better == Better::lower ? whole + 1.0 : whole - 1.0;
  return exponent < 0 ? next / size : next * size;
}

Result<std::string> accept_regressions(const AcceptRequest& request, platform::FileSystem& files,
                                       const platform::Environment& environment,
                                       const std::string& today_utc) {
  Regressed found;
  if (request.result.starts_with(kStorePrefix)) {
    PG_ASSIGN_OR_RETURN(found, regressed_of_store(request, environment));
  } else {
    PG_ASSIGN_OR_RETURN(const RunResult result, read_judged_result(files, request.result));
    PG_ASSIGN_OR_RETURN(found, regressed_rows(result, request));
    if (std::string there = find_workload_file(files, result); !there.empty())
      found.path = std::move(there);
  }
  PG_ASSIGN_OR_RETURN(const std::string path, file_of(request, found, files));
  const workloads::AcceptsOptions options = accepts_options(today_utc);
  PG_ASSIGN_OR_RETURN(const std::vector<Accept> accepts, accepts_of(request, found, options));
  std::string before;
  if (files.exists(path)) {
    PG_ASSIGN_OR_RETURN(before, files.read(path));
  }
  const auto replace = request.replace ? workloads::Replace::yes : workloads::Replace::no;
  PG_ASSIGN_OR_RETURN(const std::string after,
                      workloads::with_accepts(before, path, accepts, replace, options));
  PG_TRY(files.write(path, after));
  std::string said = "written to " + path + ":\n";
  for (const Accept& accept : accepts) said += workloads::accept_lines(accept);
  for (std::size_t i = 0; i < accepts.size(); ++i) said += far_away(found.rows[i], accepts[i]);
  return said + "next: commit the file with the change, so that it is reviewed\n";
}

}  // namespace perfgate::cli
