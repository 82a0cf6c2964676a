/// Commands that runners of CI take from what a step prints. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace perfgate::render {

/// A sign at `at` behind which a command begins: "::" where a line may begin (GitHub takes it after
/// blanks, and a wrapped line begins at any word), "##[" and "##vso[" anywhere (GitHub's older
/// form, Azure, TeamCity). `printable` puts a space behind it: ": :error", "# #[group]".
[[nodiscard]] bool opens_command(std::string_view text, std::size_t at);

}  // namespace perfgate::render
