#include "runner/probe/nvtx_ranges.h"

#include <algorithm>

#include <time.h>
#include <unistd.h>

#include "runner/model/glob.h"

namespace perfgate::probe {
namespace {

struct KeyView {
  DomainId domain = 0;
  std::string_view name;
};

constexpr std::size_t kMaxThreadNames = 65536;
constexpr std::size_t kMaxStrings = 1'000'000;

}  // namespace

/// One thread's part. The owner thread and the collector take `mutex`; it is almost never
/// contended.
struct RangeStore::ThreadState {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const KeyView& key) const {
      return std::hash<std::string_view>{}(key.name) ^ (key.domain * 0x9E3779B97F4A7C15ULL);
    }
    std::size_t operator()(const NameKey& key) const {
      return (*this)(KeyView{key.domain, key.name});
    }
  };
  struct Equal {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return a.domain == b.domain && std::string_view(a.name) == std::string_view(b.name);
    }
  };
  struct Known {
    NameId id = 0;
    bool matches = false;
    std::uint64_t count = 0;
  };

  std::mutex mutex;
  std::uint32_t thread = 0;
  bool ended = false;
  bool retired = false;  // ended and emptied by the collector
  std::uint64_t beyond_depth = 0;
  std::uint64_t open_matches = 0;  // on `stack`
  std::vector<RangeEvent> stack;
  std::vector<RangeEvent> finished;
  std::unordered_map<NameKey, Known, Hash, Equal> names;
};

namespace {

struct ThreadSlot {
  std::uint64_t owner = 0;  // serial of the store
  std::shared_ptr<RangeStore::ThreadState> state;
  bool ended = false;
  ~ThreadSlot() {
    ended = true;
    if (state == nullptr) return;
    const std::lock_guard lock(state->mutex);
    state->ended = true;
  }
};
std::atomic<std::uint64_t> g_stores{0};
thread_local ThreadSlot t_slot;

}  // namespace

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::uint32_t current_thread_id() {
  static thread_local const auto kThread = static_cast<std::uint32_t>(gettid());
  return kThread;
}

RangeStore::RangeStore(WindowRequest request, std::optional<std::string> domain_filter)
    : serial_(++g_stores), request_(std::move(request)), domain_filter_(std::move(domain_filter)) {
  if (request_.trigger == WindowTrigger::none) opened_ns_ = 0;
}

RangeStore::~RangeStore() = default;

DomainId RangeStore::domain(std::string_view name) {
  if (name.empty()) return 0;
  const std::lock_guard lock(names_mutex_);
  for (DomainId id = 1; id < domains_.size(); ++id) {
    if (domains_[id] == name) return id;
  }
  if (domains_.size() >= kMaxStrings) return 0;
  domains_.emplace_back(name);
  return static_cast<DomainId>(domains_.size() - 1);
}

std::uint64_t RangeStore::register_string(std::string_view text) {
  const std::lock_guard lock(strings_mutex_);
  if (strings_.size() >= kMaxStrings) return 0;
  strings_.emplace_back(text);
  return strings_.size();
}

std::string_view RangeStore::registered(std::uint64_t handle) const {
  const std::lock_guard lock(strings_mutex_);
  if (handle == 0 || handle > strings_.size()) return {};
  return strings_[handle - 1];  // never changed or removed, so the view outlives the lock
}

RangeStore::ThreadState* RangeStore::this_thread() {
  if (!t_slot.ended && t_slot.owner == serial_) return t_slot.state.get();
  if (t_slot.ended) return nullptr;
  auto state = std::make_shared<ThreadState>();
  state->thread = current_thread_id();
  t_slot.owner = serial_;
  t_slot.state = state;
  const std::lock_guard lock(threads_mutex_);
  threads_.push_back(std::move(state));
  return t_slot.state.get();
}

void RangeStore::retire_counts(const ThreadState& thread) {
  const std::lock_guard lock(retired_mutex_);
  for (const auto& [key, known] : thread.names) {
    retired_counts_[{key.domain, known.id}] += known.count;
  }
}

NameId RangeStore::name_id(std::string_view name) {
  const std::lock_guard lock(names_mutex_);
  const auto at = name_ids_.find(name);
  if (at != name_ids_.end()) return at->second;
  const bool full = names_.size() >= kMaxNames;
  if (full) {
    const auto other = name_ids_.find("(other ranges)");
    if (other != name_ids_.end()) return other->second;
  }
  names_.emplace_back(full ? std::string_view("(other ranges)") : name);
  const auto id = static_cast<NameId>(names_.size() - 1);
  name_ids_.emplace(names_.back(), id);
  return id;
}

bool RangeStore::matches_window(DomainId domain, std::string_view name) const {
  if (request_.glob.empty()) return false;
  if (domain_filter_ && domain_text(domain) != *domain_filter_) return false;
  return glob_matches(request_.glob, name);
}

bool RangeStore::wanted(std::int64_t start_ns, std::int64_t end_ns) const {
  return end_ns >= opened_ns_.load(std::memory_order_relaxed) &&
         start_ns <= closed_ns_.load(std::memory_order_relaxed);
}

void RangeStore::record(ThreadState& thread, const RangeEvent& event) {
  if (!wanted(event.start_ns, event.end_ns)) return;
  if (recorded_.fetch_add(1, std::memory_order_relaxed) >= kMaxRanges) {
    overflowed_.store(true, std::memory_order_relaxed);
    return;
  }
  thread.finished.push_back(event);
}

RangeEvent RangeStore::opened(ThreadState& thread, DomainId domain, std::string_view name) {
  auto known = thread.names.find(KeyView{domain, name});
  if (known == thread.names.end()) {
    if (thread.names.size() >= kMaxThreadNames) {
      retire_counts(thread);
      thread.names.clear();
    }
    const ThreadState::Known fresh{name_id(name), matches_window(domain, name), 0};
    known = thread.names.emplace(NameKey{domain, std::string(name)}, fresh).first;
  }
  ++known->second.count;
  return {realtime_ns(), 0, known->second.id, domain, thread.thread, true, known->second.matches};
}

RangeStart RangeStore::push(DomainId domain, std::string_view name) {
  ThreadState* thread = this_thread();
  if (thread == nullptr) return {};
  const std::lock_guard lock(thread->mutex);
  const RangeEvent event = opened(*thread, domain, name);
  if (thread->stack.size() >= kMaxDepth) {  // not recorded, so no step either
    ++thread->beyond_depth;
    return {event.start_ns, 0, false};
  }
  thread->stack.push_back(event);
  const bool is_outermost = event.matches && thread->open_matches == 0;
  if (event.matches) ++thread->open_matches;
  return {event.start_ns, 0, is_outermost};
}

void RangeStore::pop(DomainId domain) {
  const std::int64_t now = realtime_ns();
  ThreadState* thread = this_thread();
  if (thread == nullptr) return;
  const std::lock_guard lock(thread->mutex);
  if (thread->beyond_depth > 0) {
    --thread->beyond_depth;
    return;
  }
  for (std::size_t i = thread->stack.size(); i > 0; --i) {
    if (thread->stack[i - 1].domain != domain) continue;
    RangeEvent event = thread->stack[i - 1];
    thread->stack.erase(thread->stack.begin() + static_cast<std::ptrdiff_t>(i - 1));
    event.end_ns = now;
    if (event.matches) --thread->open_matches;
    record(*thread, event);
    return;
  }
}

RangeStart RangeStore::start(DomainId domain, std::string_view name) {
  ThreadState* thread = this_thread();
  if (thread == nullptr) return {};
  RangeEvent event;
  {
    const std::lock_guard lock(thread->mutex);
    event = opened(*thread, domain, name);
  }
  event.is_push_pop = false;
  const std::uint64_t id = next_range_id_.fetch_add(1, std::memory_order_relaxed);
  // In a table of the process: it may end on another thread.
  const std::lock_guard lock(started_mutex_);
  if (started_.size() < kMaxRanges) started_.emplace(id, event);
  return {event.start_ns, id, event.matches};
}

void RangeStore::end(std::uint64_t id) {
  const std::int64_t now = realtime_ns();
  RangeEvent event;
  {
    const std::lock_guard lock(started_mutex_);
    const auto at = started_.find(id);
    if (at == started_.end()) return;
    event = at->second;
    started_.erase(at);
  }
  event.end_ns = now;
  ThreadState* thread = this_thread();
  if (thread == nullptr) return;
  const std::lock_guard lock(thread->mutex);
  record(*thread, event);
}

std::string RangeStore::open_path() {
  std::string path;
  ThreadState* thread = this_thread();
  if (thread == nullptr) return path;
  const std::lock_guard lock(thread->mutex);
  for (const RangeEvent& open : thread->stack) {
    if (!path.empty()) path += '/';
    path += name_text(open.name);
  }
  return path;
}

std::vector<RangeEvent> RangeStore::collect() {
  std::vector<RangeEvent> all;
  const std::lock_guard lock(threads_mutex_);
  for (const auto& thread : threads_) {
    const std::lock_guard thread_lock(thread->mutex);
    all.insert(all.end(), thread->finished.begin(), thread->finished.end());
    thread->finished.clear();
    if (thread->ended) {
      retire_counts(*thread);
      abandoned_.insert(abandoned_.end(), thread->stack.begin(), thread->stack.end());
      if (abandoned_.size() > kMaxDepth) abandoned_.resize(kMaxDepth);
      thread->retired = true;
    }
  }
  // An ended thread's state is not touched by anyone else: its slot let go of it under the state's
  // lock.
  std::erase_if(threads_, [](const auto& thread) {
    const std::lock_guard thread_lock(thread->mutex);
    return thread->retired;
  });
  return all;
}

std::vector<RangeEvent> RangeStore::open_ranges() {
  std::vector<RangeEvent> open;
  const auto take = [&](const RangeEvent& event) {
    if (wanted(event.start_ns, INT64_MAX)) open.push_back(event);
  };
  {
    const std::lock_guard lock(threads_mutex_);
    for (const RangeEvent& event : abandoned_) take(event);
    for (const auto& thread : threads_) {
      const std::lock_guard thread_lock(thread->mutex);
      for (const RangeEvent& event : thread->stack) take(event);
    }
  }
  const std::lock_guard lock(started_mutex_);
  for (const auto& [id, event] : started_) take(event);
  return open;
}

std::string RangeStore::name_text(NameId id) const {
  const std::lock_guard lock(names_mutex_);
  return id < names_.size() ? names_[id] : std::string{};
}

std::string RangeStore::domain_text(DomainId id) const {
  const std::lock_guard lock(names_mutex_);
  return id < domains_.size() ? domains_[id] : std::string{};
}

std::vector<SeenName> RangeStore::seen(std::size_t limit) {
  std::map<std::pair<DomainId, NameId>, std::uint64_t> counts;
  {
    const std::lock_guard lock(retired_mutex_);
    counts = retired_counts_;
  }
  {
    const std::lock_guard lock(threads_mutex_);
    for (const auto& thread : threads_) {
      const std::lock_guard thread_lock(thread->mutex);
      for (const auto& [key, known] : thread->names) counts[{key.domain, known.id}] += known.count;
    }
  }
  std::vector<SeenName> all;
  all.reserve(counts.size());
  for (const auto& [key, count] : counts) {
    all.push_back({domain_text(key.first), name_text(key.second), count});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const SeenName& a, const SeenName& b) { return a.count > b.count; });
  if (all.size() > limit) all.resize(limit);
  return all;
}

}  // namespace perfgate::probe
