/// The columns of each record kind, in file order. Append at the end only: the order is the format.
/// Internal.
#pragma once

#include "runner/capture/block.h"
#include "runner/capture/columns.h"
#include "runner/model/capture.h"

namespace perfgate::capture {

/// For each record type: its block kind, its columns and its place in a Capture.
template <typename Record>
struct Schema;

template <>
struct Schema<KernelRecord> {
  static constexpr BlockKind kKind = BlockKind::kernels;
  static constexpr auto kPlace = &Capture::kernels;
  using R = KernelRecord;
  using Columns = columns::Layout<
      columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
      columns::Number<&R::graph_node>, columns::Number<&R::code_hash>, columns::Text<&R::name>,
      columns::Number<&R::device>, columns::Number<&R::context>, columns::Number<&R::stream>,
      columns::Number<&R::correlation>, columns::Number<&R::graph>, columns::Element<&R::grid, 0>,
      columns::Element<&R::grid, 1>, columns::Element<&R::grid, 2>, columns::Element<&R::block, 0>,
      columns::Element<&R::block, 1>, columns::Element<&R::block, 2>,
      columns::Element<&R::cluster, 0>, columns::Element<&R::cluster, 1>,
      columns::Element<&R::cluster, 2>, columns::Number<&R::registers_per_thread>,
      columns::Number<&R::static_shared_bytes>, columns::Number<&R::dynamic_shared_bytes>>;
};

template <>
struct Schema<CopyRecord> {
  static constexpr BlockKind kKind = BlockKind::copies;
  static constexpr auto kPlace = &Capture::copies;
  using R = CopyRecord;
  using Columns =
      columns::Layout<columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                      columns::Number<&R::bytes>, columns::Number<&R::graph_node>,
                      columns::Number<&R::device>, columns::Number<&R::context>,
                      columns::Number<&R::stream>, columns::Number<&R::correlation>,
                      columns::Number<&R::graph>, columns::Word<&R::kind, CopyKind::peer_to_peer>>;
};

template <>
struct Schema<MemsetRecord> {
  static constexpr BlockKind kKind = BlockKind::memsets;
  static constexpr auto kPlace = &Capture::memsets;
  using R = MemsetRecord;
  using Columns =
      columns::Layout<columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                      columns::Number<&R::bytes>, columns::Number<&R::graph_node>,
                      columns::Number<&R::device>, columns::Number<&R::context>,
                      columns::Number<&R::stream>, columns::Number<&R::correlation>,
                      columns::Number<&R::graph>>;
};

template <>
struct Schema<ApiRecord> {
  static constexpr BlockKind kKind = BlockKind::api_calls;
  static constexpr auto kPlace = &Capture::api_calls;
  using R = ApiRecord;
  using Columns =
      columns::Layout<columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                      columns::Text<&R::name>, columns::Number<&R::thread>,
                      columns::Number<&R::correlation>, columns::Number<&R::result>,
                      columns::Word<&R::api_class, ApiClass::graph_build>>;
};

template <>
struct Schema<OverheadRecord> {
  static constexpr BlockKind kKind = BlockKind::overheads;
  static constexpr auto kPlace = &Capture::overheads;
  using R = OverheadRecord;
  using Columns =
      columns::Layout<columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                      columns::Text<&R::kind>, columns::Number<&R::thread>>;
};

template <>
struct Schema<NvtxRange> {
  static constexpr BlockKind kKind = BlockKind::ranges;
  static constexpr auto kPlace = &Capture::ranges;
  using R = NvtxRange;
  using Columns =
      columns::Layout<columns::Number<&R::start_ns>, columns::Elapsed<&R::end_ns, &R::start_ns>,
                      columns::Text<&R::name>, columns::Text<&R::domain>,
                      columns::Number<&R::thread>, columns::Number<&R::is_push_pop>>;
};

template <>
struct Schema<GraphNodeRecord> {
  static constexpr BlockKind kKind = BlockKind::graph_nodes;
  static constexpr auto kPlace = &Capture::graph_nodes;
  using R = GraphNodeRecord;
  using Columns = columns::Layout<columns::Number<&R::node>, columns::Number<&R::original_node>,
                                  columns::Number<&R::graph>, columns::Text<&R::nvtx_path>,
                                  columns::Word<&R::kind, GraphNodeKind::memset>>;
};

template <>
struct Schema<ClockPair> {
  static constexpr BlockKind kKind = BlockKind::clocks;
  static constexpr auto kPlace = &Capture::clocks;
  using R = ClockPair;
  using Columns = columns::Layout<columns::Number<&R::realtime_ns>,
                                  columns::Number<&R::monotonic_ns>, columns::Number<&R::cupti_ns>>;
};

template <>
struct Schema<CaptureWindow> {
  static constexpr BlockKind kKind = BlockKind::windows;
  static constexpr auto kPlace = &Capture::windows;
  using R = CaptureWindow;
  using Columns = columns::Layout<columns::Number<&R::opened_ns>, columns::Number<&R::closed_ns>,
                                  columns::Text<&R::opened_by>>;
};

}  // namespace perfgate::capture
