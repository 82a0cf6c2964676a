// Runs a test program with an environment and reads back what it printed and captured.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/model/capture.h"

namespace perfgate::probe {

struct ChildResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string output;  // stdout and stderr
};

ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment,
                      unsigned long long file_size_limit = 0);

/// A new empty folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<std::string> files_in(const std::string& folder);
std::string read_file(const std::string& path);
/// Decodes a capture file; fails the test if it cannot.
Capture capture_in(const std::string& file);
/// Decodes the only capture in the folder; fails the test if there is none or more than one.
Capture only_capture(const std::string& folder);

bool has_reason(const Capture& capture, const std::string& part);
/// Names of the ranges, one per range, in order of start.
std::vector<std::string> range_names(const Capture& capture);

}  // namespace perfgate::probe
