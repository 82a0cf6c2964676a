/// What a joint verdict is in a comment, a commit status and a step's summary.
#pragma once

#include <string>
#include <vector>

#include "reporters/post/post.h"
#include "reporters/post/report.h"
#include "reporters/render/comment.h"
#include "runner/cli/joint_verdict.h"

namespace perfgate::cli {

/// Whether it blocks: a FAIL and what was not judged do (unless a policy decided), a workload that
/// is new (GateRow::is_new) passes, the rest is an error.
[[nodiscard]] post::State state_of(const JointVerdict& joint);

/// "FAIL: decode_8b is 2.6 % slower than baseline b04458b221", "NOT JUDGED (suspected): ...",
/// "NEW: ..."; of several "FAIL, 1 fail, 2 pass: ..." of the worst.
[[nodiscard]] std::string description_of(const JointVerdict& joint);

/// The comment is render_comment's, with the verdict's part of `context` filled in here; the
/// summary goes on with the whole report of each result. `key`: empty = the workloads' names,
/// without those of results that could not be read. `joint` has at least one row.
[[nodiscard]] post::Report report_of(const JointVerdict& joint, const std::string& key,
                                     const render::CommentContext& context = {});

/// The last line of a posting: "posted in 2.02 s"; where something that should be there is not,
/// "posted in part ..." or "nothing was posted ...". With a line break.
[[nodiscard]] std::string posting_words(const post::PostOutcome& outcome, double seconds);

}  // namespace perfgate::cli
