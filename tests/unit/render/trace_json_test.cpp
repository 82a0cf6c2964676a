// Trace-event JSON to the byte: times keep their nanoseconds, hostile names stay JSON.
#include "reporters/render/trace_json.h"

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace perfgate::render {
namespace {

using Json = nlohmann::json;
using std::string_view_literals::operator""sv;
using ::testing::HasSubstr;

/// A file in memory.
struct Text {
  std::string whole;
  int pieces = 0;

  TraceJson::Write write() {
    return [this](std::string_view piece) -> Status {
      whole += piece;
      ++pieces;
      return {};
    };
  }
};

std::string text_of(const std::vector<TraceEvent>& events) {
  Text text;
  TraceJson json(text.write());
  for (const TraceEvent& event : events) EXPECT_TRUE(json.put(event).ok());
  const std::vector<TraceJson::Note> notes{{"run", "decode"}};
  EXPECT_TRUE(json.finish(notes).ok());
  return text.whole;
}

TEST(TraceJson, WritesAnEventALine) {
  const std::array<TraceArgument, 3> arguments{{{"family", std::string_view("gemm")},
                                                {"grid", std::array<std::uint32_t, 3>{1, 2, 3}},
                                                {"bytes", std::uint64_t{7}}}};
  EXPECT_EQ(
      text_of({{.phase = TracePhase::process, .process = 1, .id = 1, .name = "GPU"},
               {.phase = TracePhase::track, .process = 1, .track = 2, .id = 5, .name = "idle"},
               {.phase = TracePhase::slice,
                .process = 1,
                .track = 2,
                .at_ns = 1'234'567,
                .duration_ns = 20,
                .name = "k",
                .category = "kernel",
                .arguments = arguments},
               {.phase = TracePhase::flow_start,
                .process = 1,
                .track = 2,
                .at_ns = 5,
                .id = 3,
                .name = "launch",
                .category = "launch"},
               {.phase = TracePhase::flow_end,
                .process = 1,
                .track = 2,
                .at_ns = 1000,
                .id = 3,
                .name = "launch",
                .category = "launch"}}),
      R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"GPU"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"idle"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":5}},
{"ph":"X","pid":1,"tid":2,"ts":1234.567,"dur":0.020,"name":"k","cat":"kernel","args":{"family":"gemm","grid":[1,2,3],"bytes":7}},
{"ph":"s","pid":1,"tid":2,"ts":0.005,"id":3,"name":"launch","cat":"launch"},
{"ph":"f","pid":1,"tid":2,"ts":1.000,"bp":"e","id":3,"name":"launch","cat":"launch"}
],"otherData":{"run":"decode"}}
)");
}

TEST(TraceJson, OfNoEventsIsStillJson) {
  EXPECT_TRUE(Json::parse(text_of({}))["traceEvents"].empty());
}

TEST(TraceJson, EscapesHostileNames) {
  constexpr std::string_view kHostile =
      "quote\" \\ \n\r\t\x01\x7F \xFF \xED\xA0\x80 ##[error]::set\0end"sv;
  const std::string hostile(kHostile);
  const std::array<TraceArgument, 1> arguments{{{"domain", std::string_view(hostile)}}};
  const Json json = Json::parse(text_of({{.phase = TracePhase::slice,
                                          .process = 1,
                                          .track = 1,
                                          .name = hostile,
                                          .category = "nvtx",
                                          .arguments = arguments}}));
  const auto name = json["traceEvents"][0]["name"].get<std::string>();
  EXPECT_THAT(name, ::testing::StartsWith("quote\" \\ \n\r\t\x01\x7F \xEF\xBF\xBD "));
  EXPECT_THAT(name, HasSubstr("##[error]::set"));
  EXPECT_EQ(json["traceEvents"][0]["args"]["domain"], name);
}

TEST(TraceJson, WritesCountsThatADoubleCannotHoldAsText) {
  const std::array<TraceArgument, 2> arguments{
      {{"small", std::uint64_t{1} << 53U}, {"large", (std::uint64_t{1} << 53U) + 1}}};
  EXPECT_THAT(text_of({{.phase = TracePhase::slice,
                        .process = 1,
                        .track = 1,
                        .name = "k",
                        .category = "kernel",
                        .arguments = arguments}}),
              HasSubstr(R"("args":{"small":9007199254740992,"large":"9007199254740993"})"));
}

TEST(TraceJson, HandsItsTextOnInPieces) {
  Text text;
  TraceJson json(text.write());
  const std::string name(1000, 'x');
  std::size_t longest = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t before = text.whole.size();
    ASSERT_TRUE(
        json.put({.phase = TracePhase::slice, .process = 1, .track = 1, .name = name}).ok());
    longest = std::max(longest, text.whole.size() - before);
  }
  EXPECT_GT(text.pieces, 10);
  EXPECT_LT(longest, 70'000U);
}

TEST(TraceJson, ReturnsTheErrorOfItsFile) {
  TraceJson json([](std::string_view) {
    return Status(Error{.code = ErrorCode::io, .message = "full", .hint = {}, .context = {}});
  });
  const Status finished = json.finish({});
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().message, "full");
}

}  // namespace
}  // namespace perfgate::render
