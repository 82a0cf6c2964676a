#include "runner/cli/accepts/accepts_input.h"

#include <algorithm>
#include <utility>

#include "gates/accepts.h"
#include "runner/analysis/metric_catalog.h"
#include "runner/cli/workload_input.h"
#include "runner/model/work.h"

namespace perfgate::cli {
namespace {

constexpr std::size_t kDayLength = 10;

/// Nothing for a metric whose unit the program tells.
std::optional<std::string> unit_of_metric(std::string_view id) {
  const analysis::MetricInfo* info = analysis::find_metric(id);
  if (info == nullptr || info->unit.empty()) return std::nullopt;
  return std::string(info->unit);
}

bool is_yaml(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

/// "/project/" of the run folder "/project/.perfgate/runs/NAME"; empty for one elsewhere.
std::string called_from(const platform::FileSystem& files, const std::string& run_folder) {
  constexpr std::string_view kRuns = "/.perfgate/runs/";
  if (run_folder.empty()) return {};
  const std::string whole = files.absolute(run_folder);
  const std::size_t at = whole.rfind(kRuns);
  return at == std::string::npos ? std::string() : whole.substr(0, at + 1);
}

/// Where the workload file of a result may lie, the likeliest first.
std::vector<std::string> workload_places(const platform::FileSystem& files,
                                         const RunResult& result) {
  std::vector<std::string> places{result.workload_path};
  const std::string folder = called_from(files, result.folder);
  if (!folder.empty() && !result.workload_path.starts_with('/'))
    places.push_back(folder + result.workload_path);
  return places;
}

/// Where the file of accepts was looked for in vain.
std::string nothing_read(const platform::FileSystem& files, const RunResult& result) {
  std::string looked;
  for (const std::string& place : workload_places(files, result)) {
    const std::string path = files.absolute(accepts_beside(place));
    if (looked.find(path) == std::string::npos) looked += (looked.empty() ? "" : " and ") + path;
  }
  return "no accepts file was read: looked for " + looked + ", where no " + result.workload_path +
         " lies either; accepted lines count where that file is there";
}

std::vector<std::string> gated_metrics(const WorkloadSpec& spec) {
  std::vector<std::string> metrics;
  metrics.reserve(spec.gates.size());
  for (const GateSpec& gate : spec.gates) metrics.push_back(gate.metric);
  return metrics;
}

}  // namespace

std::string today_utc(const platform::Clock& clock) {
  return platform::format_utc(clock.realtime_ns()).substr(0, kDayLength);
}

bool names_accepts(std::string_view path) {
  return path.substr(path.rfind('/') + 1) == workloads::kAcceptsFileName;  // npos + 1 = 0
}

std::string accepts_beside(const std::string& workload_path) {
  const std::string folder = workload_path.substr(0, workload_path.rfind('/') + 1);
  return folder + std::string(workloads::kAcceptsFileName);
}

std::string find_workload_file(const platform::FileSystem& files, const RunResult& result) {
  if (result.workload_path.empty()) return {};
  for (const std::string& place : workload_places(files, result))
    if (files.exists(place)) return place;
  return {};
}

workloads::AcceptsOptions accepts_options(const std::string& today) {
  return {.metric_check = parse_options().metric_check,
          .metric_unit = unit_of_metric,
          .workloads = std::nullopt,
          .today_utc = today};
}

std::vector<workloads::KnownWorkload> workloads_of(const platform::FileSystem& files,
                                                   const std::string& folder) {
  std::vector<workloads::KnownWorkload> known;
  const auto entries = files.list(folder.empty() ? "." : folder);
  if (!entries.ok()) return known;
  for (const platform::FolderEntry& entry : entries.value()) {
    if (!is_yaml(entry.name) || names_accepts(entry.name)) continue;
    const std::string path = folder + entry.name;
    const auto text = files.read(path);
    if (!text.ok()) continue;
    const workloads::CheckedWorkload checked =
        workloads::check_workload(text.value(), path, parse_options());
    if (checked.spec) {
      known.push_back({.name = checked.spec->name, .gated = gated_metrics(*checked.spec)});
    } else if (std::string name = workloads::workload_name_in(text.value()); !name.empty()) {
      known.push_back({.name = std::move(name), .gated = {}});
    }
  }
  return known;
}

Result<std::vector<std::vector<Accept>>> read_accepts(const platform::FileSystem& files,
                                                      std::span<const WorkloadSpec> specs,
                                                      const std::string& today) {
  std::vector<std::vector<Accept>> all;
  for (const WorkloadSpec& spec : specs) {
    all.emplace_back();
    const std::string path = accepts_beside(spec.path);
    if (spec.path.empty() || !files.exists(path)) continue;
    const auto text = files.read(path);
    if (!text.ok()) {
      Error error = text.error();
      error.code = ErrorCode::invalid_config;  // nothing was measured: the file is what is wrong
      return error;
    }
    PG_ASSIGN_OR_RETURN(std::vector<Accept> accepts,
                        workloads::parse_accepts(text.value(), path, accepts_options(today)));
    for (Accept& accept : accepts) {
      if (accept.workload == spec.name) all.back().push_back(std::move(accept));
    }
  }
  return all;
}

void apply_accepts(RunResult& result, std::span<const Accept> accepts, std::string_view today) {
  gates::GateOutput output;
  output.comparisons = std::move(result.comparisons);
  output.verdict = std::move(result.verdict);
  std::vector<AcceptUse> uses = gates::apply_accepts(output, accepts, today);
  result.accepted.insert(result.accepted.end(), uses.begin(), uses.end());
  result.comparisons = std::move(output.comparisons);
  result.verdict = std::move(output.verdict);
}

Result<std::string> apply_accepts_since(const platform::FileSystem& files, RunResult& result,
                                        const std::string& today) {
  WorkloadSpec spec;
  spec.name = result.workload_name;
  spec.path = find_workload_file(files, result);
  const bool found = !spec.path.empty();
  if (!found) spec.path = result.workload_path;  // the accepts may be there all the same
  const Outcome outcome = result.verdict.outcome;
  const bool asked = outcome == Outcome::fail || outcome == Outcome::suspected;
  if (!found && asked && !spec.path.empty() && !files.exists(accepts_beside(spec.path)))
    return nothing_read(files, result);
  PG_ASSIGN_OR_RETURN(const auto read, read_accepts(files, {&spec, 1}, today));
  std::vector<Accept> since = read.front();
  const auto known = [&](const Accept& accept) {
    return is_work(accept.metric) ||
           std::ranges::any_of(result.accepted, [&](const AcceptUse& use) {
             return use.state == AcceptState::used && use.accept.metric == accept.metric;
           });
  };
  std::erase_if(since, known);
  if (since.empty()) return std::string();
  // Told anew, as the file is now.
  std::erase_if(result.accepted, [&](const AcceptUse& use) {
    return std::ranges::find(since, use.accept.metric, &Accept::metric) != since.end();
  });
  apply_accepts(result, since, today);
  return std::string();
}

}  // namespace perfgate::cli
