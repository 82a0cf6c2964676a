#include "runner/probe/window.h"

#include <charconv>
#include <optional>

namespace perfgate::probe {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

Error bad_window(std::string_view text) {
  return Error{ErrorCode::invalid_config,
               "PERFGATE_WINDOW \"" + std::string(text) + "\" is not a window",
               "use nvtx:GLOB:skip=N,count=M (M at least 1), profiler, socket or ranges", ""};
}

}  // namespace

Result<WindowRequest> parse_window(std::string_view text) {
  WindowRequest request;
  if (text.empty() || text == "ranges") return request;
  if (text == "profiler" || text == "socket") {
    request.trigger = text == "profiler" ? WindowTrigger::profiler : WindowTrigger::socket;
    return request;
  }
  static constexpr std::string_view kPrefix = "nvtx:";
  static constexpr std::string_view kSkip = ":skip=";
  static constexpr std::string_view kCount = ",count=";
  if (!text.starts_with(kPrefix)) return bad_window(text);
  const std::string_view body = text.substr(kPrefix.size());
  const std::size_t skip_at = body.rfind(kSkip);
  if (skip_at == std::string_view::npos || skip_at == 0) return bad_window(text);
  const std::string_view numbers = body.substr(skip_at + kSkip.size());
  const std::size_t count_at = numbers.find(kCount);
  if (count_at == std::string_view::npos) return bad_window(text);
  const auto skip = parse_number(numbers.substr(0, count_at));
  const auto count = parse_number(numbers.substr(count_at + kCount.size()));
  if (!skip || !count || *count == 0 || *count > UINT64_MAX - *skip) return bad_window(text);
  request.trigger = WindowTrigger::nvtx;
  request.glob = std::string(body.substr(0, skip_at));
  request.skip = *skip;
  request.count = *count;
  return request;
}

WindowAction WindowMachine::matching_range_started() {
  if (request_.trigger != WindowTrigger::nvtx) return WindowAction::none;
  ++matches_;
  if (stage_ == WindowStage::waiting && matches_ > request_.skip) {
    stage_ = WindowStage::open;
    return WindowAction::open;
  }
  if (stage_ == WindowStage::open && matches_ > request_.skip + request_.count) {
    stage_ = WindowStage::closing;
    return WindowAction::close;
  }
  if (stage_ == WindowStage::closing) ++extra_steps_;
  return WindowAction::none;
}

WindowAction WindowMachine::open_requested() {
  if (stage_ != WindowStage::waiting) return WindowAction::none;
  stage_ = WindowStage::open;
  return WindowAction::open;
}

WindowAction WindowMachine::close_requested() {
  if (stage_ != WindowStage::open) return WindowAction::none;
  stage_ = WindowStage::closing;
  return WindowAction::close;
}

}  // namespace perfgate::probe
