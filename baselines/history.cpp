#include "baselines/history.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "baselines/database.h"

namespace perfgate::baselines {

Result<std::vector<RecordedSeries>> recorded_series(const Store& store, const std::string& branch,
                                                    int measure_version) {
  return guarded(store.path(), [&]() -> Result<std::vector<RecordedSeries>> {
    SQLite::Statement rows(
        store.database(),
        "SELECT workload_name, workload_digest, environment_key, id, commit_id, started_utc, "
        "outcome FROM runs NOT INDEXED WHERE source = 'measured' AND measure_version = ?1 "
        "AND (?2 = '' OR branch = ?2) ORDER BY started_utc, id");
    rows.bind(1, measure_version);
    rows.bind(2, branch);
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
    std::vector<RecordedSeries> all;
    const auto text = [&](int column) { return rows.getColumn(column).getString(); };
    while (rows.executeStep()) {
      const auto [place, is_new] = places.try_emplace({text(0), text(1), text(2)}, all.size());
      if (is_new) {
        all.push_back(
            {.workload_name = text(0), .workload_digest = text(1), .environment_key = text(2)});
      }
      all[place->second].runs.push_back({.run = rows.getColumn(3).getInt64(),
                                         .commit = text(4),
                                         .started_utc = text(5),
                                         .outcome = text(6)});
    }
    std::ranges::stable_sort(all, {}, &RecordedSeries::workload_name);
    return all;
  });
}

}  // namespace perfgate::baselines
