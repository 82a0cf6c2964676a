/// The tuning file: which cuBLASLt algorithm to use for which product, so that a measured process
/// never times anything to choose one.
///
/// Tab-separated lines, '#' starts a note:
///   gpu  cublaslt_version  layout  dtype  m  n  k  algorithm  us
/// `algorithm` is the 64-byte cublasLtMatmulAlgo_t as 128 hex digits; the cuBLASLt documentation
/// allows to store it for the same library version. m, n, k are column-major as handed to the
/// library. `us` is what `tune` measured, for people only. Pure: text in, text out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "runner/model/result.h"

namespace perfgate::builtin {

inline constexpr int kAlgorithmWords = 8;
using AlgorithmBits = std::array<std::uint64_t, kAlgorithmWords>;

struct TuningKey {
  std::string gpu;
  std::int64_t library_version = 0;
  std::string layout;  ///< tn, nn, nt
  std::string dtype;   ///< of A and B, and of D if it differs: bf16, fp16, fp32, bf16_fp32
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  auto operator<=>(const TuningKey&) const = default;
};

struct TuningEntry {
  AlgorithmBits algorithm{};
  double us = 0.0;
};

class TuningTable {
 public:
  /// Errors (`invalid_config`) name `path` and the line: wrong number of fields, bad number, bad
  /// algorithm, a key twice.
  [[nodiscard]] static Result<TuningTable> parse(std::string_view text, std::string_view path);

  [[nodiscard]] const TuningEntry* find(const TuningKey& key) const;
  void set(TuningKey key, TuningEntry entry);
  /// Adds the other table's entries; they win over equal keys here.
  void merge(const TuningTable& other);
  /// Sorted by key, with the heading; parse(serialize()) gives the same table.
  [[nodiscard]] std::string serialize() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::map<TuningKey, TuningEntry> entries_;
};

}  // namespace perfgate::builtin
