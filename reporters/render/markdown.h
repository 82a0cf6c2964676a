/// The report as GitHub renders it: a comment, a job summary, report.md. Pure.
///
/// A heading with the verdict in words, the cause that matters, how sure, what to do. Then at most
/// ten changed rows and the facts of the step; everything else is folded, and nothing stands twice.
/// Never longer than `kMarkdownLimit` bytes, below GitHub's limit of 65,536 characters for a
/// comment: detail rows give way first.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

inline constexpr std::size_t kMarkdownLimit = 60'000;

[[nodiscard]] std::string render_markdown(const RunResult& result);

}  // namespace perfgate::render
