#include "runner/probe/activity_buffers.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <sys/mman.h>

namespace perfgate::probe {

void BufferPool::Deleter::operator()(std::uint8_t* data) const { ::munmap(data, bytes); }

BufferPool::Memory BufferPool::allocate(std::size_t bytes) {
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return Memory(nullptr, Deleter{bytes});
  return Memory(static_cast<std::uint8_t*>(pages), Deleter{bytes});
}

BufferPool::BufferPool(std::size_t ready, std::size_t limit, std::size_t small_limit)
    : limit_(limit), small_limit_(small_limit) {
  for (std::size_t i = 0; i < ready; ++i) {
    Memory memory = allocate(kBufferBytes);
    if (memory == nullptr) return;
    std::memset(memory.get(), 0, kBufferBytes);
    std::uint8_t* data = memory.get();
    items_.emplace(data, Item{.memory = std::move(memory), .bytes = kBufferBytes});
    free_.push_back(data);
    ++full_size_;
  }
}

std::uint8_t* BufferPool::take(std::size_t* bytes) {
  const std::lock_guard lock(mutex_);
  std::uint8_t* data = nullptr;
  if (!free_.empty()) {
    data = free_.back();
    free_.pop_back();
  } else {
    const bool full = full_size_ >= limit_;
    const std::size_t size = full ? kSmallBytes : kBufferBytes;
    Memory memory = allocate(size);
    if (memory == nullptr) {
      *bytes = 0;
      return nullptr;
    }
    data = memory.get();
    items_.emplace(data, Item{.memory = std::move(memory),
                              .bytes = size,
                              .discard = full && small_ >= small_limit_});
    ++(full ? small_ : full_size_);
  }
  Item& item = items_.at(data);
  item.held = true;
  *bytes = item.bytes;
  return data;
}

ActivityBuffer BufferPool::completed(std::uint8_t* data, std::size_t valid_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = items_.find(data);
  if (at == items_.end()) return {};
  return {data, std::min(valid_bytes, at->second.bytes), at->second.discard};
}

void BufferPool::release(const ActivityBuffer& buffer) {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto at = items_.find(buffer.data);
    if (at == items_.end()) return;
    bytes = at->second.bytes;
    if (bytes < kBufferBytes) {
      items_.erase(at);
      --small_;
      return;
    }
  }
  // Whole: CUPTI may have written behind the last valid record.
  std::memset(buffer.data, 0, bytes);
  const std::lock_guard lock(mutex_);
  items_.at(buffer.data).held = false;
  free_.push_back(buffer.data);
}

std::vector<ActivityBuffer> BufferPool::held_with_records() const {
  const std::lock_guard lock(mutex_);
  std::vector<ActivityBuffer> buffers;
  for (const auto& [data, item] : items_) {
    // A record begins with its kind, which is never 0. CUPTI may be writing at this moment.
    auto* kind = reinterpret_cast<std::uint32_t*>(item.memory.get());
    if (item.held && std::atomic_ref(*kind).load(std::memory_order_relaxed) != 0)
      buffers.push_back({data, item.bytes, item.discard});
  }
  return buffers;
}

}  // namespace perfgate::probe
