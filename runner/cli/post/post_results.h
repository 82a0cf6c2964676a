/// `--post` of run, ab and gate, and what `post` does: a joint verdict on its way to GitHub.
#pragma once

#include <cstdint>
#include <string>

#include "runner/cli/command.h"
#include "runner/cli/joint_verdict.h"

namespace perfgate::cli {

/// As the command line says it; empty = from the environment and its event.
struct PostFlags {
  std::string repository{};
  std::int64_t pull_request = 0;  ///< 0 = not named
  std::string sha{};
  std::string api_url{};
  std::string author{};
  std::string key{};
  std::string context{};
  bool no_comment = false;
  bool no_status = false;
  bool check = false;
  bool require_report = false;
  bool quiet = false;  ///< nothing on standard output, which is a JSON document's
  double pause_s = 1.0;
  double patience_s = 120.0;
};

/// Posts, and writes the step's summary and outputs, which are written also where posting fails.
/// What could not be posted is a warning. Returns the exit code, which the outputs have too:
/// `code`, the verdict's; with `require_report` and something missing the worse of it and 4; 130
/// after Ctrl-C while posting.
[[nodiscard]] int post_verdict(JointVerdict joint, int code, const PostFlags& flags,
                               const Context& context);

}  // namespace perfgate::cli
