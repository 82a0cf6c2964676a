#include "runner/cli/command.h"
#include "runner/cli/console.h"
#include "runner/cli/installation.h"

int main(int argc, char** argv) {
  perfgate::cli::ignore_write_signals();
  perfgate::cli::Context context{perfgate::cli::detect_console(),
                                 perfgate::cli::find_installation()};
  return perfgate::cli::run_command_line(argc, argv, context);
}
