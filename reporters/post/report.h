/// A report as it is posted, whoever rendered it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfgate::post {

/// What a reader of the checks sees, and whether it blocks.
enum class State { success, failure, error };
[[nodiscard]] std::string_view to_string(State state);

struct Report {
  std::string key{};          ///< one comment and one status of each
  std::string text{};         ///< Markdown: the comment
  std::string summary{};      ///< Markdown: the step's summary; may be longer
  std::string description{};  ///< one line for the status, cut to 140 characters
  State state = State::error;
  std::string verdict{};             ///< "fail", "not_comparable", ...; for the step's outputs
  std::vector<std::string> results;  ///< paths, for the step's outputs
};

/// "decode_8b+gemm_8k": the workloads in order, the same whatever order they were named in; a long
/// list ends in a digest.
[[nodiscard]] std::string key_of(std::vector<std::string> workloads);

/// At most `characters` code points, on one line; a cut one ends in an ellipsis.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t characters);

}  // namespace perfgate::post
