/// "did you mean": the known word that a misspelt one most likely stands for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace perfgate {

/// Edits (insert, delete, replace, swap of neighbours) from one to the other: optimal string
/// alignment. Time and memory grow with the product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// The candidate with the fewest edits, the first of equals; empty if even that one is more than a
/// third of the word away (at least 1 edit is always allowed) or the word is longer than 64 bytes.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> candidates);

/// "did you mean 'steps'?", or "known: a, b, c" if nothing is near.
[[nodiscard]] std::string suggest(std::string_view word,
                                  std::span<const std::string_view> candidates);

}  // namespace perfgate
