/// perfgate-accepts.yaml -> accepted regressions. It lies beside the workload files, one for all of
/// a folder. Pure; diagnostics as those of workload files, all at once.
///
///     perfgate_accepts: 1
///     accepts:
///       - workload: decode_8b
///         metric: step_time_p50
///         ceiling: 4.62 ms         # the worst value that is accepted
///         reason: longer context for the new tokenizer
///         issue: https://github.com/org/repo/issues/12
///         owner: "@inference-team"
///         expires: 2027-03-31      # the last day that it holds
///
/// Two words stand for what no gate asks for: `metric: work/tokens` accepts fewer tokens a step,
/// its ceiling being the fewest; `metric: work/output` an improvement with another output, without
/// a ceiling. All other keys are required. Refused beside what the key table forbids: a day that no
/// calendar has, a ceiling in another unit than the metric's, two lines for one metric of a
/// workload, texts of several lines or of more than 500 characters.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/accept.h"
#include "runner/model/result.h"
#include "workloads/spec/diagnostic.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {

inline constexpr std::string_view kAcceptsFileName = "perfgate-accepts.yaml";

/// "work/tokens", "work/output".
[[nodiscard]] bool accepts_work(std::string_view metric);

/// "https://host/..." or "http://...": somebody has to find the discussion a year later.
[[nodiscard]] bool is_address(std::string_view text);

/// Of a metric that exists: its unit as MetricValue has it; nothing where nobody knows it before a
/// run.
using MetricUnitOf = std::function<std::optional<std::string>(std::string_view id)>;

/// A workload that lines may speak of.
struct KnownWorkload {
  std::string name;
  std::vector<std::string> gated;  ///< its gates' metrics; empty = its file could not be read whole
};

struct AcceptsOptions {
  MetricCheck metric_check{};
  MetricUnitOf metric_unit{};
  std::optional<std::vector<KnownWorkload>> workloads{};  ///< empty: any name may stand
  std::string today_utc{};  ///< "2026-11-30": warns of what is over or far away; empty: does not
};

struct CheckedAccepts {
  std::vector<Accept> accepts;  ///< all of them if and only if there are no errors
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
};
[[nodiscard]] CheckedAccepts check_accepts(std::string_view text, const AcceptsOptions& options);

/// The same as a Result; errors as parse_workload's.
[[nodiscard]] Result<std::vector<Accept>> parse_accepts(std::string_view text,
                                                        std::string_view path,
                                                        const AcceptsOptions& options);

/// Of any text: the value of its top-level `name`, though the rest be wrong; empty if it has none.
[[nodiscard]] std::string workload_name_in(std::string_view text);

}  // namespace perfgate::workloads
