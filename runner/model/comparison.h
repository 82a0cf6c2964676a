/// Baseline series, comparisons and verdicts: what passes between baselines, gates and reporters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/fingerprint.h"
#include "runner/model/metric.h"
#include "runner/model/outcome.h"

namespace perfgate {

/// One recorded run's values of one metric.
struct BaselinePoint {
  std::int64_t run = 0;  ///< store row
  std::string commit;
  std::string recorded_utc;     ///< ISO 8601
  std::string instance;         ///< gpu_uuid
  std::vector<double> samples;  ///< per process
  double value = 0.0;           ///< mean or median as the gate's statistic forms it
};

/// A metric's history since its last level change, oldest first.
struct BaselineSeries {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  std::vector<BaselinePoint> points;
  std::optional<double> pinned;               ///< accepted level
  std::optional<double> calibrated_sd_ratio;  ///< A/A run-to-run SD on the log scale
};

/// Which points serve as the baseline and why those.
struct BaselineChoice {
  std::string commit;  ///< newest point's commit; empty = no baseline
  std::string how;     ///< "store: 10 runs on branch main, newest 3f2a91c (2026-11-02)"
  Comparability comparability;
  bool exists = false;
};

/// How one metric was decided.
struct Comparison {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  Better better = Better::lower;
  double base = 0.0;
  double head = 0.0;
  double delta_ratio = 0.0;   ///< head / base - 1; positive = larger
  double ci_low_ratio = 0.0;  ///< of delta_ratio; both 0 with `interval_known` false
  double ci_high_ratio = 0.0;
  bool interval_known = false;
  double interval_level = 0.0;  ///< coverage of the interval, 0.95 = 95 %; 0 = not stated
  double margin_ratio = 0.0;
  double tolerance_ratio = 0.0;
  bool margin_auto = false;
  int n_base = 0;  ///< runs (store) or processes (in session)
  int n_head = 0;  ///< processes
  bool confirmed = false;
  Outcome outcome = Outcome::invalid;
  bool improved = false;
  std::string reason;  ///< one sentence with the numbers
  /// The smallest slowdown that a PASS excludes (its interval's high end); 0 = none.
  double excludes_above_ratio = 0.0;
  int processes_to_settle = 0;  ///< INCONCLUSIVE: how many more would; 0 = unknown
};

struct Reason {
  std::string code;  ///< stable word: "breach", "capture_invalid", "environment_differs", ...
  std::string text;
};

struct Verdict {
  Outcome outcome = Outcome::invalid;
  std::vector<Reason> reasons;
  std::vector<std::string> policies;  ///< "--on-no-baseline pass"
};

}  // namespace perfgate
