/// CUPTI activity records to records of the capture. Pure apart from reading what the record points
/// at.
///
/// Only the common prefix of each struct is read, so that one reader serves every CUPTI from 12.0
/// (version 19) on: Kernel9 to Kernel13, Memcpy5 and 6, MemcpyPtoP4, Memset4, API, Overhead to
/// Overhead3. CUPTI fills the newest struct that its own library knows and later ones only append;
/// lengths come from cuptiActivityGetNextRecord, never from sizeof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <cupti.h>

#include "runner/model/capture.h"

namespace perfgate::probe {

/// Gives texts their ids and kernels the hash of their code: capture::Encoder and KernelCodes in
/// the probe, a plain table in tests.
class Interner {
 public:
  virtual ~Interner() = default;
  virtual StringId intern(std::string_view text) = 0;
  /// 0 = unknown. `kernel` is the mangled name.
  virtual std::uint64_t code_of([[maybe_unused]] std::string_view kernel) { return 0; }
};

struct ParsedBatch {
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<MemsetRecord> memsets;
  std::vector<ApiRecord> api_calls;
  std::vector<OverheadRecord> overheads;
  /// Correlation ids of GPU records without timestamps: CUPTI lost the times, so the record counts
  /// as dropped.
  std::vector<std::uint32_t> lost;
  /// malloc'ed details of "command buffer full" records, to be freed by the caller (CUPTI gives
  /// them away).
  std::vector<void*> owned;

  void clear();
};

enum class ParseOutcome {
  kept,
  lost,     ///< a GPU record with start or end 0
  ignored,  ///< another kind, or a call that a capture does not keep
  cut       ///< fewer bytes than the record's prefix
};

/// Appends one record. `available` is the number of bytes from `record` to the end of its buffer.
/// `cupti_version` is cuptiGetVersion's, at least kMinimumCuptiVersion.
ParseOutcome parse_record(const CUpti_Activity* record, std::size_t available,
                          std::uint32_t cupti_version, Interner& interner, ParsedBatch& batch);

/// 12.2. Older libraries fill structs that this reader does not know.
inline constexpr std::uint32_t kMinimumCuptiVersion = 20;
/// 12.4: the overhead record carries a pointer that the client frees.
inline constexpr std::uint32_t kOverheadDataSince = 22;

[[nodiscard]] std::string_view overhead_kind_name(std::uint32_t kind);
[[nodiscard]] CopyKind copy_kind(std::uint8_t cupti_kind);

}  // namespace perfgate::probe
