// perfgate run: measure (or replay), judge, report, exit with the verdict.
#include <memory>

#include <CLI/CLI.hpp>

#include "runner/cli/commands.h"
#include "runner/cli/run/run_workloads.h"

namespace perfgate::cli {

void setup_run(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("FILE", options->inputs, "workload files; or, after --, a command to run")
      ->required()
      ->type_name("");
  app.add_option("--range", options->range, "with a command: NVTX range (glob) that is one step")
      ->type_name("GLOB");
  app.add_option("--out", options->out, "run folder (default .perfgate/runs/NAME-UTC-ID)")
      ->type_name("DIR");
  app.add_option("--gpu", options->gpu, "auto, an index, a UUID, or none")
      ->type_name("GPU")
      ->capture_default_str();
  app.add_option("--store", options->store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
      ->type_name("FILE");
  app.add_option("--branch", options->branch, "the baseline's (the pull request's base, else main)")
      ->type_name("NAME");
  app.add_option("--base", options->base, "confirm against this tree or command, side by side")
      ->type_name("DIR|CMD");
  app.add_flag("--record", options->record, "store this run as a point of the baseline");
  app.add_option("--replay", options->replay, "judge a recorded run: its folder, or auto")
      ->type_name("DIR");
  app.add_option("--ancestor", options->ancestor,
                 "a replay's: stored runs of it and older ones alone")
      ->type_name("SHA");
  app.add_flag("--post", options->post, "comment and status, as perfgate post without options");
  app.add_flag("--json", options->json, "print result.json instead of the report");
  add_policy_options(app, options->policy);
  app.callback([&context, &action, options] {
    options->is_command = context.after_dashes.has_value();
    action = [options, &context] { return run_workloads(*options, context); };
  });
}

}  // namespace perfgate::cli
