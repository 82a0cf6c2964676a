// A message fits the terminal, and stays what it was.
#include "runner/cli/message_text.h"

#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

TEST(Message, ALongMessageIsWrappedAtSpacesAndAPathStaysWhole) {
  const std::string path = "/srv/" + std::string(90, 'x');
  EXPECT_EQ(
      wrapped_message("perfgate: one two three four five six seven eight nine ten eleven twelve "
                      "thirteen " +
                          path + "\nhint: short\n",
                      60),
      "perfgate: one two three four five six seven eight nine ten\n  eleven twelve thirteen\n  " +
          path + "\nhint: short\n");
  const std::string place = "   3 | argv: [" + std::string(80, 'y') + "] # and more\n     |   ^\n";
  EXPECT_EQ(wrapped_message(place, 60), place) << "a caret points into it";
  EXPECT_EQ(wrapped_message("a.yaml:3:1: error: " + std::string(50, 'z') + " w\n", 60),
            "a.yaml:3:1: error:\n  " + std::string(50, 'z') + " w\n");
}

TEST(Text, EachLineFitsAndWhatGoesOnStandsTwoColumnsFurtherIn) {
  EXPECT_EQ(wrapped_text("one two three four\n  five six seven\n", 12),
            "one two\n  three four\n  five six\n    seven\n");
  EXPECT_EQ(wrapped_text("short\n\nlines\n", 12), "short\n\nlines\n");
}

}  // namespace
}  // namespace perfgate::cli
