/// Several results judged as one: what `gate` prints and `post` posts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/joint.h"
#include "reporters/render/joint.h"
#include "runner/cli/policy.h"
#include "runner/model/outcome.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// A result's part in the joint verdict.
struct GateRow {
  render::JointRow shown;
  std::string workload{};
  std::string reason{};  ///< the verdict's first
  std::vector<std::string> policies{};
  std::optional<Outcome> outcome{};  ///< empty: the result could not be read
  std::optional<Error> unreadable{};
  bool is_new = false;  ///< the branch has no run of this workload at all
  int code = kExitInvalid;
};

struct JointVerdict {
  std::vector<GateRow> rows{};  ///< the worst first; empty where nothing was named
  int code = kExitInvalid;      ///< of the worst
  /// The results that could be read, with what joining changed in them; `named` is where they were
  /// read, in the same order.
  std::vector<std::string> named{};
  std::vector<RunResult> results{};
  gates::JointWeighing weighing{};
  std::vector<std::string> warnings{};
};

/// A result that cannot be read is never green, and the others are judged all the same. One that is
/// named twice counts once, with a warning: it would weigh twice in the tests of all. Lines of
/// perfgate-accepts.yaml that came since a result was judged count; `today` as "2026-11-30".
[[nodiscard]] JointVerdict judge_jointly(const platform::FileSystem& files,
                                         const std::vector<std::string>& named,
                                         const PolicyOptions& policy, const std::string& today);
/// Each keeps the verdict of its own report, as `run` of several workloads has it.
[[nodiscard]] JointVerdict judge_each(const platform::FileSystem& files,
                                      const std::vector<std::string>& named,
                                      const PolicyOptions& policy);
/// What a result weighs among several: an exit code, and its outcome if it has one.
struct Weight {
  int code = kExitInvalid;
  std::optional<Outcome> outcome{};
};
/// True if `a` is worse: by the code as worst_exit_code has it, then by the outcome.
[[nodiscard]] bool is_worse(const Weight& a, const Weight& b);

/// A workload, by its name, that came to no result.
void add_failed(JointVerdict& joint, const std::string& named, const Error& error);

}  // namespace perfgate::cli
