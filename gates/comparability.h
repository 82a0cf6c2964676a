/// Whether two runs may be compared at all. Pure.
///
/// environment (GPU model, driver, power cap, workload, ...): any difference refuses. A key that
/// one side lacks is a difference ("unknown"): what was not read is not taken to be equal. subject:
/// listed as a change. instance: same or not; a random effect.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/model/comparison.h"
#include "runner/model/fingerprint.h"
#include "runner/model/run_result.h"

namespace perfgate::gates {

/// "driver 580.65 -> 580.82; power_limit_w 700 -> 500". A changed workload file is told once and in
/// words: its digests tell nobody anything. Empty when nothing differs.
[[nodiscard]] std::string describe(std::span<const FingerprintDifference> differences);

/// How far the controls moved. `low_ratio` is what the movement is at least (0.99 confidence), so
/// that the control's own noise refuses nothing.
struct ControlMovement {
  std::string name{};
  double ratio = 0.0;      ///< signed
  double low_ratio = 0.0;  ///< >= 0
};

/// First half of the readings against the second half, in time order: a clock or a neighbour that
/// changed during the run. Fewer than four usable readings: no movement can be shown.
[[nodiscard]] ControlMovement movement_within(const ControlReading& control);

/// This run's readings against the control's level in the store.
[[nodiscard]] ControlMovement movement_against(const ControlReading& control,
                                               const BaselineSeries& history);

/// The base arm's readings against the head arm's, in one session.
[[nodiscard]] ControlMovement movement_between(const ControlReading& base,
                                               const ControlReading& head);

/// A control that moved by more than half of a gate's margin.
struct MovedControl {
  Unsettled when = Unsettled::control_in_run;
  std::string text{};
};

/// What a movement is held against, and the words for when it happened: "during the run".
struct MovementBound {
  double margin_ratio = 0.0;
  Unsettled when = Unsettled::control_in_run;
  std::string_view said{};
};

[[nodiscard]] std::optional<MovedControl> beyond_half(const MovementBound& bound,
                                                      const ControlMovement& movement);

/// A time under another program's load says nothing about the program: the neighbour is what was
/// measured, and no number of processes changes that.
[[nodiscard]] MovedControl shared_with(std::string_view who);

/// True for a row that statistics decided: without a p value nothing was compared (a level of zero
/// has one, though no interval in ratios), and counts do not move with the clock.
[[nodiscard]] bool is_withholdable(const Comparison& row);

/// A comparison is void where the control moved: neither a pass nor a suspect can rest on it.
void withhold(const MovedControl& moved, Comparison& row);

}  // namespace perfgate::gates
