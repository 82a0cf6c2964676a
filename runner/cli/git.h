/// What git says of the working folder: single questions, and the commits that this one grew from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/platform/environment.h"
#include "runner/platform/process.h"

namespace perfgate::cli {

/// At most so many ancestors are asked for; a baseline of older ones says little.
inline constexpr std::size_t kMostAncestors = 500;

/// Git's answer (the last 4 KiB of it); empty optional if git is not there or refuses.
[[nodiscard]] std::optional<std::string> ask_git(const platform::Environment& environment,
                                                 platform::ProcessRunner& processes,
                                                 std::vector<std::string> arguments);

struct Ancestry {
  std::vector<std::string> commits{};  ///< nearest first; empty = not known
  std::string note{};                  ///< why it is not known, and what helps; empty if it is
  bool is_cut = false;                 ///< the line goes on beyond `kMostAncestors`
  /// HEAD has commits that the branch does not: no run of HEAD is one of the branch. False too
  /// where the ancestors are not known.
  bool head_is_beyond = false;
};

/// The first-parent line from the merge base of HEAD and `branch` (origin's and the local one, as
/// far as there are any), that commit included: on the branch itself it begins at HEAD. Not known
/// without git or that branch, in a shallow clone, which is cut somewhere, and where git fails at
/// any of the questions: a part of the line is never taken for all of it.
[[nodiscard]] Ancestry find_ancestry(const platform::Environment& environment,
                                     platform::ProcessRunner& processes, const std::string& branch);

/// The first-parent line from a commit that somebody named, itself included. `note` and no commits
/// where git does not tell. Error `usage`: it is no SHA of 40 or 64 digits.
[[nodiscard]] Result<Ancestry> line_of_commit(const platform::Environment& environment,
                                              platform::ProcessRunner& processes,
                                              const std::string& commit);

}  // namespace perfgate::cli
