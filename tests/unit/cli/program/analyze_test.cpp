// perfgate analyze: captures and run folders in, a summary or a timeline out.
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/trace_check.h"
#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Analyze : public Program {
 protected:
  Analyze() : recordings(std::filesystem::absolute("workloads/recordings").string()) {}
  [[nodiscard]] std::string run_folder(const std::string& name) const {
    return recordings + "/" + name + "/candidate";
  }
  [[nodiscard]] std::string capture() const {
    return run_folder("tiny") + "/captures/07/1319-10090.pgcap";
  }
  /// What there is in the working folder.
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      names.push_back(entry.path().filename().string());
    return names;
  }

  std::string recordings;
};

TEST_F(Analyze, SaysWhatARunFoldersFirstTracedProcessHolds) {
  const Said said = run({"analyze", run_folder("decode_8b")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("process 11 (traced too: 12 13)"),
                    HasSubstr("capture valid, records dropped: 0"), HasSubstr("10 steps (nvtx)"),
                    HasSubstr("attention"), HasSubstr("idle: graph_internal")));
}

TEST_F(Analyze, SaysWhatACaptureAloneHolds) {
  const Said said = run({"analyze", capture()});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("capture valid"), HasSubstr("steps (nvtx)")));
}

TEST_F(Analyze, PrintsJsonForPrograms) {
  const Said said = run({"analyze", run_folder("tiny"), "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("\"validity\": \"valid\""), HasSubstr("\"process\": 7"),
                              HasSubstr("\"family\": "), HasSubstr("\"cause\": ")));
}

TEST_F(Analyze, WritesATimelineThatViewersTake) {
  const Said said = run({"analyze", run_folder("tiny"), "--timeline", "out.json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, AllOf(HasSubstr("timeline in out.json"), HasSubstr("perfetto")));
  const TraceCheck check = check_trace(read("out.json"));
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_THAT(check.notes.at("run"), AllOf(HasSubstr("process 7"), HasSubstr("capture valid")));
  EXPECT_THAT(left(), ElementsAre("out.json"));
}

TEST_F(Analyze, PutsTwoRunsSideBySide) {
  const Said said = run({"analyze", run_folder("tiny"), capture(), "--timeline", "out.json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const TraceCheck check = check_trace(read("out.json"));
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_THAT(check.notes.at("base"), HasSubstr("tiny"));
  EXPECT_THAT(check.notes.at("head"), HasSubstr(".pgcap"));
}

TEST_F(Analyze, ATimelineThatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  const Said full =
      run(Call{.arguments = {"analyze", run_folder("decode_8b"), "--timeline", "out.json"},
               .file_size_limit = 100'000});
  EXPECT_EQ(full.code, 4);
  EXPECT_THAT(full.err, AllOf(HasSubstr("cannot write 'out.json'"), HasSubstr("hint:")));
  EXPECT_THAT(left(), IsEmpty());
  const Said nowhere = run({"analyze", capture(), "--timeline", "no/folder/out.json"});
  EXPECT_NE(nowhere.code, 0);
  EXPECT_THAT(nowhere.err, HasSubstr("no/folder/out.json"));
}

TEST_F(Analyze, NeverWritesOverACaptureOrADevice) {
  std::filesystem::copy(capture(), folder / "a.pgcap");
  for (const char* target : {"a.pgcap", "other.pgcap"}) {
    const Said said = run({"analyze", "a.pgcap", "--timeline", target});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("take the place of a capture"));
  }
  EXPECT_THAT(left(), ElementsAre("a.pgcap"));
  const Said device = run({"analyze", "a.pgcap", "--timeline", "/dev/null"});
  EXPECT_EQ(device.code, 4);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Analyze, WarnsOfACaptureThatIsCutAndStillDrawsIt) {
  std::filesystem::copy(capture(), folder / "cut.pgcap");
  std::filesystem::resize_file(folder / "cut.pgcap",
                               std::filesystem::file_size(folder / "cut.pgcap") - 40);
  const Said said = run({"analyze", "cut.pgcap", "--timeline", "out.json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("warning: cut.pgcap: the capture is partial"),
                              HasSubstr("no end block")));
  EXPECT_THAT(check_trace(read("out.json")).problems, IsEmpty());
}

TEST_F(Analyze, NamesWhatCanBeChosen) {
  const Said untraced = run({"analyze", run_folder("tiny"), "--process", "1"});
  EXPECT_EQ(untraced.code, 2);
  EXPECT_THAT(untraced.err, AllOf(HasSubstr("process 1 of"), HasSubstr("7, 8, 9")));
  const Said second = run({"analyze", run_folder("tiny"), "--process", "8"});
  EXPECT_THAT(second.out, HasSubstr("process 8 (traced too: 7 9)"));
  const Said file = run({"analyze", capture(), "--process", "8"});
  EXPECT_EQ(file.code, 2);
  EXPECT_THAT(file.err, HasSubstr("--process chooses a process of a run folder"));
}

TEST_F(Analyze, RefusesWhatIsNoTraceAndSaysWhatIs) {
  write("text", "hello");
  for (const char* named : {"text", "nothing", "."}) {
    const Said said = run({"analyze", named});
    EXPECT_NE(said.code, 0) << named;
    EXPECT_THAT(said.err, AllOf(HasSubstr(named), HasSubstr("hint:"))) << named;
    EXPECT_THAT(said.out, IsEmpty());
  }
  EXPECT_EQ(run({"analyze"}).code, 2);
  EXPECT_EQ(run({"analyze", "a", "b", "c"}).code, 2);
}

}  // namespace
}  // namespace perfgate::testing
