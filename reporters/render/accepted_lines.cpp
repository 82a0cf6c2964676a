#include "reporters/render/accepted_lines.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reporters/render/breakdown.h"
#include "reporters/render/story.h"
#include "reporters/render/units.h"
#include "runner/model/work.h"

namespace perfgate::render {
namespace {

constexpr std::array kOrder{AcceptState::exceeded, AcceptState::used, AcceptState::expired,
                            AcceptState::unused};

std::string_view label_of(AcceptState state) {
  switch (state) {
    case AcceptState::used: return "accepted";
    case AcceptState::exceeded: return "exceeded";
    case AcceptState::expired: return "expired";
    case AcceptState::unused: return "stale";
  }
  return "stale";
}

std::string exceeded_words(const Accept& accept, const Comparison* row) {
  const std::string ceiling = format_value(accept.ceiling, accept.unit);
  if (accept.metric == kAcceptTokens) return "are fewer than the accepted " + ceiling;
  if (row == nullptr) return "is worse than the accepted " + ceiling;
  const bool worse =
      row->better == Better::lower ? row->head > accept.ceiling : row->head < accept.ceiling;
  if (!worse) {
    return fmt::format("is {}, and the accepted {} is in another unit",
                       format_value(row->head, row->unit), ceiling);
  }
  if (row->unit != accept.unit) {
    return fmt::format("is {}, worse than the accepted {}", format_value(row->head, row->unit),
                       ceiling);
  }
  const auto [value, accepted] = format_values(row->head, accept.ceiling, row->unit);
  return fmt::format("is {}, worse than the accepted {}", value, accepted);
}

std::string text_of(const RunResult& result, const AcceptUse& use) {
  const Accept& accept = use.accept;
  const Comparison* row = find_comparison(result, accept.metric);
  const bool fewest = accept.metric == kAcceptTokens;
  std::string up_to =
      fmt::format("{} {} {}", accept.metric,
                  fewest || (row != nullptr && row->better == Better::higher) ? "down to" : "up to",
                  format_value(accept.ceiling, accept.unit));
  if (accept.metric == kAcceptOutput) up_to = accept.metric;
  const std::string line = fmt::format("line {} of perfgate-accepts.yaml", accept.line);
  switch (use.state) {
    case AcceptState::used:
      return fmt::format("{} until {}, owner {}: {} ({})", up_to, accept.expires, accept.owner,
                         accept.reason, accept.issue);
    case AcceptState::exceeded:
      return fmt::format("{} {}; owner {} ({})", accept.metric, exceeded_words(accept, row),
                         accept.owner, accept.issue);
    case AcceptState::expired:
      return fmt::format("{} was accepted until {}; {} has no effect, owner {} ({})", up_to,
                         accept.expires, line, accept.owner, accept.issue);
    case AcceptState::unused:
      return fmt::format("{}: {}; {} can go", up_to,
                         row == nullptr && !is_work(accept.metric) ? "no gate asks for it"
                                                                   : "nothing is worse any more",
                         line);
  }
  return {};
}

}  // namespace

const AcceptUse* accepted_by(const RunResult& result, const Comparison& row) {
  if (row.outcome != Outcome::pass) return nullptr;
  const auto use = std::ranges::find_if(result.accepted, [&](const AcceptUse& one) {
    return one.state == AcceptState::used && one.accept.metric == row.metric;
  });
  return use == result.accepted.end() ? nullptr : &*use;
}

std::size_t accepted_count(const RunResult& result) {
  const auto rows = std::ranges::count_if(result.comparisons, [&](const Comparison& row) {
    return accepted_by(result, row) != nullptr;
  });
  const auto work = std::ranges::count_if(result.accepted, [](const AcceptUse& use) {
    return use.state == AcceptState::used && is_work(use.accept.metric);
  });
  return static_cast<std::size_t>(rows + work);
}

bool has_stale_accepts(const RunResult& result) {
  return std::ranges::any_of(result.accepted, [](const AcceptUse& use) {
    return use.state == AcceptState::unused || use.state == AcceptState::expired;
  });
}

std::string verdict_word(const RunResult& result, const Comparison& row) {
  return accepted_by(result, row) != nullptr ? "accepted" : outcome_word(row);
}

std::vector<AcceptedLine> accepted_lines(const RunResult& result, std::size_t most) {
  std::vector<AcceptedLine> lines;
  std::size_t left_out = 0;
  for (const AcceptState state : kOrder) {
    for (const AcceptUse& use : result.accepted) {
      if (use.state != state) continue;
      if (lines.size() < most) {
        lines.push_back({label_of(state), text_of(result, use)});
      } else {
        ++left_out;
      }
    }
  }
  if (left_out > 0) lines.push_back({"", fmt::format("{} more lines", left_out)});
  return lines;
}

}  // namespace perfgate::render
