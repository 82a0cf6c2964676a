/// Measured runs of a program in which nothing changed, as process medians in time order.
///
/// A JSON line a run:
///   {"workload":"decode_8b","gpu":"A","occasion":"2026-11-30T07:24:07Z","run":0,"ms":[4.49, ...]}
/// (with "planted" in the line: a run of that occasion in which it really was there), and two a
/// session of pairs, base and head, with what was planted in the head:
///   {..., "session":0,"arm":"head","planted":"spin_us=21","ms":[4.51, ...]}
/// An occasion is one call on one GPU.
#pragma once

#include <string>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::bench {

struct AaRun {
  std::vector<double> medians_ms;  ///< one a process, in time order
};

struct PlantedRun {
  std::string planted;
  AaRun run;
};

struct Occasion {
  std::string gpu;
  std::string start_utc;
  std::vector<AaRun> runs;
  std::vector<PlantedRun> planted;
  [[nodiscard]] std::vector<double> processes() const;
};

/// Pairs of one session: base[i] and head[i] ran side by side.
struct PlantedSession {
  int session = 0;
  std::string gpu;
  std::string planted;
  std::vector<double> base;
  std::vector<double> head;
};

struct MeasuredWorkload {
  std::string name;
  std::vector<Occasion> occasions;
  std::vector<PlantedSession> planted;
};

/// Errors (`corrupt`): the line that is none of the two forms, or arms of unequal length.
[[nodiscard]] Result<std::vector<MeasuredWorkload>> read_runs(const std::string& text);

}  // namespace perfgate::bench
