// The kernels behind a row of a ledger.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reporters/render/ledger_rows.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

std::string shape(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

std::string bytes_words(const KernelChange& kernel) {
  const double base = kernel.base.bytes_per_step;
  const double head = kernel.head.bytes_per_step;
  if (base == 0.0 && head == 0.0) return {};
  if (base == head) return format_bytes(head) + " a step";
  return fmt::format("{} -> {} a step", format_bytes(base), format_bytes(head));
}

bool on_both_sides(const KernelChange& kernel) {
  return kernel.base.calls_per_step > 0.0 && kernel.head.calls_per_step > 0.0;
}

double wall_us_per_call(const KernelSide& side) {
  return side.ms_per_step * 1e3 / side.calls_per_step;
}

/// A kernel that waits beside another is long and is charged with little of it: called as often, it
/// can last shorter and take more of the step.
bool lasts_against_its_change(const KernelChange& kernel) {
  const bool as_often = kernel.base.calls_per_step == kernel.head.calls_per_step;
  return as_often && (kernel.head.median_us - kernel.base.median_us) * kernel.change_ms() < 0.0;
}

std::string both_words(double base_us, double head_us) {
  const auto [before, after] = format_values(base_us, head_us, "us");
  return before + " -> " + after;
}

}  // namespace

std::vector<const KernelChange*> changed_kernels(const LedgerRow& row) {
  std::vector<const KernelChange*> kernels;
  for (const KernelChange& kernel : row.kernels) {
    if (kernel.fate != KernelFate::same) kernels.push_back(&kernel);
  }
  std::ranges::stable_sort(kernels, std::ranges::greater{}, [](const KernelChange* kernel) {
    const double change = kernel->change_ms();
    return std::isfinite(change) ? std::abs(change) : 0.0;
  });
  return kernels;
}

std::string fate_word(KernelFate fate) {
  std::string word(to_string(fate));
  std::ranges::replace(word, '_', ' ');
  return word;
}

std::string calls_words(const KernelChange& kernel) {
  const double base = kernel.base.calls_per_step;
  const double head = kernel.head.calls_per_step;
  const bool one_side = base == head || !on_both_sides(kernel);
  const double last = head > 0.0 ? head : base;
  const std::string_view noun = last == 1.0 ? "call" : "calls";
  if (one_side) return fmt::format("{} {}", format_count(last), noun);
  return fmt::format("{} -> {} {}", format_count(base), format_count(head), noun);
}

std::string median_words(const KernelChange& kernel) {
  const double base = kernel.base.median_us;
  const double head = kernel.head.median_us;
  if (!on_both_sides(kernel)) return format_value(head > 0.0 ? head : base, "us");
  if (base == head) return format_value(head, "us");
  if (lasts_against_its_change(kernel))
    return "wall " + both_words(wall_us_per_call(kernel.base), wall_us_per_call(kernel.head));
  return both_words(base, head);
}

std::string launch_words(const KernelChange& kernel) {
  const KernelSide& base = kernel.base;
  const KernelSide& head = kernel.head;
  std::vector<std::string> words;
  const auto differs = [&](std::string_view what, const std::string& before,
                           const std::string& after) {
    if (before != after) words.push_back(fmt::format("{} {} -> {}", what, before, after));
  };
  if (on_both_sides(kernel) && kernel.launch_differs) {
    differs("grid", shape(base.grid), shape(head.grid));
    differs("block", shape(base.block), shape(head.block));
    differs("registers", fmt::format("{}", base.registers_per_thread),
            fmt::format("{}", head.registers_per_thread));
    differs("shared", format_bytes(base.shared_bytes), format_bytes(head.shared_bytes));
  }
  std::string text = fmt::format("{}", fmt::join(words, ", "));
  const auto append = [&](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  append(bytes_words(kernel));
  if (lasts_against_its_change(kernel))
    append("lasts " + both_words(kernel.base.median_us, kernel.head.median_us) +
           ", in part beside others");
  if (kernel.code == CodeChange::same) append("same code");
  if (kernel.code == CodeChange::differs) append("code differs");
  return text;
}

std::string place_words(const KernelChange& kernel) {
  if (kernel.place.empty() || kernel.places <= 1) return kernel.place;
  return fmt::format("{} ({} places)", kernel.place, kernel.places);
}

}  // namespace perfgate::render
