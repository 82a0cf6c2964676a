// A run folder belongs to one run.
#include "runner/measure/claim_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::measure {
namespace {

using ::testing::HasSubstr;

TEST(ClaimFolder, IsTakenOnce) {
  platform::FakeFileSystem files;
  EXPECT_TRUE(claim_folder(files, "/runs/a").ok());
  const Status again = claim_folder(files, "/runs/a");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::usage);
  EXPECT_FALSE(check_empty(files, "/runs/a").ok());
  EXPECT_TRUE(check_empty(files, "/runs/b").ok());
}

TEST(ClaimFolder, WithAFileOfTheUsersIsRefused) {
  platform::FakeFileSystem files;
  files.contents["/home/report.md"] = "mine";
  const Status refused = check_empty(files, "/home");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("it holds report.md"));
  EXPECT_EQ(files.contents["/home/report.md"], "mine");
}

}  // namespace
}  // namespace perfgate::measure
