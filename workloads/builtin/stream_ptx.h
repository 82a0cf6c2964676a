/// The kernels of the memory control, as PTX text that the driver compiles: the control needs no
/// CUDA runtime, and runs on any driver that knows PTX ISA 6.3 (CUDA 10) and a GPU of compute
/// capability 7.0 or more.
///
/// Entries `stream_read`, `stream_write`, `stream_copy`, each (u64 from, u64 to), blocks of
/// kStreamThreads threads; block b covers bytes [b, b + 1) x kStreamBlockBytes in 16-byte vectors
/// with streaming cache hints. `stream_read` stores to `to` only if it meets a byte that is not
/// zero: over a zeroed buffer it reads alone, and no compiler can drop the loads.
///
/// Entry `spin` (u64 ns), one thread: the fault spin_us, as device/spin.cu has it.
#pragma once

#include <cstdint>
#include <string>

namespace perfgate::builtin {

inline constexpr int kStreamThreads = 256;
inline constexpr int kStreamVectors = 16;  ///< of each thread
inline constexpr std::int64_t kStreamBlockBytes =
    std::int64_t{16} * kStreamThreads * kStreamVectors;

[[nodiscard]] std::string stream_ptx();

}  // namespace perfgate::builtin
