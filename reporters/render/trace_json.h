/// A timeline as trace-event JSON, for ui.perfetto.dev and chrome://tracing. Pure but for what
/// `Write` does.
///
/// An object with `traceEvents`, one event a line: M (names, order), X (slices), s and f (arrows).
/// Times are microseconds with three decimals, no digit of a nanosecond lost. Texts are valid
/// UTF-8. A count above 2^53 is written as a string: viewers hold numbers as doubles.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runner/model/result.h"
#include "runner/model/trace_event.h"

namespace perfgate::render {

/// Hands its text on in pieces of some ten kB, so that a timeline of any length needs no memory.
class TraceJson final : public TraceSink {
 public:
  using Write = std::function<Status(std::string_view)>;
  explicit TraceJson(Write write) : write_(std::move(write)) {}

  [[nodiscard]] Status put(const TraceEvent& event) override;

  using Note = std::pair<std::string, std::string>;
  /// The end of the text, with `otherData` about the whole. Without it the text is no JSON.
  [[nodiscard]] Status finish(std::span<const Note> notes);

 private:
  /// Begins an event: comma, line, and what all have.
  void open(char phase, const TraceEvent& event);
  void put_names(const TraceEvent& event);
  Status hand_on();

  Write write_;
  std::string text_;
  bool any_ = false;
};

}  // namespace perfgate::render
