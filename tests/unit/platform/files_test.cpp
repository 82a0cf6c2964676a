// Files are written whole or not at all, and a refusal names the path and the next step.
#include "runner/platform/files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/platform/descriptor.h"
#include "runner/platform/streamed_file.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::platform {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DiskFileSystem, ReadsBackWhatItWroteAndReplacesIt) {
  const TemporaryFolder folder;
  DiskFileSystem files;
  ASSERT_TRUE(files.make_folders(folder / "a/b").ok());
  ASSERT_TRUE(files.write(folder / "a/b/file", "one").ok());
  ASSERT_TRUE(files.write(folder / "a/b/file", std::string("two\0three", 9)).ok());
  const auto text = files.read(folder / "a/b/file");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.value(), std::string("two\0three", 9));
  const auto entries = files.list(folder / "a/b");
  ASSERT_TRUE(entries.ok());
  EXPECT_THAT(entries.value(), ElementsAre(FolderEntry{"file", false}))
      << "no temporary file stays";
}

TEST(StreamedFile, IsThereOnceCommittedAndNotBefore) {
  const TemporaryFolder folder;
  DiskFileSystem files;
  ASSERT_TRUE(files.write(folder / "file", "old").ok());
  {
    auto file = StreamedFile::create(folder / "file");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file.value().append("one ").ok());
    EXPECT_EQ(files.read(folder / "file").value(), "old");
    ASSERT_TRUE(file.value().append("two").ok());
    ASSERT_TRUE(file.value().commit().ok());
  }
  EXPECT_EQ(files.read(folder / "file").value(), "one two");
  EXPECT_THAT(files.list(folder.path()).value(), ElementsAre(FolderEntry{"file", false}));
}

TEST(StreamedFile, LeavesNothingWhereItIsNotCommitted) {
  const TemporaryFolder folder;
  {
    auto file = StreamedFile::create(folder / "file");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file.value().append("half").ok());
  }
  EXPECT_TRUE(DiskFileSystem{}.list(folder.path()).value().empty());
}

TEST(StreamedFile, LeavesNothingWhereItsWriterIsKilled) {
  const TemporaryFolder folder;
  const Descriptor nameless(::open(folder.path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!nameless.valid()) GTEST_SKIP() << "no files without a name here";
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto file = StreamedFile::create(folder / "file");
    if (file.ok() && file.value().append("half").ok()) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int state = 0;
  ::waitpid(writer, &state, 0);
  ASSERT_TRUE(WIFSIGNALED(state));
  EXPECT_TRUE(DiskFileSystem{}.list(folder.path()).value().empty());
}

TEST(StreamedFile, ANewOneTakesNoPlace) {
  const TemporaryFolder folder;
  DiskFileSystem files;
  const auto make = [&](std::string_view text) {
    auto file = StreamedFile::create(folder / "file");
    EXPECT_TRUE(file.ok() && file.value().append(text).ok());
    return file.value().commit_new();
  };
  EXPECT_TRUE(make("first").value());
  EXPECT_FALSE(make("second").value());
  EXPECT_EQ(files.read(folder / "file").value(), "first");
  EXPECT_THAT(files.list(folder.path()).value(), ElementsAre(FolderEntry{"file", false}));
}

TEST(StreamedFile, TakesThePlaceOfNoDeviceOrFolder) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const Status written = DiskFileSystem{}.write(folder / "fifo", "text");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("is not a regular file"));
  const auto into = StreamedFile::create(folder.path());
  ASSERT_FALSE(into.ok());
  EXPECT_THAT(into.error().hint, HasSubstr("name a file"));
}

TEST(DiskFileSystem, ASignalLeavesNoTemporaryFile) {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const std::string contents(16U << 20U, 'x');
    const pid_t writer = ::fork();
    if (writer == 0) {
      std::signal(number, SIG_DFL);
      DiskFileSystem files;
      while (files.write(folder / "file", contents).ok()) {
      }
      ::_exit(1);
    }
    // Until a temporary file is seen: the writer is in the middle of it.
    const auto is_writing = [&] {
      const auto entries = DiskFileSystem{}.list(folder.path());
      return entries.ok() && std::ranges::any_of(entries.value(), [](const FolderEntry& entry) {
               return entry.name != "file";
             });
    };
    for (int tries = 0; tries < 30'000 && !is_writing(); ++tries) ::usleep(1000);
    ::kill(writer, number);
    int state = 0;
    ::waitpid(writer, &state, 0);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == number);
    EXPECT_THAT(DiskFileSystem{}.list(folder.path()).value(),
                ElementsAre(FolderEntry{"file", false}));
  }
}

TEST(DiskFileSystem, NoFolderIsMadeBehindALinkToNowhere) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("gone", (folder / "link").c_str()), 0);
  for (const char* name : {"link", "link/below"}) {
    const Status made = DiskFileSystem{}.make_folders(folder / name);
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_THAT(made.error().message,
                HasSubstr("is a symbolic link to 'gone', which is not there"));
    EXPECT_THAT(made.error().hint, HasSubstr("mend or remove the link"));
  }
}

TEST(FileError, EveryCommonOneNamesANextStep) {
  for (const int number : {EEXIST, EBUSY, ETXTBSY, EIO, EINVAL, ENOSPC, EROFS, ENOTDIR}) {
    const std::string hint = file_error("write", "x", number).hint;
    EXPECT_EQ(hint.find("see the operating system"), std::string::npos) << number;
  }
}

TEST(DiskFileSystem, WrittenFilesFollowTheUmask) {
  const TemporaryFolder folder;
  DiskFileSystem files;
  const mode_t former = ::umask(022);
  ASSERT_TRUE(files.write(folder / "file", "x").ok());
  ::umask(former);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U);
}

TEST(DiskFileSystem, ReadsProcFilesWhoseSizeIsZero) {
  const auto text = DiskFileSystem{}.read("/proc/self/status");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("Pid:"));
}

TEST(DiskFileSystem, SaysWhichFileIsMissing) {
  const auto text = DiskFileSystem{}.read("/nonexistent/file");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::not_found);
  EXPECT_THAT(text.error().message, HasSubstr("'/nonexistent/file'"));
  EXPECT_FALSE(DiskFileSystem{}.read("/tmp").ok()) << "a folder is not a file";
}

TEST(FileError, WhatKindOfPathItIsAndWhatToDoIsSaid) {
  EXPECT_THAT(DiskFileSystem{}.read("/tmp").error().hint, HasSubstr("name a file"));
  EXPECT_THAT(file_error("read", "a", ELOOP).hint, HasSubstr("leads back to itself"));
  EXPECT_THAT(file_error("start", "a", E2BIG).hint, HasSubstr("too long"));
}

TEST(FileError, AFullDiskNamesThePathAndTheNextStep) {
  const Error error = file_error("write", "/runs/result.json", ENOSPC);
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.message, HasSubstr("'/runs/result.json': No space left on device"));
  EXPECT_THAT(error.hint, HasSubstr("free disk space"));
}

TEST(DiskFileSystem, AFailedWriteLeavesNothingBehind) {
  const TemporaryFolder folder;
  DiskFileSystem files;
  ASSERT_TRUE(files.make_folders(folder / "taken/by-a-folder").ok());
  EXPECT_FALSE(files.write(folder / "taken", "x").ok()) << "a file cannot replace a folder";
  const auto entries = files.list(folder.path());
  ASSERT_TRUE(entries.ok());
  EXPECT_THAT(entries.value(), ElementsAre(FolderEntry{"taken", true}));
}

TEST(FakeFileSystem, ListsFoldersThatItsFilesImply) {
  FakeFileSystem files;
  ASSERT_TRUE(files.write("run/processes/00-timing/results.jsonl", "x").ok());
  ASSERT_TRUE(files.make_folders("run/captures").ok());
  const auto entries = files.list("run");
  ASSERT_TRUE(entries.ok());
  EXPECT_THAT(entries.value(),
              ElementsAre(FolderEntry{"captures", true}, FolderEntry{"processes", true}));
  EXPECT_TRUE(files.exists("run/processes"));
  EXPECT_FALSE(files.list("run/none").ok());
}

TEST(JoinPath, AnAbsoluteNameStandsAlone) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
}

}  // namespace
}  // namespace perfgate::platform
