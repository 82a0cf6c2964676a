// A file that an earlier perfgate wrote must always be readable. Written anew only with
// PERFGATE_UPDATE_GOLDEN=1.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "runner/capture/decoder.h"
#include "tests/unit/capture/sample_capture.h"

namespace perfgate::capture {
namespace {

constexpr const char* kGolden = "tests/data/capture/synthetic_every_kind_v1.pgcap";

bool update_asked() {
  return std::getenv("PERFGATE_UPDATE_GOLDEN") != nullptr && std::getenv("CI") == nullptr;
}

TEST(GoldenCapture, AFileOfFormatVersionOneIsReadForEver) {
  if (update_asked()) {
    const Bytes bytes = joined(encode_blocks(sample_capture()));
    std::filesystem::create_directories(std::filesystem::path(kGolden).parent_path());
    std::ofstream(kGolden, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream file(kGolden, std::ios::binary);
  ASSERT_TRUE(file) << kGolden << " is missing; run the test from the source folder";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto capture = decode(std::as_bytes(std::span(text)));
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_EQ(dump(capture.value()), dump(sample_capture()));
}

}  // namespace
}  // namespace perfgate::capture
