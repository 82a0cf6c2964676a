#include "tests/unit/probe/child_process.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/capture/decoder.h"

namespace perfgate::probe {

ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment,
                      unsigned long long file_size_limit) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> assignments;
  assignments.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    assignments.emplace_back(name).append("=").append(value);
  }
  std::vector<char*> envp;
  envp.reserve(assignments.size() + 1);
  for (std::string& assignment : assignments) envp.push_back(assignment.data());
  envp.push_back(nullptr);

  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (file_size_limit != 0) {
      const rlimit limit{file_size_limit, file_size_limit};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  close(ends[1]);
  ChildResult result;
  std::array<char, 4096> chunk{};
  ssize_t length = 0;
  while ((length = read(ends[0], chunk.data(), chunk.size())) > 0) {
    result.output.append(chunk.data(), static_cast<std::size_t>(length));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "perfgate-probe-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  return files;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Capture capture_in(const std::string& file) {
  const std::string bytes = read_file(file);
  auto decoded = capture::decode(std::as_bytes(std::span(bytes.data(), bytes.size())));
  EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().message);
  if (!decoded.ok()) return {};
  return std::move(decoded).value();
}

Capture only_capture(const std::string& folder) {
  const std::vector<std::string> files = files_in(folder);
  EXPECT_EQ(files.size(), 1U);
  return files.size() == 1 ? capture_in(files[0]) : Capture{};
}

bool has_reason(const Capture& capture, const std::string& part) {
  return std::any_of(
      capture.reasons.begin(), capture.reasons.end(),
      [&](const std::string& reason) { return reason.find(part) != std::string::npos; });
}

std::vector<std::string> range_names(const Capture& capture) {
  std::vector<NvtxRange> ranges = capture.ranges;
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const NvtxRange& a, const NvtxRange& b) { return a.start_ns < b.start_ns; });
  std::vector<std::string> names;
  names.reserve(ranges.size());
  for (const NvtxRange& range : ranges) names.push_back(text_of(capture, range.name));
  return names;
}

}  // namespace perfgate::probe
