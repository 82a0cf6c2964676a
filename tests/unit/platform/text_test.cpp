// What a child prints ends in reports: it must be valid UTF-8 and must not drive the reader's
// terminal.
#include "runner/platform/text.h"

#include <gtest/gtest.h>

#include "runner/platform/sha256.h"

namespace perfgate::platform {
namespace {

TEST(SanitizeOutput, KeepsValidTextOfEveryLength) {
  const std::string text = "plain, caf\xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80\n\ttab";
  EXPECT_EQ(sanitize_output(text), text);
}

TEST(SanitizeOutput, ReplacesEachInvalidByte) {
  EXPECT_EQ(sanitize_output("caf\xE9!"), "caf\xEF\xBF\xBD!");
  EXPECT_EQ(sanitize_output("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong slash";
  EXPECT_EQ(sanitize_output("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
  EXPECT_EQ(sanitize_output("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut character";
}

TEST(SanitizeOutput, DropsTerminalControlSequences) {
  EXPECT_EQ(sanitize_output("\x1B[1;31mred\x1B[0m\x07 end\x1B"), "red end");
  EXPECT_EQ(sanitize_output("\x1B[2J\x1B]0;title"), "0;title");
}

TEST(SanitizeOutput, TurnsProgressBarsIntoLines) {
  EXPECT_EQ(sanitize_output("10%\r20%\r\ndone"), "10%\n20%\ndone");
}

TEST(Utf8Tail, CutsAtALineOrElseAtACharacter) {
  EXPECT_EQ(utf8_tail("short", 10), "short");
  EXPECT_EQ(utf8_tail("first line\nsecond line", 15), "second line");
  EXPECT_EQ(utf8_tail("aaaa\xE2\x82\xAC", 2), "");
  EXPECT_EQ(utf8_tail("aaaa\xE2\x82\xAC", 3), "\xE2\x82\xAC");
}

TEST(Sha256, AgreesWithThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace perfgate::platform
