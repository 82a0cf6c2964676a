// perfgate drill: the gate of this machine, tried on slowdowns of known size and on none.
#include <memory>

#include <CLI/CLI.hpp>

#include "runner/cli/commands.h"
#include "runner/cli/drill/drill.h"

namespace perfgate::cli {

void setup_drill(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<DrillOptions>();
  app.add_option("FILE", options->file, "workload file; its gates judge")
      ->required()
      ->type_name("");
  app.add_option("--size", options->size, "the slowdown, of the step time")
      ->type_name("PERCENT")
      ->capture_default_str();
  app.add_option("--runs", options->runs, "of two trials each: the same program, a slower one")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--gpu", options->gpu, "auto, an index, a UUID, or none")
      ->type_name("GPU")
      ->capture_default_str();
  app.add_option("--store", options->store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
      ->type_name("PATH");
  app.add_flag("--show", options->show, "rates of all drills in the store; nothing is measured");
  app.add_flag("--json", options->json, "as JSON instead of a table");
  app.callback([&context, &action, options] {
    action = [options, &context] { return drill(*options, context); };
  });
}

}  // namespace perfgate::cli
