#include "runner/analysis/diagnosis/idle_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis {
namespace {

double rise(const GapChange& gap) { return gap.head_ms - gap.base_ms; }

std::size_t idle_row(const Unclaimed& unclaimed, IdleCause cause) {
  return row_of(unclaimed, LedgerPart::idle, to_string(cause));
}

std::vector<const GapChange*> all_gaps(const Unclaimed& unclaimed) {
  std::vector<const GapChange*> gaps;
  for (const LedgerRow& row : unclaimed.ledger.rows) {
    if (row.part != LedgerPart::idle) continue;
    for (const GapChange& gap : row.gaps) {
      if (!unclaimed.taken_gaps.contains(&gap)) gaps.push_back(&gap);
    }
  }
  return gaps;
}

/// A gap of the base that a new operation came into: it had the same kernels on its sides.
bool is_cut_by(const GapChange& gap, const std::vector<const GapChange*>& touching) {
  const auto has = [&](std::string GapChange::*side, const std::string& name) {
    return std::ranges::any_of(touching, [&](const GapChange* g) { return g->*side == name; });
  };
  return has(&GapChange::before, gap.before) && has(&GapChange::after, gap.after);
}

/// The same kernel as often and faster, in another launch.
bool ran_beside(const KernelChange& kernel) {
  return kernel.fate == KernelFate::faster && kernel.launch_differs &&
         kernel.code != CodeChange::differs && kernel.base.name == kernel.head.name;
}

bool is_beyond_noise(const Unclaimed& unclaimed, std::size_t kernel) {
  const std::size_t row = unclaimed.kernels[kernel].head_row;
  const LedgerChange& ms = unclaimed.ledger.rows[row].ms;
  return ms.beyond_noise() &&
         std::abs(unclaimed.kernels[kernel].change.change_ms()) > *ms.half_width;
}

bool is_long(const GapChange& gap) {
  return gap.head_count > 0.0 && gap.head_count <= kFewGaps &&
         rise(gap) >= kLongGapMs * gap.head_count;
}

}  // namespace

double idle_left(const Unclaimed& unclaimed, const Part& part, IdleCause cause) {
  const std::size_t row = idle_row(unclaimed, cause);
  if (row == kNoRow) return 0.0;
  const auto claimed = part.rows.find(row);
  return unclaimed.left_ms[row] - (claimed == part.rows.end() ? 0.0 : claimed->second);
}

void add_idle(const Unclaimed& unclaimed, Part& part, IdleCause cause, double most_ms) {
  const double ms = std::min(idle_left(unclaimed, part, cause), most_ms);
  if (ms > 0.0) part.rows[idle_row(unclaimed, cause)] += ms;
}

void add_gaps_at(const Unclaimed& unclaimed, Part& part,
                 const std::function<bool(const std::string&)>& is_name) {
  const auto touches = [&](const GapChange* gap) {
    return is_name(gap->before) || is_name(gap->after);
  };
  std::vector<const GapChange*> touching = all_gaps(unclaimed);
  std::erase_if(touching, [&](const GapChange* gap) { return !touches(gap); });
  double ms = 0.0;
  for (const GapChange* gap : touching) ms += rise(*gap);
  for (const GapChange* gap : all_gaps(unclaimed)) {
    if (touches(gap) || rise(*gap) >= 0.0 || !is_cut_by(*gap, touching)) continue;
    ms += rise(*gap);
    part.gaps.insert(gap);
  }
  part.gaps.insert(touching.begin(), touching.end());
  // The rows that such gaps are listed under first, then the other causes that a piece can have.
  using enum IdleCause;
  constexpr std::array kCauses{transfer, synchronisation, allocation,    launch_overhead,
                               host,     device_wait,     graph_internal};
  for (const bool listed : {true, false}) {
    for (const IdleCause cause : kCauses) {
      const std::size_t row = idle_row(unclaimed, cause);
      // A row that moved no further than its noise would only lend its noise to the part.
      if (row == kNoRow || ms <= 0.0 || !unclaimed.ledger.rows[row].ms.beyond_noise()) continue;
      const auto& gaps = unclaimed.ledger.rows[row].gaps;
      if (std::ranges::any_of(gaps, [&](const GapChange& g) { return touches(&g); }) != listed) {
        continue;
      }
      const double before = ms_of(unclaimed, part);
      add_idle(unclaimed, part, cause, ms);
      ms -= ms_of(unclaimed, part) - before;
    }
  }
}

void add_launching_idle(const Unclaimed& unclaimed, Part& part) {
  using enum IdleCause;
  for (const IdleCause cause : {launch_overhead, device_wait, graph_internal}) {
    const double ms = idle_left(unclaimed, part, cause);
    if (ms != 0.0) part.rows[idle_row(unclaimed, cause)] += ms;
  }
  const double in_host = idle_left(unclaimed, part, host);
  const double pace = std::min(in_host, std::max(0.0, in_host - long_host_gaps_ms(unclaimed)));
  if (pace != 0.0) part.rows[idle_row(unclaimed, host)] += pace;
}

double add_slower_kernels(const Unclaimed& unclaimed, Part& part, double most_ms) {
  // What the part's own kernels add is theirs.
  Unclaimed rest = unclaimed;
  take(rest, part);
  const Part changed = same_work_part(rest);
  // A kernel that only went to another family raises one row as much as it lowers the other.
  double left = std::min(most_ms, ms_of(rest, changed));
  const double before = std::max(0.0, left);
  for (const auto& [row, of_row] : changed.rows) {
    const double ms = std::min(of_row, left);
    if (ms <= 0.0) continue;
    part.rows[row] += ms;
    left -= ms;
  }
  return before - std::max(0.0, left);
}

double add_ended_overlap(const Unclaimed& unclaimed, Part& part) {
  Unclaimed rest = unclaimed;
  take(rest, part);
  double fallen = 0.0;
  // In another launch (batch_17: one row more in each norm) it is still their time that fell.
  for (const std::size_t index : kernels_where(rest, ran_beside)) {
    const double ms = -unclaimed.kernels[index].change.change_ms();
    if (ms > ms_of(unclaimed, part) || !is_beyond_noise(unclaimed, index)) continue;
    part.kernels.insert(index);
    fallen += ms;
  }
  for (const auto& [row, ms] : same_work_part(rest).rows) {
    const double most = std::max(0.0, ms_of(unclaimed, part));
    if (ms >= 0.0 || most <= 0.0) continue;
    part.rows[row] -= std::min(-ms, most);
    fallen += std::min(-ms, most);
  }
  return fallen;
}

double add_lost_overlap(const Unclaimed& unclaimed, Part& part, double breaks) {
  if (graphs_fell(unclaimed)) return 0.0;
  return add_slower_kernels(unclaimed, part, kLostOverlapMs * std::max(1.0, breaks));
}

double long_host_gaps_ms(const Unclaimed& unclaimed) {
  const std::size_t row = idle_row(unclaimed, IdleCause::host);
  if (row == kNoRow) return 0.0;
  double ms = 0.0;
  for (const GapChange& gap : unclaimed.ledger.rows[row].gaps) {
    if (is_long(gap)) ms += rise(gap);
  }
  return ms;
}

bool is_host_work(const Unclaimed& unclaimed, double waits) {
  const std::size_t row = idle_row(unclaimed, IdleCause::host);
  if (row == kNoRow || !unclaimed.ledger.rows[row].ms.beyond_noise()) return false;
  return unclaimed.ledger.rows[row].ms.change() > std::max(1.0, waits) * kLongAfterWaitMs;
}

const GapChange* largest_gap(const Unclaimed& unclaimed, IdleCause cause) {
  const std::size_t row = idle_row(unclaimed, cause);
  if (row == kNoRow || unclaimed.ledger.rows[row].gaps.empty()) return nullptr;
  return &*std::ranges::max_element(unclaimed.ledger.rows[row].gaps, {}, rise);
}

}  // namespace perfgate::analysis
