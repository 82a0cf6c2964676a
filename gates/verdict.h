/// From the decided gates to the joint verdict with its reasons as data. Pure.
///
/// Reason codes of a row: within_tolerance, improved, breach (fail by a limit, or out of the
/// store), confirmed (fail that fresh pairs showed again, or a count that differs in session),
/// suspected, lone_run (suspected: runs of the store strayed as well, lone_run.h), unconfirmed
/// (suspected in session, fresh pairs have not run), not_shown_again (suspected before, and fresh
/// pairs alone pass or leave it open), inconclusive, not_comparable, no_baseline, invalid_metric.
/// Beside the rows: measurement_invalid, capture_invalid, capture_partial, shared_gpu,
/// base_capture_invalid, base_capture_partial, environment_differs, gate_can_never_pass,
/// pinned_breach, subject_differs, instance_differs; accepts.h adds accepted, work.h the codes of
/// rows and notes on less work and another output.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/judge.h"

namespace perfgate::gates {

/// What holds for the report as a whole.
struct VerdictFacts {
  bool measurement_ok = true;
  MeasurementProblem measurement_problem{};  ///< when not ok
  bool capture_expected = true;
  CaptureVerdict capture{};  ///< of the head; expected and not valid = the report is invalid
  /// In session. It makes the rows invalid that need it, not the report: a base that cannot be
  /// traced says nothing against the head's untraced times.
  std::optional<CaptureVerdict> base_capture{};
  std::vector<FingerprintDifference> environment{};
  std::vector<FingerprintDifference> subject{};
  bool other_instance = false;
  std::string shared_gpu{};    ///< GateInput::shared_gpu
  std::vector<Reason> work{};  ///< work_notes
};

[[nodiscard]] Verdict form_verdict(const VerdictFacts& facts,
                                   std::span<const MetricDecision> decisions);

/// Of the decision on one row; the other codes are facts and notes beside all rows.
[[nodiscard]] bool is_row_code(std::string_view code);

/// The outcome that rows and reasons come to.
[[nodiscard]] Outcome outcome_of(std::span<const Comparison> rows, const Verdict& verdict);

/// A neighbour on the GPU stretches steps, and a capture of uneven steps is suspect: the neighbour
/// is then what is wrong, not the capture. Invalid and partial ones lack records, which it explains
/// not.
[[nodiscard]] bool is_spoilt_by_sharing(std::string_view shared_gpu, const CaptureVerdict& capture);

/// What makes a report invalid whatever its rows say: a measurement or a capture.
[[nodiscard]] bool voids_report(const Reason& reason);

/// The verdict after fresh pairs: what the screened one says beside its rows still holds, the rows
/// are `decisions`. `problem`: why the fresh pairs cannot be used; empty = they can. `work`: the
/// notes on the arms' work; those that the screened one has are not said twice.
[[nodiscard]] Verdict confirmed_verdict(const Verdict& screened,
                                        std::span<const MetricDecision> decisions,
                                        const std::optional<MeasurementProblem>& problem,
                                        std::span<const Reason> work = {});

}  // namespace perfgate::gates
