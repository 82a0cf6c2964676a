/// The setup functions that the catalogue's rows name; each is defined in its own NAME_command.cpp.
#pragma once

#include "runner/cli/command.h"

namespace perfgate::cli {

void setup_run(CLI::App& app, Context& context, Action& action);
void setup_ab(CLI::App& app, Context& context, Action& action);
void setup_validate(CLI::App& app, Context& context, Action& action);
void setup_schema(CLI::App& app, Context& context, Action& action);
void setup_init(CLI::App& app, Context& context, Action& action);
void setup_gate(CLI::App& app, Context& context, Action& action);
void setup_post(CLI::App& app, Context& context, Action& action);
void setup_report(CLI::App& app, Context& context, Action& action);
void setup_explain(CLI::App& app, Context& context, Action& action);
void setup_compare(CLI::App& app, Context& context, Action& action);
void setup_kernels(CLI::App& app, Context& context, Action& action);
void setup_analyze(CLI::App& app, Context& context, Action& action);
void setup_baseline(CLI::App& app, Context& context, Action& action);
void setup_trend(CLI::App& app, Context& context, Action& action);
void setup_drill(CLI::App& app, Context& context, Action& action);
void setup_calibrate(CLI::App& app, Context& context, Action& action);
void setup_doctor(CLI::App& app, Context& context, Action& action);
void setup_selftest(CLI::App& app, Context& context, Action& action);

}  // namespace perfgate::cli
