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
  const auto [before, after] = format_values(base, head, "us");
  return before + " -> " + after;
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
  if (kernel.code == CodeChange::same) append("same code");
  if (kernel.code == CodeChange::differs) append("code differs");
  return text;
}

std::string place_words(const KernelChange& kernel) {
  if (kernel.place.empty() || kernel.places <= 1) return kernel.place;
  return fmt::format("{} ({} places)", kernel.place, kernel.places);
}

}  // namespace perfgate::render
