/// perfgate calibrate --noise: A/A runs of workloads, kept in the store, and the SD from run to run
/// that follows from all occasions.
///
/// Pairs of `perfgate ab` whose GPU work is equal (Ledger::work) are no occasions here, for two
/// reasons. Equal code and launches are no equal work: the arguments are not seen, and a context of
/// twice the length would count as noise of 11 % (runner/model/ledger.h). And the arms of a session
/// take turns process by process, so that what drifts meanwhile is in both alike, while runs follow
/// one another: the spread within occasions (gates/noise.h) would come out too small.
#pragma once

#include <string>
#include <vector>

#include "runner/cli/command.h"

namespace perfgate::cli {

struct NoiseOptions {
  std::vector<std::string> files{};
  int runs = 8;
  bool traced = false;  ///< traced processes too: costs time, calibrates families and gaps
  bool show = false;    ///< measure nothing
  bool json = false;
  std::string gpu = "auto";
  std::string store{};
};

/// One call is one occasion of every file. Each run is kept the moment it ended, so that an
/// interrupted occasion is a shorter one. Returns the exit code; errors are printed.
[[nodiscard]] int calibrate_noise(const NoiseOptions& options, Context& context);

}  // namespace perfgate::cli
