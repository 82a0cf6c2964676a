// Any text at all is a results file that can be used, or an error that names a line and a next
// step.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runner/results/results_file.h"

namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto results = perfgate::results::read_results(text);
  if (!results.ok()) {
    require(results.error().message.starts_with("results file") && !results.error().hint.empty());
    return 0;
  }
  const auto& value = results.value();
  require(value.block_end_ns > value.block_start_ns && !value.steps.empty());
  for (std::size_t i = 0; i < value.steps.size(); ++i) {
    require(value.steps[i].step == static_cast<std::int64_t>(i));
    require(std::isfinite(value.steps[i].ms) && value.steps[i].ms > 0.0);
  }
  const std::string written = perfgate::results::write_results(value);
  const auto again = perfgate::results::read_results(written);
  require(again.ok() && perfgate::results::write_results(again.value()) == written);
  return 0;
}
