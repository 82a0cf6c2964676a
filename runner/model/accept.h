/// Accepted regressions: a line of `perfgate-accepts.yaml` and what became of it in a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate {

/// "This metric of this workload may be as high as that, for this reason, until that day."
struct Accept {
  std::string workload;
  std::string metric;
  double ceiling = 0.0;  ///< the worst value that is accepted; a floor where higher is better
  std::string unit;      ///< of the ceiling: "ms"
  std::string reason;
  std::string issue;    ///< where it is discussed
  std::string owner;    ///< who answers for it
  std::string expires;  ///< "2027-03-31": the last day that it holds
  int line = 0;         ///< in the file
};

enum class AcceptState : std::uint8_t {
  used,      ///< a gate that had failed or was suspected passes by it
  unused,    ///< nothing was worse: the line can go
  expired,   ///< its last day is over
  exceeded,  ///< the value is worse than the ceiling
};
[[nodiscard]] std::string_view to_string(AcceptState state);
[[nodiscard]] Result<AcceptState> accept_state_from_string(std::string_view word);

struct AcceptUse {
  Accept accept;
  AcceptState state = AcceptState::unused;
};

}  // namespace perfgate
