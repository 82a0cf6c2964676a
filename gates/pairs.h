/// The joint verdict of two arms that ran in one session (`ab`, `run --base`). Pure.
///
///   1. `screen_pairs` judges each gate at a look, as judge.h does against the store. Times beyond
///      the margin are `suspected` (paired_times.h); a count that differs fails at once.
///   2. `confirm_needs` says how many fresh pairs the suspects need.
///   3. `confirm_pairs` tests them on the fresh pairs alone: Holm's test at 1 % over all suspects
///      of the report. Correcting the screen for its many gates would cost the power instead: +3 %
///      at a CV of 1 % among 72 metrics would be found in one case of ten.
///
/// `run --base` screens against the store (judge.h) and confirms here: what the store suspected,
/// failed or left open is decided by the pairs alone, everything else stays as screened.
///
/// Traced and counted metrics need valid captures of both arms, times out of captures also traced /
/// untraced within its bound on both; units must agree. What only one arm has: invalid if the head
/// lacks it, no_baseline if the base does; without a gate it is an observation. Controls are looked
/// at within each arm and between the arms; movement by more than half the margin makes a row
/// not_comparable. Less work or another output of the head makes rows invalid, see work.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gates/judge.h"

namespace perfgate::gates {

/// One arm of one stage. Views must outlive the call only.
struct ArmView {
  std::span<const MetricValue> metrics{};
  CaptureVerdict capture{};
  /// 0 = cannot be formed. Fresh pairs of one kind have none of their own: that of the screen will
  /// do.
  double traced_over_untraced = 0.0;
  std::span<const ControlReading> controls{};
};

struct PairsInput {
  const WorkloadSpec& spec;
  ArmView base{};
  ArmView head{};
  std::span<const BaselineSeries> history{};  ///< of the store, for auto margins; may be empty
  std::string head_instance{};                ///< gpu_uuid; empty = unknown
  std::vector<FingerprintDifference> subject{};
  std::string bounding_control{};  ///< name of the one that bounds the workload; empty = all
  std::string shared_gpu{};        ///< as GateInput::shared_gpu
  bool capture_expected = true;    ///< false: this stage has no traced processes
  bool measurement_ok = true;
  MeasurementProblem measurement_problem{};  ///< when not ok
  std::span<const WorkChange> work{};        ///< of the head against the base
};

/// Rows have `against` session. A FAIL here is a count or a limit, never a time.
[[nodiscard]] GateOutput screen_pairs(const PairsInput& input);

struct ConfirmNeeds {
  int timing_pairs = 0;                 ///< 0 or kConfirmTimingPairs
  int trace_pairs = 0;                  ///< 0 or kConfirmTracePairs
  std::vector<std::string> suspects{};  ///< metrics, in the file's order
};

/// The suspects of `screen_pairs` or of `judge`, and what the store left open. Counts need none,
/// they are exact; a broken `max` or `min` stands whatever pairs show.
[[nodiscard]] ConfirmNeeds confirm_needs(const GateOutput& screened, const WorkloadSpec& spec);

/// `fresh` holds the processes of the stage `confirm` only. Suspects that neither arm of it has
/// stay as screened. A count that failed stays so unless valid fresh captures of both arms count
/// otherwise. Fresh pairs that cannot be used make their suspects and the report invalid.
[[nodiscard]] GateOutput confirm_pairs(const GateOutput& screened, const PairsInput& fresh);

}  // namespace perfgate::gates
