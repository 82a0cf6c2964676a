/// perfgate drill: does the gate on this machine find what it says it finds, and does it leave
/// alone what did not change? A known slowdown, or nothing, is planted into one side of two runs of
/// the same program; the gate judges them as `perfgate ab` does and is told nothing; then it is
/// said which was which, and kept in the store.
#pragma once

#include <string>

#include "runner/cli/command.h"

namespace perfgate::cli {

struct DrillOptions {
  std::string file{};
  std::string size = "1%";
  int runs = 1;       ///< of two trials each
  bool show = false;  ///< measure nothing
  bool json = false;
  std::string gpu = "auto";
  std::string store{};
};

/// Measures the step first, and for a command once more with a step's length of delay: where its
/// own clock does not see that, nothing is drilled (`invalid_measurement`), since every trial would
/// be missed. Each trial is kept the moment it was judged, so that an interrupted drill is a
/// shorter one. Returns the exit code, the worst of exit_code(TrialVerdict); errors are printed.
[[nodiscard]] int drill(const DrillOptions& options, Context& context);

}  // namespace perfgate::cli
