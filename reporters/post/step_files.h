/// What a step of GitHub Actions leaves behind, as text: its summary and its outputs. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfgate::post {

/// GitHub drops the whole summary of a step beyond 1 MiB; some room is left for other writers.
inline constexpr std::size_t kLongestSummary = (std::size_t{1} << 20U) - 1024;

/// What to append to GITHUB_STEP_SUMMARY, which holds `there` bytes already; cut to what fits.
[[nodiscard]] std::string summary_text(std::string_view summary, std::size_t there);

/// What to append to GITHUB_OUTPUT: each value between lines of `delimiter`, which has to be random
/// (a value that holds it would set outputs of its own).
[[nodiscard]] std::string outputs_text(
    const std::vector<std::pair<std::string, std::string>>& outputs, std::string_view delimiter);

}  // namespace perfgate::post
