/// Which commit of which repository is being judged, and where: from GitHub Actions' variables,
/// else from git.
#pragma once

#include <string>

#include "runner/model/run_result.h"
#include "runner/platform/clock.h"
#include "runner/platform/environment.h"
#include "runner/platform/process.h"

namespace perfgate::cli {

/// Empty texts where neither the environment nor git says. `series_branch` is left to the caller.
[[nodiscard]] RunIdentity form_identity(const platform::Environment& environment,
                                        platform::ProcessRunner& processes,
                                        const platform::Clock& clock);

/// The branch whose baseline counts: `--branch`, else GITHUB_BASE_REF, else "main".
[[nodiscard]] std::string baseline_branch(const platform::Environment& environment,
                                          const std::string& named);

/// True in a pull-request event, whose runs never record.
[[nodiscard]] bool is_pull_request(const platform::Environment& environment);

}  // namespace perfgate::cli
