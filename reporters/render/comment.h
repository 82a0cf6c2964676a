/// The comment below a pull request, and the same for other CI systems: GitLab's note, Buildkite's
/// annotation. One text for several results, in the order they are given. Pure.
///
/// The first two lines stand alone, as mails show them: the verdict in words with the one cause
/// that matters, and how sure that is. Then who does what next, where the change went, at most ten
/// changed rows; everything else is folded. Results that pass have a line each beside others that
/// do not. Texts from outside are inert on all three (markdown_escape.h).
///
/// What RunResult lacks comes with the context; what is empty there is not mentioned. The marker by
/// which a later run finds its comment is the poster's: the budget leaves room for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/joint.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// A metric's earlier runs on the base branch, oldest first.
struct HistoryPoints {
  std::string workload;
  std::string metric;
  std::vector<double> values;  ///< in the metric's unit
};

/// What would accept a workload's regressions (runner/cli/accepts): entries of
/// perfgate-accepts.yaml with reason, issue, owner and last day to be filled in.
struct ProposedAccepts {
  std::string workload;
  std::string file;   ///< "workloads/perfgate-accepts.yaml"
  std::string lines;  ///< without the file's own beginning
};

enum class Platform : std::uint8_t { github, gitlab, buildkite };
/// Bytes, below what the platform takes, with a kilobyte for the marker. GitHub counts 65,536
/// characters and GitLab 1,000,000; a byte is never less than one. Buildkite counts 1 MiB.
[[nodiscard]] constexpr std::size_t comment_limit(Platform platform) {
  return platform == Platform::github ? 64'000 : 900'000;
}

enum class WorstOf : std::uint8_t { unreadable, results };

struct CommentContext {
  std::size_t budget = comment_limit(Platform::github);  ///< the comment has at most as many bytes
  std::string run_url{};  ///< of the CI run; an address that is not http(s) is left out
  int attempt = 0;        ///< of the CI run; 0 = as each result has it
  std::string base_sha{};
  std::string head_sha{};
  /// What the reader must know of how it was judged, a sentence each: "thresholds read from the
  /// pull request", "decode_8b fails in its own report and is suspected here: ...".
  std::vector<std::string> settings{};
  std::vector<HistoryPoints> history{};
  std::vector<ProposedAccepts> accepts{};
  /// Results that should be there and could not be read, and whether one of them is worse than
  /// the first of the others: the comment opens with it.
  std::vector<JointRow> unreadable{};
  WorstOf worst = WorstOf::unreadable;
};

/// `results`: the worst first, as the commit's status has them.
///
/// At most `context.budget` bytes (16,000 at least), valid UTF-8, each line ended. What does not
/// fit is left out by whole rows, the regressions' last, and the last line says so.
[[nodiscard]] std::string render_comment(std::span<const RunResult> results,
                                         const CommentContext& context);

}  // namespace perfgate::render
