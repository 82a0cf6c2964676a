/// Whether the GPU records of a closed window have all arrived. Pure.
///
/// The probe never waits for the GPU, so it must learn from the records themselves. Streams run in
/// order and correlation ids grow with the launches: once a stream has delivered a record of a
/// launch made after the close, all that was launched on it before has been delivered too. A stream
/// that is not used again cannot show this; the caller bounds the wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "runner/probe/record_parse.h"

namespace perfgate::probe {

class ArrivalTracker {
 public:
  void add(const ParsedBatch& batch);

  /// Largest correlation id among the launches, copies and memsets called before `closed_ns`; none
  /// seen: empty.
  [[nodiscard]] std::optional<std::uint32_t> last_correlation_before(std::int64_t closed_ns) const;
  [[nodiscard]] bool all_arrived(std::int64_t closed_ns) const;
  /// Kernels and graphs launched before `closed_ns` of which no record came, not even a lost one. A
  /// runtime call and the driver call inside it are one launch, as the record has the id of one of
  /// them (the analysis counts them so too: runner/analysis/launch_calls.h). 0 where a graph was
  /// built meanwhile: launches into a captured stream owe no record, and which
  /// ones they were is for the analysis to tell (runner/analysis/launch_check.cpp).
  [[nodiscard]] std::uint64_t missing_before(std::int64_t closed_ns) const;
  /// Lost records that belong to the window; all of them while it is open (`closed_ns` 0).
  [[nodiscard]] std::uint64_t lost_in_window(std::int64_t closed_ns) const;

 private:
  struct Launch {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t thread = 0;
    std::uint32_t correlation = 0;
    bool is_launch = false;  ///< of a kernel or graph; else a copy or memset
    bool succeeded = false;
  };
  struct Span {
    std::uint32_t first = UINT32_MAX;
    std::uint32_t last = 0;
  };
  using StreamKey =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // device, context, stream

  template <typename Record>
  void add_gpu(const std::vector<Record>& records);

  std::vector<Launch> launches_;
  std::map<StreamKey, Span> streams_;
  std::vector<std::uint32_t> arrived_;  ///< ids of GPU records, repeated ones in a row once
  std::vector<std::uint32_t> lost_;
  bool builds_graphs_ = false;
};

}  // namespace perfgate::probe
