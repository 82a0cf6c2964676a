// perfgate baseline: a look into the store, and keeping house there.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "baselines/exchange.h"
#include "baselines/maintenance.h"
#include "baselines/noise_runs.h"
#include "baselines/record.h"
#include "baselines/store.h"
#include "baselines/stored_run.h"
#include "reporters/render/table.h"
#include "reporters/render/units.h"
#include "runner/cli/accepts/accept_lines.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/baseline_text.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/print_text.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/recording.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/store_access.h"
#include "runner/model/outcome.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"

namespace perfgate::cli {
namespace {

using baselines::OpenMode;
using baselines::Store;
constexpr int kAllRuns = 1'000'000;

struct BaselineOptions {
  std::string store;
  std::string workload;
  std::string branch;
  int most = 30;
  std::string reference;
  std::vector<std::string> references;
  bool force = false;
  std::string metric;
  std::string reason;
  std::string path;
  bool snapshot = false;
  std::string without;
  bool json = false;
  int keep = 200;
  AcceptRequest accept;
};

Result<Store> open_store(const BaselineOptions& options, OpenMode mode) {
  const platform::Environment environment = platform::own_environment();
  const std::string store = store_location(environment, options.store);
  if (mode == OpenMode::record) return open_to_record(store, environment);
  return Store::open(store, mode, store_options(environment));
}

/// For commands that change which runs count. A pull request's job may fill a store of its own
/// (import), and never decides what it is judged against.
Result<Store> open_to_change(const BaselineOptions& options) {
  if (is_pull_request(platform::own_environment())) {
    return Error{.code = ErrorCode::usage,
                 .message = "baselines are not changed in a pull-request event",
                 .hint = "run this in the job of the base branch, or by hand",
                 .context = {}};
  }
  return open_store(options, OpenMode::record);
}

Result<std::string> list(const BaselineOptions& options, const Console& console) {
  PG_ASSIGN_OR_RETURN(const Store store, open_store(options, OpenMode::read));
  PG_ASSIGN_OR_RETURN(const auto runs, baselines::list_runs(store, {options.workload,
                                                                    options.branch, options.most}));
  if (options.json) return run_list_json(runs);
  if (runs.empty()) {
    PG_ASSIGN_OR_RETURN(const auto all, baselines::list_runs(store, {{}, {}, kAllRuns}));
    return empty_list_text(all, options.workload, options.branch);
  }
  return run_list_text(runs, {console.colour, console.width, console.unicode});
}

Result<std::string> show(const BaselineOptions& options, const Console& console) {
  PG_ASSIGN_OR_RETURN(const Store store, open_store(options, OpenMode::read));
  PG_ASSIGN_OR_RETURN(const std::int64_t row, baselines::find_reference(store, options.reference));
  PG_ASSIGN_OR_RETURN(const baselines::StoredRun run, baselines::show_run(store, row));
  if (options.json) return baselines::to_json_line(run) + "\n";
  PG_ASSIGN_OR_RETURN(const auto pins, baselines::pins_of(store, row));
  PG_ASSIGN_OR_RETURN(const auto calibrations,
                      baselines::calibrations_of(store, run.workload_digest,
                                                 baselines::environment_key(run.fingerprint)));
  PG_ASSIGN_OR_RETURN(const auto marks, baselines::marks_of(store, row));
  return stored_run_text(row, run, {pins, calibrations, marks},
                         {console.colour, console.width, console.unicode});
}

/// Pins a metric at the level of one run: later runs are compared with it too, so that creep is
/// seen.
Result<std::string> pin(const BaselineOptions& options, const Console&) {
  PG_ASSIGN_OR_RETURN(Store store, open_to_change(options));
  PG_ASSIGN_OR_RETURN(const std::int64_t row, baselines::find_reference(store, options.reference));
  PG_ASSIGN_OR_RETURN(const baselines::StoredRun run, baselines::show_run(store, row));
  const auto metric = std::ranges::find(run.metrics, options.metric, &MetricValue::id);
  if (metric == run.metrics.end()) {
    return Error{.code = ErrorCode::usage,
                 .message = "run " + std::to_string(row) + " has no metric " + options.metric,
                 .hint = "perfgate baseline show " + std::to_string(row) + " lists them",
                 .context = {}};
  }
  const platform::SystemClock clock;
  const baselines::Pin level{
      {run.workload_digest, baselines::environment_key(run.fingerprint), options.metric},
      metric->value,
      options.reason,
      platform::format_utc(clock.realtime_ns()),
      baselines::run_digest(run)};
  PG_TRY(baselines::pin(store, level));
  return shown(options.metric) + " pinned at " +
         shown(render::format_value(metric->value, metric->unit)) + "\n";
}

Result<std::string> unpin(const BaselineOptions& options, const Console&) {
  PG_ASSIGN_OR_RETURN(Store store, open_to_change(options));
  PG_ASSIGN_OR_RETURN(const std::int64_t row, baselines::find_reference(store, options.reference));
  PG_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                      baselines::unpin(store, row, options.metric));
  return joined_words(metrics) + (metrics.size() == 1 ? " is" : " are") + " not pinned any more\n";
}

/// Pins that were set at the runs go with them, and that is said.
Result<std::string> remove_runs(const BaselineOptions& options, const Console&) {
  PG_ASSIGN_OR_RETURN(Store store, open_to_change(options));
  std::vector<std::int64_t> rows;
  std::string said;
  for (const std::string& reference : options.references) {
    PG_ASSIGN_OR_RETURN(const std::int64_t row, baselines::find_reference(store, reference));
    if (std::ranges::find(rows, row) != rows.end()) continue;
    rows.push_back(row);
    const auto run = baselines::show_run(store, row);
    if (!run.ok() && run.error().code != ErrorCode::corrupt) return run.error();
    said += run.ok() ? "removed " + stored_run_line(row, run.value()) + ", " +
                           std::to_string(run.value().metrics.size()) + " metrics\n"
                     : "removed run " + std::to_string(row) + ", which was damaged\n";
  }
  PG_ASSIGN_OR_RETURN(
      const std::vector<std::string> unpinned,
      baselines::remove_runs(
          store, rows, options.force ? baselines::HeldRuns::remove : baselines::HeldRuns::refuse));
  if (!unpinned.empty()) said += "no longer pinned: " + joined_words(unpinned) + "\n";
  return said +
         "to have it back: perfgate baseline import PATH, of its run folder or of an export made "
         "before\n";
}

Result<std::string> prune(const BaselineOptions& options, const Console&) {
  PG_ASSIGN_OR_RETURN(Store store, open_to_change(options));
  PG_ASSIGN_OR_RETURN(const baselines::Pruned pruned, baselines::prune(store, options.keep));
  std::string said;
  for (const baselines::RunSummary& run : pruned.deleted) {
    said += "removed run " + std::to_string(run.run) + ": " + shown(run.workload_name) +
            ", commit " + shown(run.commit.substr(0, kShownCommit)) + ", " + shown(run.branch) +
            ", " + shown(run.started_utc) + "\n";
  }
  said += std::to_string(pruned.deleted.size()) + " runs removed\n";
  if (pruned.held > 0) {
    said += std::to_string(pruned.held) +
            " older ones kept: pinned, or a level begins there (perfgate baseline list)\n";
  }
  return said;
}

/// An export may be the only copy of runs that are gone by now.
Status check_free_name(const BaselineOptions& options, const platform::FileSystem& files) {
  if (options.path.empty() || options.force || !files.exists(options.path)) return {};
  return Error{.code = ErrorCode::usage,
               .message = options.path + " is there already; nothing was written",
               .hint = "--force replaces it, or give another name",
               .context = {}};
}

/// What the file, or each file of the folder, holds already.
Result<baselines::ExportedLines> lines_at(const std::string& path,
                                          const platform::FileSystem& files) {
  baselines::ExportedLines lines;
  if (path.empty()) return lines;
  std::vector<std::string> exports{path};
  if (const auto listed = files.list(path); listed.ok()) {
    exports.clear();
    for (const platform::FolderEntry& entry : listed.value())
      if (entry.name.ends_with(".jsonl")) exports.push_back(platform::join_path(path, entry.name));
  }
  for (const std::string& one : exports) {
    PG_ASSIGN_OR_RETURN(const std::string text, files.read(one));
    baselines::add_lines(text, lines);
  }
  return lines;
}

Result<std::string> export_runs(const BaselineOptions& options, const Console&) {
  PG_ASSIGN_OR_RETURN(const Store store, open_store(options, OpenMode::read));
  if (options.snapshot) {
    if (options.path.empty() || !options.without.empty()) {
      return Error{.code = ErrorCode::usage,
                   .message = "--snapshot writes the whole store into a file and needs its name",
                   .hint = "perfgate baseline export --snapshot FILE",
                   .context = {}};
    }
    PG_TRY(baselines::write_snapshot(store, options.path));
    return "snapshot " + shown(options.path) + "\n";
  }
  platform::DiskFileSystem files;
  PG_TRY(check_free_name(options, files));
  PG_ASSIGN_OR_RETURN(const baselines::ExportedLines known, lines_at(options.without, files));
  std::string lines;
  const auto write = [&](std::string_view line) {
    lines += line;
    lines += '\n';
    return Status();
  };
  PG_TRY(baselines::export_lines(store, write, known));
  if (options.path.empty()) return lines;
  PG_TRY(files.write(options.path, lines));
  return "exported to " + shown(options.path) + "\n";
}

Result<std::string> import_runs(const BaselineOptions& options, const Console& console) {
  const platform::DiskFileSystem files;
  if (holds_run(files, options.path)) {
    const platform::Environment environment = platform::own_environment();
    PG_ASSIGN_OR_RETURN(const Recorded recorded,
                        record_folder(store_location(environment, options.store), options.path,
                                      files, environment));
    for (const std::string& warning : recorded.warnings) print_warning(console, warning);
    return shown(recorded.said) + "\n";
  }
  if (files.list(options.path).ok()) {
    return Error{.code = ErrorCode::usage,
                 .message = "the folder " + options.path + " holds no run",
                 .hint =
                     "name a run folder, as .perfgate/runs has them, or a file that `perfgate "
                     "baseline export` wrote",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(options.path));
  PG_ASSIGN_OR_RETURN(Store store, open_store(options, OpenMode::record));
  PG_ASSIGN_OR_RETURN(const baselines::ImportCount count, baselines::import_lines(store, text));
  return std::to_string(count.runs_added) + " runs imported, " + std::to_string(count.runs_known) +
         " were there already\n";
}

/// Into a file that is reviewed; the store changes when an accepted run is recorded.
Result<std::string> accept(const BaselineOptions& options, const Console&) {
  platform::DiskFileSystem files;
  const platform::SystemClock clock;
  AcceptRequest request = options.accept;
  request.store = options.store;
  return accept_regressions(request, files, platform::own_environment(), today_utc(clock));
}

using Work = Result<std::string> (*)(const BaselineOptions&, const Console&);

struct Row {
  const char* name;
  const char* summary;
  const char* example;
  Work work;
};

CLI::App* add(CLI::App& app, const std::shared_ptr<BaselineOptions>& options, Context& context,
              Action& action, const Row& row) {
  CLI::App* command = app.add_subcommand(row.name, row.summary);
  command->footer(std::string("Example:\n  ") + row.example);
  command
      ->add_option("--store", options->store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
      ->type_name("FILE");
  const bool is_data = std::string_view(row.name) == "export";
  command->callback([options, &context, &action, work = row.work, is_data] {
    action = [options, &context, work, is_data] {
      const Result<std::string> said = work(*options, context.console);
      const auto print_said = [&](const std::string& text) {
        return is_data || options->json ? print(text) : print_text(context.console, text);
      };
      const Status done = said.ok() ? print_said(said.value()) : Status(said.error());
      if (done.ok()) return kExitPass;
      print_error(context.console, done.error());
      // What is not there was named wrongly: a run, a pin, a file, a store.
      return done.error().code == ErrorCode::not_found ? kExitUsage : exit_code(done.error().code);
    };
  });
  return command;
}

void add_accept_options(CLI::App& command, AcceptRequest& request) {
  command.add_option("RESULT", request.result, "run folder, its result.json, or store:RUN")
      ->required()
      ->type_name("");
  command.add_option("--metric", request.metric, "metric id (default: all that failed)")
      ->type_name("ID");
  const auto text = [&](const char* name, std::string& place, const char* what, const char* type) {
    return command.add_option(name, place, what)->type_name(type);
  };
  text("--reason", request.reason, "why it is accepted", "TEXT")->required();
  text("--issue", request.issue, "where it is discussed", "URL")->required();
  text("--owner", request.owner, "who answers for it", "WHO")->required();
  text("--expires", request.expires, "the last day that it holds", "DATE")->required();
  text("--ceiling", request.ceiling, "worst accepted value (default: the interval's end)", "VALUE");
  text("--file", request.file, "perfgate-accepts.yaml (default: beside the workload)", "PATH");
  command.add_flag("--replace", request.replace, "instead of a line that is there already");
}

void add_run(CLI::App& command, BaselineOptions& options) {
  command.add_option("RUN", options.reference, "row number, or the start of the digest")
      ->required()
      ->type_name("");
}

void add_pins(CLI::App& app, const std::shared_ptr<BaselineOptions>& options, Context& context,
              Action& action) {
  CLI::App* command =
      add(app, options, context, action,
          {"pin", "accept a run's level of one metric, to catch creep",
           "perfgate baseline pin 17 --metric step_time_p50 --reason \"new driver\"", pin});
  add_run(*command, *options);
  command->add_option("--metric", options->metric, "metric id")->required()->type_name("ID");
  command->add_option("--reason", options->reason, "why this level is accepted")
      ->required()
      ->type_name("TEXT");
  command = add(app, options, context, action,
                {"unpin", "forget the pinned level of a run's metrics",
                 "perfgate baseline unpin 17 --metric step_time_p50", unpin});
  add_run(*command, *options);
  command->add_option("--metric", options->metric, "metric id (default: all pinned at the run)")
      ->type_name("ID");
}

}  // namespace

void setup_baseline(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<BaselineOptions>();
  app.require_subcommand(1);
  const auto add_json = [&](CLI::App* command) {
    command->add_flag("--json", options->json, "print JSON");
  };
  CLI::App* command = add(app, options, context, action,
                          {"list", "recorded runs, newest first",
                           "perfgate baseline list --workload decode_8b --most 10", list});
  command->add_option("--workload", options->workload, "only of this workload")->type_name("NAME");
  command->add_option("--branch", options->branch, "only of this branch")->type_name("NAME");
  command->add_option("--most", options->most, "how many")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N")
      ->capture_default_str();
  add_json(command);
  command = add(app, options, context, action,
                {"show", "one run: provenance, metrics, pins, fingerprint",
                 "perfgate baseline show 17", show});
  add_run(*command, *options);
  add_json(command);
  command = add(app, options, context, action,
                {"accept", "write what failed into perfgate-accepts.yaml",
                 "perfgate baseline accept RUN_FOLDER --reason \"longer context\" \\\n"
                 "      --issue https://github.com/org/repo/issues/12 --owner @team \\\n"
                 "      --expires 2027-03-31",
                 accept});
  add_accept_options(*command, options->accept);
  add_pins(app, options, context, action);
  command =
      add(app, options, context, action,
          {"remove", "delete runs that were recorded by mistake",
           "perfgate baseline export all.jsonl && perfgate baseline remove 17 18", remove_runs});
  command->add_option("RUN", options->references, "row numbers, or starts of digests")
      ->required()
      ->type_name("");
  command->add_flag("--force", options->force, "also where a level begins or a pin is (it goes)");
  command = add(app, options, context, action,
                {"prune", "delete the oldest runs of each series, but pinned ones",
                 "perfgate baseline prune --keep 100", prune});
  command->add_option("--keep", options->keep, "newest runs kept")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N")
      ->capture_default_str();
  command = add(app, options, context, action,
                {"export", "write all runs as JSON lines", "perfgate baseline export runs.jsonl",
                 export_runs});
  command->add_option("FILE", options->path, "file to write (default: standard output)")
      ->type_name("");
  command->add_flag("--force", options->force, "replace a file that is there");
  command->add_flag("--snapshot", options->snapshot, "write a compact read-only copy of the store");
  command->add_option("--without", options->without, "leave out what this export, or folder, has")
      ->type_name("PATH");
  command =
      add(app, options, context, action,
          {"import", "add runs: of an export, or of a run folder",
           "perfgate baseline import .perfgate/runs/decode_8b-20261101T000000Z-17", import_runs});
  command->add_option("PATH", options->path, "exported file, or a run folder")
      ->required()
      ->type_name("");
}

}  // namespace perfgate::cli
