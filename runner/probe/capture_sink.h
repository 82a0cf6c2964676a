/// The capture file of this process, and the one thread that writes it.
///
/// The program's threads post jobs; the writer thread encodes them and writes whole blocks with
/// write(2), so that a killed process leaves a readable capture. The file is created new (O_EXCL),
/// close-on-exec, on a descriptor far above those the program will see. All signals are blocked in
/// the thread, so that a full disk or a file size limit is an error return, not a signal to the
/// program. After the first failed write the cut block is taken back, the reason is written if it
/// fits, and nothing more.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runner/capture/encoder.h"
#include "runner/model/result.h"

namespace perfgate::probe {

class CaptureSink {
 public:
  /// Runs on the writer thread; returns the block to append (may be empty).
  using Job = std::function<capture::Bytes(capture::Encoder&)>;

  /// Creates DIR/PID-STARTTIME.pgcap and starts the writer. `tick` runs on the writer ten times a
  /// second and before the end block; its result is appended. Where that file is there already, an
  /// earlier program of this process wrote it (exec keeps both numbers): PID-STARTTIME-2.pgcap and
  /// so on, at most kMostPrograms of them.
  static Result<std::unique_ptr<CaptureSink>> open(const std::string& directory,
                                                   const capture::Header& header, Job tick);
  static constexpr int kMostPrograms = 100;
  CaptureSink(const CaptureSink&) = delete;
  CaptureSink& operator=(const CaptureSink&) = delete;
  ~CaptureSink();

  void post(Job job);
  void post_reason(std::string text);
  /// `last` runs after everything posted before it and returns the end block. Later posts are
  /// ignored.
  void finish(Job last);
  /// Waits until `finish` was carried out, at most `milliseconds`.
  bool wait_finished(int milliseconds);
  [[nodiscard]] bool finishing() const { return finishing_.load(); }

 private:
  CaptureSink(int descriptor, Job tick);
  void run();
  void append(const capture::Bytes& block);
  void execute(const Job& job);
  [[nodiscard]] bool same_file() const;
  void give_up(int error);
  [[nodiscard]] static bool write_all(int descriptor, const std::byte* data, std::size_t size);

  int descriptor_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool failed_ = false;
  std::int64_t whole_bytes_ = 0;  // length of the file up to its last whole block
  Job tick_;
  capture::Encoder encoder_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<Job> jobs_;
  Job last_;
  std::atomic<bool> finishing_{false};
  bool finished_ = false;
  std::thread thread_;
};

/// Field 22 of /proc/self/stat: the start of this process in clock ticks since boot; 0 if
/// unreadable.
[[nodiscard]] std::uint64_t process_start_ticks();

}  // namespace perfgate::probe
