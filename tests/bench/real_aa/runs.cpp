#include "tests/bench/real_aa/runs.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace perfgate::bench {
namespace {

template <typename Item, typename Match>
Item& found_or_added(std::vector<Item>& items, const Match& match) {
  const auto at = std::ranges::find_if(items, match);
  return at == items.end() ? items.emplace_back() : *at;
}

void add_session_arm(const nlohmann::json& line, MeasuredWorkload& workload) {
  const int session = line.at("session").get<int>();
  auto& pairs = found_or_added(workload.planted,
                               [&](const PlantedSession& each) { return each.session == session; });
  pairs.session = session;
  pairs.gpu = line.at("gpu").get<std::string>();
  pairs.planted = line.at("planted").get<std::string>();
  (line.at("arm") == "head" ? pairs.head : pairs.base) = line.at("ms").get<std::vector<double>>();
}

void add_run(const nlohmann::json& line, MeasuredWorkload& workload) {
  const auto gpu = line.at("gpu").get<std::string>();
  const auto start = line.at("occasion").get<std::string>();
  auto& occasion = found_or_added(workload.occasions, [&](const Occasion& each) {
    return each.gpu == gpu && each.start_utc == start;
  });
  occasion.gpu = gpu;
  occasion.start_utc = start;
  AaRun run{line.at("ms").get<std::vector<double>>()};
  if (line.contains("planted")) {
    occasion.planted.push_back({line.at("planted").get<std::string>(), std::move(run)});
  } else {
    occasion.runs.push_back(std::move(run));
  }
}

}  // namespace

std::vector<double> Occasion::processes() const {
  std::vector<double> all;
  for (const AaRun& run : runs) all.insert(all.end(), run.medians_ms.begin(), run.medians_ms.end());
  return all;
}

Result<std::vector<MeasuredWorkload>> read_runs(const std::string& text) {
  std::vector<MeasuredWorkload> workloads;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const auto json = nlohmann::json::parse(line);
      const auto name = json.at("workload").get<std::string>();
      auto& workload = found_or_added(
          workloads, [&](const MeasuredWorkload& each) { return each.name == name; });
      workload.name = name;
      json.contains("session") ? add_session_arm(json, workload) : add_run(json, workload);
    } catch (const nlohmann::json::exception& problem) {
      return Error{ErrorCode::corrupt,
                   "line " + std::to_string(number) + " is no run: " + problem.what(),
                   "runs.h shows the two forms", ""};
    }
  }
  for (const MeasuredWorkload& workload : workloads) {
    for (const PlantedSession& pairs : workload.planted) {
      if (pairs.base.size() == pairs.head.size() && !pairs.base.empty()) continue;
      return Error{ErrorCode::corrupt, workload.name + ": a session's arms differ in length",
                   "each process of the base has one of the head beside it", ""};
    }
  }
  return workloads;
}

}  // namespace perfgate::bench
