#include "runner/analysis/gaps.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "runner/analysis/gap_pieces.h"
#include "runner/analysis/range_names.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

/// Where a gap was: what stood on both sides and in which range the host was. Names by index.
struct SiteKey {
  std::uint32_t before = kNone;
  std::uint32_t after = kNone;
  std::uint32_t range = 0;
  IdleCause cause = IdleCause::unknown;
  bool operator==(const SiteKey&) const = default;
};

struct SiteHash {
  std::size_t operator()(const SiteKey& key) const {
    std::uint64_t hash = key.before * 0x9e3779b97f4a7c15ULL + key.after;
    hash = (hash ^ (hash >> 29U)) * 0xbf58476d1ce4e5b9ULL + key.range;
    hash = (hash ^ (hash >> 32U)) * 0x94d049bb133111ebULL + static_cast<std::uint64_t>(key.cause);
    return static_cast<std::size_t>(hash ^ (hash >> 31U));
  }
};

struct SiteTotal {
  std::int64_t total_ns = 0;
  std::int64_t count = 0;
};

/// Names of host ranges without their indices; index 0 is "no range".
class RangeNames {
 public:
  explicit RangeNames(std::size_t processes) : of_string_(processes) {}

  std::uint32_t intern(std::size_t process, const Capture& capture, StringId id) {
    auto [known, is_new] = of_string_[process].try_emplace(id, 0);
    if (is_new) {
      const std::string name =
          collapse_indices(capture.strings[id < capture.strings.size() ? id : 0]);
      const auto next = static_cast<std::uint32_t>(texts_.size());
      const auto [at, added] = ids_.try_emplace(name, next);
      if (added) texts_.push_back(name);
      known->second = at->second;
    }
    return known->second;
  }
  [[nodiscard]] const std::string& text(std::uint32_t id) const { return texts_[id]; }

 private:
  std::vector<std::unordered_map<StringId, std::uint32_t>> of_string_;
  std::map<std::string, std::uint32_t> ids_{{"", 0}};
  std::vector<std::string> texts_{""};
};

const GapPiece& largest(const std::vector<GapPiece>& pieces) {
  return *std::ranges::max_element(pieces, {},
                                   [](const GapPiece& p) { return p.end_ns - p.start_ns; });
}

class Explainer {
 public:
  Explainer(const Timeline& timeline, const DeviceTimeline& device)
      : timeline_(timeline), device_(device), ranges_(timeline.processes.size()) {}

  void add(const Gap& gap) {
    cut_gap(timeline_, device_, gap, pieces_);
    for (const GapPiece& piece : pieces_) {
      lengths_[static_cast<std::size_t>(piece.cause)].push_back(piece.end_ns - piece.start_ns);
      graph_launch_ns_ += piece.graph_launch_ns;
    }
    const GapPiece& label = largest(pieces_);
    const SiteKey key{.before = name_of(gap.before),
                      .after = name_of(gap.after),
                      .range = host_range(gap, label),
                      .cause = label.cause};
    SiteTotal& site = sites_[key];
    site.total_ns += gap.end_ns - gap.start_ns;
    ++site.count;
  }

  GapReport report() {
    GapReport report;
    report.graph_launch_ns = graph_launch_ns_;
    for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
      std::vector<std::int64_t>& lengths = lengths_[i];
      if (lengths.empty()) continue;
      IdleTime idle{.cause = static_cast<IdleCause>(i),
                    .pieces = static_cast<std::int64_t>(lengths.size())};
      for (const std::int64_t length : lengths) idle.total_ns += length;
      idle.median_ns = integer_median(lengths.begin(), lengths.end());
      report.idle.push_back(idle);
    }
    for (const auto& [key, total] : sites_) report.sites.push_back(site_of(key, total));
    std::ranges::sort(report.sites, [](const GapSite& a, const GapSite& b) {
      return std::tie(b.total_ns, a.cause, a.before, a.after, a.host_range) <
             std::tie(a.total_ns, b.cause, b.before, b.after, b.host_range);
    });
    return report;
  }

 private:
  [[nodiscard]] std::uint32_t name_of(std::uint32_t operation) const {
    return operation == kNone ? kNone : device_.operations[operation].name;
  }

  /// The innermost range of the launching thread in the middle of the gap's largest piece.
  std::uint32_t host_range(const Gap& gap, const GapPiece& label) {
    if (gap.after == kNone || device_.operations[gap.after].launch == kNone) return 0;
    const Operation& after = device_.operations[gap.after];
    const ProcessIndex& process = timeline_.processes[after.process];
    const std::uint32_t thread = process.capture->api_calls[after.launch].thread;
    const std::int64_t middle = label.start_ns + (label.end_ns - label.start_ns) / 2;
    const Segment* segment = segment_at(process.ranges_of(thread), middle);
    if (segment == nullptr) return 0;
    return ranges_.intern(after.process, *process.capture,
                          process.capture->ranges[segment->item].name);
  }

  [[nodiscard]] GapSite site_of(const SiteKey& key, const SiteTotal& total) const {
    return {.cause = key.cause,
            .before = key.before == kNone ? "start of window" : timeline_.names[key.before].text,
            .after = key.after == kNone ? "end of window" : timeline_.names[key.after].text,
            .host_range = ranges_.text(key.range),
            .total_ns = total.total_ns,
            .count = total.count};
  }

  const Timeline& timeline_;
  const DeviceTimeline& device_;
  RangeNames ranges_;
  std::vector<GapPiece> pieces_;
  std::array<std::vector<std::int64_t>, kIdleCauseCount> lengths_;
  std::unordered_map<SiteKey, SiteTotal, SiteHash> sites_;
  std::int64_t graph_launch_ns_ = 0;
};

}  // namespace

GapReport explain_gaps(const Timeline& timeline, const DeviceTimeline& device,
                       std::span<const Gap> gaps) {
  Explainer explainer(timeline, device);
  for (const Gap& gap : gaps) explainer.add(gap);
  return explainer.report();
}

}  // namespace perfgate::analysis
