/// The facts of the first screen as sentences, shared by the reports. Pure.
#pragma once

#include <string>
#include <vector>

#include "reporters/render/breakdown.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// "4.600 ms (base 4.270 ms, +7.6 to +8.0 %); 8 processes, spread 0.05 %"; says so if there is no
/// step time.
[[nodiscard]] std::string step_line(const RunResult& result);
/// "3.57 ms (datasheet H200 SXM), 77.6 % of its speed reached; 3.73 ms (measured by calibrate),
/// 81.0 %; memory-bound, 17.2 GB at 3.73 TB/s"; or why there is none.
[[nodiscard]] std::string floor_line(const RunResult& result);
/// "valid; 3 traced processes, 0 dropped, traced / untraced 1.008"; or what is wrong with it.
[[nodiscard]] std::string capture_line(const RunResult& result);
/// Why the table of a step sums to more or less than the untraced step, from 5 % on; empty = it
/// does not.
[[nodiscard]] std::string trace_note(const RunResult& result, const Breakdown& breakdown);
/// "NVIDIA H200, driver 580.65.06, power limit 700 W"; what is unknown is left out.
[[nodiscard]] std::string machine_line(const RunResult& result);
/// "2 fail, 1 improved, 41 pass".
[[nodiscard]] std::string counts_line(const RunResult& result);
/// The last lines (at most `lines`) that the first failed process printed.
[[nodiscard]] std::vector<std::string> last_words(const RunResult& result, std::size_t lines);

}  // namespace perfgate::render
