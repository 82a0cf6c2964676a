/// The probe of this process: one object, made by whichever entry point comes first, never
/// destroyed.
///
/// Environment: PERFGATE_CAPTURE_DIR (unset: the probe does nothing), PERFGATE_WINDOW and
/// PERFGATE_NVTX_DOMAIN (window.h), PERFGATE_CONTROL (control_socket.h), PERFGATE_CUPTI (path of
/// libcupti, for odd installations), PERFGATE_DELAY_US and PERFGATE_DELAY_RANGE (step_delay.h). A
/// forked child has no probe: its parent's file, threads and locks are not its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/probe/capture_sink.h"
#include "runner/probe/control_socket.h"
#include "runner/probe/nvtx_ranges.h"
#include "runner/probe/step_delay.h"
#include "runner/probe/window.h"

namespace perfgate::probe {

class CuptiSession;

class Probe {
 public:
  /// Makes the probe at the first call. Null if it is not configured, cannot write, or this is a
  /// forked child.
  static Probe* start();
  /// The running probe; null before start, after the capture was closed, and in a forked child.
  static Probe* active() { return running.load(std::memory_order_acquire); }

  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Finds libcupti and subscribes, unless only NVTX ranges are wanted. Once; failures become
  /// reasons.
  void start_cupti();

  [[nodiscard]] RangeStore& ranges() { return ranges_; }
  /// A range was pushed or started: may open or close the window.
  void range_started(const RangeStart& range, std::string_view name) {
    if (range.is_outermost_match) matching_range_started(range, name);
    poll();
    if (range.is_outermost_match) wait_busily(settings_.delay.ns);
  }
  /// From application threads and CUPTI's API callbacks: carries out what waits for such a moment.
  void poll() {
    if (attention_.load(std::memory_order_relaxed)) attend();
  }
  void open_requested(const char* by);
  void close_requested();

 private:
  struct Settings {
    std::string directory;
    WindowRequest request;
    std::optional<std::string> domain;
    std::string control_path;
    std::string cupti_path;
    StepDelay delay;
    std::string problem;  ///< PERFGATE_WINDOW was not understood
  };
  using Steady = std::chrono::steady_clock;
  static constexpr std::int64_t kAttendEveryNs = 1'000'000;

  static Settings read_settings();
  static Probe* create();
  explicit Probe(Settings settings);
  void connect_control();
  void note_request(ControlRequest request);
  static void on_fork_child();
  static void on_exit();

  // Take control_mutex_.
  void matching_range_started(const RangeStart& range, std::string_view name);
  void attend();
  void close_at_exit();

  // With control_mutex_ held.
  void take_request();
  void open_window(std::int64_t now_ns, std::string by);
  void close_window(std::int64_t now_ns);
  void advance_closing();
  [[nodiscard]] bool window_settled() const;
  void stop_recording();
  void finish_capture();

  void send_state();
  void post_clock_pair();
  void post_devices();
  // Writer thread only.
  capture::Bytes write_ranges(capture::Encoder& encoder, const std::vector<RangeEvent>& events);
  capture::Bytes write_end(capture::Encoder& encoder, std::optional<std::uint64_t> dropped,
                           std::uint64_t matches);
  /// Reasons for what is missing in the window, by where it was lost.
  capture::Bytes write_losses(capture::Encoder& encoder, std::optional<std::uint64_t> dropped);
  capture::Bytes write_missing_window(capture::Encoder& encoder, std::uint64_t matches);

  static std::atomic<Probe*> running;

  const Settings settings_;
  const int pid_;
  RangeStore ranges_;
  std::unique_ptr<CaptureSink> sink_;
  std::unique_ptr<ControlSocket> control_;

  std::timed_mutex control_mutex_;
  WindowMachine window_;
  CuptiSession* cupti_ = nullptr;
  bool cupti_tried_ = false;
  bool cupti_failed_ = false;
  bool devices_known_ = false;
  std::int64_t opened_ns_ = 0;
  std::int64_t closed_ns_ = 0;
  std::string opened_by_;
  bool closed_by_exit_ = false;
  Steady::time_point closed_at_{};
  Steady::time_point disabled_at_{};
  bool disabled_ = false;
  int closing_looks_ = 0;
  bool waited_in_vain_ = false;           ///< the clock ended the wait, not the records
  std::optional<std::uint64_t> dropped_;  ///< by CUPTI, while the window's records arrived

  std::atomic<bool> attention_{false};
  std::atomic<int> request_{0};  ///< ControlRequest not yet carried out
  std::atomic<std::int64_t> last_attend_ns_{0};
  std::atomic<std::int64_t> attend_every_ns_{kAttendEveryNs};

  // Writer thread only.
  std::vector<StringId> name_strings_;
  bool reported_overflow_ = false;
};

}  // namespace perfgate::probe
