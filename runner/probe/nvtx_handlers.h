/// Our implementation of the NVTX functions, put into the tables of each shared library that uses
/// NVTX.
#pragma once

#include <cstdint>

namespace perfgate::probe {

/// `get_export_table` is what NVTX passes to an injection library's entry point. Fills the core and
/// the domain table as far as the client's (older, shorter) tables go. False if the client offers
/// no tables.
[[nodiscard]] bool install_nvtx_handlers(const void* (*get_export_table)(std::uint32_t));

}  // namespace perfgate::probe
