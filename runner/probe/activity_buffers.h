/// The buffers that CUPTI writes activity records into: 4 MiB each, a few of them touched ahead of
/// time, because CUPTI asks for them on the program's threads. Handed out zeroed: else CUPTI zeroes
/// each of them on the program's thread (0.4 to 0.8 ms seen on an H200 host, more than a short
/// step); a used one is zeroed in `release`, on the thread that parses. Thread safe; takes only its
/// own lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace perfgate::probe {

struct ActivityBuffer {
  std::uint8_t* data = nullptr;
  std::size_t valid_bytes = 0;
  /// Over the last limit: its records are counted as dropped, not kept.
  bool discard = false;
};

class BufferPool {
 public:
  /// `limit` buffers at most; beyond it `take` hands out small ones, and those beyond
  /// `small_limit` are not kept (a null buffer crashes CUPTI before 12.9).
  explicit BufferPool(std::size_t ready = kReady, std::size_t limit = kLimit,
                      std::size_t small_limit = kSmallLimit);

  /// Null only if the machine has no memory.
  std::uint8_t* take(std::size_t* bytes);
  /// CUPTI gives a buffer back. Data null for a pointer that is not ours.
  ActivityBuffer completed(std::uint8_t* data, std::size_t valid_bytes);
  /// The parser is done with it.
  void release(const ActivityBuffer& buffer);
  /// Buffers with something in them that were not released: CUPTI has them, or gave them back when
  /// nobody took them any more. Whole: the records end where a kind is 0. At
  /// the end of a short program CUPTI keeps a buffer that it asked for, also after a forced flush
  /// (seen on an H200 with a program that computed for 5 ms).
  [[nodiscard]] std::vector<ActivityBuffer> held_with_records() const;

  static constexpr std::size_t kReady = 4;          ///< a thread or two until the first is parsed
  static constexpr std::size_t kLimit = 128;        ///< 512 MiB: a writer that lags by seconds
  static constexpr std::size_t kSmallLimit = 2048;  ///< 128 MiB more
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;

 private:
  struct Deleter {
    std::size_t bytes = 0;
    void operator()(std::uint8_t* data) const;
  };
  using Memory = std::unique_ptr<std::uint8_t[], Deleter>;
  struct Item {
    Memory memory;
    std::size_t bytes = 0;
    bool held = false;
    bool discard = false;
  };
  /// Zeroed; null only if the machine has no memory.
  static Memory allocate(std::size_t bytes);

  mutable std::mutex mutex_;
  std::size_t limit_;
  std::size_t small_limit_;
  std::size_t full_size_ = 0;
  std::size_t small_ = 0;
  std::unordered_map<std::uint8_t*, Item> items_;
  std::vector<std::uint8_t*> free_;
};

}  // namespace perfgate::probe
