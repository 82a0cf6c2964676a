/// What `perfgate doctor` found about this machine, one row a check.
#pragma once

#include <cstdint>
#include <string>

namespace perfgate {

/// `unknown` is a finding of its own ("cannot tell inside this pid namespace"), not a failure to
/// look.
struct DoctorCheck {
  enum class State : std::uint8_t { ok, warning, problem, unknown };

  std::string name;  ///< "GPU", "driver", "CUPTI", "permission to counters"
  State state = State::unknown;
  std::string found;  ///< one line: what was seen
  std::string todo;   ///< one sentence: what to do; empty when there is nothing to do
};

}  // namespace perfgate
