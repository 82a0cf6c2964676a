#include "runner/analysis/datasheet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace perfgate::analysis {
namespace {

struct Sheet {
  std::string_view words;  ///< all of these, separated by spaces, stand in the name as whole words
  std::string_view title;
  double bandwidth_bytes_per_s;
  double bf16_flop_per_s;  ///< dense; 0 = left out
};

// The first row that fits: the longer names come first.
constexpr std::array kSheets{
    // "GH200 480GB" has 96 GB HBM3; "GH200 144G HBM3e" has 144 GB HBM3e.
    Sheet{"gh200 144g hbm3e", "GH200 144 GB HBM3e", 4.9e12, 989.4e12},
    Sheet{"gh200 480gb", "GH200 96 GB HBM3", 4.0e12, 989.4e12},
    Sheet{"h200 nvl", "H200 NVL", 4.8e12, 835.5e12},
    Sheet{"h200", "H200 SXM", 4.8e12, 989.4e12},
    Sheet{"h100 nvl", "H100 NVL", 3.9e12, 835.5e12},
    Sheet{"h100 pcie", "H100 PCIe", 2.0e12, 756.0e12},
    Sheet{"h100 80gb hbm3", "H100 SXM", 3.35e12, 989.4e12},
    Sheet{"a100-sxm4-80gb", "A100 SXM 80 GB", 2.039e12, 312.0e12},
    Sheet{"a100 80gb pcie", "A100 PCIe 80 GB", 1.935e12, 312.0e12},
    Sheet{"a100-sxm4-40gb", "A100 SXM 40 GB", 1.555e12, 312.0e12},
    Sheet{"a100-pcie-40gb", "A100 PCIe 40 GB", 1.555e12, 312.0e12},
    Sheet{"b200", "B200", 8.0e12, 2250.0e12},
    Sheet{"l40s", "L40S", 0.864e12, 362.05e12},
    Sheet{"l4", "L4", 0.300e12, 121.0e12},
    // GeForce: BF16 with FP32 accumulation, which the Ada and Blackwell whitepapers list apart.
    Sheet{"geforce rtx 4090", "GeForce RTX 4090", 1.008e12, 165.2e12},
    Sheet{"geforce rtx 5090", "GeForce RTX 5090", 1.792e12, 209.5e12},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Whole words only: "l4" must not take "L40S", nor "h200" a "GH200".
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const bool starts = at == 0 || name[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (starts && (end == name.size() || name[end] == ' ')) return true;
  }
  return false;
}

bool fits(std::string_view name, std::string_view words) {
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    const std::string_view word = words.substr(0, space);
    if (!has_word(name, word)) return false;
    words = space == words.npos ? std::string_view{} : words.substr(space + 1);
  }
  return true;
}

}  // namespace

std::optional<RooflineCeiling> datasheet_ceiling(std::string_view gpu_name) {
  const std::string name = lower(gpu_name);
  // A MIG slice or a laptop part has a share of the memory system; the sheet of the whole GPU would
  // mislead.
  if (has_word(name, "mig") || has_word(name, "laptop") || has_word(name, "d")) return std::nullopt;
  for (const Sheet& sheet : kSheets) {
    if (!fits(name, sheet.words)) continue;
    RooflineCeiling ceiling{.bandwidth_bytes_per_s = sheet.bandwidth_bytes_per_s,
                            .rate_flop_per_s = std::nullopt,
                            .source = "datasheet " + std::string(sheet.title)};
    if (sheet.bf16_flop_per_s > 0.0) ceiling.rate_flop_per_s = sheet.bf16_flop_per_s;
    return ceiling;
  }
  return std::nullopt;
}

}  // namespace perfgate::analysis
