#include "runner/probe/window.h"

#include <gtest/gtest.h>

#include "runner/probe/control_socket.h"
#include "runner/probe/text.h"

namespace perfgate::probe {
namespace {

WindowRequest request_of(const char* text) {
  auto parsed = parse_window(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? std::move(parsed).value() : WindowRequest{};
}

TEST(WindowRequest, ReadsGlobSkipAndCount) {
  const WindowRequest request = request_of("nvtx:decode*:skip=20,count=12");
  EXPECT_EQ(request.trigger, WindowTrigger::nvtx);
  EXPECT_EQ(request.glob, "decode*");
  EXPECT_EQ(request.skip, 20U);
  EXPECT_EQ(request.count, 12U);
}

TEST(WindowRequest, AGlobMayContainColons) {
  EXPECT_EQ(request_of("nvtx:aten::mm:skip=0,count=1").glob, "aten::mm");
}

TEST(WindowRequest, NothingAndRangesMeanNoWindow) {
  EXPECT_EQ(request_of("").trigger, WindowTrigger::none);
  EXPECT_EQ(request_of("ranges").trigger, WindowTrigger::none);
  EXPECT_EQ(request_of("profiler").trigger, WindowTrigger::profiler);
  EXPECT_EQ(request_of("socket").trigger, WindowTrigger::socket);
}

TEST(WindowRequest, RefusesWhatIsNotAWindowAndSaysTheForms) {
  for (const char* text :
       {"nvtx", "nvtx:", "nvtx:x", "nvtx:x:skip=1", "nvtx:x:skip=-1,count=2",
        "nvtx:x:skip=1,count=0", "nvtx:x:skip=1,count=2x", "nvtx::skip=1,count=2",
        "nvtx:x:skip=,count=1", "nvtx:x:skip=1,count=18446744073709551615", "graph"}) {
    const auto parsed = parse_window(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().hint.find("nvtx:GLOB:skip=N,count=M"), std::string::npos);
  }
}

TEST(WindowMachine, OpensAfterTheSkippedRangesAndClosesAtTheStartOfTheNextOne) {
  WindowMachine machine(request_of("nvtx:x:skip=2,count=3"));
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.stage(), WindowStage::waiting);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::open);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.stage(), WindowStage::open);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::close);
  EXPECT_EQ(machine.stage(), WindowStage::closing);
  EXPECT_EQ(machine.extra_steps(), 0U);
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.extra_steps(), 1U);
}

TEST(WindowMachine, AProcessHasOneWindow) {
  WindowMachine machine(request_of("profiler"));
  EXPECT_EQ(machine.close_requested(), WindowAction::none);
  EXPECT_EQ(machine.open_requested(), WindowAction::open);
  EXPECT_EQ(machine.open_requested(), WindowAction::none);
  EXPECT_EQ(machine.close_requested(), WindowAction::close);
  EXPECT_EQ(machine.open_requested(), WindowAction::none);
  machine.finish();
  EXPECT_EQ(machine.open_requested(), WindowAction::none);
  EXPECT_EQ(machine.stage(), WindowStage::done);
}

TEST(WindowMachine, RangesDoNotOpenAWindowOfAnotherTrigger) {
  WindowMachine machine(request_of("profiler"));
  EXPECT_EQ(machine.matching_range_started(), WindowAction::none);
  EXPECT_EQ(machine.stage(), WindowStage::waiting);
}

TEST(ControlLine, UnderstandsTheTwoRequestsAndNothingElse) {
  EXPECT_EQ(parse_control_line(R"({"window":"open"})"), ControlRequest::open);
  EXPECT_EQ(parse_control_line(" { \"window\" : \"close\" }\r"), ControlRequest::close);
  EXPECT_EQ(parse_control_line(R"({"window":"ajar"})"), ControlRequest::none);
  EXPECT_EQ(parse_control_line(""), ControlRequest::none);
}

TEST(Text, WideStringsBecomeUtf8) {
  EXPECT_EQ(to_utf8(L"a\u00e9\u4e16\U0001F600"), "a\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80");
  EXPECT_EQ(to_utf8(nullptr), "");
  const wchar_t broken[] = {static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), 0};
  EXPECT_EQ(to_utf8(broken), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Text, JsonStringsAreEscaped) { EXPECT_EQ(json_quoted("a\"\\\n"), "\"a\\\"\\\\\\u000a\""); }

}  // namespace
}  // namespace perfgate::probe
