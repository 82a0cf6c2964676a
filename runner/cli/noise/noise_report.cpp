#include "runner/cli/noise/noise_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "gates/wording.h"
#include "runner/cli/store_access.h"
#include "runner/platform/clock.h"

namespace perfgate::cli {
namespace {

using Column = render::Column;

/// By occasion, in the order of time: its values.
using ByOccasion = std::map<std::string, std::vector<double>>;

/// Values of two units are two series.
struct RowId {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  auto operator<=>(const RowId&) const = default;
};

/// {begin, GPU} of each, in the order of time.
int close_of(const std::set<std::pair<std::string, std::string>>& occasions) {
  constexpr std::int64_t kApartNs = kHoursApart * 3600LL * 1'000'000'000LL;
  std::map<std::string, std::int64_t> last;
  int close = 0;
  for (const auto& [utc, instance] : occasions) {
    const auto begin = platform::parse_utc(utc);
    if (!begin.ok()) continue;
    const auto before = last.find(instance);
    if (before != last.end() && begin.value() - before->second < kApartNs) ++close;
    last[instance] = begin.value();
  }
  return close;
}

NoiseReport report_of(const std::string& workload_name,
                      std::span<const baselines::NoisePoint> points) {
  NoiseReport report{.workload_name = workload_name,
                     .workload_digest = points.front().key.workload_digest,
                     .environment_key = points.front().key.environment_key};
  std::map<RowId, ByOccasion> rows;
  // Two GPUs of one environment may have begun in the same second.
  std::set<std::pair<std::string, std::string>> occasions;
  std::set<std::pair<std::string, int>> runs;
  std::set<std::string> commits;
  std::set<std::string> instances;
  for (const baselines::NoisePoint& point : points) {
    const std::string occasion = point.occasion_utc + " " + point.instance;
    occasions.emplace(point.occasion_utc, point.instance);
    runs.emplace(occasion, point.run);
    commits.insert(point.commit);
    instances.insert(point.instance);
    if (point.kind == MetricKind::counted) continue;
    rows[{point.key.metric, point.kind, point.unit}][occasion].push_back(point.value);
  }
  report.occasions = static_cast<int>(occasions.size());
  report.close_occasions = close_of(occasions);
  report.runs = static_cast<int>(runs.size());
  report.commits.assign(commits.begin(), commits.end());
  report.instances.assign(instances.begin(), instances.end());
  for (const auto& [id, by_occasion] : rows) {
    std::vector<std::vector<double>> values;
    values.reserve(by_occasion.size());
    for (const auto& [occasion, of_occasion] : by_occasion) values.push_back(of_occasion);
    report.rows.push_back({id.metric, id.kind, id.unit, gates::run_noise(values)});
  }
  return report;
}

std::string sd_text(const NoiseRow& row) {
  if (row.noise.runs < 2) return "one run only";
  if (row.noise.scale == gates::Scale::log) return gates::percent(row.noise.sd);
  return gates::quantity(row.noise.sd, row.unit);
}

std::string margin_text(const NoiseRow& row) {
  const double margin = gates::auto_margin_ratio(row.noise);
  return row.noise.runs < 2 || margin <= 0.0 ? "-" : gates::percent(margin);
}

std::string progress_text(const NoiseReport& report) {
  const int missing = gates::kLeastOccasions - report.occasions;
  if (missing <= 0) {
    return "the SD counts: the gate assumes no less, and margin: auto follows it\n";
  }
  return gates::count_of(report.occasions, "occasion") + " of " +
         std::to_string(gates::kLeastOccasions) + ", " + std::to_string(missing) +
         " missing until the SD counts: call it again on another day, or after a reboot of "
         "the runner\n";
}

/// What else than chance may be in the SD.
std::string mixture_text(const NoiseReport& report) {
  std::string text;
  if (report.close_occasions > 0) {
    text += "WARNING: " + std::to_string(report.close_occasions) + " of the " +
            gates::count_of(report.occasions, "occasion") + " began within " +
            std::to_string(kHoursApart) +
            " hours of the one before: they share that hour's luck, so the SD is likely too small "
            "and margin: auto too narrow; measure on another day, or after a reboot\n";
  }
  if (report.commits.size() > 1) {
    text += "note: the occasions are of " + std::to_string(report.commits.size()) +
            " commits; what changed between them is in the SD\n";
  }
  if (report.instances.size() > 1) {
    text += "note: they are of " + std::to_string(report.instances.size()) +
            " GPUs; their difference is in the SD, and where one GPU is compared\nwith itself the "
            "gate leaves it out\n";
  }
  return text;
}

bool calibrates(const NoiseRow& row) {
  return row.noise.scale == gates::Scale::log && row.noise.occasions >= gates::kLeastOccasions &&
         row.noise.sd > 0.0 && row.noise.sd < 1.0;
}

}  // namespace

std::vector<baselines::NoisePoint> noise_points_of(const RunResult& result,
                                                   const std::string& workload_digest,
                                                   const std::string& occasion_utc, int run,
                                                   Points which) {
  const Fingerprint& fingerprint = result.measurement.fingerprint;
  std::vector<baselines::NoisePoint> points;
  for (const MetricValue& metric : result.metrics) {
    if (which == Points::timed && metric.kind != MetricKind::timed) continue;
    baselines::NoisePoint point{
        .key = {workload_digest, baselines::environment_key(fingerprint), metric.id},
        .measure_version = result.identity.measure_version,
        .instance = baselines::instance_of(fingerprint),
        .occasion_utc = occasion_utc,
        .run = run,
        .commit = result.identity.commit,
        .kind = metric.kind,
        .unit = metric.unit,
        .value = metric.value,
        .samples = metric.samples};
    if (baselines::check(point).ok()) points.push_back(std::move(point));
  }
  return points;
}

std::vector<NoiseReport> noise_reports(const std::string& workload_name,
                                       std::span<const baselines::NoisePoint> points) {
  std::vector<NoiseReport> reports;
  while (!points.empty()) {
    const auto other = std::ranges::find_if(points, [&](const baselines::NoisePoint& point) {
      return point.key.environment_key != points.front().key.environment_key;
    });
    const auto count = static_cast<std::size_t>(other - points.begin());
    reports.push_back(report_of(workload_name, points.first(count)));
    points = points.subspan(count);
  }
  return reports;
}

std::vector<baselines::Calibration> calibrations_from(const NoiseReport& report,
                                                      const std::string& utc) {
  std::vector<baselines::Calibration> calibrations;
  for (const NoiseRow& row : report.rows) {
    if (!calibrates(row)) continue;
    calibrations.push_back({{report.workload_digest, report.environment_key, row.metric},
                            row.noise.sd,
                            row.noise.occasions,
                            utc});
  }
  return calibrations;
}

std::string noise_text(const NoiseReport& report, const render::TerminalStyle& style) {
  const std::vector<Column> columns{{"metric", Column::Align::left, Column::Cut::middle},
                                    {"runs", Column::Align::right, Column::Cut::none},
                                    {"occasions", Column::Align::right, Column::Cut::none},
                                    {"SD", Column::Align::right, Column::Cut::none},
                                    {"margin: auto", Column::Align::right, Column::Cut::none}};
  std::vector<std::vector<std::string>> rows;
  rows.reserve(report.rows.size());
  for (const NoiseRow& row : report.rows) {
    rows.push_back({row.metric, std::to_string(row.noise.runs), std::to_string(row.noise.occasions),
                    sd_text(row), margin_text(row)});
  }
  return report.workload_name + ": " + gates::count_of(report.runs, "A/A run") + " on " +
         gates::count_of(report.occasions, "occasion") + ", environment " +
         report.environment_key.substr(0, kShownCommit) + "\n" +
         render::render_table(columns, rows, style) + progress_text(report) + mixture_text(report);
}

Json noise_json(const NoiseReport& report) {
  Json metrics = Json::array();
  for (const NoiseRow& row : report.rows) {
    const bool ratio = row.noise.scale == gates::Scale::log;
    metrics.push_back({{"metric", row.metric},
                       {"kind", to_string(row.kind)},
                       {"unit", row.unit},
                       {"runs", row.noise.runs},
                       {"occasions", row.noise.occasions},
                       {"level", row.noise.level},
                       {"scale", ratio ? "log" : "linear"},
                       {"sd", row.noise.sd},
                       {"within_sd", std::sqrt(row.noise.within_variance)},
                       {"between_sd", std::sqrt(row.noise.between_variance)},
                       {"auto_margin_ratio", gates::auto_margin_ratio(row.noise)},
                       {"calibrated", calibrates(row)}});
  }
  return {{"workload", report.workload_name},
          {"workload_digest", report.workload_digest},
          {"environment_key", report.environment_key},
          {"occasions", report.occasions},
          {"occasions_needed", gates::kLeastOccasions},
          {"close_occasions", report.close_occasions},
          {"runs", report.runs},
          {"commits", report.commits},
          {"instances", report.instances},
          {"metrics", metrics}};
}

}  // namespace perfgate::cli
