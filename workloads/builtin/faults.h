/// Planted faults: what `--inject FAULT=SIZE` can do. A fault is an enumerator, a row of the list
/// in faults.cpp and one place that reads it. workloads/FAULTS.md says what each costs and what
/// perfgate must answer.
///
/// Who reads a fault follows from its place: the step loop and spin_fault.h (any_step),
/// device/planted_step.h (model_step), fault_rules.h (model), device/planted_layers.h (layer and
/// decode_layer). A step without faults runs none of that.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::builtin {

enum class Fault : std::uint8_t {
  graphs_off,      ///< steps are launched kernel by kernel although cuda_graph=true was asked for
  sync_per_layer,  ///< the host waits for the GPU after every SIZE-th layer of an eager step
  h2d_mib,         ///< SIZE MiB are copied from pinned host memory in front of the step
  d2h_wait_kib,    ///< SIZE KiB are copied to pinned host memory after the step, and waited for
  /// The host waits for the step's end, then works SIZE microseconds before the next launch.
  host_delay_us,
  /// One thread keeps the GPU busy SIZE microseconds after the step's last kernel, within its graph
  /// where there is one (device/spin.cu says how exactly). A SIZE below half a nanosecond launches
  /// the kernel alone, as the quiet side of a drill does.
  spin_us,
  alloc_mib,       ///< cudaMalloc of SIZE MiB in front of the step, cudaFree behind it
  gemm_slow,       ///< products by cuBLASLt, with the last algorithm that it proposes
  fp32_mlp,        ///< FP32 weights in both products of the feed-forward
  unfused_norm,    ///< residual and norm, silu and multiply are kernels of their own
  context_x2,      ///< attention over twice the context
  no_split_k,      ///< decode attention with one CTA of one warp per sequence and KV head
  split_launch,    ///< the norm before the feed-forward as up to kSplitLaunches launches
  transpose_copy,  ///< a transposed copy of the output projection that nothing reads
  jit_in_window,   ///< SIZE modules are compiled and loaded in front of each step
  skip_layers,     ///< the model has SIZE layers fewer; the work that is reported follows
};
inline constexpr std::size_t kFaults = 16;

/// Launches of a split norm, if it has so many rows.
inline constexpr int kSplitLaunches = 16;

enum class FaultSize : std::uint8_t {
  on_off,  ///< 0 or 1
  count,   ///< a whole number
  layers,  ///< a whole number: the first SIZE layers have the fault
  amount,  ///< any number
};

enum class FaultPlace : std::uint8_t {
  any_step,    ///< around the step of any kind but control
  model_step,  ///< around the step of a model, in a graph or not
  model,       ///< how a model is made or launched
  layer,       ///< in layers of a model
  decode_layer,
};

struct FaultInfo {
  Fault id;
  std::string_view name;
  FaultPlace place;
  FaultSize size;
  double max = 0.0;  ///< SIZE is 0 (off) to this
  std::string_view doc;
};
/// In the order of the enumerators.
[[nodiscard]] std::span<const FaultInfo> known_faults();

class Faults {
 public:
  /// SIZE; 0 is off.
  [[nodiscard]] double operator[](Fault fault) const {
    return sizes_[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] bool has(Fault fault) const { return (*this)[fault] > 0.0; }
  /// SIZE of a fault that counts.
  [[nodiscard]] int count(Fault fault) const { return static_cast<int>((*this)[fault]); }
  [[nodiscard]] bool any_at(FaultPlace place) const;
  [[nodiscard]] bool any_in_layers() const {
    return any_at(FaultPlace::layer) || any_at(FaultPlace::decode_layer);
  }
  void set(Fault fault, double size) { sizes_[static_cast<std::size_t>(fault)] = size; }

 private:
  std::array<double, kFaults> sizes_{};
};

/// The words of PERFGATE_INJECT: "FAULT=SIZE[,FAULT=SIZE]"; none for a null or empty text.
[[nodiscard]] std::vector<std::string> split_faults(const char* text);

/// From the words after each `--inject`. Errors (`usage`): no '=', an unknown fault, a size out of
/// range or broken where it counts, or a fault given twice.
[[nodiscard]] Result<Faults> parse_faults(std::span<const std::string> words);

}  // namespace perfgate::builtin
