/// What a pull request changes of what it is judged by: its workload files with their gates, and
/// the lines of perfgate-accepts.yaml, against those of the base branch.
///
/// Compared is what judged (the run folder's workload.yaml, the lines in its result.json) with what
/// lies in the base's tree; texts that mean the same are the same. Which file it is the result
/// says: it is taken for a path below the tree, or not at all.
#pragma once

#include <string>
#include <vector>

#include "reporters/render/comment.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// "step_time_p50 margin 1 % -> 5 %", "kernel_launches is no longer gated", "what is measured".
[[nodiscard]] std::vector<std::string> changed_gates(const WorkloadSpec& base,
                                                     const WorkloadSpec& head);

/// Of each result in `named`, run folders or their result.json; none where nothing is changed. What
/// cannot be compared is said as a change, too: nobody looked at it.
[[nodiscard]] std::vector<render::RuleChange> own_rules(const platform::FileSystem& files,
                                                        const std::vector<std::string>& named,
                                                        const std::string& base_tree);

}  // namespace perfgate::cli
