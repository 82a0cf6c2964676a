#include "tests/unit/render/rendered.h"

#include <algorithm>

#include "reporters/render/html/page.h"

namespace perfgate::render {

CommentContext comment_context(const RunResult& result) {
  CommentContext context{.run_url = "https://github.com/org/repo/actions/runs/42",
                         .attempt = 2,
                         .base_sha = "3f2a91c5d81e07aa52c1",
                         .head_sha = "9c41e07d2b6a5f3e8c1d"};
  context.settings = {"thresholds read from the pull request, which changes them"};
  context.history = {{.workload = result.workload_name,
                      .metric = "step_time_p50",
                      .values = {4.581, 4.584, 4.579, 4.586, 4.583, 4.590, 4.585, 4.584}}};
  const auto worse = [](const Comparison& row) {
    return row.outcome == Outcome::fail || row.outcome == Outcome::suspected;
  };
  if (std::ranges::any_of(result.comparisons, worse)) {
    context.accepts = {{.workload = result.workload_name,
                        .file = "workloads/perfgate-accepts.yaml",
                        .lines = "  - workload: decode_8b\n"
                                 "    metric: step_time_p50\n"
                                 "    ceiling: 5.594 ms\n"
                                 "    reason: WHY\n"
                                 "    issue: ADDRESS\n"
                                 "    owner: WHO\n"
                                 "    expires: YYYY-MM-DD\n"}};
  }
  return context;
}

std::string rendered(const ReportFormat& format, const RunResult& result) {
  static constexpr html::Assets kPlaceholders{.style = {"/* style */", "00"},
                                              .script = {"/* script */", "01"}};
  if (format.name == "html") return html::render_html(result, kPlaceholders);
  return format.render(result, TerminalStyle{}, comment_context(result));
}

}  // namespace perfgate::render
