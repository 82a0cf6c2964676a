/// What rules ask about several kernels together, and about their names. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

using KernelSet = std::set<std::size_t>;

/// Sums over a set, per step.
struct KernelTotals {
  double base_calls = 0.0;
  double head_calls = 0.0;
  double base_ms = 0.0;
  double head_ms = 0.0;
  double base_bytes = 0.0;
  double head_bytes = 0.0;

  [[nodiscard]] double more_calls() const { return head_calls - base_calls; }
  [[nodiscard]] double base_us_per_call() const;
  [[nodiscard]] double head_us_per_call() const;
};
[[nodiscard]] KernelTotals totals_of(const Unclaimed& unclaimed, const KernelSet& kernels);

enum class Side { base, head };
/// Short name of the kernel that takes most of that side's time; empty = that side has none.
[[nodiscard]] std::string main_name(const Unclaimed& unclaimed, const KernelSet& kernels,
                                    Side side);
/// " at decode/layer */qkv" where all of them have one place, indices apart; else empty.
[[nodiscard]] std::string place_words(const Unclaimed& unclaimed, const KernelSet& kernels);
/// "32 calls a step of X, 16.5 us each -> 32 of Y, 25.0 us each"; a side without calls is left out.
[[nodiscard]] std::string calls_words(const Unclaimed& unclaimed, const KernelSet& kernels);

/// Calls that changed hands in a set: of a kernel that is only called less often those that it
/// lost, of any other all of both sides.
struct SwappedCalls {
  double lost = 0.0;
  double gained = 0.0;
};
[[nodiscard]] SwappedCalls swapped_calls(const Unclaimed& unclaimed, const KernelSet& kernels);

[[nodiscard]] double blocks_of(const KernelSide& side);
[[nodiscard]] double threads_of(const KernelSide& side);

/// By the head's name, the base's where a kernel is gone.
[[nodiscard]] std::map<std::string, KernelSet> by_name(const Unclaimed& unclaimed,
                                                       const KernelSet& kernels);
[[nodiscard]] const std::string& name_of(const KernelChange& kernel);

/// "perfgate::builtin::(anonymous namespace)::norm<float>" -> "norm<float>", cut at 60 characters.
[[nodiscard]] std::string short_name(std::string_view normalised);
/// The words of a name in lower case: contains("Transpose_kernel", "transpose").
[[nodiscard]] bool name_has(std::string_view name, std::string_view lower_case_word);
/// Moves data without computing: transposes, permutations, copies on the device.
[[nodiscard]] bool is_data_movement(const KernelChange& kernel);
/// Copies between host and device.
[[nodiscard]] bool is_to_host(const std::string& name);
[[nodiscard]] bool is_to_device(const std::string& name);
/// More of them a step, or more bytes.
[[nodiscard]] bool has_more_copies(const KernelTotals& totals);
/// The family of kernels that read and write each element once: norm, activation, elementwise, ...;
/// not `unclassified`, which can be anything.
[[nodiscard]] bool is_pointwise(std::string_view family);

/// Bits of the narrowest number format that a kernel's name tells: 32 for sgemm, tf32, float; 16
/// for bf16, half, nvjet_tst; 8, 4. Narrowest, because weights are never wider than what they are
/// accumulated in. Empty = the name tells none.
[[nodiscard]] std::optional<int> named_bits(std::string_view name);
/// The name says that the operands have 32 bits: sgemm, tf32, f32; "float" may be any argument of a
/// template, an accumulator mostly.
[[nodiscard]] bool names_wide_operands(std::string_view name);

}  // namespace perfgate::analysis
