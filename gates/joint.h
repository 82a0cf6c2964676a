/// The joint verdict of several results (`gate RESULT...`): what failed in its own report must
/// still be evidence enough among all looks of the joint one. Pure.
///
/// Each result kept its own false alarms below 1 %: Holm's test over what it looked at. K results
/// together err K times as often. So Holm's test runs again, at 1 % over the tests of all results,
/// and a FAIL that it does not reject becomes SUSPECTED. Nothing else changes: no verdict becomes
/// green by it, and one result alone keeps its verdict.
///
/// The tests are the rows that could have failed by their p value:
///
///   in session          what fresh pairs tested: confirmed, too weak to be confirmed, or not shown
///                       again (pairs.h). Rows that the looks cleared were no tests: fresh pairs
///                       alone can fail them.
///   against the store   all rows with a p value, as in judge.h; of a result with a base only where
///                       the store failed one, since fresh pairs decide there otherwise. Its level
///                       is a look's part of 1 %, so p counts as p x 5 % / (the look's level of
///                       5 %), by the row's `interval_level`; not stated = one look.
///
/// Accepted rows stay in the count. Facts stay FAIL and are no tests: rows without a p value (a
/// count that differs, a limit alone) and rows whose own limit is broken, whatever the statistics
/// say. Rows of results from before there were p values are such too: nobody knows their evidence,
/// and an unknown one is no reason to soften a verdict.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::gates {

/// A row that failed in its own report and is suspected in the joint one.
struct JointChange {
  std::size_t result = 0;  ///< place among the results
  std::string metric{};
  double own_p = 0.0;    ///< adjusted by Holm over the tests of its own result, at 1 %
  double joint_p = 0.0;  ///< over those of all results
  std::string text{};    ///< "p 0.008 in its own report, 0.04 over the 5 tests of the joint one"
};

struct JointWeighing {
  int tests = 0;
  std::vector<JointChange> changes{};
};

/// Changes the rows, their reasons and the verdicts of `results` where a FAIL does not survive.
[[nodiscard]] JointWeighing weigh_jointly(std::vector<RunResult>& results);

}  // namespace perfgate::gates
