// What --base and --head may name, and what runs then.
#include "runner/cli/run/arm.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkloadSpec command_workload(const std::string& path, const std::string& cwd = {}) {
  WorkloadSpec spec;
  spec.name = "decode";
  spec.path = path;
  CommandRun run;
  run.argv = {"python", "decode.py"};
  run.cwd = cwd;
  spec.run = run;
  return spec;
}

WorkloadSpec builtin_workload() {
  WorkloadSpec spec;
  spec.name = "decode_8b";
  spec.path = "workloads/decode_8b.yaml";
  spec.run = BuiltinRun{.kind = "transformer_decode", .with = {}, .inject = {}};
  return spec;
}

class Arms : public ::testing::Test {
 protected:
  ArmChoice choice(const std::string& text) {
    auto parsed = parse_arm("--base", text, files);
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
    return parsed.ok() ? std::move(parsed).value() : ArmChoice{};
  }
  Result<ArmProgram> program(const std::string& text, const WorkloadSpec& spec) {
    return program_of(choice(text), spec, "/opt/perfgate/bin/perfgate-workload", files);
  }
  static const CommandRun& command(const ArmProgram& program) {
    return std::get<CommandRun>(program.spec.run);
  }
  void folder_there(const std::string& name) {
    ASSERT_TRUE(files.make_folders(folder / name).ok());
  }

  testing::TemporaryFolder folder;
  platform::DiskFileSystem files;
};

TEST_F(Arms, NothingNamedIsTheWorkloadAsItIs) {
  const auto made = program("", command_workload("workloads/decode.yaml"));
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(command(made.value()).argv, ElementsAre("python", "decode.py"));
  EXPECT_EQ(made.value().workload_program, "/opt/perfgate/bin/perfgate-workload");
}

TEST_F(Arms, ACommandLineIsSplitAsAShellSplitsItAndReplacesArgv) {
  const auto made =
      program("env MODE=1 python old.py --name 'a b'", command_workload("workloads/decode.yaml"));
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(command(made.value()).argv,
              ElementsAre("env", "MODE=1", "python", "old.py", "--name", "a b"));
  EXPECT_EQ(choice("python old.py").how, "--base 'python old.py'");
}

TEST_F(Arms, WhatOnlyAShellCouldRunIsRefusedWithTheWayOut) {
  for (const char* text : {"a | b", "a > b", "$(reboot)", "'open", "a && b"}) {
    const auto parsed = parse_arm("--base", text, files);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage);
    EXPECT_THAT(parsed.error().hint, HasSubstr("sh -c"));
  }
  EXPECT_FALSE(parse_arm("--base", "   ", files).ok());
}

TEST_F(Arms, ATreeStandsForTheFolderInWhichPerfgateWasStarted) {
  folder_there("main/workloads/models");
  const auto beside = program(folder / "main", command_workload("workloads/decode.yaml"));
  ASSERT_TRUE(beside.ok()) << beside.error().message;
  EXPECT_EQ(command(beside.value()).cwd, folder / "main/workloads");
  const auto below = program(folder / "main", command_workload("workloads/decode.yaml", "models"));
  ASSERT_TRUE(below.ok());
  EXPECT_EQ(command(below.value()).cwd, folder / "main/workloads/models");
  const auto above = program(folder / "main", command_workload("workloads/decode.yaml", ".."));
  ASSERT_TRUE(above.ok());
  EXPECT_EQ(command(above.value()).cwd, folder / "main");
}

TEST_F(Arms, ATreeMustHoldTheFolderThatTheWorkloadRunsIn) {
  folder_there("main");
  const auto missing = program(folder / "main", command_workload("workloads/decode.yaml"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("main/workloads"));
  const auto outside = program(folder / "main", command_workload("/etc/decode.yaml"));
  ASSERT_FALSE(outside.ok());
  EXPECT_THAT(outside.error().hint, HasSubstr("start perfgate at the top"));
}

TEST_F(Arms, ABuiltInWorkloadRunsTheTreesOwnProgram) {
  folder_there("old/bin");
  EXPECT_FALSE(program(folder / "old", builtin_workload()).ok());
  const std::string own = folder / "old/bin/perfgate-workload";
  ASSERT_TRUE(files.write(own, "#!/bin/sh\n").ok());
  std::filesystem::permissions(own, std::filesystem::perms::owner_all);
  const auto made = program(folder / "old", builtin_workload());
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().workload_program, own);
}

TEST_F(Arms, ABuiltInWorkloadHasNoCommandToReplace) {
  const auto made = program("python old.py", builtin_workload());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::usage);
  EXPECT_THAT(made.error().message, HasSubstr("built-in"));
}

}  // namespace
}  // namespace perfgate::cli
