/// `perfgate analyze --timeline FILE`: traced runs as trace-event JSON on disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runner/analysis/trace_events.h"
#include "runner/cli/analyze/traced_input.h"
#include "runner/model/result.h"
#include "runner/platform/interrupt.h"

namespace perfgate::cli {

/// Beyond that a browser's viewer gives up, by what its users report.
inline constexpr std::int64_t kMostViewerBytes = 500'000'000;

struct WrittenTimeline {
  analysis::TraceTotals totals;
  std::int64_t bytes = 0;
};

/// One run, or two: base and head, side by side. Streamed: the file is there whole or not at all.
/// Errors: `usage` for a path that is an input's, a capture's or of a named run's own files, `io`,
/// `interrupted`, a user's family rule, nothing to show.
[[nodiscard]] Result<WrittenTimeline> write_timeline(std::span<const LoadedTrace> runs,
                                                     const std::string& path,
                                                     const platform::Cancellation& cancellation);

}  // namespace perfgate::cli
