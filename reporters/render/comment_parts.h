/// One result's part of the comment. Pure. Internal to the folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/comment.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

enum class CommentRoom : std::uint8_t {
  whole,  ///< five rows of the ledger, ten changed metrics
  less,   ///< no ledger, three changed metrics
  line,   ///< an item of a list
};

/// "decode_8b is 22.0 % slower than baseline 3f2a91c5d8: CUDA graphs are off (certain)".
[[nodiscard]] std::string comment_title(const RunResult& result);
/// "How sure: 95 % interval ...; on one NVIDIA H200; controls +0.01 %; attempt 1", a line.
[[nodiscard]] std::string comment_certainty(const RunResult& result, const CommentContext& context);
/// "- **FAIL** decode_8b is ...", a line.
[[nodiscard]] std::string comment_item(const RunResult& result);
/// An item: what the title has not said of the cause; may be empty.
[[nodiscard]] std::string comment_why(const RunResult& result);
/// An item: who does what next.
[[nodiscard]] std::string comment_next(const RunResult& result, const CommentContext& context);
/// What stands in the open below that: ledger, changed metrics, counts, history.
[[nodiscard]] std::string comment_open(const RunResult& result, CommentRoom room);

struct CommentFold {
  std::string_view title;
  std::string body;
  bool whole = false;  ///< makes sense as a whole only; else it may be cut between its rows
};
/// The most telling first; none with an empty body.
[[nodiscard]] std::vector<CommentFold> comment_folds(const RunResult& result,
                                                     const CommentContext& context);

/// "[text](url)"; only the text for what is no address of a page.
[[nodiscard]] std::string comment_link(std::string_view text, std::string_view url);

}  // namespace perfgate::render
