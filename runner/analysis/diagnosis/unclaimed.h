/// The change of a step that no cause has claimed yet: what the rules look at. Pure.
///
/// Rules are asked one after the other, the most specific first. What a rule explains is its Part:
/// kernels, and milliseconds of rows. It is taken out before the next rule is asked, so that no
/// millisecond is explained twice, and a generic rule sees only what the specific ones left.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/model/analysis.h"
#include "runner/model/ledger.h"
#include "runner/model/timing.h"

namespace perfgate::analysis {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

/// A kernel of the ledger and the rows that its two sides are charged to (kNoRow = that side does
/// not have it).
struct UnclaimedKernel {
  KernelChange change;
  std::size_t base_row = kNoRow;
  std::size_t head_row = kNoRow;
  bool taken = false;
};

struct Unclaimed {
  const Ledger& ledger;
  const Analysis* head = nullptr;
  std::optional<WorkDone> base_work{};
  std::optional<WorkDone> head_work{};
  /// Less than this explains nothing: 0.1 % of the step, at least 5 us.
  double floor_ms = 0.0;
  std::vector<UnclaimedKernel> kernels{};
  std::vector<double> left_ms{};  ///< per row of the ledger; kernels not taken included
  /// Of the ledger; their time is some cause's already.
  std::set<const GapChange*> taken_gaps{};
};

/// Kernels that are gone from one family and added to another at one place, with the same calls and
/// time, were renamed: they become one, `replaced`.
[[nodiscard]] Unclaimed unclaimed_of(const DiagnosisInput& input);

/// What one cause explains.
struct Part {
  std::set<std::size_t> kernels{};       ///< indices into Unclaimed::kernels
  std::map<std::size_t, double> rows{};  ///< per row, beside those kernels
  std::set<const GapChange*> gaps{};     ///< whose time is among that of the rows
};
[[nodiscard]] double ms_of(const Unclaimed& unclaimed, const Part& part);
/// Not below the floor, and beyond the joint noise of the rows that it is part of: beyond twice
/// that where the untraced step is not shown to be slower, as many rows are looked at. A row
/// without an interval has unknown noise: false.
[[nodiscard]] bool matters(const Unclaimed& unclaimed, const Part& part);
void take(Unclaimed& unclaimed, const Part& part);

/// A cause and what it explains; `rule` and `explains_ms` are filled in by diagnose(), which lowers
/// `confidence` where the ledger is not established.
struct Finding {
  Diagnosis diagnosis;
  Part part;
};

struct CountChange {
  double base = 0.0;
  double head = 0.0;

  [[nodiscard]] double rise() const { return head - base; }
};
/// Null where a side does not know the count. A side that has counted calls of some class
/// ("calls/...") has made none of the classes that it does not name.
[[nodiscard]] std::optional<CountChange> count_of(const Unclaimed& unclaimed,
                                                  std::string_view name);
/// 0 where it is unknown.
[[nodiscard]] double rise_of(const Unclaimed& unclaimed, std::string_view name);
/// Half of the graph launches or more are gone, and single launches came instead. Where a side does
/// not know its graph launches: many kernels a launch call in the base, few in the head.
[[nodiscard]] bool graphs_fell(const Unclaimed& unclaimed);
/// Head over base of the tokens that a step was said to make; empty = unknown, or as many.
[[nodiscard]] std::optional<double> other_tokens(const Unclaimed& unclaimed);
/// The untraced step is slower beyond its noise: without this, times alone are no evidence.
[[nodiscard]] bool step_is_slower(const Unclaimed& unclaimed);

/// kNoRow = the ledger has no such row.
[[nodiscard]] std::size_t row_of(const Unclaimed& unclaimed, LedgerPart part,
                                 std::string_view name);

/// Another kernel, launch, code or number of calls: more than the same work in another time.
[[nodiscard]] bool work_differs(const KernelChange& kernel);
/// What is left of a family's row without the kernels whose work differs.
[[nodiscard]] double same_work_ms(const Unclaimed& unclaimed, std::size_t row);

/// That of all families in which it is beyond the noise, rises and falls.
[[nodiscard]] Part same_work_part(const Unclaimed& unclaimed);

/// Indices of the kernels that are not taken and that `wanted` accepts.
[[nodiscard]] std::set<std::size_t> kernels_where(
    const Unclaimed& unclaimed, const std::function<bool(const KernelChange&)>& wanted);

}  // namespace perfgate::analysis
