// Records of the run folder are strict: what is cut or edited is never half read.
#include "runner/measure/flat_json.h"

#include <gtest/gtest.h>

#include "runner/measure/device_lines.h"

namespace perfgate::measure {
namespace {

std::string sample_line() {
  FlatWriter writer;
  writer.text("words", "a \"quoted\" \\ line\nand\ttab \x01 caf\xC3\xA9");
  writer.number("wall_s", 1.5);
  writer.integer("code", -9);
  writer.natural("bits", 18446744073709551615ULL);
  writer.boolean("repeated", true);
  std::string line = writer.line();
  line.pop_back();
  return line;
}

TEST(FlatJson, ReadsBackWhatItWrote) {
  const auto object = FlatObject::parse(sample_line());
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object.value().text("words").value(),
            "a \"quoted\" \\ line\nand\ttab \x01 caf\xC3\xA9");
  EXPECT_EQ(object.value().number("wall_s").value(), 1.5);
  EXPECT_EQ(object.value().integer("code").value(), -9);
  EXPECT_EQ(object.value().natural("bits").value(), 18446744073709551615ULL);
  EXPECT_TRUE(object.value().boolean("repeated").value());
}

TEST(FlatJson, CutAtAnyByteIsCorrupt) {
  const std::string line = sample_line();
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(FlatObject::parse(line.substr(0, length)).ok()) << line.substr(0, length);
  }
}

TEST(FlatJson, RefusesOtherKindsDoubledKeysAndTrailingText) {
  EXPECT_FALSE(FlatObject::parse(R"({"a":1,"a":2})").ok());
  EXPECT_FALSE(FlatObject::parse(R"({"a":1} x)").ok());
  EXPECT_FALSE(FlatObject::parse(R"({"a":"\q"})").ok());
  EXPECT_FALSE(FlatObject::parse(R"([1])").ok());
  const auto object = FlatObject::parse(R"({"a":1.5,"b":"text","c":nan})");
  ASSERT_TRUE(object.ok());
  EXPECT_FALSE(object.value().text("a").ok());
  EXPECT_FALSE(object.value().integer("a").ok());
  EXPECT_FALSE(object.value().number("b").ok());
  EXPECT_FALSE(object.value().number("c").ok()) << "NaN is no figure";
  EXPECT_FALSE(object.value().boolean("a").ok());
  EXPECT_FALSE(object.value().natural("none").ok());
}

TEST(DeviceLines, KeepUnknownApartFromZero) {
  ProcessRecord record;
  record.before = DeviceSample{};
  record.before->at_ns = 5;
  record.before->other_processes = 0;
  record.after = DeviceSample{};
  record.after->throttle_reasons = 0x44;
  ProcessRecord read;
  ASSERT_TRUE(parse_device_lines(device_lines(record), read).ok());
  EXPECT_EQ(read.before->at_ns, 5);
  EXPECT_EQ(read.before->other_processes, 0U);
  EXPECT_EQ(read.before->power_mw, std::nullopt);
  EXPECT_EQ(read.after->throttle_reasons, 0x44U);
  EXPECT_EQ(read.after->other_processes, std::nullopt);
}

TEST(DeviceLines, RefuseCutDoubledAndOutOfRangeLines) {
  ProcessRecord record;
  EXPECT_FALSE(parse_device_lines(R"({"moment":"before","at_ns":1})", record).ok())
      << "no newline: cut";
  EXPECT_FALSE(
      parse_device_lines("{\"moment\":\"before\",\"at_ns\":1,\"power_mw\":99999999999}\n", record)
          .ok());
  const std::string line = "{\"moment\":\"before\",\"at_ns\":1}\n";
  ProcessRecord twice;
  EXPECT_FALSE(parse_device_lines(line + line, twice).ok());
}

}  // namespace
}  // namespace perfgate::measure
