/// A commented workload file for a command, as `perfgate init -- CMD` writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/propose.h"

namespace perfgate::workloads {

struct TemplateInput {
  std::string name;               ///< any text; made into a plain name
  std::vector<std::string> argv;  ///< not empty
  StepProposal proposal;          ///< of the run that was seen
};

/// YAML that `parse_workload` takes without an error, whatever the bytes of the input: what is not
/// UTF-8 becomes U+FFFD in argv and '?' in a glob. Steps are counted so that the program, run again
/// as it was, gives enough of them. Without a proposal the results file is asked for, and a comment
/// says so.
[[nodiscard]] std::string workload_template(const TemplateInput& input);

/// The nearest plain name: letters, digits, '.', '_' and '-', at most 100; "workload" if nothing is
/// left.
[[nodiscard]] std::string plain_name(std::string_view text);

/// The text as a YAML scalar on one line, quoted where it must be; `replacement` stands for a byte
/// that is not UTF-8.
[[nodiscard]] std::string yaml_scalar(std::string_view text, std::string_view replacement);

}  // namespace perfgate::workloads
