// Two jobs never measure on one GPU at once; who waits sees whom it waits for.
#include "runner/platform/gpu_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "runner/platform/files.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::platform {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;

class LockOfGpu : public ::testing::Test {
 protected:
  Result<GpuLock> acquire(const std::string& uuid, const GpuLock::OnWait& on_wait = {}) {
    return GpuLock::acquire(folder.path(), uuid, clock, cancellation, on_wait);
  }
  TemporaryFolder folder;
  SystemClock clock;
  Cancellation cancellation;
};

TEST_F(LockOfGpu, ASecondJobWaitsAndSeesTheHolder) {
  const auto held = acquire("GPU-1");
  ASSERT_TRUE(held.ok());
  std::string seen;
  const auto second = acquire("GPU-1", [&](const std::string& holder, double) {
    seen = holder;
    cancellation.cancel();
  });
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::interrupted);
  EXPECT_THAT(seen, HasSubstr("pid " + std::to_string(::getpid()) + " since 20"));
}

TEST_F(LockOfGpu, IsFreeAgainWhenTheHolderGoes) {
  { ASSERT_TRUE(acquire("GPU-1").ok()); }
  bool waited = false;
  EXPECT_TRUE(acquire("GPU-1", [&](const std::string&, double) { waited = true; }).ok());
  EXPECT_FALSE(waited);
}

TEST_F(LockOfGpu, GpusHaveALockEach) {
  const auto first = acquire("GPU-1");
  EXPECT_TRUE(acquire("GPU-2").ok());
  EXPECT_TRUE(acquire("../escape").ok()) << "the UUID cannot leave the folder";
  EXPECT_FALSE(DiskFileSystem{}.exists(folder / "../gpu-escape.lock"));
}

TEST_F(LockOfGpu, AFileOfAnotherUserThatIsReadOnlyStillLocks) {
  { ASSERT_TRUE(acquire("GPU-1").ok()); }
  ASSERT_EQ(::chmod((folder / "gpu-GPU-1.lock").c_str(), 0444), 0);
  EXPECT_TRUE(acquire("GPU-1").ok());
}

TEST(LockFolder, TheVariableDecidesAndTheFolderIsForEveryone) {
  const TemporaryFolder folder;
  const auto chosen = lock_folder({{{"PERFGATE_LOCK_DIR", folder / "locks"}}});
  ASSERT_TRUE(chosen.ok());
  struct stat info {};
  ASSERT_EQ(::stat(chosen.value().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 01777U);
  EXPECT_FALSE(lock_folder({{{"PERFGATE_LOCK_DIR", "/nonexistent/a/b"}}}).ok());
}

}  // namespace
}  // namespace perfgate::platform
