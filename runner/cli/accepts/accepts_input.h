/// perfgate-accepts.yaml beside the workload files: found, read with what the catalogue of metrics
/// knows, and applied to a run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/accept.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/clock.h"
#include "runner/platform/files.h"
#include "workloads/spec/accepts_file.h"

namespace perfgate::cli {

/// "2026-11-30"
[[nodiscard]] std::string today_utc(const platform::Clock& clock);

/// True for a path whose last part is the name of the file of accepts.
[[nodiscard]] bool names_accepts(std::string_view path);
/// "workloads/perfgate-accepts.yaml" of "workloads/decode_8b.yaml".
[[nodiscard]] std::string accepts_beside(const std::string& workload_path);

/// Where a result's workload file lies: as it is named, from the current folder; else from the
/// folder that its run folder `.perfgate/runs/NAME` lies in, which is where `run` was called. The
/// run folder itself is never looked into: what lies there nobody reviewed. Empty = not found.
[[nodiscard]] std::string find_workload_file(const platform::FileSystem& files,
                                             const RunResult& result);

/// Joins the parser with the metric catalogue: ids and units. Without workloads: those of a folder
/// are asked for by `validate` alone (workloads_of).
[[nodiscard]] workloads::AcceptsOptions accepts_options(const std::string& today);

/// The workload files of a folder, whatever else is wrong with them.
[[nodiscard]] std::vector<workloads::KnownWorkload> workloads_of(const platform::FileSystem& files,
                                                                 const std::string& folder);

/// For each workload the lines on it of the file beside it; none where there is no file, or where
/// the workload has none itself. Errors: `invalid_config` for a file that is wrong in any line.
[[nodiscard]] Result<std::vector<std::vector<Accept>>> read_accepts(
    const platform::FileSystem& files, std::span<const WorkloadSpec> specs,
    const std::string& today);

/// gates::apply_accepts on the judged rows of a result; `accepted` says what became of the lines.
/// Those on the work were applied when it was judged (assess.h).
void apply_accepts(RunResult& result, std::span<const Accept> accepts, std::string_view today);

/// The lines of the file beside the result's workload file that came since it was judged: what
/// `gate` does, so that accepting needs no new measurement. A line that the result passed by
/// already stays as it is, and so do those on the work of a step, which `run` alone can apply.
/// Returns what a reader must know: of a FAIL or SUSPECTED whose workload file is not found from
/// here, that no file was read, and where it was looked for; else empty. Errors as read_accepts.
[[nodiscard]] Result<std::string> apply_accepts_since(const platform::FileSystem& files,
                                                      RunResult& result, const std::string& today);

}  // namespace perfgate::cli
