/// A metric's history in one line. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace perfgate::render {

/// One block for each finite value, the lowest "▁", the highest "█"; all alike "▄▄▄". Empty for
/// fewer than two.
[[nodiscard]] std::string sparkline(std::span<const double> values);

/// "▁▂▁█: 3 runs from 4.571 to 4.612 ms, the newest 4.580 ms, then this one: 5.592 ms". The words
/// tell what the blocks show, for those who cannot see them. `before` is oldest first; of more than
/// 40 the newest. Empty where one value is not finite, or none was before.
[[nodiscard]] std::string history_words(std::span<const double> before, double now,
                                        std::string_view unit);

}  // namespace perfgate::render
