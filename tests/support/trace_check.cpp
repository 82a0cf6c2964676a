#include "tests/support/trace_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace perfgate::testing {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostProblems = 40;

struct Slice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct Track {
  std::uint64_t pid = 0;
  std::vector<Slice> slices;  ///< in the order of the file, later by start
  CheckedTrack seen;
};

struct End {
  std::uint64_t tid = 0;
  std::int64_t at_ns = 0;
};

struct Arrow {
  std::vector<End> starts;
  std::vector<End> ends;
};

/// Sorted and disjoint.
std::vector<Slice> union_of(std::vector<Slice> slices) {
  std::ranges::sort(slices, {}, &Slice::start_ns);
  std::vector<Slice> merged;
  for (const Slice& slice : slices) {
    if (merged.empty() || merged.back().end_ns < slice.start_ns) {
      merged.push_back(slice);
    } else {
      merged.back().end_ns = std::max(merged.back().end_ns, slice.end_ns);
    }
  }
  return merged;
}

class Checker {
 public:
  void event(const Json& event) {
    ++events_;
    const std::string phase = text(event, "ph");
    if (!is_count(event, "pid") || !is_count(event, "tid")) return fault("has no pid or tid");
    if (text(event, "name").empty() && phase != "X") fault("has no name");
    if (phase == "M") return metadata(event);
    if (phase != "X" && phase != "s" && phase != "f") return fault("has the phase '" + phase + "'");
    std::int64_t at_ns = 0;
    if (!time(event, "ts", at_ns)) return;
    if (!event.contains("name")) fault("has no name");
    if (text(event, "cat").empty()) fault("has no category");
    const auto tid = event["tid"].get<std::uint64_t>();
    Track& track = track_of(tid, event["pid"].get<std::uint64_t>());
    if (phase == "X") return slice(event, at_ns, track);
    if (!is_count(event, "id")) return fault("is an arrow without an id");
    if (phase == "f" && text(event, "bp") != "e") fault("is bound to the slice after it");
    Arrow& arrow = arrows_[event["id"].get<std::uint64_t>()];
    (phase == "s" ? arrow.starts : arrow.ends).push_back({tid, at_ns});
  }

  TraceCheck finish() {
    for (auto& [tid, track] : tracks_) check_track(tid, track);
    check_arrows();
    for (const auto& [pid, name] : processes_) check_device(pid);
    result_.arrows = static_cast<std::int64_t>(arrows_.size());
    for (auto& [tid, track] : tracks_) result_.tracks.push_back(std::move(track.seen));
    return std::move(result_);
  }

  void problem(std::string what) {
    if (result_.problems.size() < kMostProblems) result_.problems.push_back(std::move(what));
  }
  std::map<std::string, std::string>& notes() { return result_.notes; }

 private:
  void fault(const std::string& what) { problem("event " + std::to_string(events_) + " " + what); }

  static std::string text(const Json& event, const char* key) {
    const auto found = event.find(key);
    return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
  }
  static bool is_count(const Json& event, const char* key) {
    const auto found = event.find(key);
    return found != event.end() && found->is_number_unsigned();
  }

  bool time(const Json& event, const char* key, std::int64_t& ns) {
    const auto found = event.find(key);
    if (found == event.end() || !found->is_number()) {
      fault(std::string("has no ") + key);
      return false;
    }
    const double us = found->get<double>();
    if (us < 0) fault(std::string("has a negative ") + key);
    ns = std::llround(us * 1000.0);
    return us >= 0;
  }

  Track& track_of(std::uint64_t tid, std::uint64_t pid) {
    const auto [at, is_new] = tracks_.try_emplace(tid);
    if (is_new) at->second.pid = pid;
    if (at->second.pid != pid) fault("uses a track's number in another process");
    return at->second;
  }

  void metadata(const Json& event) {
    const std::string name = text(event, "name");
    const auto args = event.find("args");
    if (args == event.end() || !args->is_object()) return fault("has no args");
    const auto pid = event["pid"].get<std::uint64_t>();
    if (name == "process_name") {
      if (text(*args, "name").empty()) fault("gives an empty name");
      if (!processes_.emplace(pid, text(*args, "name")).second) fault("names a process again");
    } else if (name == "thread_name") {
      CheckedTrack& seen = track_of(event["tid"].get<std::uint64_t>(), pid).seen;
      if (text(*args, "name").empty()) fault("gives an empty name");
      if (!seen.name.empty()) fault("names a track again");
      seen.name = text(*args, "name");
    } else if (name != "process_sort_index" && name != "thread_sort_index") {
      fault("is metadata of the kind '" + name + "'");
    } else if (!is_count(*args, "sort_index")) {
      fault("has no place in the order");
    }
  }

  void slice(const Json& event, std::int64_t at_ns, Track& track) {
    std::int64_t duration_ns = 0;
    if (!time(event, "dur", duration_ns)) return;
    track.slices.push_back({at_ns, at_ns + duration_ns});
    CheckedTrack& seen = track.seen;
    seen.first_ns = seen.slices == 0 ? at_ns : std::min(seen.first_ns, at_ns);
    seen.last_ns = std::max(seen.last_ns, at_ns + duration_ns);
    ++seen.slices;
    ++seen.slices_of[text(event, "cat")];
    seen.total_ns[text(event, "name")] += duration_ns;
  }

  void check_track(std::uint64_t tid, Track& track) {
    const std::string who = "track " + std::to_string(tid) + " '" + track.seen.name + "'";
    if (track.seen.name.empty()) problem(who + " has no name");
    if (processes_.contains(tid)) problem(who + " has the number of a process");
    const auto process = processes_.find(track.pid);
    if (process == processes_.end()) return problem(who + " is of a process without a name");
    track.seen.process = process->second;
    std::ranges::stable_sort(track.slices, {}, &Slice::start_ns);
    std::vector<std::int64_t> open;
    for (const Slice& slice : track.slices) {
      while (!open.empty() && open.back() <= slice.start_ns) open.pop_back();
      if (!open.empty() && open.back() < slice.end_ns) {
        problem(who + ": the slice at " + std::to_string(slice.start_ns) +
                " ns overlaps another in part, or its child comes first");
      }
      open.push_back(slice.end_ns);
    }
  }

  [[nodiscard]] bool is_at_a_slice(const End& end) const {
    const auto track = tracks_.find(end.tid);
    if (track == tracks_.end()) return false;
    return std::ranges::binary_search(track->second.slices, end.at_ns, {}, &Slice::start_ns);
  }

  void check_arrows() {
    for (const auto& [id, arrow] : arrows_) {
      const std::string who = "arrow " + std::to_string(id);
      if (arrow.starts.size() != 1 || arrow.ends.size() != 1) {
        problem(who + " has not one start and one end");
        continue;
      }
      if (arrow.starts[0].at_ns > arrow.ends[0].at_ns) problem(who + " ends before it starts");
      if (!is_at_a_slice(arrow.starts[0])) problem(who + " does not start at a slice");
      if (!is_at_a_slice(arrow.ends[0])) problem(who + " does not end at a slice");
    }
  }

  /// One with a "window": its idle time and the union of its work fill it.
  void check_device(std::uint64_t pid) {
    std::vector<Slice> work;
    std::vector<Slice> idle;
    std::vector<Slice> window;
    for (const auto& [tid, track] : tracks_) {
      if (track.pid != pid) continue;
      std::vector<Slice>& into = track.seen.name == "window" ? window
                                 : track.seen.name == "idle" ? idle
                                                             : work;
      into.insert(into.end(), track.slices.begin(), track.slices.end());
    }
    if (window.empty()) return;
    window = union_of(std::move(window));
    const std::string who = "process '" + processes_[pid] + "'";
    if (window.size() != 1) return problem(who + " has several windows");
    std::int64_t filled = 0;
    for (const Slice& slice : idle) filled += slice.end_ns - slice.start_ns;
    std::vector<Slice> all = idle;
    for (const Slice& slice : union_of(std::move(work))) {
      const std::int64_t start = std::max(slice.start_ns, window[0].start_ns);
      const std::int64_t end = std::min(slice.end_ns, window[0].end_ns);
      if (end <= start) continue;
      filled += end - start;
      all.push_back({start, end});
    }
    if (filled != window[0].end_ns - window[0].start_ns)
      problem(who + ": work and idle time fill " + std::to_string(filled) + " ns of the window's " +
              std::to_string(window[0].end_ns - window[0].start_ns));
    std::ranges::sort(all, {}, [](const Slice& s) { return std::pair(s.start_ns, s.end_ns); });
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].start_ns < all[i - 1].end_ns)
        problem(who + ": idle time at " + std::to_string(all[i].start_ns) + " ns overlaps work");
    }
  }

  TraceCheck result_;
  std::int64_t events_ = 0;
  std::map<std::uint64_t, Track> tracks_;
  std::map<std::uint64_t, std::string> processes_;
  std::map<std::uint64_t, Arrow> arrows_;
};

}  // namespace

TraceCheck check_trace(std::string_view json) {
  Checker checker;
  // Each event is looked at and let go: a file of a million of them would fill the memory.
  constexpr int kEventDepth = 2;
  const auto take = [&](int depth, Json::parse_event_t kind, Json& parsed) {
    if (kind != Json::parse_event_t::object_end || depth != kEventDepth) return true;
    checker.event(parsed);
    return false;
  };
  try {
    const Json whole = Json::parse(json.begin(), json.end(), take);
    const auto events = whole.find("traceEvents");
    if (events == whole.end() || !events->is_array()) {
      checker.problem("there is no array traceEvents");
    } else if (!events->empty()) {
      checker.problem("traceEvents holds what is no event");
    }
    if (whole.contains("otherData")) {
      for (const auto& [key, value] : whole["otherData"].items())
        checker.notes()[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  } catch (const Json::exception& error) {
    checker.problem(std::string("it is not JSON: ") + error.what());
  }
  return checker.finish();
}

}  // namespace perfgate::testing
