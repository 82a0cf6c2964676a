// Writes a synthetic capture file: make_synthetic_capture FILE [option=value ...]
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

#include "tests/support/synthetic_capture.h"

namespace {

using perfgate::testing::SyntheticCaptureOptions;

constexpr std::string_view kUsage =
    "usage: make_synthetic_capture FILE [million] [steps=N] [kernels=N] [copies=N] [memsets=N] "
    "[streams=N] [graph=0|1] [layer_ranges=0|1] [wait=0|1]\n"
    "Writes a deterministic capture that no GPU made. million: 1,000,000 GPU and 1,001,000 API "
    "records.\n";

bool set_option(SyntheticCaptureOptions& options, std::string_view word) {
  if (word == "million") {
    options = perfgate::testing::million_record_options();
    return true;
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals);
  const std::string_view digits = word.substr(equals + 1);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) return false;
  const std::array<std::pair<std::string_view, int*>, 5> numbers{
      {{"steps", &options.steps},
       {"kernels", &options.kernels_per_step},
       {"copies", &options.copies_per_step},
       {"memsets", &options.memsets_per_step},
       {"streams", &options.streams}}};
  const std::array<std::pair<std::string_view, bool*>, 3> switches{
      {{"graph", &options.graph},
       {"layer_ranges", &options.layer_ranges},
       {"wait", &options.wait_each_step}}};
  for (const auto& [name, number] : numbers) {
    if (name == key) return *number = value, true;
  }
  for (const auto& [name, flag] : switches) {
    if (name == key && value <= 1) return *flag = value == 1, true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  SyntheticCaptureOptions options;
  bool usable = argc >= 2;
  for (int i = 2; i < argc && usable; ++i) usable = set_option(options, argv[i]);
  if (!usable) {
    std::fputs(kUsage.data(), stderr);
    return 2;
  }
  const auto bytes =
      perfgate::testing::synthetic_capture_file(perfgate::testing::synthetic_capture(options));
  std::ofstream file(argv[1], std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", argv[1]);
    return 4;
  }
  return 0;
}
