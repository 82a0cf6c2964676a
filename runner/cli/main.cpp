#include <new>

#include "runner/cli/command.h"
#include "runner/cli/console.h"
#include "runner/cli/installation.h"
#include "runner/model/outcome.h"
#include "runner/platform/standard_streams.h"

int main(int argc, char** argv) {
  perfgate::platform::hold_standard_streams();
  perfgate::cli::ignore_write_signals();
  perfgate::cli::Context context{perfgate::cli::detect_console(),
                                 perfgate::cli::find_installation()};
  try {
    return perfgate::cli::run_command_line(argc, argv, context);
  } catch (const std::bad_alloc&) {
    perfgate::cli::print_error(context.console, {.code = perfgate::ErrorCode::unavailable,
                                                 .message = "out of memory",
                                                 .hint = "look for a file or an output that is far "
                                                         "larger than it should be",
                                                 .context = {}});
    return perfgate::kExitInvalid;
  }
}
