#include "runner/cli/outlook/against_store.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "baselines/maintenance.h"
#include "gates/comparability.h"
#include "runner/analysis/metric_catalog.h"
#include "runner/cli/store_access.h"
#include "runner/device/device_query.h"
#include "runner/device/fingerprint.h"
#include "runner/platform/clock.h"

namespace perfgate::cli {
namespace {

constexpr const char* kInstance = "gpu_uuid";

/// The runs of one environment, by its newest.
struct Group {
  std::string key;
  std::int64_t newest = 0;
  int runs = 0;
  bool ancestors = false;  ///< `newest` and `runs` are of ancestors
};

bool is_ancestor(const Ancestry& ancestry, const std::string& commit) {
  return ancestry.commits.empty() ||
         std::ranges::find(ancestry.commits, commit) != ancestry.commits.end();
}

/// Measured runs of this very workload; those with runs of ancestors first, newest first.
Result<std::vector<Group>> environments_in(const baselines::Store& store, const WorkloadSpec& spec,
                                           const AheadRequest& request) {
  PG_ASSIGN_OR_RETURN(const auto runs,
                      baselines::list_runs(store, {.workload_name = spec.name,
                                                   .branch = request.branch,
                                                   .most = std::numeric_limits<int>::max()}));
  std::vector<Group> groups;
  for (const baselines::RunSummary& run : runs) {
    if (run.workload_digest != spec.workload_digest || run.source != "measured") continue;
    auto group = std::ranges::find(groups, run.environment_key, &Group::key);
    if (group == groups.end()) {
      groups.push_back({.key = run.environment_key, .newest = run.run});
      group = groups.end() - 1;
    }
    const bool ancestor = is_ancestor(request.ancestry, run.commit);
    if (ancestor && !group->ancestors) {
      *group = {.key = group->key, .newest = run.run, .runs = 0, .ancestors = true};
    }
    if (ancestor || !group->ancestors) ++group->runs;
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) { return !group.ancestors; });
  return groups;
}

/// Of the name and kind; where the store has several units, the one of the newest run.
BaselineSeries series_of(const std::vector<BaselineSeries>& all, const std::string& metric,
                         MetricKind kind) {
  const BaselineSeries* found = nullptr;
  for (const BaselineSeries& series : all) {
    if (series.metric != metric || series.kind != kind || series.points.empty()) continue;
    if (found == nullptr || series.points.back().run > found->points.back().run) found = &series;
  }
  if (found != nullptr) return *found;
  BaselineSeries none;
  none.metric = metric;
  none.kind = kind;
  return none;
}

void look_at_gates(const WorkloadSpec& spec, const baselines::Selection& selection,
                   const std::string& instance, WorkloadAhead& ahead) {
  for (const GateSpec& gate : spec.gates) {
    const analysis::MetricInfo* info = analysis::find_metric(gate.metric);
    const MetricKind kind = info == nullptr ? MetricKind::timed : info->kind;
    const BaselineSeries series = series_of(selection.series, gate.metric, kind);
    ahead.gates.push_back(
        gates::outlook_of({.spec = spec,
                           .gate = gate,
                           .kind = kind,
                           .better = info == nullptr ? Better::lower : info->better,
                           .base = series,
                           .head_instance = instance}));
  }
}

std::string instance_in(const Fingerprint& fingerprint) {
  const auto found = fingerprint.instance.find(kInstance);
  return found == fingerprint.instance.end() ? std::string() : found->second;
}

/// The environments beside `taken`, told by what differs.
Result<std::vector<OtherEnvironment>> others_of(const baselines::Store& store,
                                                const std::vector<Group>& groups,
                                                const Fingerprint& taken) {
  std::vector<OtherEnvironment> others;
  const std::string key = baselines::environment_key(taken);
  for (const Group& group : groups) {
    if (group.key == key) continue;
    PG_ASSIGN_OR_RETURN(const auto run, baselines::show_run(store, group.newest));
    const auto rows = compare_fingerprints(taken, run.fingerprint).environment;
    others.push_back({.differs = gates::describe(rows), .runs = group.runs});
  }
  return others;
}

}  // namespace

Result<WorkloadAhead> look_ahead(const WorkloadSpec& spec, const AheadRequest& request) {
  WorkloadAhead ahead{.path = spec.path,
                      .workload = spec.name,
                      .store = request.store,
                      .branch = request.branch,
                      .of_this_machine = request.machine.has_value()};
  Fingerprint taken = request.machine.value_or(Fingerprint{});
  const auto store = baselines::Store::open(request.store, baselines::OpenMode::read);
  if (store.ok()) {
    PG_ASSIGN_OR_RETURN(const std::vector<Group> groups,
                        environments_in(store.value(), spec, request));
    if (!request.machine && !groups.empty()) {
      PG_ASSIGN_OR_RETURN(auto run, baselines::show_run(store.value(), groups.front().newest));
      taken = std::move(run.fingerprint);
    }
    PG_ASSIGN_OR_RETURN(ahead.others, others_of(store.value(), groups, taken));
  } else if (store.error().code != ErrorCode::not_found) {
    return store.error();
  }
  PG_ASSIGN_OR_RETURN(
      const baselines::Selection selection,
      select_baseline(
          {.store = request.store, .branch = request.branch, .ancestry = request.ancestry}, spec,
          taken));
  ahead.how = selection.choice.how;
  ahead.has_runs = selection.choice.exists;
  ahead.environment = taken.environment;
  if (request.machine) {
    ahead.obstacle = gates::describe(selection.choice.comparability.environment);
  }
  look_at_gates(spec, selection, instance_in(taken), ahead);
  return ahead;
}

Result<Fingerprint> machine_fingerprint(const std::string& gpu, const WorkloadSpec& spec,
                                        const platform::Environment& environment,
                                        const platform::FileSystem& files) {
  device::FingerprintInputs inputs;
  inputs.cpu_model = device::read_cpu_model(files);
  inputs.workload_digest = spec.workload_digest;
  inputs.environment = environment;
  const platform::SystemClock clock;
  const std::unique_ptr<device::DeviceQuery> query =
      device::open_device_query(clock, device::pid_view());
  if (gpu != "none") {
    auto gpus = query->gpus();
    if (!gpus.ok()) {
      Error error = std::move(gpus).error();
      error.hint = "leave --gpu out: the environment of the newest run in the store is taken";
      return error;
    }
    PG_ASSIGN_OR_RETURN(device::GpuInfo chosen, device::choose_gpu(gpu, gpus.value()));
    inputs.gpu = std::move(chosen);
  }
  inputs.driver = query->driver();
  return device::form_fingerprint(inputs);
}

}  // namespace perfgate::cli
