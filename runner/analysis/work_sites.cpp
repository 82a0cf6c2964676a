#include "runner/analysis/work_sites.h"

#include <unordered_map>

#include "runner/analysis/launch_groups.h"
#include "runner/analysis/path_tree.h"
#include "runner/analysis/range_places.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

class SiteTable {
 public:
  SiteTable(const Timeline& timeline, std::span<const ProcessSteps> steps, PlaceNames names)
      : timeline_(timeline) {
    places_.reserve(timeline.processes.size());
    for (std::size_t i = 0; i < timeline.processes.size(); ++i)
      places_.emplace_back(timeline.processes[i], steps[i], tree_, names);
  }

  void add(const Operation& op, bool starts_inside, std::int64_t charged_ns) {
    LaunchShape shape = launch_shape(timeline_, op);
    if (op.kind == OperationKind::kernel)
      shape.code_hash = timeline_.processes[op.process].capture->kernels[op.record].code_hash;
    shape.place = places_[op.process].place(op);
    const auto [at, is_new] = ids_.try_emplace(shape, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) sites_.push_back(new_site(shape));
    WorkSite& site = sites_[at->second];
    site.charged_ns += charged_ns;
    if (!starts_inside) return;
    ++site.calls;
    site.bytes += bytes_of(op);
    durations_.add(at->second, op.end_ns - op.start_ns);
  }

  [[nodiscard]] std::size_t size() const { return sites_.size(); }

  std::vector<WorkSite> take() {
    durations_.arrange();
    for (std::uint32_t i = 0; i < sites_.size(); ++i) {
      const std::span<std::int64_t> durations = durations_.of(i);
      sites_[i].median_ns = integer_median(durations.begin(), durations.end());
    }
    return std::move(sites_);
  }

 private:
  [[nodiscard]] WorkSite new_site(const LaunchShape& shape) const {
    const OperationName& name = timeline_.names[shape.name];
    return {.place = shape.place == kNone ? std::string() : tree_.path(shape.place),
            .name = name.text,
            .family = timeline_.details[name.detail].family,
            .grid = shape.grid,
            .block = shape.block,
            .registers_per_thread = shape.registers,
            .shared_bytes = shape.shared_bytes,
            .code_hash = shape.code_hash};
  }

  [[nodiscard]] std::int64_t bytes_of(const Operation& op) const {
    const Capture& capture = *timeline_.processes[op.process].capture;
    switch (op.kind) {
      case OperationKind::copy: return static_cast<std::int64_t>(capture.copies[op.record].bytes);
      case OperationKind::memset:
        return static_cast<std::int64_t>(capture.memsets[op.record].bytes);
      case OperationKind::kernel: return 0;
    }
    return 0;
  }

  const Timeline& timeline_;
  PathTree tree_;
  std::vector<RangePlaces> places_;
  std::unordered_map<LaunchShape, std::uint32_t, LaunchShapeHash> ids_;
  std::vector<WorkSite> sites_;
  GroupedDurations durations_;
};

}  // namespace

WorkSites work_sites(const Timeline& timeline, const DeviceTimeline& device, const Window& window,
                     std::span<const ProcessSteps> steps,
                     std::span<const std::int64_t> charged_ns) {
  for (const PlaceNames names : {PlaceNames::exact, PlaceNames::collapsed}) {
    SiteTable table(timeline, steps, names);
    for (std::size_t i = 0; i < device.operations.size(); ++i) {
      const Operation& op = device.operations[i];
      if (op.start_ns >= window.end_ns) break;
      const bool starts_inside = op.start_ns >= window.start_ns;
      if (!starts_inside && charged_ns[i] == 0) continue;
      table.add(op, starts_inside, charged_ns[i]);
      if (names == PlaceNames::exact && table.size() > kMaxSites) break;
    }
    if (names == PlaceNames::collapsed || table.size() <= kMaxSites)
      return {.sites = table.take(), .collapsed = names == PlaceNames::collapsed};
  }
  return {};
}

}  // namespace perfgate::analysis
