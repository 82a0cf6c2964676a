// Feeds every file of a corpus folder to a fuzz target once, where libFuzzer is not linked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_NAME CORPUS_FOLDER\n", stderr);
    return 2;
  }
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  if (error || paths.empty()) {
    std::fprintf(stderr, "no corpus in %s\n", argv[1]);
    return 1;
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::fprintf(stderr, "%s\n",
                 path.filename().c_str());  // the last one named is the one that failed
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file.eof() && file.fail()) return 1;
    static_cast<void>(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
  return 0;
}
