#include "runner/measure/gather.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runner/measure/judge.h"
#include "runner/measure/range_steps.h"
#include "runner/measure/samples.h"
#include "runner/results/results_file.h"

namespace perfgate::measure {
namespace {

using platform::FileSystem;

Result<ProcessResults> from_file(const WorkloadSpec& spec, const FileSystem& files,
                                 const std::string& path) {
  auto results = load_results(files, path);
  if (results.ok() || results.error().code != ErrorCode::not_found) return results;
  // A command of the command line has no file whose keys could be set.
  return Error{
      .code = ErrorCode::invalid_measurement,
      .message = "the program ended without a results file",
      .hint = spec.path.empty()
                  ? "perfgate init -- CMD runs it once and writes a workload file for what "
                    "it prints; or let it write the file that PERFGATE_RESULTS names"
                  : "it must write the file that PERFGATE_RESULTS names; or set "
                    "run.command.results to nvtx, json or regex",
      .context = {}};
}

/// Printed times have no block to be held against. Their sum may be longer than the process lived
/// (requests that overlap), a single one may not: another unit, or another number altogether.
Status check_lengths(const ProcessResults& results, const Ending& ending) {
  const double life_ms = static_cast<double>(ending.end_ns - ending.start_ns + kClockSkewNs) / 1e6;
  const auto longest = std::ranges::max_element(results.steps, {}, &StepSample::ms);
  if (longest == results.steps.end() || longest->ms <= life_ms) return {};
  return Error{
      .code = ErrorCode::invalid_measurement,
      .message =
          "it printed a step of " + std::to_string(std::llround(longest->ms / 1e3)) +
          " s and lived for " +
          std::to_string(std::llround(static_cast<double>(ending.end_ns - ending.start_ns) / 1e9)) +
          " s",
      .hint = "look at the unit, and at what results picks out of the output: steps are in ms",
      .context = {}};
}

Result<ProcessResults> from_output(const CommandRun& command, const MeasureOptions& options,
                                   const FileSystem& files, const std::string& path,
                                   const Ending& ending) {
  if (ending.stdout_cut) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "the program printed more than the " +
                            std::to_string(platform::kOutputFileBytes >> 20U) +
                            " MiB that are kept of its standard output, so step times are missing",
                 .hint =
                     "let it print less, or hand its step times over in the file that "
                     "PERFGATE_RESULTS names",
                 .context = {}};
  }
  if (!options.extract_results) {
    return Error{.code = ErrorCode::internal,
                 .message = "no reader for this kind of results was given",
                 .hint = "report this as a bug",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(ProcessResults results, options.extract_results(command, text));
  PG_TRY(check_lengths(results, ending));
  return results;
}

Status check_steps(const WorkloadSpec& spec, const ProcessResults& results) {
  const auto found = results.steps.size();
  // One figure may stand for a whole run where a command prints it.
  const ResultsSource source = results_source(spec);
  const bool counted = source == ResultsSource::results_file || source == ResultsSource::nvtx;
  // A program that runs warm-up and measured steps and no more has no start after its last one.
  const int missing_allowed = source == ResultsSource::nvtx ? 1 : 0;
  const auto wanted =
      static_cast<std::size_t>(counted ? std::max(1, spec.steps.measure - missing_allowed) : 1);
  if (found >= wanted) return {};
  return Error{
      .code = ErrorCode::invalid_measurement,
      .message = "the program measured " + std::to_string(found) + " of " +
                 std::to_string(counted ? spec.steps.measure : 1) + " steps",
      .hint = "it must run PERFGATE_STEPS steps after PERFGATE_WARMUP; or lower steps.measure",
      .context = {}};
}

/// A block of another time is another run's: a file that was kept, or times of another clock.
Status check_block(const ProcessResults& results, const Ending& ending) {
  const bool inside = results.block_start_ns >= ending.start_ns - kClockSkewNs &&
                      results.block_end_ns <= ending.end_ns + kClockSkewNs;
  if (inside) return {};
  return Error{.code = ErrorCode::invalid_measurement,
               .message = "the block lies outside of the process's life (" +
                          platform::format_utc(results.block_start_ns) + " to " +
                          platform::format_utc(results.block_end_ns) + "; it ran from " +
                          platform::format_utc(ending.start_ns) + " to " +
                          platform::format_utc(ending.end_ns) + ")",
               .hint =
                   "read CLOCK_REALTIME around the loop of this run (time.time_ns() in Python), "
                   "and write the file anew each time",
               .context = {}};
}

/// Controls report metrics and may report no steps.
Result<ProcessResults> untraced_results(const WorkloadSpec& spec, const MeasureOptions& options,
                                        const FileSystem& files, const std::string& run_folder,
                                        const ProcessRecord& record, const ProcessPaths& paths,
                                        const Ending& ending) {
  const ResultsSource source = results_source(spec);
  if (record.role == ProcessRole::control || source == ResultsSource::results_file)
    return from_file(spec, files, paths.results);
  if (source == ResultsSource::nvtx) {
    PG_ASSIGN_OR_RETURN(const auto captures, load_captures(files, run_folder, record));
    return steps_from_ranges(captures, spec.steps, spec.steps.warmup, spec.steps.measure,
                             std::max(1, spec.steps.measure - 1));
  }
  return from_output(std::get<CommandRun>(spec.run), options, files, paths.standard_out, ending);
}

/// Results that we formed pass the same checks as a file of the program's (no NaN, no negative
/// time).
Status keep_formed_results(FileSystem& files, const std::string& path, const Ending& ending,
                           ProcessRecord& record) {
  ProcessResults& formed = *record.results;
  if (formed.block_end_ns <= formed.block_start_ns) {
    formed.block_start_ns = ending.start_ns;
    formed.block_end_ns = ending.end_ns;
  }
  const std::string text = results::write_results(formed);
  if (const auto checked = results::read_results(text); !checked.ok()) {
    mark_silent(checked.error(), record);
    record.results.reset();
    return {};
  }
  return files.write(path, text);
}

/// Why a traced process explains nothing. Empty: its window opened.
Status check_window(const WorkloadSpec& spec, const std::vector<Capture>& captures) {
  if (captures.empty()) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "the program made no CUDA or NVTX call that the probe could see",
                 .hint =
                     "does it use the GPU? Programs that clear the environment of their children "
                     "hide them, too",
                 .context = {}};
  }
  const bool opened =
      std::ranges::any_of(captures, [](const Capture& each) { return !each.windows.empty(); });
  if (opened) return {};
  if (!trace_window(spec).starts_with("nvtx:")) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "the trace window never opened (" + trace_window(spec) + ")",
                 .hint =
                     "the program must call cudaProfilerStart and cudaProfilerStop after its "
                     "warm-up, or name the NVTX range that is one step: steps.range in the file, "
                     "--range with run -- CMD",
                 .context = {}};
  }
  return Error{.code = ErrorCode::invalid_measurement,
               .message = "no NVTX range opened the window " + trace_window(spec) +
                          "; ranges seen: " + ranges_seen(captures),
               .hint =
                   "set steps.range to the range that is one step, and let the program run more "
                   "steps than the warm-up",
               .context = {}};
}

/// The steps of a traced process. Empty: its kind of results tells none under the probe.
Result<std::optional<ProcessResults>> traced_results(const WorkloadSpec& spec,
                                                     const FileSystem& files,
                                                     const std::vector<Capture>& captures,
                                                     const Ending& ending,
                                                     const ProcessPaths& paths) {
  const ResultsSource source = results_source(spec);
  if (source == ResultsSource::nvtx) {
    PG_ASSIGN_OR_RETURN(auto steps,
                        steps_from_ranges(captures, spec.steps, 0, spec.trace.steps + 2, 1));
    return std::optional(std::move(steps));
  }
  const bool own_file = source == ResultsSource::results_file;
  auto results =
      own_file ? from_file(spec, files, paths.results) : load_results(files, paths.results);
  if (!own_file && !results.ok() && results.error().code == ErrorCode::not_found)
    return std::optional<ProcessResults>();
  if (!results.ok()) return std::move(results).error();
  if (own_file) PG_TRY(check_block(results.value(), ending));
  return std::optional(std::move(results).value());
}

Result<std::string> gather_traced(const WorkloadSpec& spec, FileSystem& files,
                                  const std::string& run_folder, const Ending& ending,
                                  ProcessRecord& record, const ProcessPaths& paths) {
  const auto captures = load_captures(files, run_folder, record);
  const Status window =
      captures.ok() ? check_window(spec, captures.value()) : Status(captures.error());
  if (!window.ok()) {
    mark_silent(window.error(), record);
    return std::string();
  }
  // The traced step times are shown beside the untraced ones and never gated: without them the
  // ratio is unknown.
  auto results = traced_results(spec, files, captures.value(), ending, paths);
  if (!results.ok()) {
    return "a traced process's own step times are left out: " + results.error().message;
  }
  record.results = std::move(results).value();
  if (record.results && results_source(spec) == ResultsSource::nvtx)
    PG_TRY(files.write(paths.results, results::write_results(*record.results)));
  return std::string();
}

/// As `gather`, of a timing process or a control that ended well.
Status gather_untraced(const WorkloadSpec& spec, const MeasureOptions& options, FileSystem& files,
                       const std::string& run_folder, const Ending& ending, ProcessRecord& record,
                       const ProcessPaths& paths) {
  auto results = untraced_results(spec, options, files, run_folder, record, paths, ending);
  if (!results.ok()) {
    if (results.error().code == ErrorCode::interrupted) {
      record.state = ProcessState::interrupted;
      record.problem = results.error().message;
      return {};
    }
    mark_silent(results.error(), record);
    return {};
  }
  if (record.role != ProcessRole::control) {
    if (const Status enough = check_steps(spec, results.value()); !enough.ok()) {
      mark_silent(enough.error(), record);
      return {};
    }
  }
  const bool own_file =
      record.role == ProcessRole::control || results_source(spec) == ResultsSource::results_file;
  if (own_file) {
    if (const Status then = check_block(results.value(), ending); !then.ok()) {
      mark_silent(then.error(), record);
      return {};
    }
  }
  record.results = std::move(results).value();
  return own_file ? Status() : keep_formed_results(files, paths.results, ending, record);
}

}  // namespace

Result<std::string> gather(const WorkloadSpec& spec, const MeasureOptions& options,
                           FileSystem& files, const std::string& run_folder, const Ending& ending,
                           ProcessRecord& record) {
  const ProcessPaths paths = process_paths(run_folder, record.index, record.role);
  // A killed process leaves captures, too: kept for whoever looks into the crash.
  if (loads_probe(spec, options, record.role))
    record.capture_files = list_captures(files, run_folder, record.index);
  if (record.state != ProcessState::ok) return std::string();
  if (record.role == ProcessRole::trace)
    return gather_traced(spec, files, run_folder, ending, record, paths);
  PG_TRY(gather_untraced(spec, options, files, run_folder, ending, record, paths));
  return std::string();
}

}  // namespace perfgate::measure
