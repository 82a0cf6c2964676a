/// The report as GitHub renders it: a comment, a job summary, report.md. Pure.
///
/// First line: the verdict in words and the cause that matters; second: how sure. Then at most ten
/// changed rows, the facts of the step, what to do; everything else is folded. Never longer than
/// `kMarkdownLimit` bytes, below GitHub's limit of 65,536 characters for a comment: detail rows
/// give way first.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

inline constexpr std::size_t kMarkdownLimit = 60'000;

[[nodiscard]] std::string render_markdown(const RunResult& result);

}  // namespace perfgate::render
