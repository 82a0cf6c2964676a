/// A result in a format, as the tests read it. See rendered().
#pragma once

#include <string>

#include "reporters/render/comment.h"
#include "reporters/render/reporter_catalog.h"

namespace perfgate::render {

/// What a pull request's comment knows beside this result: commits, addresses, history, and the
/// lines that would accept it.
[[nodiscard]] CommentContext comment_context(const RunResult& result);

/// As `format.render`, but a page without the style and the script that it is built with, which
/// are not ours to spell and have tests of their own (tests/web).
[[nodiscard]] std::string rendered(const ReportFormat& format, const RunResult& result);

}  // namespace perfgate::render
