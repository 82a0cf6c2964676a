// Checks a file against the rules of trace_check.h: check_trace FILE. Exit 0: none is broken.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/trace_check.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: check_trace FILE\nChecks trace-event JSON as viewers read it.\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", argv[1]);
    return 4;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto check = perfgate::testing::check_trace(text);
  for (const std::string& problem : check.problems) std::printf("%s\n", problem.c_str());
  for (const auto& track : check.tracks) {
    std::printf("%s / %s: %lld slices\n", track.process.c_str(), track.name.c_str(),
                static_cast<long long>(track.slices));
  }
  std::printf("%zu problems, %lld arrows\n", check.problems.size(),
              static_cast<long long>(check.arrows));
  return check.problems.empty() ? 0 : 1;
}
