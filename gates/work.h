/// Less work is not faster: the work lines of the head and of what it is compared with. Pure.
///
/// | the head beside the base    | what happens, and why                                        |
/// | --------------------------- | ------------------------------------------------------------ |
/// | fewer tokens a step         | each row is invalid, unless it breaks its own max or min: a  |
/// |                             | pass that did half the work is no pass                       |
/// | another output, row better  | the row is invalid, not improved: the program computes       |
/// |                             | something else, which says nothing about the old step        |
/// | another output, none better | a note: libraries may round otherwise; people say if it is   |
/// |                             | meant                                                        |
/// | fewer bytes or operations   | a note: with as many tokens that is the improvement itself   |
/// |                             | (quantization, sparsity)                                     |
/// | more of anything            | a note, and rows that are worse say so: slower with twice    |
/// |                             | the tokens has a reason, and stays for people to judge       |
/// | no tokens, no output told   | a note where the base told them, so that nobody overlooks it |
///
/// What the base does not tell is not compared. Of the store's runs the newest that tells a figure
/// counts; two runs of one commit that gave different outputs show that the output is not
/// reproducible, and it is not compared. Only runs of one environment are compared (another GPU
/// model or driver may round otherwise), since others are no baseline. Invalid ones can be accepted
/// (`accept_work`); then they are notes.
///
/// Codes of rows: less_work, other_output. Of notes: more_work, other_work, output_changed,
/// work_unknown, output_unstable, work_accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gates/decision.h"
#include "runner/model/accept.h"
#include "runner/model/comparison.h"
#include "runner/model/work.h"

namespace perfgate::gates {

enum class WorkEffect : std::uint8_t {
  note,
  note_on_worse,       ///< and in the reason of each row that is worse
  voids_improvements,  ///< no row that is better stays so
  voids_all,
};

/// One figure that differs.
struct WorkChange {
  std::string what;              ///< "tokens", "weights_bytes", "kv_bytes", "flops", "output"
  std::optional<double> base{};  ///< of numbers
  std::optional<double> head{};
  WorkEffect effect = WorkEffect::note;
  Reason reason{};  ///< of the note, or of the rows that it makes invalid
};

/// What the store says about the work of its newest run. `runs`: newest first.
struct StoreWork {
  WorkDone work{};
  /// Two runs of one commit gave different outputs: "8d71 and 90ab of commit 3f2a91c".
  std::string unstable_output{};
};
[[nodiscard]] StoreWork work_of_store(std::span<const BaselineWork> runs);

/// In the order of WorkChange::what; empty: nothing differs, or the base tells nothing.
[[nodiscard]] std::vector<WorkChange> compare_work(const StoreWork& base, const WorkDone& head,
                                                   Against against);

/// The lines on work/tokens and work/output: what one accepts becomes a note (work_accepted).
/// `exceeded`: fewer tokens than the line's ceiling. Lines on metrics are passed over, and so is a
/// line where the base tells nothing to compare with (`base`).
[[nodiscard]] std::vector<AcceptUse> accept_work(std::vector<WorkChange>& changes,
                                                 const WorkDone& base,
                                                 std::span<const Accept> accepts,
                                                 std::string_view today_utc);

/// Makes the rows invalid that rest on less work or another output, and says beside those that are
/// worse what more was done. A second time it changes nothing.
void apply_work(std::span<const WorkChange> changes, std::vector<MetricDecision>& decisions);

/// The reasons that stand beside the rows.
[[nodiscard]] std::vector<Reason> work_notes(std::span<const WorkChange> changes);

}  // namespace perfgate::gates
