/// Is a text what viewers of the trace-event format take without dropping any of it? Reads the JSON
/// again with another program's parser and looks at nothing of ours.
///
/// The rules: valid JSON in UTF-8 with `traceEvents`; every event has ph, pid, tid and a name, and
/// what its ph asks for (X: ts, dur, cat; s and f: ts, id, cat; M: args); no negative time; slices
/// of one track nest or are disjoint, a parent before its child; every process and every track has
/// one name and a number that no other process or track has; each arrow has both ends, in this
/// order in time, each at the start of a slice of its track. A GPU process ("window" and "idle"
/// tracks): idle slices never overlap one another or work, and together with the union of the work
/// they fill the window.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::testing {

struct CheckedTrack {
  std::string process;  ///< its name
  std::string name;
  std::int64_t slices = 0;
  std::map<std::string, std::int64_t> slices_of;  ///< by category
  std::map<std::string, std::int64_t> total_ns;   ///< by the slices' name
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

struct TraceCheck {
  std::vector<std::string> problems;  ///< at most some dozen, in sentences
  std::vector<CheckedTrack> tracks;   ///< by number
  std::int64_t arrows = 0;
  std::map<std::string, std::string> notes;  ///< otherData
};

[[nodiscard]] TraceCheck check_trace(std::string_view json);

}  // namespace perfgate::testing
