/// The results file: how a workload hands its untraced step times over. JSON lines, written after
/// the loop.
///
///   {"perfgate_results":1,"clock":"CLOCK_REALTIME","boundary":"device"}
///   {"block":{"start_ns":1760000000000000000,"end_ns":1760000000854000000}}
///   {"step":0,"ms":4.27}                                   one line a step, rising
///   {"work":{"tokens":16,"weights_bytes":15009000000,"kv_bytes":2147483648,"flops":2.4e11,"output_hash":"9f.."}}
///   {"metric":"ttft_ms","value":12.5,"unit":"ms","better":"lower"}
///   {"end":true,"steps":200}                               without it the file is cut
///
/// "boundary" is optional: "host" (the default) or "device" (marks on the GPU's clock).
/// Both ends of the block follow a wait for the GPU. Marks of the host must sum up to it within 2
/// %; else they are no step times, and the mean over the block is judged
/// (runner/measure/samples.h). All untraced processes of a run report the same work. The output
/// hash covers the measured steps.
///
/// Lines of other kinds and unknown keys are ignored, so that a later writer may say more. Blank
/// lines and CRLF are accepted. A line has at most 64 KiB. At least one step, at most one work
/// line, each metric once.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/model/timing.h"

namespace perfgate::results {

/// A step of more than a week is none: processes are stopped before. Nor is one below 1 ns, what
/// the clocks tell apart.
inline constexpr double kLongestStepMs = 7.0 * 24 * 3600 * 1000;
inline constexpr double kShortestStepMs = 1e-6;
/// Steps of the device's clock lie in the block, so they sum up to no more, but for the clocks'
/// difference.
inline constexpr double kDeviceSumTolerance = 0.02;
/// Of any other figure: beyond, sums and ratios leave a double's range.
inline constexpr double kLargestFigure = 1e24;

/// The whole file. Pure; the caller writes it (to a temporary name, then renames). A value that is
/// not finite is written as null, which `read_results` refuses.
[[nodiscard]] std::string write_results(const ProcessResults& results);

/// Errors (`invalid_measurement`, each naming the line): not JSON, another schema version, no
/// block, block not after a synchronisation (end <= start), NaN, infinite, zero or negative step, a
/// step below 1 ns, device steps that sum up to more than the block, figures beyond the limits
/// above, steps not rising by one from 0, end line missing (cut file), or a step count that differs
/// from the end line's. Also: wrong types, integers beyond 64 bits, bytes that are not UTF-8,
/// another clock, a negative amount of work, a kind of line given twice, a key twice in one object,
/// anything known after the end line.
[[nodiscard]] Result<ProcessResults> read_results(std::string_view text);

}  // namespace perfgate::results
