// perfgate ab: two programs in one session, in pairs of fresh processes.
#include <memory>

#include <CLI/CLI.hpp>

#include "runner/cli/commands.h"
#include "runner/cli/run/run_workloads.h"

namespace perfgate::cli {

void setup_ab(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<RunOptions>();
  options->pairs = true;
  app.add_option("FILE", options->inputs, "workload files; they and their gates are the head's")
      ->required()
      ->type_name("");
  app.add_option("--base", options->base, "compared with: a tree like this one, or a command")
      ->required()
      ->type_name("DIR|CMD");
  app.add_option("--head", options->head, "likewise; default: the workload as it is")
      ->type_name("DIR|CMD");
  app.add_option("--out", options->out, "run folder (default .perfgate/runs/NAME-UTC-ID)")
      ->type_name("DIR");
  app.add_option("--gpu", options->gpu, "auto, an index, a UUID, or none")
      ->type_name("GPU")
      ->capture_default_str();
  app.add_option("--store", options->store, "where auto margins come from; nothing is recorded")
      ->type_name("FILE");
  app.add_option("--branch", options->branch, "of the runs in the store")->type_name("NAME");
  app.add_flag("--post", options->post, "comment and status, as perfgate post without options");
  app.add_flag("--json", options->json, "print result.json instead of the report");
  add_policy_options(app, options->policy);
  app.callback([&context, &action, options] {
    action = [options, &context] { return run_workloads(*options, context); };
  });
}

}  // namespace perfgate::cli
