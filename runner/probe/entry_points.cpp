// What CUDA and NVTX look up in the library. Everything else in it is hidden.
#include <atomic>
#include <cstdlib>

#include "runner/probe/guard.h"
#include "runner/probe/nvtx_handlers.h"
#include "runner/probe/process_state.h"

namespace {

using ExportTable = const void* (*)(std::uint32_t);

int start_nvtx(ExportTable get_export_table) {
  using perfgate::probe::Probe;
  return perfgate::probe::guarded(0, [&] {
    // 0 turns NVTX into no-ops in this client, which is what a probe with nothing to do wants.
    return Probe::start() != nullptr && perfgate::probe::install_nvtx_handlers(get_export_table)
               ? 1
               : 0;
  });
}

}  // namespace

#define PG_EXPORT extern "C" __attribute__((visibility("default")))

// CUDA and NVTX fix these names.
// NOLINTBEGIN(readability-identifier-naming)
PG_EXPORT int InitializeInjection(void);
PG_EXPORT int InitializeInjectionNvtx(ExportTable get_export_table);
PG_EXPORT int InitializeInjectionNvtx2(ExportTable get_export_table);

/// CUDA_INJECTION64_PATH, inside driver initialisation. Always 1: CUDA goes on whatever we met.
int InitializeInjection(void) {
  perfgate::probe::guarded([] {
    if (perfgate::probe::Probe* probe = perfgate::probe::Probe::start()) probe->start_cupti();
  });
  return 1;
}

/// NVTX 2 (libnvToolsExt.so.1), whose tables have the same layout.
int InitializeInjectionNvtx(ExportTable get_export_table) { return start_nvtx(get_export_table); }

/// NVTX 3.
int InitializeInjectionNvtx2(ExportTable get_export_table) { return start_nvtx(get_export_table); }
// NOLINTEND(readability-identifier-naming)
