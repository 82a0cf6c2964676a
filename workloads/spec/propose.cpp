#include "workloads/spec/propose.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

namespace perfgate::workloads {
namespace {

constexpr std::int64_t kFewestSteps = 5;
constexpr double kIrregular = 1.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words of a name in lower case: "TrainStep/decode_3" -> train, step, decode.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalpha(byte) != 0;
    const bool upper = std::isupper(byte) != 0;
    if (!letter || (upper && was_lower)) words.emplace_back();
    if (letter) words.back() += static_cast<char>(std::tolower(byte));
    was_lower = letter && !upper;
  }
  return words;
}

/// 2: a word for a step; 1: one for something that often is one; -1: one for what holds many steps.
int word_strength(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kStep{"step", "decode", "iteration", "iter",
                                                         "tick"};
  static constexpr std::array<std::string_view, 5> kOften{"forward", "prefill", "batch", "generate",
                                                          "execute"};
  static constexpr std::array<std::string_view, 3> kWhole{"epoch", "main", "warmup"};
  int strength = 0;
  for (const std::string& word : words_of(name)) {
    const auto is_in = [&](const auto& list) {
      return std::ranges::find(list, word) != list.end();
    };
    if (is_in(kWhole)) return -1;
    if (is_in(kStep)) strength = 2;
    if (is_in(kOften)) strength = std::max(strength, 1);
  }
  return strength;
}

/// Greater is likelier.
auto likelihood(const RangeGroup& group) {
  const bool regular = !group.period_spread_ratio || *group.period_spread_ratio <= kIrregular;
  return std::tuple{
      group.count >= kFewestSteps, group.threads == 1,     regular,     word_strength(group.glob),
      group.is_outermost,          group.median_period_ns, -group.count};
}

std::vector<RangeGroup> group_ranges(std::span<const SeenRange> seen) {
  std::map<std::string, std::vector<const SeenRange*>> by_glob;
  for (const SeenRange& range : seen) by_glob[collapse_numbers(range.name)].push_back(&range);
  std::vector<RangeGroup> groups;
  for (auto& [glob, members] : by_glob) {
    RangeGroup group;
    // One name alone keeps its numbers: "layer7_step" is not one of many.
    group.glob = members.size() == 1 ? members.front()->name : glob;
    group.names = static_cast<std::int64_t>(members.size());
    group.is_outermost = true;
    std::vector<std::int64_t> periods;
    for (const SeenRange* range : members) {
      group.count += range->count;
      group.threads = std::max(group.threads, range->threads);
      group.is_outermost = group.is_outermost && range->is_outermost;
      if (range->median_period_ns > 0) periods.push_back(range->median_period_ns);
      if (range->period_spread_ratio && std::isfinite(*range->period_spread_ratio)) {
        group.period_spread_ratio =
            std::max(group.period_spread_ratio.value_or(0.0), *range->period_spread_ratio);
      }
    }
    if (!periods.empty()) {
      std::ranges::sort(periods);
      group.median_period_ns = periods[periods.size() / 2];
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string period_text(std::int64_t period_ns) {
  const auto rounded = [](double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.find('.') + 3);
  };
  const auto ns = static_cast<double>(period_ns);
  if (ns >= 1e9) return rounded(ns / 1e9) + " s";
  if (ns >= 1e6) return rounded(ns / 1e6) + " ms";
  return rounded(ns / 1e3) + " us";
}

std::string reason_for(const RangeGroup& group) {
  std::string reason = "'" + group.glob + "' ran " + std::to_string(group.count) + " times";
  reason +=
      group.threads == 1 ? " on one thread" : " on " + std::to_string(group.threads) + " threads";
  if (group.median_period_ns > 0) reason += ", every " + period_text(group.median_period_ns);
  if (group.is_outermost) reason += ", inside no other range";
  if (word_strength(group.glob) > 0) reason += ", and its name is one for a step";
  return reason;
}

}  // namespace

std::string collapse_numbers(std::string_view name) {
  std::string glob;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) {
      glob += name[i];
    } else if (i == 0 || !is_digit(name[i - 1])) {
      glob += '*';
    }
  }
  return glob;
}

StepProposal propose_step_range(std::span<const SeenRange> seen) {
  StepProposal proposal;
  proposal.groups = group_ranges(seen);
  std::ranges::stable_sort(proposal.groups, [](const RangeGroup& a, const RangeGroup& b) {
    return likelihood(a) > likelihood(b);
  });
  if (proposal.groups.empty()) {
    proposal.reason = "the program opened no NVTX range";
    return proposal;
  }
  const RangeGroup& likeliest = proposal.groups.front();
  if (likeliest.count < kFewestSteps) {
    proposal.reason = "no NVTX range ran at least 5 times, so none looks like a step";
    return proposal;
  }
  if (likeliest.glob.find_first_not_of("* ") == std::string::npos) {
    proposal.reason = "the ranges seen have no name that tells them apart";
    return proposal;
  }
  proposal.glob = likeliest.glob;
  proposal.reason = reason_for(likeliest);
  return proposal;
}

}  // namespace perfgate::workloads
