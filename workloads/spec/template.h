/// A commented workload file for a command, as `perfgate init -- CMD` writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/propose.h"
#include "workloads/spec/seen_output.h"

namespace perfgate::workloads {

/// The results file that the program wrote in the run that was seen.
struct SeenResults {
  std::int64_t steps = 0;
  double median_step_ms = 0.0;
};

struct StepCounts {
  std::int64_t warmup = 20;
  std::int64_t measure = 200;
  std::int64_t trace = 10;
};

struct TemplateInput {
  std::string name;               ///< any text; made into a plain name
  std::vector<std::string> argv;  ///< not empty
  StepProposal proposal;          ///< of the run that was seen
  std::optional<SeenResults> results{};
  std::string results_problem{};       ///< why a results file that was written cannot be used
  std::optional<SeenOutput> output{};  ///< step times in what it printed, if there are any
  StepCounts asked{};                  ///< the steps that the program was told to run
  std::string cwd{};  ///< where the command runs, relative to the file; empty = in its folder
};

/// Is it known where step times come from? If not, the template is to be completed by hand.
[[nodiscard]] bool knows_step_times(const TemplateInput& input);

/// Where step times come from, and why, in one sentence: the results file if a good one was
/// written, else the NVTX range that is proposed, else what was printed, else what the program has
/// to do first.
[[nodiscard]] std::string proposal_summary(const TemplateInput& input);

/// YAML that `parse_workload` takes without an error, but at the one place that is open where it is
/// not known where step times come from; whatever the bytes of the input: what is not
/// UTF-8 becomes U+FFFD in argv and '?' in a glob. Steps are counted so that the program, run again
/// as it was, gives enough of them, and that a process takes about 20 s at most.
[[nodiscard]] std::string workload_template(const TemplateInput& input);

/// What a command is called: the stem of the script that an interpreter runs ("decode" of
/// python3 decode.py, "serve" of python -m vllm.serve), else of the program.
[[nodiscard]] std::string command_name(const std::vector<std::string>& argv);

/// The nearest plain name: letters, digits, '.', '_' and '-', at most 100; "workload" if nothing is
/// left.
[[nodiscard]] std::string plain_name(std::string_view text);

/// The text as a YAML scalar on one line, quoted where it must be; `replacement` stands for a byte
/// that is not UTF-8.
[[nodiscard]] std::string yaml_scalar(std::string_view text, std::string_view replacement);

}  // namespace perfgate::workloads
