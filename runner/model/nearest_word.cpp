#include "runner/model/nearest_word.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace perfgate {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  const std::size_t columns = to.size() + 1;
  std::vector<std::size_t> before_last(columns);
  std::vector<std::size_t> last(columns);
  std::vector<std::size_t> row(columns);
  for (std::size_t j = 0; j < columns; ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  static constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // A one-letter word is one edit away from every other one.
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest_word(word, candidates);
  if (!near.empty()) return "did you mean '" + std::string{near} + "'?";
  std::string text = "known:";
  for (const std::string_view candidate : candidates) {
    text += candidate.data() == candidates.front().data() ? " " : ", ";
    text += candidate;
  }
  return text;
}

}  // namespace perfgate
