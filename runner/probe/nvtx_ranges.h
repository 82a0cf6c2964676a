/// The NVTX ranges of the process: names, domains, open stacks per thread, finished ranges on their
/// way out.
///
/// A push takes one clock read, one uncontended lock and one hash look-up in a table of the calling
/// thread; names are copied once. Finished ranges that overlap the recording interval wait in the
/// thread's state until `collect` takes them (the sink does, ten times a second). Nothing here
/// calls CUDA or the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/probe/window.h"

namespace perfgate::probe {

using NameId = std::uint32_t;
using DomainId = std::uint32_t;  ///< 0 = default domain

struct RangeEvent {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< 0 = still open
  NameId name = 0;
  DomainId domain = 0;
  std::uint32_t thread = 0;
  bool is_push_pop = true;
  bool matches = false;  ///< the window's glob and domain
};

struct RangeStart {
  std::int64_t start_ns = 0;
  std::uint64_t id = 0;  ///< of start/end ranges
  /// The range matches the request's glob and domain, and no other match is open on the thread: one
  /// step, as runner/analysis/steps.h counts them. A start/end range belongs to no thread's stack,
  /// so it is never inside another and nothing is inside it.
  bool is_outermost_match = false;
};

struct SeenName {
  std::string domain;
  std::string name;
  std::uint64_t count = 0;
};

class RangeStore {
 public:
  /// `domain_filter`: only ranges of that domain match the window's glob; empty optional: any
  /// domain.
  RangeStore(WindowRequest request, std::optional<std::string> domain_filter);
  ~RangeStore();
  RangeStore(const RangeStore&) = delete;
  RangeStore& operator=(const RangeStore&) = delete;

  /// Id of the domain with this name; the same name gives the same id.
  DomainId domain(std::string_view name);
  /// A registered string; the handle is never 0. Null when too many are registered.
  std::uint64_t register_string(std::string_view text);
  /// Empty for a handle that was never given out.
  [[nodiscard]] std::string_view registered(std::uint64_t handle) const;

  RangeStart push(DomainId domain, std::string_view name);
  void pop(DomainId domain);
  RangeStart start(DomainId domain, std::string_view name);
  void end(std::uint64_t id);

  /// Ranges that end at or after `opened_ns` and start at or before `closed_ns` are recorded.
  void record_from(std::int64_t opened_ns) { opened_ns_ = opened_ns; }
  void record_until(std::int64_t closed_ns) { closed_ns_ = closed_ns; }

  /// Names of the ranges open on the calling thread, '/'-joined, outermost first.
  [[nodiscard]] std::string open_path();

  /// Takes the finished ranges, and what ended threads left.
  [[nodiscard]] std::vector<RangeEvent> collect();
  /// The ranges still open that belong to the recording interval (end_ns 0).
  [[nodiscard]] std::vector<RangeEvent> open_ranges();
  [[nodiscard]] std::string name_text(NameId id) const;
  [[nodiscard]] std::string domain_text(DomainId id) const;
  /// All names seen so far, most frequent first, at most `limit`.
  [[nodiscard]] std::vector<SeenName> seen(std::size_t limit);
  /// True once ranges were left out because kMaxRanges was reached.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

  static constexpr std::uint64_t kMaxRanges = 1'000'000;
  static constexpr std::size_t kMaxNames = 200'000;
  static constexpr std::size_t kMaxDepth = 4096;

  struct ThreadState;

 private:
  struct NameKey {
    DomainId domain = 0;
    std::string name;
  };
  ThreadState* this_thread();
  /// Looks the name up in the thread's table and counts it. With the thread's lock held.
  RangeEvent opened(ThreadState& thread, DomainId domain, std::string_view name);
  NameId name_id(std::string_view name);
  void retire_counts(const ThreadState& thread);
  void record(ThreadState& thread, const RangeEvent& event);
  [[nodiscard]] bool wanted(std::int64_t start_ns, std::int64_t end_ns) const;
  [[nodiscard]] bool matches_window(DomainId domain, std::string_view name) const;

  const std::uint64_t serial_;  ///< tells a thread's slot from that of an earlier store
  WindowRequest request_;
  std::optional<std::string> domain_filter_;
  std::atomic<std::int64_t> opened_ns_{INT64_MAX};
  std::atomic<std::int64_t> closed_ns_{INT64_MAX};
  std::atomic<std::uint64_t> recorded_{0};
  std::atomic<bool> overflowed_{false};
  std::atomic<std::uint64_t> next_range_id_{1};

  mutable std::mutex names_mutex_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, NameId> name_ids_;  // views into names_
  std::deque<std::string> domains_{std::string{}};

  mutable std::mutex strings_mutex_;
  std::deque<std::string> strings_;

  std::mutex threads_mutex_;
  std::vector<std::shared_ptr<ThreadState>> threads_;
  std::vector<RangeEvent> abandoned_;  // open when their thread ended

  std::mutex retired_mutex_;
  std::map<std::pair<DomainId, NameId>, std::uint64_t> retired_counts_;  // of ended threads

  std::mutex started_mutex_;
  std::unordered_map<std::uint64_t, RangeEvent> started_;
};

/// CLOCK_REALTIME, the clock of CUPTI's records.
[[nodiscard]] std::int64_t realtime_ns();
/// gettid, asked once a thread.
[[nodiscard]] std::uint32_t current_thread_id();

}  // namespace perfgate::probe
