/// Planted slowdowns: what `--inject FAULT=SIZE` can do. A fault is a row of the list and a place
/// that reads it.
///
/// - graphs_off, SIZE 1: each step is launched kernel by kernel although cuda_graph=true was asked
///   for
/// - host_delay_us: the host waits for the step's end, then works SIZE microseconds before the next
///   launch
/// - spin_us: one thread keeps the GPU busy SIZE microseconds after the step's last kernel, within
///   the timed step and, where there is one, within its graph (device/spin.cu says how exactly);
///   a SIZE below half a nanosecond launches the kernel alone, as the quiet side of a drill does
/// - sync_per_layer, SIZE 1: the host waits for the GPU after each layer (needs an eager step)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::builtin {

struct FaultInfo {
  std::string_view name;
  double max = 0.0;  ///< SIZE is 0 (off) to this
  std::string_view doc;
};
[[nodiscard]] std::span<const FaultInfo> known_faults();

struct Faults {
  bool graphs_off = false;
  bool sync_per_layer = false;
  double host_delay_us = 0.0;
  double spin_us = 0.0;

  /// Those that only a model's step can have.
  [[nodiscard]] bool of_models() const { return graphs_off || sync_per_layer; }
  [[nodiscard]] bool any() const { return of_models() || host_delay_us > 0.0 || spin_us > 0.0; }
};

/// The words of PERFGATE_INJECT: "FAULT=SIZE[,FAULT=SIZE]"; none for a null or empty text.
[[nodiscard]] std::vector<std::string> split_faults(const char* text);

/// From the words after each `--inject`. Errors (`usage`): no '=', an unknown fault, a size out of
/// range, or a fault given twice.
[[nodiscard]] Result<Faults> parse_faults(std::span<const std::string> words);

}  // namespace perfgate::builtin
