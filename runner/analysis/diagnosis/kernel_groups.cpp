#include "runner/analysis/diagnosis/kernel_groups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"
#include "runner/analysis/range_names.h"

namespace perfgate::analysis {
namespace {

constexpr std::size_t kLongestName = 60;

double us_per_call(double ms, double calls) { return calls > 0.0 ? ms * 1000.0 / calls : 0.0; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// As a word of its own: "half" in "__half>", not in "halftone".
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter_or_digit(text[at - 1]);
    if (begins && (end == text.size() || !is_letter_or_digit(text[end]))) return true;
  }
  return false;
}

/// nvjet names its operands by letters: t = bf16, h = half, q = fp8, s = fp32; the first is what
/// the weights are.
std::optional<int> nvjet_bits(std::string_view name) {
  if (!name.starts_with("nvjet_")) return std::nullopt;
  name.remove_prefix(6);
  if (name.starts_with("sm")) name = name.substr(std::min(name.find('_') + 1, name.size()));
  if (name.empty()) return std::nullopt;
  switch (name.front()) {
    case 's': return 32;
    case 't':
    case 'h': return 16;
    case 'q': return 8;
    default: return std::nullopt;
  }
}

std::string side_words(const Unclaimed& unclaimed, const KernelSet& kernels, Side side) {
  const KernelTotals totals = totals_of(unclaimed, kernels);
  const bool is_base = side == Side::base;
  const double calls = is_base ? totals.base_calls : totals.head_calls;
  if (calls <= 0.0) return {};
  const double us = is_base ? totals.base_us_per_call() : totals.head_us_per_call();
  return number_words(calls) + (calls > kMoreThanOne ? " calls" : " call") + " a step of " +
         main_name(unclaimed, kernels, side) + ", " + time_words(us / 1000.0) + " each";
}

}  // namespace

double KernelTotals::base_us_per_call() const { return us_per_call(base_ms, base_calls); }
double KernelTotals::head_us_per_call() const { return us_per_call(head_ms, head_calls); }

KernelTotals totals_of(const Unclaimed& unclaimed, const KernelSet& kernels) {
  KernelTotals totals;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    totals.base_calls += kernel.base.calls_per_step;
    totals.head_calls += kernel.head.calls_per_step;
    totals.base_ms += kernel.base.ms_per_step;
    totals.head_ms += kernel.head.ms_per_step;
    totals.base_bytes += kernel.base.bytes_per_step;
    totals.head_bytes += kernel.head.bytes_per_step;
  }
  return totals;
}

SwappedCalls swapped_calls(const Unclaimed& unclaimed, const KernelSet& kernels) {
  SwappedCalls calls;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    if (kernel.fate == KernelFate::less_often && !kernel.launch_differs) {
      calls.lost += kernel.base.calls_per_step - kernel.head.calls_per_step;
      continue;
    }
    calls.lost += kernel.base.calls_per_step;
    calls.gained += kernel.head.calls_per_step;
  }
  return calls;
}

double blocks_of(const KernelSide& side) {
  return static_cast<double>(side.grid[0]) * side.grid[1] * side.grid[2];
}

double threads_of(const KernelSide& side) {
  return blocks_of(side) * side.block[0] * side.block[1] * side.block[2];
}

std::string main_name(const Unclaimed& unclaimed, const KernelSet& kernels, Side side) {
  std::map<std::string, double> ms;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    const KernelSide& of_side = side == Side::base ? kernel.base : kernel.head;
    if (of_side.calls_per_step > 0.0) ms[of_side.name] += of_side.ms_per_step;
  }
  const auto most =
      std::ranges::max_element(ms, {}, [](const auto& entry) { return entry.second; });
  return most == ms.end() ? std::string{} : short_name(most->first);
}

std::string place_words(const Unclaimed& unclaimed, const KernelSet& kernels) {
  std::set<std::string> places;
  for (const std::size_t index : kernels) {
    places.insert(collapse_indices(unclaimed.kernels[index].change.place));
  }
  if (places.size() != 1 || places.begin()->empty()) return {};
  return " at " + *places.begin();
}

std::string calls_words(const Unclaimed& unclaimed, const KernelSet& kernels) {
  const std::string base = side_words(unclaimed, kernels, Side::base);
  const std::string head = side_words(unclaimed, kernels, Side::head);
  if (base.empty() || head.empty()) return base + head;
  return base + " -> " + head;
}

const std::string& name_of(const KernelChange& kernel) {
  return kernel.head.name.empty() ? kernel.base.name : kernel.head.name;
}

std::map<std::string, KernelSet> by_name(const Unclaimed& unclaimed, const KernelSet& kernels) {
  std::map<std::string, KernelSet> groups;
  for (const std::size_t index : kernels) {
    groups[name_of(unclaimed.kernels[index].change)].insert(index);
  }
  return groups;
}

std::string short_name(std::string_view normalised) {
  // The last "::" outside the template arguments; "(anonymous namespace)" holds no '<'.
  const std::size_t arguments = std::min(normalised.find('<'), normalised.size());
  const std::size_t scope = normalised.substr(0, arguments).rfind("::");
  if (scope != normalised.npos && scope > 0) normalised.remove_prefix(scope + 2);
  if (normalised.size() <= kLongestName) return std::string(normalised);
  return std::string(normalised.substr(0, kLongestName - 3)) + "...";
}

bool name_has(std::string_view name, std::string_view lower_case_word) {
  return lower(name).find(lower_case_word) != std::string::npos;
}

bool is_data_movement(const KernelChange& kernel) {
  const std::string& name = name_of(kernel);
  if (name_has(name, "memcpy")) return name_has(name, "device to device");
  if (kernel.family == "gemm" || kernel.family == "attention" || kernel.family == "comm") {
    return false;
  }
  constexpr std::array kWords{"transpose", "permute",    "contiguous", "copy",
                              "clone",     "nchwtonhwc", "nhwctonchw"};
  return std::ranges::any_of(kWords, [&](const char* word) { return name_has(name, word); });
}

bool is_to_host(const std::string& name) {
  return name_has(name, "device to host") || name_has(name, "dtoh");
}

bool is_to_device(const std::string& name) {
  return name_has(name, "host to device") || name_has(name, "htod");
}

bool has_more_copies(const KernelTotals& totals) {
  return totals.more_calls() >= kOneCall ||
         totals.head_bytes >= kMoreBytes * totals.base_bytes + kLeastBytes;
}

bool is_pointwise(std::string_view family) {
  constexpr std::array<std::string_view, 6> kFamilies{"norm",    "activation", "elementwise_copy",
                                                      "rope_kv", "quant",      "embedding"};
  return std::ranges::find(kFamilies, family) != kFamilies.end();
}

std::optional<int> named_bits(std::string_view name) {
  const std::string text = lower(name);
  if (const auto bits = nvjet_bits(text)) return bits;
  struct Word {
    std::string_view text;
    bool whole;  ///< only as a word of its own
    int bits;
  };
  // Narrowest first.
  constexpr std::array kWords{
      Word{"fp4", false, 4},     Word{"e2m1", false, 4},    Word{"int4", false, 4},
      Word{"w4a16", false, 4},   Word{"marlin", false, 4},  Word{"e4m3", false, 8},
      Word{"e5m2", false, 8},    Word{"fp8", false, 8},     Word{"int8", false, 8},
      Word{"imma", false, 8},    Word{"bf16", false, 16},   Word{"bfloat16", false, 16},
      Word{"f16", false, 16},    Word{"fp16", false, 16},   Word{"half", true, 16},
      Word{"h16816", false, 16}, Word{"s16816", false, 16}, Word{"hgemm", false, 16},
      Word{"h1688", false, 16},  Word{"tf32", false, 32},   Word{"f32", false, 32},
      Word{"fp32", false, 32},   Word{"sgemm", false, 32},  Word{"s1688gemm", false, 32},
      Word{"float", true, 32}};
  for (const Word& word : kWords) {
    if (word.whole ? has_word(text, word.text) : text.find(word.text) != text.npos) {
      return word.bits;
    }
  }
  return std::nullopt;
}

bool names_wide_operands(std::string_view name) {
  std::string text = lower(name);
  for (std::size_t at = text.find("float"); at != text.npos; at = text.find("float", at)) {
    text.erase(at, 5);
  }
  const auto bits = named_bits(text);
  return bits && *bits >= 32;
}

}  // namespace perfgate::analysis
