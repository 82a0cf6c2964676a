#include "runner/measure/judge.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstring>
#include <system_error>

namespace perfgate::measure {
namespace {

using End = platform::ProcessOutcome::End;

/// What CUDA, PyTorch, JAX and the allocators print; compared in lower case.
constexpr std::array kOutOfMemoryWords{"out of memory", "out_of_memory", "outofmemory",
                                       "resource_exhausted", "std::bad_alloc"};

bool speaks_of_memory(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      kOutOfMemoryWords, [&](const char* word) { return text.find(word) != std::string::npos; });
}

std::string seconds(double value) {
  // One decimal is enough for a person.
  const auto tenths = std::llround(value * 10.0);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) +
         " s";
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

std::string crash_sentence(const platform::ProcessOutcome& outcome, const std::string& words) {
  if (outcome.end == End::signalled && outcome.signal == SIGKILL) {
    return "the program was killed by SIGKILL, as the kernel does when memory runs out";
  }
  std::string how = outcome.end == End::signalled
                        ? "the program was ended by " + signal_name(outcome.signal)
                        : "the program exited with code " + std::to_string(outcome.exit_code);
  if (speaks_of_memory(words)) how += ": it ran out of memory";
  return how;
}

}  // namespace

void judge_end(const platform::ProcessOutcome& outcome, double timeout_s, ProcessRecord& record) {
  record.exit_code = outcome.exit_code;
  record.signal = outcome.signal;
  record.wall_s = outcome.wall_s;
  record.last_words = outcome.stderr_tail.empty() ? outcome.stdout_tail : outcome.stderr_tail;
  switch (outcome.end) {
    case End::exited:
      if (outcome.exit_code == 0) {
        record.state = ProcessState::ok;
        break;
      }
      [[fallthrough]];
    case End::signalled:
      record.state = ProcessState::crashed;
      record.problem = crash_sentence(outcome, outcome.stderr_tail + outcome.stdout_tail);
      break;
    case End::timed_out:
      record.state = ProcessState::timed_out;
      record.problem = "the program did not end within " + seconds(timeout_s) + " and was stopped";
      break;
    case End::interrupted:
      record.state = ProcessState::interrupted;
      record.problem = "interrupted";
      break;
  }
  if (record.state == ProcessState::ok && outcome.output_error != 0) {
    record.state = ProcessState::silent;
    record.problem =
        "its output could not be kept: " + std::system_category().message(outcome.output_error);
  }
}

void mark_silent(const Error& error, ProcessRecord& record) {
  record.state = ProcessState::silent;
  record.problem = error.message + (error.hint.empty() ? "" : " (" + error.hint + ")");
}

}  // namespace perfgate::measure
