#include "gates/accepts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gates/verdict.h"
#include "gates/wording.h"
#include "runner/model/work.h"

namespace perfgate::gates {
namespace {

constexpr std::string_view kAccepted = "accepted";
/// Follow the reason of a row; other codes that are of no row are facts beside all.
constexpr std::array<std::string_view, 2> kNotes{"gate_can_never_pass", "pinned_breach"};
constexpr std::array<std::string_view, 3> kGreen{"within_tolerance", "improved", kAccepted};
constexpr std::array<std::string_view, 3> kFacts{"environment_differs", "subject_differs",
                                                 "instance_differs"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, const std::string& code) {
  return std::ranges::find(words, code) != words.end();
}

struct WorseEnds {
  double low = 0.0;  ///< the least worsening that the interval holds
  double high = 0.0;
};
WorseEnds worse_ends(const Comparison& row) {
  if (row.better == Better::lower) return {row.ci_low_ratio, row.ci_high_ratio};
  return {-row.ci_high_ratio, -row.ci_low_ratio};
}

/// What the comparison of an accepted row came to, where a breached limit had covered it. A gate
/// with nothing but limits asks for no comparison.
Outcome beneath(const Comparison& row) {
  const auto compared = std::ranges::find(row.findings, RuleCode::compared, &RuleFinding::code);
  if (compared == row.findings.end()) return Outcome::pass;
  const Outcome outcome = compared->outcome;
  const bool accepted = outcome == Outcome::fail || outcome == Outcome::suspected;
  return accepted ? Outcome::pass : outcome;
}

/// The reason of a row and the notes behind it; end of all if it has none.
std::pair<std::size_t, std::size_t> reasons_of(const Comparison& row, const Verdict& verdict) {
  const auto& reasons = verdict.reasons;
  const auto first = std::ranges::find_if(reasons, [&](const Reason& reason) {
    return is_row_code(reason.code) && reason.metric == row.metric;
  });
  auto last = first;
  while (last != reasons.end() && (last == first || is_one_of(kNotes, last->code))) ++last;
  return {static_cast<std::size_t>(first - reasons.begin()),
          static_cast<std::size_t>(last - reasons.begin())};
}

/// The reasons stay worst first: an accepted one stands before those that passed by themselves.
void move_behind_the_bad(Verdict& verdict, std::size_t first, std::size_t last) {
  auto& reasons = verdict.reasons;
  const auto begin = reasons.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = reasons.begin() + static_cast<std::ptrdiff_t>(last);
  const auto to = std::find_if(end, reasons.end(), [](const Reason& reason) {
    return is_one_of(kGreen, reason.code) || is_one_of(kFacts, reason.code);
  });
  std::rotate(begin, end, to);
}

void accept_row(Comparison& row, const Accept& accept, Verdict& verdict) {
  const auto [first, last] = reasons_of(row, verdict);
  const char* would = row.outcome == Outcome::fail ? "would have failed: " : "would be suspected: ";
  row.outcome = beneath(row);
  row.reason = "accepted until " + accept.expires + ": " + accept.reason + " (" + accept.issue +
               ", " + accept.owner + "); the value " + would + row.reason;
  row.confirmed = false;
  row.unsettled = Unsettled::no;
  row.processes_to_settle = row.runs_to_settle = 0;
  if (first == last) {
    verdict.reasons.push_back(
        {.code = std::string(kAccepted), .text = row.reason, .metric = row.metric});
    return;
  }
  verdict.reasons[first] = {
      .code = std::string(kAccepted), .text = row.reason, .metric = row.metric};
  move_behind_the_bad(verdict, first, last);
}

void refuse_row(Comparison& row, const Accept& accept, Verdict& verdict) {
  const auto [first, last] = reasons_of(row, verdict);
  const std::string ceiling = quantity(accept.ceiling, accept.unit);
  row.reason += same_unit(accept.unit, row.unit)
                    ? "; worse than the accepted " + ceiling
                    : "; the accepted " + ceiling + " is in another unit than the value";
  if (first != last) verdict.reasons[first].text = row.reason;
}

AcceptUse use_of(const Accept& accept, AcceptState state) {
  return {.accept = accept, .state = state};
}

}  // namespace

bool same_unit(std::string_view a, std::string_view b) {
  const auto plain = [](std::string_view unit) { return unit == "1" ? std::string_view{} : unit; };
  return plain(a) == plain(b);
}

bool keeps_ceiling(const Accept& accept, Better better, double value) {
  return better == Better::lower ? value <= accept.ceiling : value >= accept.ceiling;
}

bool is_new_level(const Comparison& row) {
  if (row.n_base == 0) return false;
  if (row.interval_known) return worse_ends(row).low > row.margin_ratio;
  return row.better == Better::lower ? row.head > row.base : row.head < row.base;
}

std::vector<AcceptUse> apply_accepts(GateOutput& output, std::span<const Accept> accepts,
                                     std::string_view today_utc) {
  std::vector<AcceptUse> uses;
  for (const Accept& accept : accepts) {
    if (is_work(accept.metric)) continue;
    const auto row = std::ranges::find(output.comparisons, accept.metric, &Comparison::metric);
    const bool has_row = row != output.comparisons.end();
    if (accept.expires < today_utc) {
      uses.push_back(use_of(accept, AcceptState::expired));
    } else if (!has_row || row->outcome == Outcome::pass) {
      uses.push_back(use_of(accept, AcceptState::unused));
    } else if (row->outcome != Outcome::fail && row->outcome != Outcome::suspected) {
      continue;
    } else if (same_unit(accept.unit, row->unit) && keeps_ceiling(accept, row->better, row->head)) {
      accept_row(*row, accept, output.verdict);
      uses.push_back(use_of(accept, AcceptState::used));
    } else {
      refuse_row(*row, accept, output.verdict);
      uses.push_back(use_of(accept, AcceptState::exceeded));
    }
  }
  const bool any_used = std::ranges::any_of(
      uses, [](const AcceptUse& use) { return use.state == AcceptState::used; });
  if (any_used) output.verdict.outcome = outcome_of(output.comparisons, output.verdict);
  return uses;
}

}  // namespace perfgate::gates
