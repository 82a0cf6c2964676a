#include "reporters/render/trace_json.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "reporters/render/json_text.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kPieceBytes = 65536;
constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53U;

void put_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void put_key(std::string& out, std::string_view key) {
  append_json_string(out, key);
  out += ':';
}

/// "1234.567" out of 1,234,567 ns.
void put_microseconds(std::string& out, std::int64_t ns) {
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) out += '-';
  put_number(out, size / 1000);
  const std::uint64_t rest = size % 1000;
  out += '.';
  for (const std::uint64_t unit : {100U, 10U, 1U}) out += static_cast<char>('0' + rest / unit % 10);
}

struct PutValue {
  std::string& out;

  void operator()(std::uint64_t value) const {
    if (value > kLargestExact) out += '"';
    put_number(out, value);
    if (value > kLargestExact) out += '"';
  }
  void operator()(std::string_view value) const { append_json_string(out, value); }
  void operator()(const std::array<std::uint32_t, 3>& value) const {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      put_number(out, value[i]);
    }
    out += ']';
  }
};

void put_arguments(std::string& out, std::span<const TraceArgument> arguments) {
  out += ",\"args\":{";
  bool first = true;
  for (const TraceArgument& argument : arguments) {
    if (!first) out += ',';
    first = false;
    put_key(out, argument.key);
    std::visit(PutValue{out}, argument.value);
  }
  out += '}';
}

}  // namespace

void TraceJson::open(char phase, const TraceEvent& event) {
  text_ += any_ ? ",\n{\"ph\":\"" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"";
  any_ = true;
  text_ += phase;
  text_ += "\",\"pid\":";
  put_number(text_, event.process);
  text_ += ",\"tid\":";
  put_number(text_, event.track);
}

/// A name and its place in the order are two events.
void TraceJson::put_names(const TraceEvent& event) {
  const bool process = event.phase == TracePhase::process;
  open('M', event);
  text_ += process ? R"(,"name":"process_name","args":{"name":)"
                   : R"(,"name":"thread_name","args":{"name":)";
  append_json_string(text_, event.name);
  text_ += "}}";
  open('M', event);
  text_ += process ? R"(,"name":"process_sort_index","args":{"sort_index":)"
                   : R"(,"name":"thread_sort_index","args":{"sort_index":)";
  put_number(text_, event.id);
  text_ += "}}";
}

Status TraceJson::put(const TraceEvent& event) {
  switch (event.phase) {
    case TracePhase::process:
    case TracePhase::track: put_names(event); return hand_on();
    case TracePhase::slice: open('X', event); break;
    case TracePhase::flow_start: open('s', event); break;
    case TracePhase::flow_end: open('f', event); break;
  }
  text_ += ",\"ts\":";
  put_microseconds(text_, event.at_ns);
  if (event.phase == TracePhase::slice) {
    text_ += ",\"dur\":";
    put_microseconds(text_, event.duration_ns);
  } else {
    // Bound to the slice around its end; else the arrow would lead to the next one.
    if (event.phase == TracePhase::flow_end) text_ += R"(,"bp":"e")";
    text_ += ",\"id\":";
    put_number(text_, event.id);
  }
  text_ += ",\"name\":";
  append_json_string(text_, event.name);
  text_ += ",\"cat\":";
  append_json_string(text_, event.category);
  if (!event.arguments.empty()) put_arguments(text_, event.arguments);
  text_ += '}';
  return hand_on();
}

Status TraceJson::hand_on() {
  if (text_.size() < kPieceBytes) return {};
  Status written = write_(text_);
  text_.clear();
  return written;
}

Status TraceJson::finish(std::span<const Note> notes) {
  text_ += any_ ? "\n],\"otherData\":{"
                : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[],\"otherData\":{";
  bool first = true;
  for (const auto& [key, value] : notes) {
    if (!first) text_ += ',';
    first = false;
    put_key(text_, key);
    append_json_string(text_, value);
  }
  text_ += "}}\n";
  Status written = write_(text_);
  text_.clear();
  return written;
}

}  // namespace perfgate::render
