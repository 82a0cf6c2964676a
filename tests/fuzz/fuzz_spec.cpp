// Any bytes as a workload file: a spec or errors with a place, never both, never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workloads/spec/workload_file.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto checked = perfgate::workloads::check_workload(text, "fuzz.yaml");
  if (checked.spec.has_value() != checked.errors.empty()) std::abort();
  if (checked.spec && (checked.spec->gates.empty() || checked.spec->workload_digest.size() != 32))
    std::abort();
  for (const auto& diagnostic : checked.errors) {
    if (diagnostic.at.line < 1 || diagnostic.at.column < 1 || diagnostic.message.empty())
      std::abort();
  }
  if (!checked.errors.empty()) {
    const auto error = perfgate::workloads::error_of(checked.errors, text, "fuzz.yaml");
    if (error.context.empty()) std::abort();
  }
  return 0;
}
