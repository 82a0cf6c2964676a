/// The CUDA calls that a capture keeps: launches, graph launches, synchronisation, copies, memsets,
/// allocation, module loading and graph building, runtime and driver, with the per-thread-stream
/// forms (`_ptsz`, `_ptds`). Ids and names are those of the toolkit's cupti_runtime_cbid.h and
/// cupti_driver_cbid.h (append-only).
///
/// A runtime call contains driver calls; both are kept, and where CUPTI gives both the same
/// correlation id the record with the earliest start is the outer call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runner/model/capture.h"

namespace perfgate::probe {

struct ApiEntry {
  std::uint32_t id = 0;
  std::string_view name;  ///< as in the header, "cudaLaunchKernel_ptsz_v7000"
  ApiClass api_class = ApiClass::other;
};

/// Sorted by id.
[[nodiscard]] std::span<const ApiEntry> runtime_calls();
[[nodiscard]] std::span<const ApiEntry> driver_calls();
/// Null for a call that is not kept.
[[nodiscard]] const ApiEntry* find_runtime_call(std::uint32_t id);
[[nodiscard]] const ApiEntry* find_driver_call(std::uint32_t id);

/// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz_v7000", "cuMemcpyHtoD" of "cuMemcpyHtoD_v2_ptds".
[[nodiscard]] std::string_view plain_api_name(std::string_view versioned);

}  // namespace perfgate::probe
