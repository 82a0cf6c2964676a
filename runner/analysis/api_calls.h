/// API calls by class and name: how often the program synchronised, allocated, loaded. Pure.
#pragma once

#include <vector>

#include "runner/analysis/launch_calls.h"
#include "runner/model/analysis.h"
#include "runner/model/capture.h"

namespace perfgate::analysis {

/// Adds the calls that start in `span` and lie in no other call of their class (a runtime call
/// contains a driver call); `ApiClass::other` is left out. `stats` stays sorted by class, then
/// name.
void add_api_calls(const Capture& capture, const HostSpan& span, std::vector<ApiCallStat>& stats);

}  // namespace perfgate::analysis
