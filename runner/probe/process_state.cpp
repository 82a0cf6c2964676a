#include "runner/probe/process_state.h"

#include <algorithm>
#include <cstdlib>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "runner/probe/cuda_driver.h"
#include "runner/probe/cupti_session.h"
#include "runner/probe/guard.h"

namespace perfgate::probe {
namespace {

// How long records of a closed window are waited for, and how many further steps. What is missing
// then is a reason in the capture: it is partial.
constexpr auto kArrivalWait = std::chrono::seconds(2);
constexpr std::uint64_t kArrivalSteps = 4;
// After the first looks at a closed window each one doubles the time until the next: every flush
// makes CUPTI ask for one more buffer, which it may keep (128 of them within a second on an H200
// beside a thread that builds graphs).
constexpr int kQuickLooks = 16;
constexpr std::int64_t kAttendAtMostEveryNs = 64'000'000;
constexpr int kExitWaitMs = 10'000;

Probe* g_probe = nullptr;
std::atomic<bool> g_forked{false};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::atomic<Probe*> Probe::running{nullptr};

Probe::Settings Probe::read_settings() {
  Settings settings;
  settings.directory = environment("PERFGATE_CAPTURE_DIR");
  settings.control_path = environment("PERFGATE_CONTROL");
  settings.cupti_path = environment("PERFGATE_CUPTI");
  if (std::getenv("PERFGATE_NVTX_DOMAIN") != nullptr) {
    settings.domain = environment("PERFGATE_NVTX_DOMAIN");
  }
  settings.delay =
      parse_step_delay(std::getenv("PERFGATE_DELAY_US"), std::getenv("PERFGATE_DELAY_RANGE"));
  settings.problem = settings.delay.problem;
  auto request = parse_window(environment("PERFGATE_WINDOW"));
  if (request.ok()) {
    settings.request = with_steps_of(std::move(request).value(), settings.delay);
  } else {
    settings.problem = request.error().message + ": " + request.error().hint;
  }
  return settings;
}

Probe* Probe::start() {
  if (g_forked) return nullptr;
  static std::once_flag once;
  std::call_once(once, [] { g_probe = create(); });
  return active();
}

Probe* Probe::create() {
  Settings settings = read_settings();
  if (settings.directory.empty()) return nullptr;
  auto* probe = new Probe(std::move(settings));  // NOLINT(cppcoreguidelines-owning-memory)
  capture::Header header;
  header.pid = static_cast<std::uint32_t>(getpid());
  header.parent_pid = static_cast<std::uint32_t>(getppid());
  header.process_start_ticks = process_start_ticks();
  auto sink =
      CaptureSink::open(probe->settings_.directory, header, [probe](capture::Encoder& encoder) {
        return probe->write_ranges(encoder, probe->ranges_.collect());
      });
  if (!sink.ok()) return nullptr;  // nowhere to say it; the parent sees that no capture came
  probe->sink_ = std::move(sink).value();
  if (!probe->settings_.problem.empty()) probe->sink_->post_reason(probe->settings_.problem);
  pthread_atfork(nullptr, nullptr, &on_fork_child);
  running.store(probe, std::memory_order_release);
  if (probe->settings_.request.trigger == WindowTrigger::socket) probe->connect_control();
  std::atexit(&on_exit);
  return probe;
}

Probe::Probe(Settings settings)
    : settings_(std::move(settings)),
      pid_(getpid()),
      ranges_(settings_.request, settings_.domain),
      window_(settings_.request) {}

void Probe::connect_control() {
  auto socket = ControlSocket::connect(settings_.control_path, [this](ControlRequest request) {
    guarded([&] { note_request(request); });
  });
  if (!socket.ok()) {
    sink_->post_reason(socket.error().message);
    return;
  }
  const std::lock_guard lock(control_mutex_);
  control_ = std::move(socket).value();
  send_state();
}

void Probe::note_request(ControlRequest request) {
  const std::lock_guard lock(control_mutex_);
  if (sink_->finishing()) return;
  request_ = static_cast<int>(request);
  attention_ = true;
  // The request is carried out inside the program's next API call, or at once where no CUDA is
  // used.
  if (cupti_ != nullptr) {
    cupti_->watch_calls(true);
  } else {
    take_request();
  }
}

void Probe::start_cupti() {
  if (settings_.request.trigger == WindowTrigger::none) return;
  const std::lock_guard lock(control_mutex_);
  if (cupti_tried_) return;
  cupti_tried_ = true;
  cupti_failed_ = true;
  const auto failed = [this](const Error& error) {
    const std::string text = error.hint.empty() ? error.message : error.message + ": " + error.hint;
    sink_->post_reason(text);
    if (control_ != nullptr) control_->send_reason(text);
  };
  auto api = load_cupti(search_input(settings_.cupti_path));
  if (!api.ok()) return failed(api.error());
  sink_->post([version = std::to_string(api.value().version), kind = api.value().path_kind](
                  capture::Encoder& encoder) { return encoder.cupti(version, kind); });
  auto session = CuptiSession::start(api.value(), *sink_, settings_.request.trigger);
  if (!session.ok()) return failed(session.error());
  cupti_ = session.value();
  cupti_failed_ = false;
  // Again: handlers run in reverse order, and CUDA registers its own after an NVTX client's first
  // range.
  std::atexit(&on_exit);
  if (window_.stage() == WindowStage::open) {
    cupti_->keep_destroyed_nodes(true);
    cupti_->enable_kinds();
  }
}

void Probe::matching_range_started(const RangeStart& range, std::string_view name) {
  const std::lock_guard lock(control_mutex_);
  switch (window_.matching_range_started()) {
    case WindowAction::open:
      open_window(range.start_ns,
                  "nvtx " + std::string(name) + "#" + std::to_string(window_.matches()));
      break;
    case WindowAction::close: close_window(range.start_ns); break;
    case WindowAction::none: break;
  }
}

void Probe::open_requested(const char* by) {
  const std::lock_guard lock(control_mutex_);
  if (window_.open_requested() == WindowAction::open) open_window(realtime_ns(), by);
}

void Probe::close_requested() {
  const std::lock_guard lock(control_mutex_);
  if (window_.close_requested() != WindowAction::close) return;
  close_window(realtime_ns());
  if (cupti_ != nullptr) cupti_->flush(false);
}

void Probe::attend() {
  const std::int64_t now = monotonic_ns();
  std::int64_t last = last_attend_ns_.load(std::memory_order_relaxed);
  if (now - last < attend_every_ns_.load(std::memory_order_relaxed)) return;
  if (!last_attend_ns_.compare_exchange_strong(last, now)) return;
  const std::unique_lock lock(control_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  take_request();
  if (window_.stage() != WindowStage::closing) return;
  advance_closing();
  if (++closing_looks_ > kQuickLooks)
    attend_every_ns_ = std::min(2 * attend_every_ns_, kAttendAtMostEveryNs);
}

void Probe::take_request() {
  const auto request = static_cast<ControlRequest>(request_.exchange(0));
  if (request == ControlRequest::none) return;
  if (request == ControlRequest::open && window_.open_requested() == WindowAction::open) {
    open_window(realtime_ns(), "socket");
    attention_ = false;
    if (cupti_ != nullptr) cupti_->watch_calls(false);
  } else if (request == ControlRequest::close && window_.close_requested() == WindowAction::close) {
    close_window(realtime_ns());
  }
}

void Probe::open_window(std::int64_t now_ns, std::string by) {
  opened_ns_ = now_ns;
  opened_by_ = std::move(by);
  ranges_.record_from(now_ns);
  post_clock_pair();
  if (cupti_ != nullptr) {
    cupti_->keep_destroyed_nodes(true);
    cupti_->enable_kinds();
    post_devices();
    sink_->post([session = cupti_](capture::Encoder& encoder) {
      return encoder.graph_nodes(session->take_graph_nodes(encoder));
    });
  }
  send_state();
}

void Probe::close_window(std::int64_t now_ns) {
  closed_ns_ = now_ns;
  closed_at_ = Steady::now();
  ranges_.record_until(now_ns);
  post_clock_pair();
  if (cupti_ != nullptr) {
    cupti_->closed_at(now_ns);
    cupti_->watch_calls(true);
    post_devices();
  }
  attention_ = true;
  send_state();
}

bool Probe::window_settled() const {
  if (window_.extra_steps() >= kArrivalSteps || Steady::now() - closed_at_ >= kArrivalWait)
    return true;
  if (cupti_ != nullptr) return cupti_->all_arrived();
  return window_.extra_steps() >= 1;  // the range that closed the window has ended by now
}

void Probe::advance_closing() {
  if (cupti_ == nullptr) {
    if (window_settled()) finish_capture();
    return;
  }
  cupti_->flush(false);
  if (!disabled_) {
    if (!window_settled()) return;
    waited_in_vain_ = !cupti_->all_arrived() && window_.extra_steps() < kArrivalSteps;
    stop_recording();
    cupti_->flush(false);
  }
  if (!cupti_->holds_records() || Steady::now() - disabled_at_ >= kArrivalWait) finish_capture();
}

void Probe::stop_recording() {
  // Before the kinds are off: what CUPTI drops afterwards is not of the window.
  dropped_ = cupti_->dropped();
  cupti_->disable_kinds();
  disabled_ = true;
  disabled_at_ = Steady::now();
}

void Probe::finish_capture() {
  if (sink_->finishing()) return;
  window_.finish();
  attention_ = false;
  if (cupti_ != nullptr) cupti_->watch_calls(false);
  std::optional<std::uint64_t> dropped = 0;  // without CUDA there was nothing to drop
  if (cupti_ != nullptr) {
    dropped = disabled_ ? dropped_ : cupti_->dropped();
  } else if (cupti_failed_) {
    dropped = std::nullopt;
  }
  sink_->finish([this, dropped, matches = window_.matches()](capture::Encoder& encoder) {
    return write_end(encoder, dropped, matches);
  });
  running.store(nullptr, std::memory_order_release);
  send_state();
}

void Probe::send_state() {
  if (control_ == nullptr) return;
  switch (window_.stage()) {
    case WindowStage::waiting: control_->send_state("waiting"); break;
    case WindowStage::open: control_->send_state("open"); break;
    case WindowStage::closing: control_->send_state("closing"); break;
    case WindowStage::done: control_->send_state("done"); break;
  }
}

void Probe::post_clock_pair() {
  ClockPair pair;
  pair.realtime_ns = realtime_ns();
  if (cupti_ != nullptr) pair.cupti_ns = cupti_->timestamp();
  pair.monotonic_ns = monotonic_ns();
  sink_->post([pair](capture::Encoder& encoder) { return encoder.clocks({&pair, 1}); });
}

void Probe::post_devices() {
  if (devices_known_) return;
  std::vector<CaptureDevice> devices = cuda_devices();
  if (devices.empty()) return;
  devices_known_ = true;
  sink_->post([devices = std::move(devices)](capture::Encoder& encoder) {
    return encoder.devices(devices);
  });
}

void Probe::close_at_exit() {
  const std::unique_lock lock(control_mutex_, std::chrono::seconds(1));
  if (!lock.owns_lock() || sink_->finishing()) return;
  if (window_.stage() == WindowStage::open) {
    closed_by_exit_ = true;
    (void)window_.close_requested();
    closed_ns_ = realtime_ns();
    post_clock_pair();
  }
  // Without a window they tell a process that used a GPU from one that only helped.
  if (cupti_ != nullptr && (opened_ns_ != 0 || cupti_->loaded_code())) post_devices();
  if (cupti_ != nullptr && opened_ns_ != 0) {
    cupti_->flush(false);
    cupti_->flush(true);
    // Twice: the first flush leaves a record of itself in a new buffer.
    if (!disabled_) stop_recording();
    cupti_->flush(true);
  }
  finish_capture();
}

void Probe::on_exit() {
  Probe* probe = g_probe;
  if (probe == nullptr || g_forked || getpid() != probe->pid_) return;
  guarded([&] {
    probe->close_at_exit();
    probe->sink_->wait_finished(kExitWaitMs);
  });
}

void Probe::on_fork_child() {
  g_forked = true;
  running.store(nullptr, std::memory_order_release);
}

}  // namespace perfgate::probe
