/// The formats of `perfgate report --format`: one row each. Pure.
///
/// A new format: one file, one row here, one `expected.*` in every folder of tests/golden/reports.
/// Formats with the same extension say the same: the comment of several platforms.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reporters/render/comment.h"
#include "reporters/render/display_text.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

struct ReportFormat {
  std::string_view name;         ///< as typed: "md"
  std::string_view extension;    ///< of a file that holds it, without the first dot
  std::string_view description;  ///< one line, for --help
  /// `style` matters to "terminal" only, `context` to the comments, whose budget is the format's
  /// own.
  std::string (*render)(const RunResult& result, const TerminalStyle& style,
                        const CommentContext& context);
};

[[nodiscard]] std::span<const ReportFormat> report_formats();
/// Null for an unknown name.
[[nodiscard]] const ReportFormat* find_report_format(std::string_view name);

}  // namespace perfgate::render
