#include "runner/platform/interrupt.h"

#include <cerrno>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace perfgate::platform {
namespace {

std::atomic<Cancellation*> current{nullptr};  // NOLINT(readability-identifier-naming)
static_assert(std::atomic<Cancellation*>::is_always_lock_free, "used in a signal handler");

extern "C" void on_signal(int /*number*/) {
  const int saved = errno;
  if (Cancellation* cancellation = current.load(); cancellation != nullptr) cancellation->cancel();
  errno = saved;
}

}  // namespace

Cancellation::Cancellation() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Cancellation::cancel() noexcept {
  set_.store(true);
  const std::uint64_t one = 1;
  // A full counter or a missing descriptor does no harm: the flag is set.
  [[maybe_unused]] const ssize_t ignored = ::write(event_.get(), &one, sizeof one);
}

InterruptScope::InterruptScope(Cancellation& cancellation) {
  current.store(&cancellation);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &former_[i]);
    // nohup and background shells ignore some of them on purpose.
    if (former_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &former_[i], nullptr);
  current.store(nullptr);
}

}  // namespace perfgate::platform
