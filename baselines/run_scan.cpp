#include "baselines/run_scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "baselines/stored_run.h"

namespace perfgate::baselines {
namespace {

/// By commit, how far it lies behind the run to be judged.
using Line = std::unordered_map<std::string_view, std::int64_t>;

Line line_of(const SelectionQuery& query) {
  Line line;
  line.reserve(query.ancestry.size());
  for (const std::string& commit : query.ancestry) {
    line.emplace(commit, static_cast<std::int64_t>(line.size()));  // of two, the nearer one
  }
  return line;
}

/// Where a run stands; without an ancestry all stand at 0.
struct Standing {
  std::int64_t distance = 0;
  std::string_view utc{};
  std::int64_t id = 0;
};
/// The same, kept.
struct Place {
  explicit Place(const Standing& at) : distance(at.distance), utc(at.utc), id(at.id) {}
  operator Standing() const { return {distance, utc, id}; }  // NOLINT(google-explicit-constructor)
  std::int64_t distance;
  std::string utc;
  std::int64_t id;
};

/// Nearer, or as near and later.
bool comes_before(const Standing& one, const Standing& other) {
  return one.distance != other.distance ? one.distance < other.distance
                                        : std::tie(one.utc, one.id) > std::tie(other.utc, other.id);
}

/// Empty: the commit is none of the line's.
std::optional<std::int64_t> distance_of(const Line& line, std::string_view commit) {
  if (line.empty()) return 0;
  const auto found = line.find(commit);
  return found == line.end() ? std::nullopt : std::optional(found->second);
}

std::string_view text(SQLite::Statement& row, int column) {
  // Two calls on one column: the text, then its bytes, as SQLite wants them.
  const SQLite::Column value = row.getColumn(column);
  const char* begin = value.getText();
  return {begin, static_cast<std::size_t>(value.getBytes())};
}

/// The first run of the level: of the marks for all metrics, the nearest one's. A level that began
/// at a commit which this one did not grow from is not this run's level.
std::optional<Place> level_of(SQLite::Database& database, const SelectionQuery& query,
                              const Line& line) {
  SQLite::Statement rows(database,
                         "SELECT r.id, r.started_utc, r.commit_id "
                         "FROM level_marks m JOIN runs r NOT INDEXED ON r.id = m.first_run "
                         "WHERE m.metric = '' AND r.workload_digest = ?1 "
                         "AND r.environment_key = ?2 AND r.workload_name = ?3 "
                         "AND (?4 = '' OR r.branch = ?4)");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  rows.bind(3, query.workload_name);
  rows.bind(4, query.branch);
  std::optional<Place> level;
  while (rows.executeStep()) {
    const auto distance = distance_of(line, text(rows, 2));
    if (!distance) continue;
    const Standing here{*distance, text(rows, 1), rows.getColumn(0).getInt64()};
    if (!level || comes_before(here, *level)) level.emplace(here);
  }
  return level;
}

/// Keeps the first `most` of all that were added.
class Newest {
 public:
  explicit Newest(int most) : most_(static_cast<std::size_t>(std::max(most, 0))) {}
  void add(const Standing& run) {
    if (most_ == 0) return;
    if (places_.size() == most_) {
      if (!comes_before(run, places_.front())) return;
      std::ranges::pop_heap(places_, comes_before);
      places_.pop_back();
    }
    places_.emplace_back(run);
    std::ranges::push_heap(places_, comes_before);
  }
  /// The first one first.
  [[nodiscard]] std::vector<std::int64_t> ids() {
    std::ranges::sort_heap(places_, comes_before);
    std::vector<std::int64_t> ids;
    ids.reserve(places_.size());
    for (const Place& place : places_) ids.push_back(place.id);
    return ids;
  }

 private:
  std::size_t most_;
  std::vector<Place> places_{};  ///< a heap, the last one in front
};

}  // namespace

RunScan scan_runs(SQLite::Database& database, const SelectionQuery& query) {
  const Line line = line_of(query);
  const std::optional<Place> level =
      query.across_levels ? std::nullopt : level_of(database, query, line);
  SQLite::Statement rows(
      database,
      "SELECT id, started_utc, commit_id, workload_name = ?3, "
      "workload_digest = ?1 AND environment_key = ?2, "
      "(?4 = '' OR branch = ?4) AND (?5 OR source = 'measured') AND measure_version = ?6 "
      "AND digest <> ?7 FROM runs NOT INDEXED");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  rows.bind(3, query.workload_name);
  rows.bind(4, query.branch);
  rows.bind(5, query.replay_store ? 1 : 0);
  rows.bind(6, query.measure_version);
  rows.bind(7, query.exclude_digest);
  RunScan scan;
  Newest selected(query.max_runs);
  Newest of_name(query.max_runs);
  while (rows.executeStep()) {
    const bool named = rows.getColumn(3).getInt() != 0;
    const bool of_series = rows.getColumn(4).getInt() != 0;
    scan.of_series += of_series ? 1 : 0;
    if (!named) continue;
    ++scan.of_name;
    const std::int64_t id = rows.getColumn(0).getInt64();
    const std::string_view utc = text(rows, 1);
    of_name.add({0, utc, id});
    if (!of_series || rows.getColumn(5).getInt() == 0) continue;
    const auto distance = distance_of(line, text(rows, 2));
    if (!distance) continue;
    const Standing here{*distance, utc, id};
    const bool before_level = level && comes_before(*level, here);
    if (!before_level) selected.add(here);
  }
  scan.selected = selected.ids();
  scan.newest_of_name = of_name.ids();
  return scan;
}

}  // namespace perfgate::baselines
