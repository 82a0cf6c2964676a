/// Rows of the detail tables, as text, shared by the reports. Pure; nothing is escaped yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

using Row = std::vector<std::string>;

/// How much of a change a row tells where an interval is known.
enum class ChangeWords : std::uint8_t {
  whole,     ///< "+22.0 % (+21.8 to +22.2 %)"
  one_sign,  ///< "+22.0 (+21.8 to +22.2) %"
  interval,  ///< "+21.8 to +22.2 %": both values stand beside it
};

/// {metric, baseline, now, change with interval, verdict}; "none" where there is no figure.
[[nodiscard]] Row compared_row(const Comparison& row, ChangeWords words = ChangeWords::whole);
/// Every comparison, worst outcome first, then by falling size of the change.
[[nodiscard]] std::vector<const Comparison*> by_weight(const RunResult& result);
/// Rows that a reader must see: not passed, improved, or changed beyond their margin.
[[nodiscard]] bool is_notable(const Comparison& row);

/// {cause, per step, gaps per step, before, after, host range}; one row for a pair of kernels, none
/// for less than 1 % of the idle time.
[[nodiscard]] std::vector<Row> gap_rows(const DeviceWindow& device, std::size_t most);
/// {kernel, family, per step, calls per step, median}, and where two rows have the same name
/// {blocks x threads}.
[[nodiscard]] std::vector<Row> kernel_rows(const DeviceWindow& device, std::size_t most);
/// "1056 x 384": blocks and threads of a launch.
[[nodiscard]] std::string launch_shape(const KernelStat& kernel);
/// Kernels of different streams, or chained by programmatic launch, ran at the same time.
[[nodiscard]] bool kernels_overlap(const DeviceWindow& device);
inline constexpr std::string_view kOverlapNote =
    "kernels overlap, so their times sum to more than the families' times";
/// {range, instances per step, GPU time per step, operations per step}
[[nodiscard]] std::vector<Row> range_rows(const DeviceWindow& device, std::size_t most);
/// {role, number, ok, median of the medians, steps each}
[[nodiscard]] std::vector<Row> process_rows(const RunResult& result);
/// {what, baseline, now}: what differs between the machines and programs. A changed workload file
/// has no row: its digests tell nothing.
[[nodiscard]] std::vector<Row> changed_rows(const RunResult& result);
/// False: no comparison has a baseline's figure, and a table needs no columns for it.
[[nodiscard]] bool has_base(const RunResult& result);
/// Reasons of the verdict, baseline, notes of the measurement, the workload's owner,
/// identity of the run: one line each.
[[nodiscard]] std::vector<std::string> note_lines(const RunResult& result);

}  // namespace perfgate::render
