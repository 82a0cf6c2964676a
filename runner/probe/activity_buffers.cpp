#include "runner/probe/activity_buffers.h"

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

BufferPool::BufferPool(std::size_t ready, std::size_t limit) : limit_(limit) {
  for (std::size_t i = 0; i < ready; ++i) {
    Memory memory = allocate(kBufferBytes);
    if (memory == nullptr) return;
    std::memset(memory.get(), 0, kBufferBytes);
    std::uint8_t* data = memory.get();
    items_.emplace(data, Item{std::move(memory), kBufferBytes, false});
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
    const std::size_t size = full ? kScratchBytes : kBufferBytes;
    Memory memory = allocate(size);
    if (memory == nullptr) {
      *bytes = 0;
      return nullptr;
    }
    data = memory.get();
    items_.emplace(data, Item{std::move(memory), size, false});
    if (!full) ++full_size_;
  }
  Item& item = items_.at(data);
  item.held = true;
  ++held_;
  *bytes = item.bytes;
  return data;
}

ActivityBuffer BufferPool::completed(std::uint8_t* data, std::size_t valid_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = items_.find(data);
  if (at == items_.end()) return {};
  if (at->second.held) --held_;
  at->second.held = false;
  return {data, valid_bytes < at->second.bytes ? valid_bytes : at->second.bytes,
          at->second.bytes < kBufferBytes};
}

void BufferPool::release(const ActivityBuffer& buffer) {
  // Whole: CUPTI may have written behind the last valid record.
  if (!buffer.discard && buffer.data != nullptr) std::memset(buffer.data, 0, kBufferBytes);
  const std::lock_guard lock(mutex_);
  if (buffer.discard) {
    items_.erase(buffer.data);
  } else if (items_.contains(buffer.data)) {
    free_.push_back(buffer.data);
  }
}

std::vector<ActivityBuffer> BufferPool::held_with_records() const {
  const std::lock_guard lock(mutex_);
  std::vector<ActivityBuffer> buffers;
  for (const auto& [data, item] : items_) {
    // A record begins with its kind, which is never 0. CUPTI may be writing at this moment.
    auto* kind = reinterpret_cast<std::uint32_t*>(item.memory.get());
    if (item.held && std::atomic_ref(*kind).load(std::memory_order_relaxed) != 0)
      buffers.push_back({data, item.bytes, item.bytes < kBufferBytes});
  }
  return buffers;
}

std::size_t BufferPool::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

}  // namespace perfgate::probe
