#include "runner/analysis/kernel_match.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "runner/analysis/device_steps.h"
#include "runner/analysis/range_names.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

constexpr double kSiteCoverage = 0.99;
constexpr double kNotableShareOfStep = 0.0002;
/// Without an interval (too few processes) a kernel's own time has to move by this much.
constexpr double kNotableShareOfKernel = 0.03;
/// Calls a step of a loop that does not divide by the steps of the window move by a fraction.
constexpr double kCallsTolerance = 0.01;

/// A site over all processes of a side.
struct Site {
  const WorkSite* shape = nullptr;  ///< of the first process that has it
  std::vector<double> ms;           ///< a step, per process; as many as there are processes
  std::vector<double> calls;        ///< likewise
  std::vector<double> bytes;        ///< likewise
  std::vector<double> median_us{};  ///< of the processes that have it
  bool matched = false;
};

using LaunchKey = std::tuple<std::string, std::string, std::array<std::uint32_t, 3>,
                             std::array<std::uint32_t, 3>, std::uint32_t, std::uint32_t>;

LaunchKey launch_key(const WorkSite& site) {
  return {site.place,       site.name, site.grid, site.block, site.registers_per_thread,
          site.shared_bytes};
}

bool same_launch(const WorkSite& a, const WorkSite& b) {
  return a.grid == b.grid && a.block == b.block &&
         a.registers_per_thread == b.registers_per_thread && a.shared_bytes == b.shared_bytes;
}

/// In the order of the step, as the first process that has a site tells it.
std::vector<Site> sites_of(std::span<const TracedProcess* const> processes) {
  std::vector<Site> sites;
  std::map<std::pair<LaunchKey, std::uint64_t>, std::size_t> ids;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const double counted = devices_with_steps(*processes[p]);
    for (const DeviceWindow& device : processes[p]->devices) {
      if (device.steps <= 0) continue;
      const double per_step = 1.0 / (static_cast<double>(device.steps) * counted);
      for (const WorkSite& site : device.sites) {
        const auto [at, is_new] = ids.try_emplace({launch_key(site), site.code_hash}, sites.size());
        if (is_new) {
          const std::vector<double> zeros(processes.size(), 0.0);
          sites.push_back({.shape = &site, .ms = zeros, .calls = zeros, .bytes = zeros});
        }
        Site& merged = sites[at->second];
        merged.ms[p] += static_cast<double>(site.charged_ns) / 1e6 * per_step;
        merged.calls[p] += static_cast<double>(site.calls) * per_step;
        merged.bytes[p] += static_cast<double>(site.bytes) * per_step;
        merged.median_us.push_back(static_cast<double>(site.median_ns) / 1e3);
      }
    }
  }
  return sites;
}

KernelSide side_of(const Site& site) {
  return {.name = site.shape->name,
          .calls_per_step = mean(site.calls),
          .ms_per_step = mean(site.ms),
          .median_us = median(site.median_us),
          .grid = site.shape->grid,
          .block = site.shape->block,
          .registers_per_thread = site.shape->registers_per_thread,
          .shared_bytes = site.shape->shared_bytes,
          .bytes_per_step = mean(site.bytes)};
}

CodeChange code_change(const WorkSite& base, const WorkSite& head) {
  if (base.code_hash == 0 || head.code_hash == 0) return CodeChange::unknown;
  return base.code_hash == head.code_hash ? CodeChange::same : CodeChange::differs;
}

/// What runs before and after each site in the order of the step; only of sites without a place.
using Neighbours = std::map<const WorkSite*, std::pair<std::string, std::string>>;

Neighbours neighbours_of(const std::vector<Site>& base, const std::vector<Site>& head) {
  Neighbours neighbours;
  for (const std::vector<Site>* sites : {&base, &head}) {
    for (std::size_t i = 0; i < sites->size(); ++i) {
      const WorkSite* shape = (*sites)[i].shape;
      auto& [before, after] = neighbours[shape];
      if (!shape->place.empty()) continue;
      before = i == 0 ? "start" : (*sites)[i - 1].shape->name;
      after = i + 1 == sites->size() ? "end" : (*sites)[i + 1].shape->name;
    }
  }
  return neighbours;
}

class Matcher {
 public:
  Matcher(std::vector<Site> base, std::vector<Site> head, double step_ms)
      : base_(std::move(base)), head_(std::move(head)), step_ms_(step_ms) {}

  std::vector<KernelChange> run() {
    pair_by([](const WorkSite& site) { return std::pair(launch_key(site), site.code_hash); });
    identical_ = std::ranges::all_of(base_, &Site::matched) &&
                 std::ranges::all_of(head_, &Site::matched) && in_order_ && !counts_differ_;
    pair_by([](const WorkSite& site) { return launch_key(site); });
    pair_by([](const WorkSite& site) { return std::pair(site.place, site.name); });
    pair_by([](const WorkSite& site) {
      LaunchKey key = launch_key(site);
      std::get<0>(key).clear();
      return key;
    });
    replace();
    for (const Site& site : base_) {
      if (!site.matched) changes_.push_back(lone(site, KernelFate::gone));
    }
    for (const Site& site : head_) {
      if (!site.matched) changes_.push_back(lone(site, KernelFate::added));
    }
    return std::move(changes_);
  }

  [[nodiscard]] WorkIdentity identity() const {
    if (base_.empty() || head_.empty()) return WorkIdentity::unknown;
    if (!identical_) return WorkIdentity::differs;
    const bool coded = std::ranges::all_of(base_, [](const Site& site) {
      const bool is_kernel = site.shape->grid[0] != 0;
      return !is_kernel || site.shape->code_hash != 0;
    });
    return coded ? WorkIdentity::same_code : WorkIdentity::same_launches;
  }

 private:
  /// Pairs what has equal keys, the first with the first.
  template <typename KeyOf>
  void pair_by(const KeyOf& key_of) {
    std::multimap<decltype(key_of(*base_.front().shape)), std::size_t> open;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      if (!base_[i].matched) open.emplace(key_of(*base_[i].shape), i);
    }
    std::size_t last = 0;
    for (Site& head : head_) {
      if (head.matched) continue;
      const auto key = key_of(*head.shape);
      const auto found = open.lower_bound(key);
      if (found == open.end() || found->first != key) continue;
      if (found->second < last) in_order_ = false;
      last = found->second;
      pair(base_[found->second], head);
      open.erase(found);
    }
  }

  void pair(Site& base, Site& head) {
    base.matched = true;
    head.matched = true;
    KernelChange change{.fate = fate_of(base, head),
                        .family = head.shape->family,
                        .place = head.shape->place.empty() ? base.shape->place : head.shape->place,
                        .base = side_of(base),
                        .head = side_of(head),
                        .code = code_change(*base.shape, *head.shape),
                        .launch_differs = !same_launch(*base.shape, *head.shape)};
    if (change.fate == KernelFate::more_often || change.fate == KernelFate::less_often)
      counts_differ_ = true;
    if (base.shape->name != head.shape->name) change.fate = KernelFate::replaced;
    changes_.push_back(std::move(change));
  }

  [[nodiscard]] KernelFate fate_of(const Site& base, const Site& head) const {
    const double calls_before = mean(base.calls);
    const double calls_after = mean(head.calls);
    if (std::abs(calls_after - calls_before) > kCallsTolerance * std::max(calls_before, 1.0))
      return calls_after > calls_before ? KernelFate::more_often : KernelFate::less_often;
    const MeanDifference ms = mean_difference(base.ms, head.ms);
    const double change = ms.head - ms.base;
    const double noise =
        half_width(ms, kSiteCoverage).value_or(kNotableShareOfKernel * std::max(ms.base, ms.head));
    if (std::abs(change) <= std::max(noise, kNotableShareOfStep * step_ms_))
      return KernelFate::same;
    return change > 0.0 ? KernelFate::slower : KernelFate::faster;
  }

  /// What is gone and what is added at one place in one family; without a place, between the same
  /// neighbours. Of the rest, the only one of each at a place.
  void replace() {
    const Neighbours neighbours = neighbours_of(base_, head_);
    pair_by([&](const WorkSite& site) {
      const auto& [before, after] = neighbours.at(&site);
      const bool placed = !site.place.empty();
      return std::tuple(site.place, placed ? site.family : before, placed ? std::string() : after);
    });
    std::map<std::string, std::pair<std::vector<Site*>, std::vector<Site*>>> left;
    for (Site& site : base_) {
      if (!site.matched && !site.shape->place.empty())
        left[site.shape->place].first.push_back(&site);
    }
    for (Site& site : head_) {
      if (!site.matched && !site.shape->place.empty())
        left[site.shape->place].second.push_back(&site);
    }
    for (auto& [place, sides] : left) {
      if (sides.first.size() == 1 && sides.second.size() == 1)
        pair(*sides.first.front(), *sides.second.front());
    }
  }

  static KernelChange lone(const Site& site, KernelFate fate) {
    KernelChange change{.fate = fate, .family = site.shape->family, .place = site.shape->place};
    (fate == KernelFate::gone ? change.base : change.head) = side_of(site);
    return change;
  }

  std::vector<Site> base_;
  std::vector<Site> head_;
  double step_ms_;
  bool identical_ = false;
  bool in_order_ = true;
  bool counts_differ_ = false;
  std::vector<KernelChange> changes_;
};

/// Adds `more` of an equal change at another place.
void join(KernelSide& side, const KernelSide& more, double weight) {
  side.calls_per_step += more.calls_per_step;
  side.ms_per_step += more.ms_per_step;
  side.bytes_per_step += more.bytes_per_step;
  side.median_us += (more.median_us - side.median_us) * weight;
}

auto shape_of(const KernelSide& side) {
  return std::tuple(side.name, side.grid, side.block, side.registers_per_thread, side.shared_bytes);
}

/// Equal changes at "layer 0", "layer 1", ... in one row, "layer *".
std::vector<KernelChange> collapse(std::vector<KernelChange> changes) {
  std::vector<KernelChange> rows;
  std::map<std::tuple<KernelFate, CodeChange, decltype(shape_of(KernelSide{})),
                      decltype(shape_of(KernelSide{})), std::string>,
           std::size_t>
      ids;
  for (KernelChange& change : changes) {
    const std::string place = collapse_indices(change.place);
    const auto [at, is_new] = ids.try_emplace(
        {change.fate, change.code, shape_of(change.base), shape_of(change.head), place},
        rows.size());
    if (is_new) {
      rows.push_back(std::move(change));
      continue;
    }
    KernelChange& row = rows[at->second];
    row.place = place;
    ++row.places;
    join(row.base, change.base, 1.0 / row.places);
    join(row.head, change.head, 1.0 / row.places);
  }
  return rows;
}

bool any_collapsed(std::span<const TracedProcess* const> processes) {
  return std::ranges::any_of(processes, [](const TracedProcess* process) {
    return std::ranges::any_of(process->devices, &DeviceWindow::sites_collapsed);
  });
}

/// Copies whose places have no indices, of what sites_of() reads.
std::vector<TracedProcess> without_indices(std::span<const TracedProcess* const> processes) {
  std::vector<TracedProcess> copies;
  for (const TracedProcess* process : processes) {
    TracedProcess& copy = copies.emplace_back();
    for (const DeviceWindow& device : process->devices) {
      DeviceWindow& window = copy.devices.emplace_back();
      window.steps = device.steps;
      window.sites = device.sites;
      for (WorkSite& site : window.sites) site.place = collapse_indices(site.place);
    }
  }
  return copies;
}

std::vector<const TracedProcess*> pointers_to(const std::vector<TracedProcess>& processes) {
  std::vector<const TracedProcess*> pointers;
  for (const TracedProcess& process : processes) pointers.push_back(&process);
  return pointers;
}

double step_ms_of(std::span<const TracedProcess* const> processes) {
  double longest = 0.0;
  for (const TracedProcess* process : processes)
    longest = std::max(longest, process->traced_step_ms);
  return longest;
}

}  // namespace

KernelMatch match_kernels(std::span<const TracedProcess* const> base,
                          std::span<const TracedProcess* const> head) {
  std::vector<TracedProcess> base_copies;
  std::vector<TracedProcess> head_copies;
  const double step_ms = step_ms_of(base);
  if (any_collapsed(base) || any_collapsed(head)) {
    base_copies = without_indices(base);
    head_copies = without_indices(head);
  }
  std::vector<Site> base_sites =
      base_copies.empty() ? sites_of(base) : sites_of(pointers_to(base_copies));
  std::vector<Site> head_sites =
      head_copies.empty() ? sites_of(head) : sites_of(pointers_to(head_copies));
  if (base_sites.empty() || head_sites.empty()) return {};
  Matcher matcher(std::move(base_sites), std::move(head_sites), step_ms);
  KernelMatch result;
  result.changes = collapse(matcher.run());
  result.identity = matcher.identity();
  std::ranges::stable_sort(result.changes, [](const KernelChange& a, const KernelChange& b) {
    return std::abs(a.change_ms()) > std::abs(b.change_ms());
  });
  return result;
}

}  // namespace perfgate::analysis
