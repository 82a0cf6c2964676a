/// The launch calls of one process.
///
/// A runtime call contains a driver call, and both may have a record: they are one launch. CUPTI
/// gives the GPU record the correlation id of one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/model/capture.h"

namespace perfgate::analysis {

/// Host time [start, end).
struct HostSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = kForever;

  [[nodiscard]] bool contains(std::int64_t ns) const { return ns >= start_ns && ns < end_ns; }
};

[[nodiscard]] constexpr bool is_launch(ApiClass api_class) {
  return api_class == ApiClass::kernel_launch || api_class == ApiClass::graph_launch;
}

/// Indices of the launch calls that start in a span, grouped: each call that lies in no other, then
/// those inside it. By thread, then time.
class LaunchCalls {
 public:
  LaunchCalls(const Capture& capture, const HostSpan& span);

  [[nodiscard]] std::size_t size() const { return first_.size(); }
  /// The outermost call first.
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t launch) const;

 private:
  std::vector<std::uint32_t> calls_;
  std::vector<std::uint32_t> first_;  ///< into calls_
};

}  // namespace perfgate::analysis
